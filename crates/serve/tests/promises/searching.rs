//! Searching, as people do it: with a browser that runs no script.

use std::path::{Path, PathBuf};

use rhumb_crawl::ask::{TryLine, UrlState, Why};
use rhumb_crawl::control::{Question, Reply};

use crate::house::{Furniture, TestHouse, encoded, write_index};
use crate::stock;
use crate::wholeness::{Element, check_whole, elements};

/// Bytes of the first page with its style and its script.
const FIRST_PAGE_MAX: usize = 50_000;
const STYLE_MAX: usize = 22_000;

fn search(house: &TestHouse, query: &str) -> String {
    let answered = house.get(&format!("/search?q={}", encoded(query)));
    assert_eq!(answered.code, 200, "{query}");
    check_whole(answered.text());
    answered.text().to_owned()
}

/// The links of a page that lead to results.
fn results(html: &str) -> Vec<Element> {
    elements(html).into_iter().filter(|it| it.attribute("ping").is_some()).collect()
}

fn found(html: &str) -> Vec<String> {
    results(html).iter().map(|it| it.attribute("href").expect("a URL").to_owned()).collect()
}

/// Where the link leads that follows this text in the page.
fn link_after(html: &str, text: &str) -> String {
    let rest = &html[html.find(text).expect(text)..];
    let rest = &rest[rest.find("href=\"").expect("a link") + 6..];
    rest[..rest.find('"').expect("its end")].replace("&amp;", "&")
}

#[test]
fn the_start_page_is_whole_and_small() {
    let house = Furniture::default().start();
    let page = house.get("/");
    assert_eq!(page.code, 200);
    check_whole(page.text());
    assert!(page.text().contains("40 pages to find"), "{}", page.text());
    let (style, script) = (house.get("/style.css"), house.get("/script.js"));
    assert_eq!((style.code, script.code), (200, 200));
    let all = page.body.len() + style.body.len() + script.body.len();
    println!("first page: {all} bytes, of them {} of style", style.body.len());
    assert!(all < FIRST_PAGE_MAX && style.body.len() < STYLE_MAX);
    let empty = house.get("/search?q=%20");
    assert_eq!((empty.code, empty.header("location")), (303, Some("/")));
}

#[test]
fn a_result_tells_where_it_is_what_it_says_and_where_to_go_from_it() {
    let house = Furniture::default().start();
    let html = search(&house, "harbour 7");
    let first = &results(&html)[0];
    assert_eq!(first.attribute("href"), Some(stock::page(7).as_str()));
    assert_eq!(first.attribute("rel"), Some("noreferrer noopener"));
    let click = "/api/click?url=http%3A%2F%2Fa.example%2Ftides%2F7";
    assert_eq!(first.attribute("ping"), Some(click));
    for part in [
        "Tide tables of harbour 7",
        "a.example › tides › 7",
        "<mark>harbour</mark>",
        "fetched <time datetime=\"2025-06-15\">",
        "English",
        "/copy?url=http%3A%2F%2Fa.example%2Ftides%2F7",
        "/page?url=http%3A%2F%2Fa.example%2Ftides%2F7",
        "/search?q=harbour%207%20site%3Aa.example",
    ] {
        assert!(html.contains(part), "no {part} in {html}");
    }
    let shy = search(&house, "shy");
    assert!(shy.contains("A shy page") && !shy.contains("Secret"), "{shy}");
    assert!(!shy.contains("/copy?"), "it asks for that");
    let chart = search(&house, "chart paper");
    assert!(chart.contains("http://a.example/chart.pdf") && chart.contains(">pdf<"), "{chart}");
    let twin = search(&house, "all tides coast");
    assert!(twin.contains("and 1 page that says nearly the same"), "{twin}");
}

#[test]
fn an_answer_is_never_older_than_the_index() {
    let house = Furniture::default().start();
    let before = found(&search(&house, "tide harbour"));
    assert!(before.contains(&stock::page(7)));
    assert_eq!(found(&search(&house, "tide harbour")), before);
    let (index, forgotten) = (house.folder.path().join("index"), stock::page(7));
    let others = stock::documents().into_iter().filter(|it| it.url.as_str() != forgotten);
    std::fs::rename(&index, house.folder.path().join("old")).expect("renamed");
    write_index(&index, others.collect());
    for page in 1..=3 {
        let html = house.get(&format!("/search?q=tide%20harbour&page={page}"));
        assert!(!found(html.text()).contains(&forgotten), "{}", html.text());
    }
}

#[test]
fn a_score_is_explained_where_that_is_asked_for() {
    let house = Furniture::default().start();
    let html = search(&house, "harbour 7");
    assert!(!html.contains("<details open"), "not by itself");
    let explained = link_after(&html, "more from this site");
    let explained = explained.split('#').next().expect("a path");
    let page = house.get(explained);
    check_whole(page.text());
    assert_eq!(page.text().matches("<details open").count(), 1);
    assert_eq!(page.text().matches("the sum of these").count(), results(page.text()).len());
    assert!(page.text().contains("the words in its title"), "{}", page.text());
}

