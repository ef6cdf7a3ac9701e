//! The odd robots.txt files of crawler-commons, each by what its name promises.

use rhumb_rules::{Robots, RobotsFor};
use rhumb_web::{CanonUrl, Span};

use crate::conformance_file;

fn file(name: &str) -> Option<Robots> {
    conformance_file(&format!("robots/files/{name}")).map(|body| Robots::parse(&body))
}

/// Judges each path in the file; `+` before a path means allowed, `-` disallowed.
fn check(name: &str, agent: &str, expect: &[&str]) {
    let Some(robots) = file(name) else { return };
    let robots = robots.for_agent(agent);
    for case in expect {
        let (sign, path) = case.split_at(1);
        let verdict = robots.judge(path);
        assert_eq!(verdict.allowed, sign == "+", "{name} {agent} {path}: {verdict:?}");
    }
}

fn check_delays(name: &str, expect: &[(&str, u16, Option<u64>)]) {
    let Some(robots) = file(name) else { return };
    for (agent, minute, gap_ms) in expect {
        let gap = robots.for_agent(agent).gap(*minute);
        assert_eq!(gap, gap_ms.map(Span), "{name} {agent} at {minute}");
    }
}

#[test]
fn typos_in_directives_are_understood() {
    let name = "directive-typos-robots.txt";
    check(name, "bot1", &["-/desallow/", "-/dissalow/", "+/useragent/"]);
    check(name, "bot2", &["-/useragent/", "+/desallow/"]);
    check(name, "bot3", &["-/useg-agent/", "+/useragent/"]);
    check(name, "bot4", &["-/useragent-no-colon/", "+/useg-agent/"]);
}

#[test]
fn errors_of_format_are_understood() {
    let name = "format-errors-robots.txt";
    check(name, "bot1", &["-/whitespace-before-colon/", "-/no-colon/", "+/"]);
    check(name, "bot2", &["-/no-colon-useragent/", "+/"]);
    check(name, "bot3", &["+/whitespace-before-colon", "-/"]);
    if let Some(robots) = file(name) {
        assert_eq!(robots.sitemaps(), ["/sitemap.xml"]);
    }
    check("malformed-path.txt", "bot", &["-/wiki/Wikipedia_talk:Mediation_Committee/"]);
    check("malformed-path.txt", "bot", &["-/wiki/Wikipedia_talk%3Mediation_Committee/", "+/wiki/"]);
}

#[test]
fn groups_are_merged_but_extensions_stay_with_their_agents() {
    let name = "crawl-delay-group-merging.txt";
    check(name, "mybot", &["-/private/", "+/login/"]);
    check(name, "yourbot", &["-/private/", "-/login/"]);
    check(name, "other", &["+/private/", "+/login/"]);
    check_delays(name, &[("mybot", 0, Some(10_000)), ("yourbot", 0, None), ("x", 0, Some(30_000))]);
    let name = "extensions-group-merging.txt";
    check(name, "mybot", &["-/private/", "-/login/"]);
    check(name, "yourbot", &["-/private/", "-/login/"]);
    check(name, "other", &["+/llms.txt", "-/"]);
    check_delays(name, &[("mybot", 0, Some(6_000)), ("yourbot", 0, None), ("x", 0, Some(2_000))]);
    if let Some(robots) = file(name) {
        let signal = ["Content-Signal: search=yes,ai-train=yes,ai-input=yes"];
        for (agent, closed) in [("mybot", None), ("yourbot", None), ("other", Some(360))] {
            let view = robots.for_agent(agent);
            assert_eq!(view.closed_until(0), closed, "{agent}");
            assert_eq!(view.ai_use().collect::<Vec<_>>(), signal, "{agent}");
        }
    }
    check("merge-rules.txt", "wget", &["+/foo/bar", "-/tmp/bar", "+/ckh/bar"]);
    check("merge-rules.txt", "other", &["-/foo/bar", "-/tmp/bar"]);
}

#[test]
fn the_examples_of_the_rfc_hold() {
    let name = "rfc9309-example-simple-robots.txt";
    check(name, "other", &["-/x.gif", "+/x.gif?", "-/example/", "+/publications/", "+/"]);
    check(name, "foobot", &["-/", "+/example/page.html", "+/example/allowed.gif", "-/x.gif"]);
    check(name, "barbot", &["-/example/page.html", "+/x.gif"]);
    check(name, "bazbot", &["-/example/page.html", "+/x.gif"]);
    check(name, "quxbot", &["+/example/page.html", "+/x.gif", "+/"]);
    let name = "rfc9309-example-longest-match-robots.txt";
    check(name, "foobot", &["+/example/page/", "-/example/page/disallowed.gif"]);
    let name = "rfc9309-example-rule-group-merging.txt";
    check(name, "ExampleBot", &["-/foo", "-/bar", "-/baz"]);
    check(name, "other", &["-/foo", "-/bar", "+/baz"]);
}

