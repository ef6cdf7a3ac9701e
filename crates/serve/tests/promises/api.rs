//! The API: what it answers, and that its document tells of all of it.

use std::collections::BTreeSet;

use rhumb_crawl::ask::{SiteOrder, SitesWanted, Status};
use rhumb_crawl::control::{Question, Reply, SiteChange};
use rhumb_index::Document;
use serde_json::{Value, json};

use crate::format::Scrape;
use crate::house::{Answered, Furniture, TestHouse, encoded};
use crate::{schema, stock};

const JSON: &str = "content-type: application/json\r\n";

fn house() -> TestHouse {
    Furniture::default().start()
}

fn read(answer: &Answered) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/json"), "{}", answer.head);
    serde_json::from_str(answer.text()).expect("it is JSON")
}

/// An answer that the document tells of.
#[track_caller]
fn asked(house: &TestHouse, target: &str, code: u16) -> Value {
    let answer = house.get(target);
    assert_eq!(answer.code, code, "{target}: {}", answer.text());
    let value = read(&answer);
    let document = schema::document(house);
    let path = target.split('?').next().expect("a path");
    let name = if code == 200 { "200" } else { "4XX" };
    let mut told = &document["paths"][path]["get"]["responses"][name];
    if let Some(place) = told["$ref"].as_str() {
        told = document.pointer(&place[1..]).expect("it is there");
    }
    schema::check(&document, &told["content"]["application/json"]["schema"], &value);
    value
}

fn told(house: &TestHouse, target: &str, body: &Value) -> (u16, Value) {
    let answer = house.ask("POST", target, JSON, body.to_string().as_bytes());
    (answer.code, read(&answer))
}

#[test]
fn a_search_is_what_the_command_says_and_a_little_more() {
    let house = house();
    let found = asked(&house, "/api/search?q=tide&count=7&explain=true&facets=true", 200);
    let results = found["results"].as_array().expect("results");
    assert_eq!(results.len(), 7);
    assert_eq!((&found["query"], &found["has_more"]), (&json!("tide"), &json!(true)));
    assert!(results[0]["parts"].is_object() && found["facets"]["sites"].is_array());
    let plain = asked(&house, "/api/search?q=tide", 200);
    assert_eq!(plain["results"].as_array().map(Vec::len), Some(10));
    assert!(plain["facets"].is_null() && plain["results"][0]["parts"].is_null());

    let second = asked(&house, "/api/search?q=tide&page=2&count=7", 200);
    assert_eq!(second["results"][0]["rank"], 8);
    let beyond = asked(&house, "/api/search?q=tide&page=4000000000&count=100", 200);
    assert_eq!((&beyond["results"], &beyond["has_more"]), (&json!([]), &json!(false)));
}

#[test]
fn what_is_wrong_is_said_with_what_would_be_right() {
    let house = house();
    for target in [
        "/api/search",
        "/api/search?q=tide&count=0",
        "/api/search?q=tide&count=101",
        "/api/search?q=tide&count=-1",
        "/api/search?q=tide&page=0",
        "/api/search?q=tide&explain=perhaps",
        "/api/search?q=tide&colour=red",
        "/api/search?q=tide&q=ebb",
        "/api/search?q=(tide",
        "/api/page",
        "/api/page?url=nowhere",
        "/api/why",
        "/api/sites?sort=beauty",
        "/api/sites?count=201",
        "/api/status?x=y",
    ] {
        let refused = asked(&house, target, 400);
        for key in ["error", "advice"] {
            assert!(refused[key].as_str().is_some_and(|it| !it.is_empty()), "{target}: {refused}");
        }
    }
    for letter in ["a", "%3F", "%F0%90%8D%88"] {
        for path in ["page", "why"] {
            let target = format!("/api/{path}?url={}", letter.repeat(5_001));
            let code = if letter.len() > 3 { 414 } else { 400 };
            assert_eq!(asked(&house, &target, code)["error"], "the URL is too long");
        }
    }
    let longest = format!("/api/why?url={}", "%3F".repeat(5_000));
    asked(&house, &longest, 200);
    assert_eq!(house.get("/api/nothing").code, 404);
    assert_eq!(read(&house.get("/api/nothing"))["error"], "there is no such page");
}