#[test]
fn pages_of_results_lead_to_all_of_them_once() {
    let house = Furniture::default().start();
    let (mut all, mut path) = (Vec::new(), "/search?q=tide".to_owned());
    loop {
        let page = house.get(&path);
        check_whole(page.text());
        let found = found(page.text());
        assert!(!found.is_empty(), "{path}");
        all.extend(found);
        let elements = elements(page.text());
        let next = elements.iter().find(|it| it.attribute("rel") == Some("next"));
        let Some(next) = next else { break };
        path = next.attribute("href").expect("a link").replace("&amp;", "&");
    }
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(count >= 27, "{count}");
    for page in ["4", "100", "99999999999999999999", "0", "-1", "x", ""] {
        let page = house.get(&format!("/search?q=tide&page={page}"));
        assert_eq!(page.code, 200);
        check_whole(page.text());
    }
    let beyond = house.get("/search?q=tide&page=50");
    assert!(beyond.text().contains("no more results"), "{}", beyond.text());
}

#[test]
fn results_are_narrowed_by_links_and_widened_again() {
    let house = Furniture::default().start();
    let html = search(&house, "hafen OR tide");
    let german = link_after(&html, "<h2>Language</h2><ul><li><a").replace("/search?q=", "");
    assert!(german.contains("lang%3Aen") || german.contains("lang%3Ade"), "{german}");
    let narrow = search(&house, "hafen OR tide lang:de");
    assert_eq!(found(&narrow).len(), 4, "{narrow}");
    assert!(found(&narrow).iter().all(|url| url.starts_with("http://b.example/")));
    let wide = link_after(&narrow, "Filters of this query");
    assert_eq!(wide, "/search?q=hafen%20OR%20tide");
    assert_eq!(found(house.get(&wide).text()), found(&html));
    let only = search(&house, "site:b.example");
    assert_eq!(found(&only).len(), 4);
    assert_eq!(link_after(&only, "Filters of this query"), "/");
}

#[test]
fn a_wrong_query_is_told_what_is_wrong_and_keeps_its_box() {
    let house = Furniture::default().start();
    let check = |query: &str, code: u16, parts: &[&str]| {
        let page = house.get(&format!("/search?q={}", encoded(query)));
        assert_eq!(page.code, code, "{query:.80}");
        check_whole(page.text());
        for part in parts {
            assert!(page.text().contains(part), "no {part} in {}", page.text());
        }
    };
    check("before:soon tide", 400, &["is no date", "Try:", "value=\"before:soon tide\""]);
    check("\"open", 400, &["quote", "value=\"&quot;open\""]);
    check(&"tide ".repeat(900), 400, &["more than 4096"]);
    check("tidse harbour", 200, &["Note: tidse was read as tide"]);
    check("qqqqqqqqqqqq", 200, &["Nothing found", "/submit"]);
    check("tide site:nowhere.example", 200, &["Nothing found", "Take a filter off"]);
}

#[test]
fn what_hostile_pages_say_is_shown_as_text() {
    let house = Furniture::default().start();
    let html = search(&house, "hostile site:evil.example");
    let found = found(&html);
    assert_eq!(found.len(), stock::HOSTILE.len() + 1, "{found:#?}");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
    assert!(!html.contains("<script>alert"), "{html}");
    assert!(!html.contains(['\u{202e}', '\u{2066}', '\u{1b}']), "{html}");
    assert!(html.len() < 60_000, "a title has an end: {}", html.len());
    for n in 0..stock::HOSTILE.len() {
        let url = format!("http://evil.example/{n}?a=%22%3E&b='c");
        let page = house.get(&format!("/page?url={}", encoded(&url)));
        assert_eq!(page.code, 200, "{url}");
        check_whole(page.text());
    }
}

#[test]
fn a_page_tells_what_the_index_holds_of_it() {
    let house = Furniture::default().start();
    let page = house.get(&format!("/page?url={}", encoded("HTTP://A.example:80/#top")));
    assert_eq!(page.code, 200);
    check_whole(page.text());
    for part in [
        "Tides of the coast",
        "sha1:2VBAVQKJ4CVPNPL2BRPVPHSPV7RF6GFX",
        "All tides of the coast.",
        "2025-06-15T15:06:40.000Z",
        "Tide tables of harbour 25",
        "/why?url=http%3A%2F%2Fa.example%2F",
        "/copy?url=http%3A%2F%2Fa.example%2F",
    ] {
        assert!(page.text().contains(part), "no {part} in {}", page.text());
    }
    let shy = house.get("/page?url=http://a.example/shy");
    assert!(!shy.text().contains("Secret") && !shy.text().contains("/copy?"), "{}", shy.text());
    let missing = house.get("/page?url=http://a.example/nowhere");
    assert_eq!(missing.code, 404);
    check_whole(missing.text());
    assert!(missing.text().contains("/submit?url=http%3A%2F%2Fa.example%2Fnowhere"));
    assert_eq!(house.get("/page?url=nonsense").code, 400);
    assert_eq!(house.get("/page").code, 400);
}

