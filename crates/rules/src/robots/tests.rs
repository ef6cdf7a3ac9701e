use rhumb_web::{CanonUrl, Span};

use super::*;

/// Judges each path for `rhumb`; `+` before a path means allowed, `-` disallowed.
fn check(file: &str, expect: &[&str]) {
    let robots = Robots::parse(file.as_bytes()).for_agent("rhumb");
    for case in expect {
        let (sign, path) = case.split_at(1);
        let verdict = robots.judge(path);
        assert_eq!(verdict.allowed, sign == "+", "{path}: {verdict:?} in {file:?}");
    }
}

#[test]
fn the_answer_names_the_line_the_rule_and_the_group() {
    let file = "# hello\r\nUser-agent: *\r\nDisallow: /\r\n\r\nUSER-AGENT: Rhumb/2.0 # us\r\n\
                Disallow : /private/ # keep out\r\nAllow: /private/press\r\n";
    let robots = Robots::parse(file.as_bytes());
    let ours = robots.for_agent("rhumb");
    let verdict = ours.judge("/private/x");
    assert_eq!((verdict.allowed, verdict.line), (false, Some(6)));
    assert_eq!(verdict.rule, Some("Disallow : /private/"));
    assert_eq!(verdict.group, Some("Rhumb/2.0"));
    let verdict = ours.judge("/private/press");
    assert_eq!((verdict.allowed, verdict.line), (true, Some(7)));
    let verdict = ours.judge("/");
    assert_eq!((verdict.allowed, verdict.line, verdict.group), (true, None, Some("Rhumb/2.0")));
    let theirs = robots.for_agent("otherbot");
    assert_eq!((theirs.judge("/").line, theirs.judge("/").group), (Some(3), Some("*")));
    assert_eq!(Robots::allow_all().for_agent("rhumb").judge("/").group, None);
}

#[test]
fn lines_are_counted_alike_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        let file = ["# one", "User-agent: *", "", "Disallow: /x", ""].join(end);
        let robots = Robots::parse(file.as_bytes()).for_agent("rhumb");
        assert_eq!(robots.judge("/x").line, Some(4), "{end:?}");
    }
}

#[test]
fn a_longer_rule_beats_a_shorter_one_and_a_tie_allows() {
    let file =
        "user-agent: *\ndisallow: /a\nallow: /a/b\ndisallow: /a/b/c\nallow: /t\ndisallow: /t";
    check(file, &["-/a", "-/ab", "+/a/b", "+/a/bc", "-/a/b/c", "+/t", "+/other"]);
    // A lookup by nearest neighbour among sorted prefixes would miss /a here.
    check("user-agent: *\ndisallow: /a\ndisallow: /aa", &["-/ab", "-/aa", "-/a", "+/b"]);
}

#[test]
fn stars_and_dollars_are_wildcards() {
    let file = "user-agent: *\ndisallow: /*.php$\ndisallow: /p*q*r\ndisallow: */end$\nallow: /$";
    check(file, &["-/x.php", "+/x.php?y", "+/x.phps", "-/x.php.php", "-/pqr", "-/p1q2r3"]);
    check(file, &["+/prq", "-/deep/end", "+/deep/end/", "+/"]);
    check("user-agent: *\ndisallow: /a$b", &["-/a$b", "-/a$bc", "+/a"]);
    check("user-agent: *\ndisallow: /x**y***$", &["-/xy", "-/x--y--", "+/yx"]);
    check("user-agent: *\ndisallow: /ab*ab$", &["-/abab", "+/ab", "-/abxab"]);
}

#[test]
fn one_octet_matches_in_every_spelling() {
    let file = "user-agent: *\ndisallow: /%7Eme/\ndisallow: /caf%c3%a9\ndisallow: /naïve\n\
                disallow: /a%2fb\ndisallow: /star%2A\ndisallow: /two words\ndisallow: /q?x='1'";
    check(file, &["-/~me/", "-/%7eme/", "-/caf%C3%A9", "-/café", "-/na%C3%AFve", "-/a%2Fb"]);
    check(file, &["+/a/b", "-/star*", "-/star%2a", "+/star", "-/two%20words", "-/q?x=%271%27"]);
    // Half an escape is just its characters.
    check("user-agent: *\ndisallow: /50%off", &["-/50%off", "-/50%off/now", "+/50"]);
}

#[test]
fn octets_that_are_not_utf8_match_their_escapes() {
    let robots = Robots::parse(b"user-agent: *\ndisallow: /caf\xe9/").for_agent("rhumb");
    assert!(!robots.judge("/caf%E9/x").allowed);
    assert!(robots.judge("/cafe/").allowed);
}