#[test]
fn precedence_and_wildcards_hold() {
    let name = "precedence-of-rules.txt";
    check(name, "wget", &["+/foo", "+/index.html", "-/other"]);
    check(name, "testy", &["-/foo", "+/foo/bar", "-/foo/bad", "+/"]);
    let name = "wildcards.txt";
    check(name, "other", &["-/wishlist/", "+/wishlist/universal-x", "-/x/gcrnsts", "+/x/gcrnst"]);
    check(name, "other", &["-/gp/registry/wishlist/7/reserve", "-/gp/cart/x"]);
    check(name, "Googlebot", &["-/rss/people/7/reviews", "+/rss/people/reviews"]);
}

#[test]
fn every_encoding_and_line_end_is_read() {
    for mark in ["utf8", "utf16be", "utf16le"] {
        let name = format!("robots-with-{mark}-bom.txt");
        check(&name, "other", &["-/login.aspx", "-/a/output/print", "+/"]);
        check(&name, "Googlebot", &["-/profile", "-/a/output/print", "+/"]);
        if let Some(robots) = file(&name) {
            assert_eq!(robots.sitemaps(), ["http://www.newsweek.com/sitemap_index.xml"], "{mark}");
        }
    }
    check_delays("dos-line-endings.txt", &[("any", 0, Some(1_000))]);
}

#[test]
fn delays_rates_and_hours_are_read() {
    check_delays("astore.amazon.com-robots.txt", &[("any", 0, Some(5_000))]);
    let name = "extended-standard-robots.txt";
    check_delays(name, &[("bot1", 0, Some(2_000)), ("bot2", 0, Some(15_000))]);
    check_delays(name, &[("bot3", 120, Some(12_000)), ("bot3", 0, Some(3_000))]);
    check_delays(name, &[("bot4", 0, Some(125)), ("bot5", 0, None)]);
    let name = "twitter.com-robots.txt";
    check_delays(name, &[("Googlebot", 0, None), ("Slurp", 0, Some(1_000)), ("x", 0, None)]);
    check_delays(name, &[("msnbot", 0, Some(10_000))]);
    check(name, "Googlebot", &["-/x?y", "-/me/with_friends", "+/me"]);
    let name = "extension-robots.txt";
    check_delays(name, &[("mybot", 0, Some(6_000)), ("otherbot", 0, Some(12_000))]);
    if let Some(robots) = file(name) {
        assert_eq!(robots.for_agent("mybot").closed_until(0), Some(120));
        assert_eq!(robots.host(), Some("www.example.com"));
        let ai_use = ["LLM-Policy: /llms.txt", "Content-Signals: /content-signals.json"];
        assert_eq!(robots.for_agent("other").ai_use().collect::<Vec<_>>(), ai_use);
        assert_eq!(robots.for_agent("mybot").ai_use().count(), 0);
    }
}

#[test]
fn sitemaps_and_hosts_are_found_anywhere_and_once() {
    let sitemaps = |name: &str, expect: &[&str]| {
        let Some(robots) = file(name) else { return };
        let urls = robots.sitemap_urls(&CanonUrl::parse("http://a.example/robots.txt").unwrap());
        let urls: Vec<_> = urls.iter().map(CanonUrl::as_str).collect();
        assert_eq!(urls, expect, "{name}");
    };
    sitemaps("sitemap-robots-dedup.txt", &["http://example.org/sitemap.xml"]);
    sitemaps("relative-sitemap-robots.txt", &["http://a.example/sitemap.xml"]);
    let mixed = "http://domain.com/dir/MixedCased-sitemap.xml";
    sitemaps("sitemap-robots.txt", &["http://domain.com/sitemap.xml", mixed]);
    sitemaps("www.flot.com-robots.txt", &["http://flot.com/sitemap_index.xml"]);
    if let Some(robots) = file("www.flot.com-robots.txt") {
        assert_eq!(robots.host(), Some("flot.com"));
    }
}

#[test]
fn every_one_of_many_agents_is_heard() {
    let name = "many-user-agents.txt";
    let Some(body) = conformance_file(&format!("robots/files/{name}")) else { return };
    let robots = Robots::parse(&body);
    let text = String::from_utf8_lossy(&body);
    let agents = text.lines().filter_map(|line| line.strip_prefix("User-agent: "));
    let views: Vec<(&str, RobotsFor)> = agents.map(|name| (name, robots.for_agent(name))).collect();
    assert!(views.len() > 100);
    for (agent, view) in views.iter().filter(|(agent, _)| *agent != "*") {
        assert!(view.group().is_some_and(|group| group != "*"), "{agent}");
    }
}
