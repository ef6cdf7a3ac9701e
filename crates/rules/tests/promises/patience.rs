//! Files and scopes of a size that would exhaust a naive matcher: the tests pass when they end.

use rhumb_rules::{
    Reading, Reason, Robots, RobotsFor, Scope, ScopeKind, Verdict, WILDCARD_RULES_MAX,
};
use rhumb_web::{Candidate, CanonUrl, Errand};

const MANY: usize = 10_000;

fn allowed(pattern: &str, path: &str) -> bool {
    let file = format!("user-agent: *\ndisallow: {pattern}\n");
    let robots = Robots::parse(file.as_bytes());
    let verdicts = [Reading::Standard, Reading::Reference]
        .map(|reading| robots.for_agent_by("rhumb", reading).judge(path).allowed);
    assert_eq!(verdicts[0], verdicts[1], "{pattern:.40} on {path:.40}");
    verdicts[0]
}

#[test]
fn ten_thousand_stars_against_ten_thousand_letters_end() {
    let path = format!("/{}", "a".repeat(MANY));
    assert!(!allowed(&format!("/{}", "*".repeat(MANY)), &path));
    assert!(allowed(&format!("/{}b", "*".repeat(MANY)), &path));
    assert!(!allowed(&format!("/{}$", "*a".repeat(MANY)), &path));
    assert!(allowed(&format!("/{}$", "*a".repeat(MANY + 1)), &path));
    assert!(allowed(&format!("/{}b$", "*a".repeat(MANY / 2)), &path));
    assert!(allowed(&format!("/*{}b", "a".repeat(MANY - 1)), &path));
    assert!(!allowed(&format!("/*{}$", "a".repeat(MANY)), &path));
}

#[test]
fn a_file_full_of_rules_is_judged() {
    let rules: Vec<String> = (0..20_000).map(|n| format!("disallow: /d/*{n}x\n")).collect();
    let rules = rules.concat();
    let robots = Robots::parse(format!("user-agent: *\n{rules}").as_bytes()).for_agent("rhumb");
    assert!(!robots.judge("/d/q12345x").allowed);
    let long = "y".repeat(2_000);
    // Too many stars close the whole folder that they stand in, and nothing beside it.
    assert!(!robots.judge(&format!("/d/{long}")).allowed);
    assert!(robots.judge(&format!("/e/{long}")).allowed);
}

/// A file with as many rules with stars as are matched, and these after them.
fn beyond_the_maximum(rules: &str) -> RobotsFor {
    let first: Vec<String> =
        (0..WILDCARD_RULES_MAX).map(|n| format!("disallow: /z/*{n}x\n")).collect();
    let file = format!("user-agent: *\n{}{rules}", first.concat());
    Robots::parse(file.as_bytes()).for_agent("rhumb")
}

#[test]
fn a_rule_with_one_star_too_many_closes_more_and_never_less() {
    let robots = beyond_the_maximum("allow: /a\ndisallow: /a/*b$\nallow: /a/*bc\ndisallow: /c");
    assert!(!robots.judge("/z/999x").allowed && robots.judge("/z/y").allowed);
    assert!(robots.judge("/a").allowed && !robots.judge("/c").allowed);
    // The shortened rule keeps its weight, so that the Allow of two octets does not undo it.
    assert!(!robots.judge("/a/b").allowed && !robots.judge("/a/x").allowed);
    assert_eq!(robots.judge("/a/x").rule, Some("disallow: /a/*b$"));
    assert!(!robots.judge("/a/bc").allowed, "an Allow with a star is left out");
}

#[test]
fn a_hundred_thousand_roots_are_looked_up_and_not_walked() {
    let url = |n: usize, page: &str| {
        CanonUrl::parse(&format!("http://h{}.example/d{n}/{page}", n % 7)).expect("a URL")
    };
    for kind in [ScopeKind::Page, ScopeKind::Prefix, ScopeKind::Host, ScopeKind::Domain] {
        let mut scope = Scope::new(kind);
        for n in 0..10 * MANY {
            scope.add_root(&url(n, "seed"));
        }
        let judge = |url| scope.judge(&Candidate::new(url, Errand::Page, 1, 0));
        let inside = (0..10 * MANY).filter(|n| judge(url(*n, "seed")) == Verdict::Admit).count();
        assert_eq!(inside, 10 * MANY, "{kind}");
        let slashes = format!("http://other.example/{}", "/".repeat(MANY));
        let outside = judge(CanonUrl::parse(&slashes).expect("a URL"));
        assert_eq!(outside, Verdict::Refuse(Reason::OutOfScope), "{kind}");
    }
}
