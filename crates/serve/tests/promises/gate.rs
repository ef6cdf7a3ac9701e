//! Who is let in: names, origins, kinds of bodies, tokens, time and size.

use std::time::Duration;

use rhumb_crawl::control::{Question, Reply};
use rhumb_serve::Limits;

use crate::house::{Answered, Furniture, TestHouse};
use crate::wholeness::check_whole;

const TOKEN: &str = "a token; with=odd \"letters\"";
const FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";
const JSON: &str = "content-type: application/json\r\n";

fn house() -> TestHouse {
    Furniture::default().start()
}

fn guarded(limits: Limits) -> TestHouse {
    Furniture { token: Some(TOKEN.to_owned()), limits, ..Furniture::default() }.start()
}

fn quick() -> Limits {
    Limits { guess_pause: Duration::ZERO, ..Limits::default() }
}

fn pause(house: &TestHouse, headers: &str) -> Answered {
    house.ask("POST", "/api/control", &format!("{JSON}{headers}"), b"{\"do\":\"pause\"}")
}

#[test]
fn only_the_names_of_this_machine_are_answered() {
    let house = house();
    let check = |host: &str, code: u16| {
        let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let answer = house.send(request.as_bytes());
        assert_eq!(answer.code, code, "{host}");
        assert!(answer.header("content-security-policy").is_some(), "{host}");
    };
    let port = house.address.port();
    for ours in ["localhost", &format!("localhost:{port}"), "127.0.0.1", "127.1.2.3:99", "[::1]"] {
        check(ours, 200);
    }
    for other in ["rebound.example", &format!("rebound.example:{port}"), "192.168.0.1", "0.0.0.0"] {
        check(other, 421);
    }
    let nameless = house.send(b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(nameless.code, 421);
    let two =
        b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    assert!(matches!(house.send(two).code, 400 | 421));
}

#[test]
fn elsewhere_any_name_is_answered_and_changes_want_the_token() {
    let house = guarded(quick());
    let request = b"GET / HTTP/1.1\r\nhost: search.example\r\nconnection: close\r\n\r\n";
    assert_eq!(house.send(request).code, 200);
    assert_eq!(pause(&house, "").code, 401);
}

#[test]
fn pages_of_others_change_nothing() {
    let house = house();
    let here = house.address;
    let check = |headers: &str, code: u16| {
        for (target, kind, body) in [
            ("/api/control", JSON, &b"{\"do\":\"pause\"}"[..]),
            ("/crawl/control", FORM, b"do=pause"),
            ("/submit", FORM, b"urls=http%3A%2F%2Fc.example%2F"),
            ("/api/submit", JSON, b"{\"urls\":[\"http://c.example/\"]}"),
            ("/api/site", JSON, b"{\"site\":\"a.example\",\"block\":true}"),
        ] {
            let answer = house.ask("POST", target, &format!("{kind}{headers}"), body);
            let is_right = answer.code == code || (code == 200 && answer.code == 303);
            assert!(is_right, "{target} {headers}: {}", answer.code);
        }
    };
    check("", 200);
    check(&format!("origin: http://{here}\r\n"), 200);
    check(&format!("origin: http://{here}\r\nsec-fetch-site: same-origin\r\n"), 200);
    check("sec-fetch-site: none\r\n", 200);
    let asked = house.questions().len();
    check("origin: http://evil.example\r\n", 403);
    check("origin: null\r\n", 403);
    check("origin: http://127.0.0.1\r\n", 403);
    check(&format!("origin: http://{here}.evil.example\r\n"), 403);
    check("sec-fetch-site: cross-site\r\n", 403);
    check("sec-fetch-site: same-site\r\n", 403);
    check(&format!("origin: http://{here}\r\nsec-fetch-site: cross-site\r\n"), 403);
    assert_eq!(house.questions().len(), asked, "the crawl heard nothing of it");
}

#[test]
fn a_body_is_of_the_kind_that_foreign_pages_cannot_send_unasked() {
    let house = house();
    let check = |target: &str, kind: &str, body: &[u8]| {
        let headers = format!("content-type: {kind}\r\n");
        assert_eq!(house.ask("POST", target, &headers, body).code, 415, "{target} {kind}");
    };
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        check("/api/control", kind, b"{\"do\":\"pause\"}");
    }
    for kind in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
        check("/crawl/control", kind, b"do=pause");
    }
    assert!(house.questions().iter().all(|it| *it != Question::Pause));
}

#[test]
fn changes_are_posted() {
    let house = house();
    for target in ["/api/control", "/api/submit", "/api/site", "/api/click"] {
        for method in ["GET", "PUT", "DELETE"] {
            let answer = house.ask(method, &format!("{target}?do=pause"), "", b"");
            assert_eq!(answer.code, 405, "{method} {target}");
            assert!(answer.header("allow").is_some_and(|it| it.contains("POST")), "{target}");
        }
    }
}

