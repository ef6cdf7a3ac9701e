//! The same pages as `wget2 -r`, told from the server's two logs; see `docs/peer-wget2.md`.
//!
//! A page is a target that the server answered with status 200 and an HTML type.
//! Nothing is left out of the comparison: every difference is printed, and one that the tables
//! here do not explain fails the test, as does an explanation that has nothing to explain.
#![expect(clippy::print_stdout, reason = "differences are told, also where they are explained")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::odd_site;
use crate::run::{self, finish, is_full};
use crate::static_site::{Asked, StaticSite};

/// What wget2 is run with: all depths, all of the host and nothing else, robots.txt obeyed.
const WGET2_WORDS: &[&str] =
    &["-r", "-l", "inf", "--robots=on", "--no-proxy", "--tries=1", "--delete-after", "--quiet"];

/// Who found a page that the other did not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Finder {
    Rhumb,
    Wget2,
}

/// A page that only one of the two found, and why.
struct Difference {
    finder: Finder,
    target: &'static str,
    why: &'static str,
}

/// A site and what is known of it.
struct Case {
    root: &'static str,
    seed: &'static str,
    /// At least so many pages are found.
    pages_min: usize,
    /// At least so many links are found to be broken.
    broken_min: usize,
    /// Pages to which only a frame leads.
    framed: &'static [&'static str],
    differences: &'static [Difference],
}

const STRAY_PERCENT: &str = "a stray per cent sign: wget2 escapes it, we send it as browsers do";

const ENTITY: &str = "a character reference in a link: we decode it, wget2 takes it as it stands";

const PACKAGES: &[Case] = &[
    Case {
        root: "/usr/share/doc/db5.3-doc",
        seed: "/index.html",
        pages_min: 5_000,
        broken_min: 20,
        framed: &["/java/allclasses-frame.html", "/java/overview-frame.html"],
        differences: &[],
    },
    Case {
        root: "/usr/share/doc/libboost1.81-doc",
        seed: "/doc/html/index.html",
        pages_min: 3_500,
        broken_min: 1_000,
        framed: &[],
        differences: &[Difference {
            finder: Finder::Wget2,
            target: "/doc/html/boost/yap/operator%25.html",
            why: STRAY_PERCENT,
        }],
    },
    Case {
        root: "/usr/share/doc/docbook-xsl-doc-html",
        seed: "/doc/index.html",
        pages_min: 1_000,
        broken_min: 1,
        framed: &[],
        differences: &[],
    },
];

const ODD_SITE_DIFFERENCES: &[Difference] = &[
    Difference {
        finder: Finder::Rhumb,
        target: "/%C3%BCmlaut.html",
        why: "a page that names no charset: we detect UTF-8, wget2 takes it for Latin-1",
    },
    Difference {
        finder: Finder::Rhumb,
        target: "/folder/back.html",
        why: "a back slash in a path: we read it as a slash as browsers do, wget2 escapes it",
    },
    Difference {
        finder: Finder::Rhumb,
        target: "/from-lying.html",
        why: "HTML served as plain text: we look at how it starts, wget2 at the type alone",
    },
    Difference { finder: Finder::Rhumb, target: "/query.html?x=1&y=2", why: ENTITY },
    Difference { finder: Finder::Rhumb, target: "/quoted.html", why: ENTITY },
    Difference {
        finder: Finder::Rhumb,
        target: "/refreshed.html",
        why: "a meta refresh: wget2 does not follow it",
    },
    Difference { finder: Finder::Wget2, target: "/100%25.html", why: STRAY_PERCENT },
    Difference { finder: Finder::Wget2, target: "/query.html?x=1&amp;y=2", why: ENTITY },
    Difference {
        finder: Finder::Wget2,
        target: "/unasked.html",
        why: "a link marked nofollow: wget2 follows it",
    },
];

/// The pages that the server sent, once each.
fn pages(log: &[Asked]) -> BTreeSet<&str> {
    log.iter().filter(|asked| asked.is_page()).map(|asked| asked.target.as_str()).collect()
}

fn crawl(site: &StaticSite, seed: &str) -> Vec<Asked> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = run::command(folder.path());
    command.args(["crawl", &site.url(seed), "-o", "crawl", "--json", "--allow-private"]);
    command.args(["--delay", "0s", "--ip-delay", "0s"]);
    let run = finish(command, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    site.take_log()
}