#[test]
fn the_story_of_a_url_is_told_with_ways_to_others() {
    let why = Why {
        url: "a.example".to_owned(),
        canonical: Some("http://a.example/x".to_owned()),
        state: UrlState::Duplicate,
        duplicate_of: Some("http://a.example/<b>".to_owned()),
        likeness: Some("near".to_owned()),
        found_on: Some("http://a.example/".to_owned()),
        depth: Some(2),
        tries: vec![TryLine { outcome: "fetched".to_owned(), ..TryLine::default() }],
        ..Why::default()
    };
    let told = why.clone();
    let replies = move |question: &Question| match question {
        Question::Why { .. } => Some(Reply::Why(Box::new(told.clone()))),
        _ => None,
    };
    let house = Furniture { replies: Box::new(replies), ..Furniture::default() }.start();
    let page = house.get("/why?url=a.example");
    assert_eq!(page.code, 200);
    check_whole(page.text());
    for part in [
        "<strong>duplicate</strong>: nearly the same as http://a.example/&lt;b&gt;",
        "/why?url=http%3A%2F%2Fa.example%2F%3Cb%3E",
        "(depth 2)",
        "(nearly the same text)",
    ] {
        assert!(page.text().contains(part), "no {part} in {}", page.text());
    }
    assert_eq!(house.questions(), [Question::Why { url: "a.example".to_owned() }]);
    let form = house.get("/why");
    check_whole(form.text());
    assert_eq!(form.code, 200);
}

#[test]
fn submitted_urls_reach_the_crawl_and_what_it_says_is_shown() {
    let house = Furniture::default().start();
    let form = house.get("/submit?url=http://a.example/new%22%3E");
    check_whole(form.text());
    assert!(form.text().contains("http://a.example/new"), "{}", form.text());
    let told =
        house.post("/submit", &[("urls", "http://a.example/new\r\n\r\n http://b.example/ ")]);
    assert_eq!(told.code, 200, "{}", told.text());
    check_whole(told.text());
    let urls = vec!["http://a.example/new".to_owned(), "http://b.example/".to_owned()];
    assert!(house.questions().contains(&Question::Submit { urls }));
    assert!(told.text().contains("/why?url=http%3A%2F%2Fa.example%2Fnew"), "{}", told.text());
    let empty = house.post("/submit", &[("urls", " \n")]);
    assert_eq!(empty.code, 400);
    let many = house.post("/submit", &[("urls", &"http://a.example/\n".repeat(1_001))]);
    assert!(matches!(many.code, 400 | 413), "{}", many.code);
    let read = house.questions().len();
    assert_eq!(house.get("/submit?urls=http://a.example/").code, 200, "that changes nothing");
    assert!(house.questions()[read..].iter().all(|it| !matches!(it, Question::Submit { .. })));
}

#[test]
fn what_the_crawl_refuses_stays_in_the_form() {
    let replies = |question: &Question| {
        matches!(question, Question::Submit { .. }).then(|| Reply::Refused {
            what: "<b>: not a URL".to_owned(),
            advice: "a URL".to_owned(),
        })
    };
    let house = Furniture { replies: Box::new(replies), ..Furniture::default() }.start();
    let told = house.post("/submit", &[("urls", "<b>\nhttp://b.example/")]);
    assert_eq!(told.code, 400);
    check_whole(told.text());
    assert!(told.text().contains("&lt;b&gt;: not a URL."), "{}", told.text());
    assert!(told.text().contains("&lt;b&gt;\nhttp://b.example/</textarea>"), "{}", told.text());
}

#[test]
fn a_crawl_without_an_index_says_so_kindly() {
    let house = Furniture { documents: Vec::new(), ..Furniture::default() }.start();
    let start = house.get("/");
    assert_eq!(start.code, 200);
    check_whole(start.text());
    assert!(start.text().contains("no index yet") && start.text().contains("/crawl"));
    for path in ["/search?q=tide", "/page?url=http://a.example/"] {
        let page = house.get(path);
        assert_eq!(page.code, 503, "{path}");
        check_whole(page.text());
        assert!(page.text().contains("no index yet"), "{}", page.text());
    }
}

#[test]
fn conformance_hostile_strings_pass_through_every_parameter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("RHUMB_CONFORMANCE");
    let folder = folder.map_or_else(|| root.join("../shared/conformance"), PathBuf::from);
    let file = folder.join("hostile/blns.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no conformance data in {}", file.display());
        return;
    };
    let strings: Vec<String> = serde_json::from_str(&text).expect("a list of strings");
    let house = Furniture::default().start();
    let mut asked = 0;
    for string in &strings {
        let value = encoded(string);
        let paths = ["search?q=", "search?q=tide&page=", "search?q=tide&explain=", "page?url="];
        let paths = paths.into_iter().chain(["why?url=", "submit?url="]);
        let got = paths.map(|path| house.get(&format!("/{path}{value}")));
        for page in got.chain([house.post("/submit", &[("urls", string)])]) {
            assert!(page.code < 500, "{string:?}: {}", page.code);
            if page.code != 303 {
                check_whole(page.text());
            }
            asked += 1;
        }
    }
    println!("conformance: hostile {asked} of {} requests", strings.len() * 7);
    assert_eq!(asked, strings.len() * 7);
}