#[test]
fn a_page_is_told_with_its_links_its_versions_and_its_clicks() {
    let house = house();
    let target = format!("/api/page?url={}", encoded("http://a.example/"));
    let page = asked(&house, &target, 200);
    assert_eq!((&page["url"], &page["clicks"]), (&json!("http://a.example/"), &json!(0)));
    assert!(page["in_links"]["total"].as_u64().is_some_and(|total| total >= 25), "{page}");
    assert_eq!(page["out_links"]["pages"].as_array().map(Vec::len), Some(5));

    let shy = asked(&house, &format!("/api/page?url={}", encoded("http://a.example/shy")), 200);
    assert_eq!((&shy["text"], &shy["versions"]), (&Value::Null, &json!([])));
    assert!(!shy.to_string().contains("Secret"), "{shy}");
    let gone = asked(&house, &format!("/api/page?url={}", encoded("http://a.example/gone")), 404);
    assert_eq!(gone["error"], "this page is not in the index");
}

#[test]
fn of_a_page_that_wants_no_copy_shown_a_snippet_is() {
    let text = "tide ".repeat(1_000);
    let open = stock::document("http://a.example/open", "Open", &text);
    let url = "http://a.example/closed";
    let closed = Document {
        no_archive: true,
        description: Some(text.clone()),
        ..stock::document(url, "Closed", &text)
    };
    let house = Furniture { documents: vec![open, closed], ..Furniture::default() }.start();
    let letters = |value: &Value| value.as_str().expect("a text").chars().count();
    let open = asked(&house, "/api/page?url=http://a.example/open", 200);
    assert_eq!(letters(&open["text"]), 2_000);
    let closed = asked(&house, &format!("/api/page?url={url}"), 200);
    assert_eq!((letters(&closed["text"]), letters(&closed["description"])), (240, 240));
    let tides = |name: &str| {
        let page = house.get(&format!("/page?url=http://a.example/{name}"));
        page.text().matches("tide").count()
    };
    assert_eq!((tides("open"), tides("closed")), (240, 48));
}

#[test]
fn a_click_is_counted_for_pages_of_the_index_alone() {
    let house = house();
    let click = |url: &str, headers: &str, body: &[u8]| {
        house.ask("POST", &format!("/api/click?url={}", encoded(url)), headers, body).code
    };
    // As `ping` sends it, and as a beacon does.
    let ping = format!("origin: http://{}\r\ncontent-type: text/ping\r\n", house.address);
    assert_eq!(click("http://a.example/", &ping, b"PING"), 204);
    assert_eq!(click("http://a.example/", "sec-fetch-site: same-origin\r\n", b""), 204);
    assert_eq!(click("http://a.example/", "origin: http://evil.example\r\n", b""), 403);
    assert_eq!(click("http://a.example/", "sec-fetch-site: cross-site\r\n", b""), 403);
    assert_eq!(click("http://elsewhere.example/", "", b""), 404);
    assert_eq!(click("nonsense", "", b""), 400);
    let target = format!("/api/page?url={}", encoded("http://a.example/"));
    assert_eq!(asked(&house, &target, 200)["clicks"], 2);
}

#[test]
fn clicks_want_no_token() {
    let house = Furniture { token: Some("secret".to_owned()), ..Furniture::default() }.start();
    let target = format!("/api/click?url={}", encoded("http://a.example/"));
    assert_eq!(house.ask("POST", &target, "", b"").code, 204);
}

#[test]
fn the_crawl_is_asked_and_its_answers_are_told() {
    let house = house();
    let status = asked(&house, "/api/status", 200);
    let known: Status = serde_json::from_value(status).expect("a status");
    let scrape = house.get("/metrics");
    assert_eq!(scrape.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert_eq!(scrape.text(), rhumb_serve::metrics::text(&known));
    assert!(Scrape::read(scrape.text()).samples.contains_key("rhumb_fetched"));

    let why = asked(&house, &format!("/api/why?url={}", encoded("http://a.example/")), 200);
    assert_eq!(why["state"], "fetched");
    let none = asked(&house, "/api/why?url=nonsense", 200);
    assert_eq!(none["canonical"], Value::Null);

    let target = "/api/sites?q=a.example&sort=next-visit&dir=asc&page=3&count=20";
    let sites = asked(&house, target, 200);
    assert_eq!(sites["sites"][0]["site"], "a.example");
    let wanted = SitesWanted {
        search: "a.example".to_owned(),
        sort: SiteOrder::NextVisit,
        descending: false,
        from: 40,
        count: 20,
        ..SitesWanted::default()
    };
    assert_eq!(house.questions().last(), Some(&Question::Sites(wanted)));
}

#[test]
fn what_changes_something_reaches_the_crawl() {
    let house = house();
    let check = |target: &str, body: &Value, expect: Question| {
        let (code, told) = told(&house, target, body);
        assert_eq!(code, 200, "{target}: {told}");
        let keys: Vec<_> = told.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["message"]);
        assert_eq!(house.questions().last(), Some(&expect));
    };
    let urls = vec!["http://c.example/".to_owned(), "http://d.example/".to_owned()];
    check("/api/submit", &json!({ "urls": urls }), Question::Submit { urls: urls.clone() });
    check("/api/control", &json!({"do": "pause"}), Question::Pause);
    check("/api/control", &json!({"do": "resume"}), Question::Resume);
    check("/api/control", &json!({"do": "stop"}), Question::Stop);
    let change =
        SiteChange { delay: Some("5s".to_owned()), block: Some(false), ..SiteChange::default() };
    let body = json!({"site": "a.example", "delay": "5s", "block": false, "budget": null});
    check("/api/site", &body, Question::Site { site: "a.example".to_owned(), change });
}