#[test]
fn the_token_is_known_by_header_and_by_cookie_and_never_by_url() {
    let house = guarded(quick());
    let bearer = format!("authorization: Bearer {TOKEN}\r\n");
    assert_eq!(pause(&house, &bearer).code, 200);
    assert_eq!(pause(&house, &bearer.replace("Bearer", "bearer")).code, 200);
    for wrong in ["authorization: Bearer wrong\r\n", "authorization: Basic x\r\n", ""] {
        let answer = pause(&house, wrong);
        assert_eq!((answer.code, answer.header("www-authenticate")), (401, Some("Bearer")));
    }
    let in_url = house.ask("POST", "/api/control?token=x", JSON, b"{\"do\":\"pause\"}");
    assert_eq!(in_url.code, 401);

    let entered = house.post("/token", &[("token", TOKEN), ("to", "/sites")]);
    assert_eq!((entered.code, entered.header("location")), (303, Some("/sites")));
    let cookie = entered.header("set-cookie").expect("a cookie");
    for word in ["rhumb_token=", "HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    let pair = cookie.split(';').next().expect("its value");
    assert_eq!(pause(&house, &format!("cookie: a=b; {pair}\r\n")).code, 200);
    assert_eq!(pause(&house, "cookie: rhumb_token=00\r\n").code, 401);
    // A cookie does not help a page of somebody else.
    let foreign = format!("cookie: {pair}\r\norigin: http://evil.example\r\n");
    assert_eq!(pause(&house, &foreign).code, 403);
}

#[test]
fn the_way_back_is_one_of_ours() {
    let house = guarded(quick());
    let check = |to: &str, expect: &str| {
        let entered = house.post("/token", &[("token", TOKEN), ("to", to)]);
        assert_eq!(entered.header("location"), Some(expect), "{to}");
        assert!(!house.get(&format!("/token?to={to}")).text().contains("evil"), "{to}");
    };
    check("/submit", "/submit");
    check("https://evil.example/", "/crawl");
    check("//evil.example/", "/crawl");
    check("/nowhere/evil", "/crawl");
}

#[test]
fn whoever_lacks_the_token_is_led_to_it_and_loses_nothing() {
    let house = guarded(quick());
    let form = house.get("/submit");
    assert!(form.text().contains("href=\"/token?to=%2Fsubmit\""), "{}", form.text());
    let refused = house.post("/submit", &[("urls", "http://a.example/<b>\nhttp://b.example/")]);
    assert_eq!((refused.code, refused.header("www-authenticate")), (401, Some("Bearer")));
    check_whole(refused.text());
    for part in ["http://a.example/&lt;b&gt;\nhttp://b.example/</textarea>", "must know the token"]
    {
        assert!(refused.text().contains(part), "{part} in {}", refused.text());
    }
    let asked = |it: &Question| matches!(it, Question::Submit { .. });
    assert!(!house.questions().iter().any(asked), "the crawl heard nothing of it");
    for (path, back) in [("/site", "%2Fsites"), ("/crawl/control", "%2Fcrawl")] {
        let refused = house.post(path, &[("do", "pause"), ("site", "a.example")]);
        assert_eq!(refused.code, 401, "{path}");
        check_whole(refused.text());
        let way = format!("href=\"/token?to={back}\"");
        assert!(refused.text().contains(&way), "{way} in {}", refused.text());
    }
    let wrong = house.post("/token", &[("token", "guess"), ("to", "/sites")]);
    assert_eq!(wrong.code, 401);
    check_whole(wrong.text());
    assert!(wrong.text().contains("value=\"/sites\""), "{}", wrong.text());
    let open = Furniture::default().start();
    assert!(!open.get("/submit").text().contains("token"));
}

#[test]
fn whoever_guesses_is_soon_not_listened_to() {
    let house = guarded(Limits { guesses: 3, ..quick() });
    for _ in 0..3 {
        assert_eq!(pause(&house, "authorization: Bearer guess\r\n").code, 401);
    }
    let late = house.post("/token", &[("token", "guess")]);
    assert_eq!(late.code, 429);
    let wait: u64 = late.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=20).contains(&wait), "{wait}");
    // Whoever guesses keeps nobody out who knows it, even from the same address.
    let right = pause(&house, &format!("authorization: Bearer {TOKEN}\r\n"));
    assert_eq!(right.code, 200);
    assert_eq!(house.post("/token", &[("token", TOKEN)]).code, 303);
    assert_eq!(house.post("/token", &[("token", "guess")]).code, 429);
    assert_eq!(house.get("/").code, 200, "others than changes are as before");
}

#[test]
fn an_answer_that_takes_too_long_is_not_waited_for() {
    let slow = |question: &Question| {
        let is_slow = matches!(question, Question::Why { .. });
        is_slow.then(|| {
            std::thread::park_timeout(Duration::from_millis(500));
            Reply::Done { message: String::new() }
        })
    };
    let limits = Limits { within: Duration::from_millis(50), ..Limits::default() };
    let house = Furniture { limits, replies: Box::new(slow), ..Furniture::default() }.start();
    let answer = house.get("/api/why?url=http://a.example/");
    assert_eq!(answer.code, 503, "{}", answer.text());
    assert!(answer.text().contains("too long"), "{}", answer.text());
    // A body that does not come is not waited for, either.
    let head = format!(
        "POST /api/control HTTP/1.1\r\nhost: {}\r\n{JSON}content-length: 99\r\n\
        connection: close\r\n\r\n{{",
        house.address
    );
    assert_eq!(house.send(head.as_bytes()).code, 503);
}

#[test]
fn what_is_too_large_is_refused() {
    let house = house();
    let long = "a".repeat(17_000);
    assert_eq!(house.get(&format!("/search?q={long}")).code, 414);
    let body = format!("{{\"urls\":[\"{}\"]}}", "a".repeat(70_000));
    assert_eq!(house.ask("POST", "/api/submit", JSON, body.as_bytes()).code, 413);
    let body = format!("urls={}", "a".repeat(70_000));
    assert_eq!(house.ask("POST", "/submit", FORM, body.as_bytes()).code, 413);
}
