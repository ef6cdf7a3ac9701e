//! `rhumb plan`: near the truth on sites with a sitemap, by the rules, before anything is crawled.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rhumb_testweb::truth::{Host, PageId};
use rhumb_testweb::{Served, Spec};
use serde_json::Value;

use crate::run::{Run, command, finish};
use crate::static_site::{Asked, StaticSite};

fn run(words: &[&str], ca: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, ca).expect("written");
    let mut run = command(folder.path());
    run.env("SSL_CERT_FILE", &path).args(words);
    finish(run, "")
}

fn plan(served: &Served, url: &str, delay: &str) -> Value {
    let dns = served.dns().to_string();
    let words = ["plan", url, "--dns", &dns, "--allow-private", "--delay", delay, "--json"];
    let run = run(&words, served.ca_pem());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.json().pop().expect("a plan")
}

/// Whether the pages of a plan are so many, give or take a share in percent.
#[track_caller]
fn check_pages(plan: &Value, truth: u64, percent: u64) {
    let pages = plan["pages"].as_u64().expect("a number");
    assert!(pages.abs_diff(truth) * 100 <= truth * percent, "{truth} pages, and not as in {plan}");
}

const SECTIONS: u64 = 12;
const PAGES_EACH: u64 = 30;

/// A site of sections with a sitemap a half: some pages are only listed, some only linked, and some
/// are listed though robots.txt closes them.
fn write_site(root: &Path, origin: &str) {
    let write = |path: &str, text: &str| {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    };
    let mut menu = String::new();
    let mut lists = [String::new(), String::new()];
    for section in 0..SECTIONS {
        let folder = if section == 0 { "closed".to_owned() } else { format!("s{section}") };
        writeln!(menu, "<a href=/{folder}/>{folder}</a>").expect("written");
        let mut index = menu.clone();
        for page in 0..PAGES_EACH {
            let path = format!("{folder}/p{page}.html");
            let text = format!("{menu}<p>{}</p>", "words ".repeat(100));
            write(&path, &text);
            if page % 11 != 3 {
                writeln!(index, "<a href=/{path}>{path}</a>").expect("written");
            }
            if page % 13 != 4 {
                let list = &mut lists[usize::try_from(section % 2).expect("0 or 1")];
                writeln!(list, "{origin}/{path}").expect("written");
            }
        }
        write(&format!("{folder}/index.html"), &index);
    }
    write("index.html", &menu);
    write("one.txt", &lists[0]);
    let entries = lists[1].lines().map(|url| format!("<url><loc>{url}</loc></url>"));
    write("two.xml", &format!("<urlset>{}</urlset>", entries.collect::<String>()));
    let parts =
        ["one.txt", "two.xml"].map(|it| format!("<sitemap><loc>{origin}/{it}</loc></sitemap>"));
    write("all.xml", &format!("<sitemapindex>{}</sitemapindex>", parts.concat()));
    write("robots.txt", &format!("User-agent: *\nDisallow: /closed\nSitemap: {origin}/all.xml\n"));
}

fn is_page(asked: &Asked) -> bool {
    asked.is_page() && !asked.target.starts_with("/robots")
}

#[test]
fn a_plan_of_a_site_with_sitemaps_is_within_a_tenth_of_what_a_crawl_fetches() {
    let root = tempfile::tempdir().expect("a folder");
    let site = StaticSite::open(root.path());
    let start = site.url("/");
    write_site(root.path(), start.trim_end_matches('/'));
    let flags = ["--allow-private", "--delay", "0s", "--json"];
    let planned = run(&[&["plan", &start], &flags[..]].concat(), "");
    assert_eq!(planned.code, Some(0), "{}", planned.stderr);
    let asked = site.take_log();
    assert!(asked.len() <= 1 + 3 + 10 + 1, "a plan asks for little: {asked:?}");
    assert!(!asked.iter().any(|asked| asked.target.starts_with("/closed")), "{asked:?}");
    let crawled =
        run(&[&["crawl", &start, "--ip-delay", "0s", "-o", "c"], &flags[..]].concat(), "");
    assert_eq!(crawled.code, Some(0), "{}", crawled.stderr);
    let truth = site.take_log().into_iter().filter(is_page).count();
    let truth = u64::try_from(truth).expect("a length fits 64 bits");
    assert!(truth > (SECTIONS - 1) * PAGES_EACH, "{truth}");
    let plan = planned.json().pop().expect("a plan");
    check_pages(&plan, truth, 10);
    assert_eq!((&plan["pages_from"], &plan["sitemaps"]), (&"sitemap".into(), &3.into()));
    assert_eq!((&plan["robots"], &plan["delay_ms"]), (&"found".into(), &0.into()));
    let closed = plan["disallowed"].as_u64().expect("a number");
    assert!((PAGES_EACH - 3..=PAGES_EACH + 1).contains(&closed), "{plan}");
    let bytes = plan["bytes"].as_u64().expect("a number");
    let fetched = crawled.summary()["bytes"].as_u64().expect("a number");
    assert!(bytes * 2 > fetched && bytes < fetched * 2, "{bytes} is not about {fetched}");
    assert!(plan["disk_bytes"].as_u64() > Some(0));
}