#[test]
fn bodies_that_are_wrong_reach_nobody() {
    let house = house();
    let before = house.questions().len();
    for (target, body, code) in [
        ("/api/control", "{\"do\":\"dance\"}", 422),
        ("/api/control", "{\"do\":\"pause\",\"now\":true}", 422),
        ("/api/control", "{", 400),
        ("/api/control", "", 415),
        ("/api/submit", "{\"urls\":[]}", 400),
        ("/api/submit", "{\"urls\":\"http://a.example/\"}", 422),
        ("/api/site", "{\"delay\":\"5s\"}", 422),
        ("/api/submit", "[[\"http://c.example/\"]]", 422),
        ("/api/submit", "{\"urls\":[\"http://c.example/\\nhttp://d.example/\"]}", 400),
        ("/api/control", "[\"pause\"]", 422),
        ("/api/site", "[\"a.example\",null,null,null,null,true]", 422),
    ] {
        let headers = if body.is_empty() { "" } else { JSON };
        let answer = house.ask("POST", target, headers, body.as_bytes());
        assert_eq!(answer.code, code, "{target} {body}: {}", answer.text());
    }
    let many = json!({ "urls": vec!["http://a.example/"; 1_001] });
    assert_eq!(told(&house, "/api/submit", &many).0, 400);
    assert_eq!(house.questions().len(), before);
}

#[test]
fn a_crawl_that_does_not_run_cannot_be_paused() {
    let refuse = |question: &Question| {
        let what = "the crawl does not run".to_owned();
        let advice = "rhumb crawl -o DIR".to_owned();
        (*question == Question::Pause).then_some(Reply::Refused { what, advice })
    };
    let house = Furniture { replies: Box::new(refuse), ..Furniture::default() }.start();
    let (code, told) = told(&house, "/api/control", &json!({"do": "pause"}));
    assert_eq!((code, &told["error"]), (409, &json!("the crawl does not run")));
}

#[test]
fn every_path_of_the_document_answers_and_people_are_told_of_each() {
    let house = house();
    let document = schema::document(&house);
    let page = house.get("/api");
    crate::wholeness::check_whole(page.text());
    let paths = document["paths"].as_object().expect("paths");
    for (path, methods) in paths {
        let methods: BTreeSet<&str> =
            methods.as_object().expect("methods").keys().map(String::as_str).collect();
        for (method, code) in [("GET", 404), ("POST", 404)] {
            // Events go on for an hour.
            if path == "/api/events" && method == "GET" {
                continue;
            }
            let answer = house.ask(method, path, "", b"");
            assert_ne!(answer.code, code, "{method} {path}");
            let is_told = methods.contains(method.to_ascii_lowercase().as_str());
            assert_eq!(answer.code != 405, is_told, "{method} {path}: {}", answer.code);
        }
        let is_itself = ["/api", "/api/openapi.json"].contains(&path.as_str());
        assert!(is_itself || page.text().contains(&format!(" {path}")), "{path}");
    }
}

#[test]
fn without_an_index_searches_say_so() {
    let house = Furniture { documents: Vec::new(), ..Furniture::default() }.start();
    let answer = house.get("/api/search?q=tide");
    assert_eq!(
        (answer.code, &read(&answer)["error"]),
        (503, &json!("this crawl has no index yet"))
    );
}