#[test]
fn own_groups_are_merged_and_replace_the_one_for_all() {
    let file = "user-agent: *\ndisallow: /all\n\nuser-agent: rhumb\ndisallow: /one\n\n\
                user-agent: x\nuser-agent: RHUMB\ndisallow: /two\n\nuser-agent: rhumbline\ndisallow: /";
    check(file, &["+/all", "-/one", "-/two", "+/"]);
    check("user-agent: rhumb\n\nuser-agent: *\ndisallow: /", &["-/"]);
    check("user-agent: *\ndisallow: /\n\nuser-agent: rhumb\nallow:", &["+/"]);
    check("disallow: /\nuser-agent: x\ndisallow: /", &["+/"]);
}

#[test]
fn a_name_is_compared_up_to_its_version() {
    let file = b"User-agent: bot1/3.0\nDisallow: /\n";
    for (agent, allowed) in [("bot1", false), ("BOT1/9", false), ("bot", true), ("bot12", true)] {
        assert_eq!(Robots::parse(file).for_agent(agent).judge("/").allowed, allowed, "{agent}");
    }
    // Google's parser ends the name in the file before its digit.
    let reference = |agent| Robots::parse(file).for_agent_by(agent, Reading::Reference);
    assert!(!reference("bot").judge("/").allowed);
    assert!(reference("bot1").judge("/").allowed);
}

#[test]
fn usual_typos_and_a_missing_colon_are_understood() {
    for line in ["Disalow: /x", "dissallow:/x", "disallow /x", "DISALLOW\t:\t/x", "disallow /x:y"] {
        let path = if line.ends_with('y') { "-/x:y" } else { "-/x" };
        check(&format!("useragent: rhumb\n{line}"), &[path, "+/"]);
    }
    check("user-agent rhumb\ndisallow / but not this\n", &["+/"]);
}

