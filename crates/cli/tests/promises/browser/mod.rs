//! The pages in a real browser: what people do with them, with script and without.

mod driver;
mod hostile;
mod looks;
pub(crate) mod stage;

use std::collections::BTreeSet;

use driver::{Browser, is_missing, poll};
use serde_json::Value;
use stage::{PAGES, Serving, WORD, little_site, quoted};

use crate::controlling::Endless;
use crate::raw::RawServer;

/// Results on a page.
const RESULTS: usize = 10;

#[test]
fn people_search_read_copies_and_steer_a_crawl() {
    if !is_missing() {
        visit(true);
    }
}

#[test]
fn all_of_it_works_without_script() {
    if !is_missing() {
        visit(false);
    }
}

#[test]
fn every_page_is_for_the_keyboard_for_the_ear_for_the_dark_and_for_a_phone() {
    if is_missing() {
        return;
    }
    let (site, folder) = (little_site(), tempfile::tempdir().expect("a folder"));
    stage::crawl(folder.path(), &[&site.url("/")]);
    let serving = Serving::at_rest(folder.path());
    let browser = Browser::open();
    let (page, host) = (quoted(&site.url("/n/7")), quoted(&host(&site)));
    let mut faults = Vec::new();
    for path in [
        "/".to_owned(),
        format!("/search?q={WORD}"),
        format!("/search?q={WORD}&page=2&explain=12"),
        "/search?q=lighthuose".to_owned(),
        "/search?q=nothinglikethis".to_owned(),
        "/search?q=%22open".to_owned(),
        format!("/page?url={page}"),
        format!("/why?url={page}"),
        "/submit".to_owned(),
        format!("/copy?url={page}"),
        "/crawl".to_owned(),
        "/sites".to_owned(),
        format!("/site?host={host}"),
        "/webmaster".to_owned(),
        "/api".to_owned(),
    ] {
        faults.extend(looks::faults(&browser, &serving.url(&path)));
    }
    // The audit is made while somebody waits.
    let webmaster = serving.url(&format!("/webmaster?host={host}"));
    browser.go(&webmaster);
    browser.wait("document.querySelector('main').innerText.includes('/n/7')");
    faults.extend(looks::faults(&browser, &webmaster));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// One visit to a crawl that runs.
fn visit(with_script: bool) {
    let (site, endless, other) = (little_site(), Endless::start(false), Endless::start(false));
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [site.url("/"), endless.server.url("/0"), other.server.url("/0")];
    let serving = Serving::running(folder.path(), &seeds);
    let browser = Browser::open();
    if !with_script {
        browser.forbid_script();
    }
    search(&browser, &serving);
    read_a_copy(&browser, &site);
    watch(&browser, &serving, with_script);
    pause_submit_and_resume(&browser, &serving, &site, &endless.server);
    block(&browser, &serving, &endless.server, &other.server);
    assert_eq!(browser.errors(), [] as [String; 0]);
}

/// A server as settings name it.
fn host(server: &RawServer) -> String {
    server.url("").trim_start_matches("http://").to_owned()
}

/// The pages that the open page of results has found.
fn results(browser: &Browser) -> BTreeSet<String> {
    let links = browser.run("return [...document.querySelectorAll('main h2 a')].map(a => a.href)");
    let links = links.as_array().expect("a list").iter();
    links.map(|link| link.as_str().expect("a URL").to_owned()).collect()
}

fn search(browser: &Browser, serving: &Serving) {
    // Once the index has all of them, which takes it a moment.
    let all = format!("document.querySelector('main').innerText.includes('{PAGES} pages')");
    browser.again(&serving.url(&format!("/search?q={WORD}+number")), &all);
    browser.go(&serving.url("/"));
    browser.find("input[type=search]").fill(&format!("{WORD} number"));
    browser.find("input[type=search]").enter();
    browser.wait("location.pathname === '/search' && document.querySelector('main mark')");
    let first = results(browser);
    assert_eq!(first.len(), RESULTS, "{first:?}");
    browser.find("a[rel=next]").click();
    browser.wait("location.search.includes('page=2') && document.querySelector('main mark')");
    let second = results(browser);
    assert_eq!(second.len(), RESULTS, "{second:?}");
    assert!(first.is_disjoint(&second), "{first:?} {second:?}");
}

/// From the results that are open.
fn read_a_copy(browser: &Browser, site: &RawServer) {
    let page = browser.run("return document.querySelector('main h2 a').href");
    let page = page.as_str().expect("a URL").to_owned();
    let number = page.rsplit('/').next().expect("a number").to_owned();
    let asked = site.asked().len();
    browser.find("a[href^='/copy?']").click();
    browser.wait("location.pathname === '/copy' && document.readyState === 'complete'");
    let around = browser.find("main").text();
    assert!(around.contains(&page), "it says what it is a copy of: {around}");
    let is_apart = browser.run("return document.querySelector('iframe').contentDocument === null");
    assert_eq!(is_apart, true, "the frame is another origin");
    let shown = browser.inside("iframe", "return document.body.innerText");
    let shown = shown.as_str().unwrap_or_default();
    assert!(shown.contains(&format!("{WORD} with the number {number}")), "{shown}");
    assert_eq!(site.asked().len(), asked, "a copy is ours, its site is not asked");
}

/// The numbers of the dashboard move while it is open.
fn watch(browser: &Browser, serving: &Serving, with_script: bool) {
    browser.go(&serving.url("/crawl"));
    browser.run("window.stays = 1");
    let fetched = r"Number(document.querySelector('dl.figures dd').innerText.replace(/\D/g, ''))";
    let first = browser.wait(fetched);
    browser.wait(&format!("{fetched} > {first} + 5"));
    let stays = browser.run("return window.stays === 1");
    assert_eq!(stays, with_script, "with script the page is not loaded again");
}

fn pause_submit_and_resume(
    browser: &Browser,
    serving: &Serving,
    site: &RawServer,
    endless: &RawServer,
) {
    let island = site.url("/island");
    browser.go(&serving.url("/crawl"));
    browser.press("Pause");
    browser.wait("document.querySelector('#state').innerText.includes('paused')");
    let asked = endless.asked().len();
    browser.go(&serving.url("/submit"));
    browser.find("textarea[name=urls]").fill(&island);
    browser.press("Submit");
    browser.wait(&format!("document.querySelector('main').innerText.includes('{island}')"));
    browser.go(&serving.url("/crawl"));
    let now = endless.asked().len();
    // One may have been under way.
    assert!(now <= asked + 1, "a paused crawl asks for nothing: {now} after {asked}");
    assert!(!site.asked().contains(&"/island".to_owned()), "it is paused");
    browser.press("Resume");
    browser.wait("!document.querySelector('#state').innerText.includes('paused')");
    let found = format!("document.querySelector('main h2 a[href=\"{island}\"]')");
    browser.again(&serving.url("/search?q=zanzibar"), &found);
    assert!(endless.asked().len() > now, "it goes on");
}

/// A site is found in the table, and blocked there; the other goes on.
fn block(browser: &Browser, serving: &Serving, one: &RawServer, other: &RawServer) {
    let name = host(one);
    let rows = "document.querySelectorAll('main tbody tr').length";
    browser.again(&serving.url("/sites"), &format!("{rows} === 3"));
    browser.find("th a[href*='sort=site']").click();
    browser.wait("document.querySelector('th[aria-sort] a[href*=\"sort=site\"]')");
    let names = "return [...document.querySelectorAll('tbody th')].map(th => th.innerText.trim())";
    let names = browser.run(names);
    let names: Vec<&str> =
        names.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(names.is_sorted() || names.iter().rev().is_sorted(), "{names:?}");
    browser.find("main input[name=q]").fill(&name);
    browser.find("main input[name=q]").enter();
    browser.wait(&format!("{rows} === 1"));
    browser.press("Block");
    browser.again(
        &serving.url(&format!("/site?host={}", quoted(&name))),
        "document.querySelector('main').innerText.includes('blocked')",
    );
    let asked = [one, other].map(|server| server.asked().len());
    let goes_on = || other.asked().len() > asked[1] + 10;
    poll(|| goes_on().then_some(()).ok_or("the other site stands still".to_owned()));
    // One may have been under way.
    assert!(one.asked().len() <= asked[0] + 1, "a blocked site is left alone");
}
