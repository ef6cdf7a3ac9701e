//! Properties, and a matcher that is too simple to be wrong.

use proptest::prelude::*;
use rhumb_rules::{
    Reading, Robots, Rules, Scope, ScopeKind, Trap, Verdict, WILDCARD_RULES_MAX, of_header,
    of_meta, path_as_written,
};
use rhumb_web::{Candidate, CanonUrl, Errand};

/// RFC 9309 §2.2.3, word for word.
fn naive(pattern: &[u8], path: &[u8]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        ([b'$'], rest) => rest.is_empty(),
        ([b'*', tail @ ..], rest) => (0..=rest.len()).any(|skip| naive(tail, &rest[skip..])),
        ([a, tail @ ..], [b, rest @ ..]) => a == b && naive(tail, rest),
        ([_, ..], []) => false,
    }
}

/// The most octets decide, and a tie allows.
fn naive_verdict(rules: &[(bool, String)], path: &str) -> bool {
    let matching = rules.iter().filter(|(_, it)| !it.is_empty());
    let matching = matching.filter(|(_, it)| naive(it.as_bytes(), path.as_bytes()));
    matching.max_by_key(|(allow, it)| (it.len(), *allow)).is_none_or(|(allow, _)| *allow)
}

fn file(rules: &[(bool, String)]) -> String {
    let line = |(allow, pattern): &(bool, String)| {
        format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" })
    };
    format!("User-agent: *\n{}", rules.iter().map(line).collect::<Vec<_>>().concat())
}

fn rules() -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), r"(/?[ab*]{0,6}\$?)?"), 0..8)
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(body in prop::collection::vec(any::<u8>(), 0..300), path: String) {
        let robots = Robots::parse(&body);
        for reading in [Reading::Standard, Reading::Reference] {
            let view = robots.for_agent_by("rhumb", reading);
            let verdict = view.judge(&path);
            prop_assert_eq!(verdict.line.is_some(), verdict.rule.is_some());
            let _ = (view.gap(0), view.closed_until(0));
        }
    }

    #[test]
    fn no_lines_make_the_reader_panic(
        lines in prop::collection::vec(
            ("(user-agent|allow|disallow|crawl-delay|request-rate|visit-time|sitemap|host|llm-policy)", r"[ :#\t]{0,3}", r"(\PC{0,8}|[0-9:/*$%. -]{0,12})"),
            0..12,
        ),
        path: String,
        minute in 0_u16..1_440,
    ) {
        let line = |(key, gap, value): &(String, String, String)| format!("{key}:{gap}{value}\n");
        let text = lines.iter().map(line).collect::<Vec<_>>().concat();
        let robots = Robots::parse(text.as_bytes());
        let view = robots.for_agent("rhumb");
        let line = view.judge(&path_as_written(&path)).line;
        prop_assert!(line.is_none_or(|line| line as usize <= lines.len()));
        prop_assert!(view.gap(minute).is_none_or(|gap| gap <= rhumb_rules::DELAY_MAX));
        prop_assert!(view.closed_until(minute).is_none_or(|wait| wait < 1_440));
    }

    #[test]
    fn the_verdict_is_that_of_the_naive_matcher(rules in rules(), path in "/[ab]{0,8}") {
        let robots = Robots::parse(file(&rules).as_bytes());
        for reading in [Reading::Standard, Reading::Reference] {
            let verdict = robots.for_agent_by("rhumb", reading);
            prop_assert_eq!(verdict.judge(&path).allowed, naive_verdict(&rules, &path));
        }
    }

    #[test]
    fn too_many_stars_never_open_what_the_rules_close(rules in rules(), path in "/[ab]{0,8}") {
        let stars = "Disallow: /*z\n".repeat(WILDCARD_RULES_MAX);
        let file = file(&rules).replacen('\n', &format!("\n{stars}"), 1);
        let allowed = Robots::parse(file.as_bytes()).for_agent("rhumb").judge(&path).allowed;
        prop_assert!(!allowed || naive_verdict(&rules, &path));
    }

    #[test]
    fn one_more_disallow_never_allows_more(rules in rules(), more in "/[ab*]{0,4}", path in "/[ab]{0,8}") {
        let before = Robots::parse(file(&rules).as_bytes()).for_agent("rhumb").judge(&path).allowed;
        let mut rules = rules;
        rules.push((false, more));
        let after = Robots::parse(file(&rules).as_bytes()).for_agent("rhumb").judge(&path).allowed;
        prop_assert!(before || !after);
    }

    #[test]
    fn an_escaped_path_is_judged_like_the_path(word in "[a-z]{1,6}", other in "[a-z]{1,6}") {
        let escaped = word.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
        let by = |rule: &str, path: &str| {
            Robots::parse(format!("user-agent: *\ndisallow: /{rule}").as_bytes())
                .for_agent("rhumb").judge(&format!("/{path}")).allowed
        };
        prop_assert_eq!(by(&word, &other), by(&escaped, &other));
        prop_assert_eq!(by(&other, &word), by(&other, &escaped));
        prop_assert!(!by(&escaped, &word));
    }

    #[test]
    fn scope_any_admits_every_url_that_is_no_trap(host in "[a-z]{1,8}", path in r"\PC{0,40}", depth: u16) {
        if let Ok(url) = CanonUrl::parse(&format!("http://{host}.example/{path}")) {
            let is_trap = Trap::of(&url).is_some();
            let candidate = Candidate::new(url, Errand::Page, depth, 0);
            let scope = Scope::new(ScopeKind::Any);
            prop_assert_eq!(scope.judge(&candidate), Verdict::Admit);
            let admitted = Rules::new(scope).judge(&candidate) == Verdict::Admit;
            prop_assert_eq!(admitted, depth == 0 || !is_trap);
        }
    }

    #[test]
    fn a_wider_scope_admits_what_a_narrower_one_does(seed in "[ab]{0,2}(/[ab]{0,2}){0,3}", link in "[ab]{0,2}(/[ab]{0,2}){0,3}") {
        let url = |path: &str| CanonUrl::parse(&format!("http://a.example/{path}")).unwrap();
        let candidate = Candidate::new(url(&link), Errand::Page, 1, 0);
        let admits = ScopeKind::ALL.map(|kind| {
            let mut scope = Scope::new(kind);
            scope.add_root(&url(&seed));
            scope.judge(&candidate) == Verdict::Admit
        });
        prop_assert!(admits.is_sorted(), "{admits:?}");
    }

    #[test]
    fn a_wish_for_all_holds_beside_any_other_text(text in r"\PC{0,40}") {
        let _ = (of_meta("rhumb", "robots", &text), of_meta("rhumb", &text, "none"));
        let found = of_header("rhumb", &format!("noindex, {text}"));
        prop_assert!(found.has(rhumb_web::Directive::NoIndex));
    }
}