#[test]
fn marks_and_wide_letters_and_nul_bytes_do_not_hide_the_rules() {
    let text = "User-agent: *\nDisallow: /x\n";
    let wide = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<_>>();
    let files = [
        [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        [b"\xFF\xFE", &wide(u16::to_le_bytes)[..]].concat(),
        [b"\xFE\xFF", &wide(u16::to_be_bytes)[..]].concat(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
        b"User-agent: *\nDis\0allow: /x\0\n".to_vec(),
    ];
    for file in files {
        let robots = Robots::parse(&file).for_agent("rhumb");
        assert_eq!(robots.judge("/x").line, Some(2), "{file:?}");
        assert!(robots.judge("/").allowed);
    }
}

#[test]
fn what_lies_beyond_the_limit_is_ignored_line_by_line() {
    let rule = "disallow: /last-rule\n";
    let start = "user-agent: *\ndisallow: /x\n";
    let comment = |length: usize| format!("#{}\n", "c".repeat(length - 2));
    let fits = comment(ROBOTS_BYTES_MAX - start.len() - rule.len());
    check(&format!("{start}{fits}{rule}allow: /x"), &["-/x", "-/last-rule"]);
    let cut = comment(ROBOTS_BYTES_MAX - start.len() - rule.len() + 2);
    check(&format!("{start}{cut}{rule}allow: /x"), &["-/x", "+/last-rule", "+/last-rul"]);
    let without_end = &rule[..rule.len() - 1];
    let fits = comment(ROBOTS_BYTES_MAX - start.len() - without_end.len());
    check(&format!("{start}{fits}{rule}allow: /x"), &["-/x", "-/last-rule"]);
    check(&"x".repeat(ROBOTS_BYTES_MAX * 2), &["+/x"]);
}

#[test]
fn robots_txt_itself_is_always_allowed() {
    check(
        "user-agent: *\ndisallow: /",
        &["+/robots.txt", "-/robots.txt.bak", "-/a/robots.txt", "-/"],
    );
}

#[test]
fn an_allowed_index_page_allows_its_folder() {
    let file = "user-agent: *\nallow: /docs/index.html\ndisallow: /";
    check(file, &["+/docs/", "+/docs/index.html", "-/docs/other", "-/docs"]);
}

#[test]
fn delays_and_hours_belong_to_the_agents_above_them() {
    let file = "user-agent: a\ncrawl-delay: 10\nuser-agent: rhumb\ndisallow: /shared\n\
                request-rate: 1/5\nrequest-rate: 1/20 2300-0159\nvisit-time: 2200-0400\n\n\
                user-agent: *\ncrawl-delay: 99";
    let robots = Robots::parse(file.as_bytes());
    let ours = robots.for_agent("rhumb");
    assert_eq!(ours.crawl_delay(), None);
    assert_eq!(ours.gap(12 * 60), Some(Span::seconds(5)));
    assert_eq!(ours.gap(0), Some(Span::seconds(20)));
    assert_eq!((ours.closed_until(12 * 60), ours.closed_until(0)), (Some(600), None));
    let theirs = robots.for_agent("a");
    assert!(!theirs.judge("/shared").allowed);
    assert_eq!(theirs.gap(0), Some(Span::seconds(10)));
    assert_eq!(theirs.closed_until(12 * 60), None);
    assert_eq!(robots.for_agent("x").crawl_delay(), Some(Span::seconds(99)));
}

#[test]
fn the_longest_of_several_delays_holds() {
    let file =
        b"user-agent: rhumb\ncrawl-delay: 3\ncrawl-delay: 7\ncrawl-delay: 5\nrequest-rate: 1/6";
    let robots = Robots::parse(file).for_agent("rhumb");
    assert_eq!(robots.crawl_delay(), Some(Span::seconds(7)));
    assert_eq!(robots.gap(0), Some(Span::seconds(7)));
}

#[test]
fn sitemaps_and_host_are_for_everybody() {
    let file = "Sitemap: /a.xml\nuser-agent: x\nsitemap: http://b.example/Map.xml\nallow: /\n\
                SITEMAP : /a.xml\nsitemap: http://a.example/a.xml\nsitemap:\nHost: www.a.example\n\
                host: b.example\nsitemap: mailto:me";
    let robots = Robots::parse(file.as_bytes());
    let written = ["/a.xml", "http://b.example/Map.xml", "http://a.example/a.xml", "mailto:me"];
    assert_eq!(robots.sitemaps(), written);
    assert_eq!(robots.host(), Some("www.a.example"));
    let urls = robots.sitemap_urls(&CanonUrl::parse("http://a.example/robots.txt").unwrap());
    let urls: Vec<_> = urls.iter().map(CanonUrl::as_str).collect();
    assert_eq!(urls, ["http://a.example/a.xml", "http://b.example/Map.xml"]);
    let many = (0..2 * SITEMAPS_MAX).map(|n| format!("sitemap: /{n}.xml\n")).collect::<Vec<_>>();
    assert_eq!(Robots::parse(many.concat().as_bytes()).sitemaps().len(), SITEMAPS_MAX);
}

#[test]
fn ai_use_is_kept_as_written_for_all_and_for_the_group() {
    let file = "Content-Signal: ai-train=no # all\nuser-agent: rhumb\nLLM-Policy: /llms.txt\n\
                disallow:\nuser-agent: x\nContent-Usage: train-ai=n";
    let robots = Robots::parse(file.as_bytes());
    let lines = |agent| robots.for_agent(agent).ai_use().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines("rhumb"), ["Content-Signal: ai-train=no", "LLM-Policy: /llms.txt"]);
    assert_eq!(lines("other"), ["Content-Signal: ai-train=no"]);
    let many = "llm-policy: é".repeat(1_000) + &"\nllm-policy: é".repeat(1_000);
    let kept = Robots::parse(many.as_bytes()).for_agent("rhumb");
    assert_eq!(kept.ai_use().count(), AI_USE_MAX);
}

#[test]
fn a_html_page_has_no_rules() {
    check("<!DOCTYPE html>\n<html><body><p>Disallow: / is not here</p></body></html>", &["+/"]);
}

#[test]
fn the_view_of_an_agent_survives_being_stored() {
    let file = b"user-agent: *\ncrawl-delay: 2\nvisit-time: 0100-0200\nrequest-rate: 1/3\n\
                 disallow: /x*y$\nllm-policy: /llms.txt";
    let robots = Robots::parse(file).for_agent("rhumb");
    let json = serde_json::to_string(&robots).unwrap();
    assert_eq!(serde_json::from_str::<RobotsFor>(&json).unwrap(), robots);
}

#[test]
fn a_path_is_taken_from_a_url_as_it_is_written() {
    for (url, path) in [
        ("", "/"),
        ("http://a.example", "/"),
        ("http://a.example/%62?x#y", "/%62?x"),
        ("http://a.example?q", "/?q"),
        ("http://a.example#/x", "/"),
        ("http://a.example/x//y", "/x//y"),
        ("/x", "/x"),
    ] {
        assert_eq!(path_as_written(url), path, "{url}");
    }
}