fn wget2(site: &StaticSite, seed: &str) -> Vec<Asked> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("wget2");
    // Settings of the person who runs the tests are not ours to compare with.
    command.current_dir(folder.path()).env("HOME", folder.path());
    command.args(WGET2_WORDS).arg(site.url(seed));
    let run = finish(command, "");
    // It says 8 where any link was broken.
    assert!(matches!(run.code, Some(0 | 8)), "wget2: {:?} {}", run.code, run.stderr);
    site.take_log()
}

/// Compares the two on one site, prints every difference and fails on one that is not explained.
fn compare(root: &Path, seed: &str, differences: &[Difference]) -> Vec<Asked> {
    let site = StaticSite::open(root);
    let (ours, theirs) = (crawl(&site, seed), wget2(&site, seed));
    let (our_pages, their_pages) = (pages(&ours), pages(&theirs));
    println!("{}: {} pages, wget2 {}", root.display(), our_pages.len(), their_pages.len());
    let only = |finder, these: &BTreeSet<&str>, those: &BTreeSet<&str>| -> Vec<(Finder, String)> {
        these.difference(those).map(|target| (finder, (*target).to_owned())).collect()
    };
    let mut found = only(Finder::Rhumb, &our_pages, &their_pages);
    found.extend(only(Finder::Wget2, &their_pages, &our_pages));
    let mut unexplained = Vec::new();
    for (finder, target) in &found {
        let known =
            differences.iter().find(|known| (known.finder, known.target) == (*finder, target));
        println!(
            "  only {finder:?}: {target} ({})",
            known.map_or("NOT EXPLAINED", |known| known.why)
        );
        if known.is_none() {
            unexplained.push((finder, target));
        }
    }
    assert!(unexplained.is_empty(), "{}: not explained: {unexplained:#?}", root.display());
    assert_eq!(found.len(), differences.len(), "{}: no longer different", root.display());
    ours
}

/// Compares the two on a package, and holds it to what it was chosen for.
fn check(case: &Case) {
    let log = compare(Path::new(case.root), case.seed, case.differences);
    let found = pages(&log);
    assert!(found.len() >= case.pages_min, "{}: {} pages", case.root, found.len());
    let is_broken = |asked: &&Asked| asked.status == 404 && asked.target != "/robots.txt";
    let broken = log.iter().filter(is_broken).count();
    println!("  {broken} broken links");
    assert!(broken >= case.broken_min, "{}: {broken} broken links", case.root);
    for target in case.framed {
        assert!(found.contains(target), "{}: {target} was not found", case.root);
    }
}

/// The first thing that the comparison needs and does not find.
fn missing() -> Option<String> {
    if !is_full() {
        return Some("RHUMB_FULL=1".to_owned());
    }
    if Command::new("wget2").arg("--version").output().is_err() {
        return Some("wget2".to_owned());
    }
    let mut seeds = PACKAGES.iter().map(|case| format!("{}{}", case.root, case.seed));
    seeds.find(|seed| !Path::new(seed).exists())
}

#[test]
fn every_page_that_an_odd_site_links_to_is_found_and_no_other() {
    let root = odd_site::write();
    let log = crawl(&StaticSite::open(root.path()), odd_site::SEED);
    assert_eq!(pages(&log), odd_site::FOUND.iter().copied().collect());
    let mut targets: Vec<&str> = log.iter().map(|asked| asked.target.as_str()).collect();
    targets.sort_unstable();
    let all = targets.len();
    targets.dedup();
    assert_eq!(targets.len(), all, "something was asked for twice: {log:#?}");
    for broken in ["/gone.html", "/folder/gone/", "/loud.html"] {
        assert!(targets.contains(&broken), "{broken} was not tried");
    }
}

#[test]
fn the_pages_of_real_sites_are_those_that_wget2_finds() {
    if let Some(what) = missing() {
        println!("skipped: the comparison with wget2 on three Debian packages, for want of {what}");
    } else {
        compare(odd_site::write().path(), odd_site::SEED, ODD_SITE_DIFFERENCES);
        PACKAGES.iter().for_each(check);
    }
}