#[test]
fn a_plan_has_at_least_the_listed_pages_of_every_form_of_sitemap_and_is_polite() {
    let served = Served::start_on_thread(&Spec::sized(31, 24, 400)).expect("the web is served");
    let (web, port) = (served.web(), served.port());
    let expected = served.expected();
    let listed = |host: &Host| {
        let pages = host.pages.clone().map(PageId).filter(|page| web.page(*page).in_sitemap);
        pages.filter(|page| expected.pages.contains_key(&web.url(*page, port))).count()
    };
    let hosts = web.hosts.iter().filter(|host| host.sitemap.is_some());
    let hosts: Vec<_> = hosts.filter(|host| listed(host) > 0).collect();
    assert!(hosts.len() >= 3, "the web has too few sitemaps");
    for host in hosts {
        let plan = plan(&served, &web.url(host.home(), port), "0s");
        assert_eq!(plan["pages_from"], "sitemap", "{}: {plan}", host.name);
        let listed = u64::try_from(listed(host)).expect("a length fits 64 bits");
        assert!(plan["pages"].as_u64() >= Some(listed), "{} lists {listed}: {plan}", host.name);
    }
    let witness = served.witness();
    assert_eq!(witness.robots_violations, []);
    assert_eq!(witness.repeats, Vec::<String>::new());
    assert_eq!(witness.crowded(), Vec::<String>::new());
}

#[test]
fn a_plan_keeps_the_gap_and_follows_a_redirect_of_its_url() {
    let served = Served::start_on_thread(&Spec::sized(31, 24, 400)).expect("the web is served");
    let (web, port) = (served.web(), served.port());
    let twin = web.hosts.iter().find(|host| {
        let target = host.twin_of.map(|twin| web.host(twin));
        target.is_some_and(|host| host.fault.is_none()) && host.fault.is_none()
    });
    let twin = twin.expect("a host that redirects to its https twin");
    let home = format!("{}/", twin.origin(port));
    let plan = plan(&served, &home, "150ms");
    let url = plan["url"].as_str().expect("a URL");
    assert!(url.starts_with("https://"), "{plan}");
    assert!(plan["delay_ms"].as_u64() >= Some(150));
    assert!(plan["time_ms"].as_u64() >= plan["pages"].as_u64().map(|pages| pages * 150));
    assert_eq!(served.witness().hurried(Duration::from_millis(150)), []);
    let keys: BTreeSet<&str> =
        plan.as_object().expect("an object").keys().map(String::as_str).collect();
    let contract = [
        "url",
        "pages",
        "pages_from",
        "disallowed",
        "delay_ms",
        "time_ms",
        "bytes",
        "disk_bytes",
        "sitemaps",
        "robots",
    ];
    assert_eq!(keys, BTreeSet::from(contract));
}

#[test]
fn a_plan_ends_with_the_command_that_crawls_what_was_planned() {
    let root = tempfile::tempdir().expect("a folder");
    let site = StaticSite::open(root.path());
    std::fs::write(root.path().join("index.html"), "<p>alone</p>").expect("written");
    let start = site.url("/");
    let flags = ["--delay", "0s", "--exclude", "it's (not)", "--keep-query", "--allow-private"];
    let run = run(&[&["plan", &start][..], &flags].concat(), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expect = format!(
        r"rhumb crawl {start} --exclude 'it'\''s (not)' --delay 0s --keep-query --allow-private"
    );
    assert!(run.stdout.trim_end().ends_with(&expect), "{}", run.stdout);
}

#[test]
fn a_plan_of_nothing_is_exit_3_and_of_no_url_exit_2() {
    let check = |words: &[&str], code: i32, what: &str| {
        let run = run(words, "");
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(run.stderr.contains(what) && run.stderr.contains("\n  try: "), "{}", run.stderr);
        assert_eq!(run.stdout, "");
    };
    let root = tempfile::tempdir().expect("a folder");
    let site = StaticSite::open(root.path());
    std::fs::write(root.path().join("robots.txt"), "User-agent: *\nDisallow: /").expect("written");
    let start = site.url("/");
    check(&["plan", &start, "--allow-private"], 3, "robots");
    check(&["plan", &start], 3, "private-address");
    std::fs::remove_file(root.path().join("robots.txt")).expect("removed");
    check(&["plan", &start, "--allow-private", "--delay", "0s"], 3, "http-403");
    check(&["plan", "example.test"], 2, "example.test");
    check(&["plan", &start, "--delay", "soon"], 2, "soon");
    check(&["plan", &start, "--scope", "any"], 2, "reach");
}
