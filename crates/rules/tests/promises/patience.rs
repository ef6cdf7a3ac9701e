//! Files and scopes of a size that would exhaust a naive matcher: the tests pass when they end.

use rhumb_rules::{Reading, Reason, Robots, Scope, ScopeKind, Verdict};
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
    let rules: Vec<String> = (0..30_000).map(|n| format!("disallow: /*{n}x\n")).collect();
    let rules = rules.concat();
    let robots = Robots::parse(format!("user-agent: *\n{rules}").as_bytes()).for_agent("rhumb");
    assert!(!robots.judge("/q12345x").allowed);
    assert!(robots.judge(&format!("/{}", "y".repeat(2_000))).allowed);
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
        let judge = |url| scope.judge(&Candidate { url, errand: Errand::Page, depth: 1, hops: 0 });
        let inside = (0..10 * MANY).filter(|n| judge(url(*n, "seed")) == Verdict::Admit).count();
        assert_eq!(inside, 10 * MANY, "{kind}");
        let slashes = format!("http://other.example/{}", "/".repeat(MANY));
        let outside = judge(CanonUrl::parse(&slashes).expect("a URL"));
        assert_eq!(outside, Verdict::Refuse(Reason::OutOfScope), "{kind}");
    }
}
