//! The dashboard and the sites, as people use them: with a browser that runs no script.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use rhumb_crawl::ask::{Activity, Mirror, RecentLine, SiteOrder, SiteRow, SiteStanding, SitesPage};
use rhumb_crawl::ask::{SitesWanted, Status};
use rhumb_crawl::control::{Question, Reply, SiteChange};

use crate::format::status;
use crate::house::{Furniture, TestHouse, encoded};
use crate::wholeness::{Element, check_whole, elements};

/// What hostile pages are called.
const HOSTILE: [&str; 4] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\u{202e}gnp.exe",
];

/// A house without an index before a crawl that answers so.
fn house(replies: impl Fn(&Question) -> Option<Reply> + Send + Sync + 'static) -> TestHouse {
    let (documents, captures) = (Vec::new(), Vec::new());
    Furniture { documents, captures, replies: Box::new(replies), ..Furniture::default() }.start()
}

fn standing(status: Status) -> TestHouse {
    house(move |question| {
        matches!(question, Question::Status).then(|| Reply::Status(Box::new(status.clone())))
    })
}

fn with_sites(sites: Vec<SiteRow>, total: u64) -> TestHouse {
    house(move |question| {
        let page = SitesPage { sites: sites.clone(), total, exact: true };
        matches!(question, Question::Sites(_)).then_some(Reply::Sites(page))
    })
}

#[track_caller]
fn page(house: &TestHouse, target: &str) -> String {
    let answered = house.get(target);
    assert_eq!(answered.code, 200, "{target}: {}", answered.text());
    // Drawings have titles too, and they are not those of the page.
    let (head, body) = answered.text().split_once("<body>").expect("a body");
    let body = body.replace("<title>", "<desc>").replace("</title>", "</desc>");
    check_whole(&format!("{head}<body>{body}"));
    answered.text().to_owned()
}

#[track_caller]
fn check_has(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "no {part} in {html}");
    }
}

fn buttons(html: &str) -> Vec<String> {
    let buttons = elements(html).into_iter().filter(|it| it.tag == "button");
    buttons.filter_map(|it| it.attribute("value").map(str::to_owned)).collect()
}

/// What was asked beside how the crawl stands.
fn orders(house: &TestHouse) -> Vec<Question> {
    house.questions().into_iter().filter(|it| *it != Question::Status).collect()
}

#[test]
fn the_page_tells_what_holds_the_crawl_back_and_what_to_do() {
    let house = standing(status());
    let html = page(&house, "/crawl");
    check_has(
        &html,
        &[
            "Waiting for host politeness: 412 of 480 sites",
            "This is how a polite crawl looks.",
            "URLs that wait for their turn.",
            "robots.txt of its site forbids it",
            "the server answered 404 Not Found",
        ],
    );
    let names = ["DNS", "Connect", "TLS", "Write", "First byte", "Read", "Parse", "Digest"];
    let more = ["Archive", "Log", "Push links", "Index", "Load of queues", "DNS failures"];
    for name in names.iter().chain(&more) {
        check_has(&html, &[&format!("aria-label=\"{name}, from ")]);
    }
    for about in elements(&html).iter().filter(|it| it.attribute("class") == Some("explained")) {
        assert_eq!(about.attribute("tabindex"), Some("0"), "{about:?}");
        let id = about.attribute("aria-describedby").expect("its sentence");
        check_has(&html, &[&format!("role=\"tooltip\" id=\"{id}\"")]);
    }
}

#[test]
fn the_part_that_changes_is_the_same_by_itself() {
    let house = standing(status());
    for span in ["", "?span=10m", "?span=150m", "?span=25h", "?span=%3Cb%3E"] {
        let whole = page(&house, &format!("/crawl{span}"));
        let part = house.get(&format!("/crawl/live{span}"));
        assert_eq!(part.code, 200);
        let (_, rest) = whole.split_once("<div id=\"live\" data-source=\"").expect("the part");
        let (_, rest) = rest.split_once("\">").expect("its beginning");
        let end = format!("{}</div></main>", part.text());
        assert!(rest.starts_with(&end), "{span}");
        assert!(!part.text().contains("<main"));
    }
    let day = page(&house, "/crawl?span=25h");
    let links = elements(&day);
    let current = links.iter().find(|it| it.attribute("aria-current") == Some("true"));
    assert_eq!(current.and_then(|it| it.attribute("href")), Some("/crawl?span=25h"));
    check_has(&day, &["data-source=\"/crawl/live?span=25h\""]);
}

#[test]
fn a_crawl_is_paused_resumed_and_stopped_by_forms() {
    let running = Status { paused: false, ..status() };
    let calm = standing(running);
    assert_eq!(buttons(&page(&calm, "/crawl")), ["pause"]);
    let paused = standing(status());
    assert_eq!(buttons(&page(&paused, "/crawl")), ["resume"]);
    let asked_twice = page(&paused, "/crawl/control");
    assert_eq!(buttons(&asked_twice), ["stop"]);
    assert_eq!(orders(&paused), [], "no page changes anything");
    for (word, question) in
        [("pause", Question::Pause), ("resume", Question::Resume), ("stop", Question::Stop)]
    {
        let answered = paused.post("/crawl/control", &[("do", word)]);
        assert_eq!(answered.code, 303);
        let back = answered.header("location").expect("a page").to_owned();
        assert_eq!(back, format!("/crawl?done={word}"));
        assert_eq!(orders(&paused).last(), Some(&question));
    }
    for wrong in ["", "explode", "Stop"] {
        assert_eq!(paused.post("/crawl/control", &[("do", wrong)]).code, 400);
    }
    assert_eq!(paused.post("/crawl/control", &[]).code, 422);
    assert_eq!(orders(&paused).len(), 3);
}

#[test]
fn what_was_done_is_said_once_and_only_while_it_is_so() {
    let check = |state: Activity, paused: bool, expect: &[&str]| {
        let house = standing(Status { state, paused, ..status() });
        for word in ["pause", "resume", "stop"] {
            let html = page(&house, &format!("/crawl?span=25h&done={word}"));
            assert_eq!(
                html.contains("role=\"status\""),
                expect.contains(&word),
                "{state:?} {word}"
            );
            if state == Activity::Running {
                check_has(&html, &["content=\"5; url=/crawl?span=25h\""]);
            }
        }
    };
    check(Activity::Running, true, &["pause", "stop"]);
    check(Activity::Running, false, &["resume", "stop"]);
    check(Activity::Stopped, true, &[]);
    check(Activity::Done, false, &[]);
}

#[test]
fn the_end_of_a_crawl_may_be_the_end_of_its_pages() {
    let html = page(&standing(status()), "/crawl/control");
    check_has(&html, &["These pages may end with the crawl", "<code>rhumb serve</code>"]);
}

#[test]
fn names_that_cannot_be_looked_up_are_a_figure_and_a_rate() {
    let html = page(&standing(status()), "/crawl");
    check_has(&html, &["Names that could not be looked up, in this run.", ">124<"]);
    check_has(&html, &["Names a minute that could not be looked up."]);
}

#[test]
fn a_crawl_at_rest_shows_its_last_numbers_and_no_buttons() {
    let rest = Status { state: Activity::Stopped, paused: false, ..status() };
    let html = page(&standing(rest.clone()), "/crawl");
    check_has(&html, &["These are its last numbers.", "href=\"/submit\"", ">101<"]);
    assert!(buttons(&html).is_empty() && !html.contains("/crawl/control"), "{html}");
    assert!(!html.contains("http-equiv"), "nothing changes");
    check_has(&page(&standing(status()), "/crawl"), &["http-equiv=\"refresh\" content=\"5; "]);
    let html = page(&standing(rest), "/crawl/control");
    check_has(&html, &["It does not run."]);
}

#[test]
fn what_the_crawl_refuses_is_told_with_its_advice() {
    let house = house(|question| {
        let is_pause = matches!(question, Question::Pause | Question::Site { .. });
        is_pause.then(|| Reply::Refused {
            what: "delay: \"soon\" is <no> duration".to_owned(),
            advice: "--delay 5s".to_owned(),
        })
    });
    for (path, fields, advice) in [
        ("/crawl/control", [("do", "pause"), ("x", "y")], "Try: --delay 5s."),
        // A form has no flags.
        ("/site", [("do", "block"), ("host", "a.example")], "Try: delay 5s."),
    ] {
        let answered = house.post(path, &fields);
        assert_eq!(answered.code, 400);
        check_whole(answered.text());
        check_has(answered.text(), &["is &lt;no&gt; duration", advice]);
    }
}

#[test]
fn hostile_words_are_only_shown() {
    let [script, image, mouse, turn] = HOSTILE.map(str::to_owned);
    let counts = || HOSTILE.iter().map(|word| ((*word).to_owned(), 7)).collect();
    let site = |site: &str| SiteStanding {
        site: site.to_owned(),
        state: script.clone(),
        held_by: Some(image.clone()),
        for_ms: 9,
        ..SiteStanding::default()
    };
    let recent = RecentLine {
        url: format!("http://a.example/{script}{turn}"),
        time: mouse.clone(),
        what: image.clone(),
        outcome: turn.clone(),
        ..RecentLine::default()
    };
    let mirror = Mirror { site: script.clone(), of: image.clone(), pages: 1 };
    let hostile = Status {
        verdict: script.clone(),
        held_back_by: image.clone(),
        refused: counts(),
        failed: counts(),
        cut: counts(),
        marked: counts(),
        memory: counts(),
        disk: counts(),
        waiting_by: counts(),
        sites_by_state: counts(),
        mirrors: vec![mirror],
        busiest: HOSTILE.map(site).to_vec(),
        slowest: HOSTILE.map(site).to_vec(),
        recent: vec![recent],
        ..status()
    };
    let html = page(&standing(hostile), "/crawl");
    assert!(!html.contains('\u{202e}') && !html.contains("<img src=x"), "{html}");
    let rows = HOSTILE.map(|word| SiteRow {
        site: word.to_owned(),
        state: word.to_owned(),
        held_by: Some(word.to_owned()),
        next_visit: Some(word.to_owned()),
        robots: word.to_owned(),
        ..SiteRow::default()
    });
    let html = page(&with_sites(rows.to_vec(), 4), "/sites");
    assert!(!html.contains("<img src=x"), "{html}");
    assert_eq!(elements(&html).iter().filter(|it| it.tag == "tr").count(), 5);
}

#[test]
fn sites_are_searched_sorted_and_paged() {
    let check = |target: &str, expect: SitesWanted| {
        let house = with_sites(vec![SiteRow::default()], 500);
        page(&house, target);
        assert_eq!(orders(&house), [Question::Sites(expect)], "{target}");
    };
    let usual = SitesWanted { descending: true, count: 50, ..SitesWanted::default() };
    check("/sites", usual.clone());
    check("/sites?q=%20EX%20", SitesWanted { search: "ex".to_owned(), ..usual.clone() });
    let third =
        SitesWanted { sort: SiteOrder::Queued, descending: false, from: 100, ..usual.clone() };
    check("/sites?sort=queued&dir=asc&page=3", third);
    let by_time = SitesWanted { sort: SiteOrder::NextVisit, descending: false, ..usual.clone() };
    check("/sites?sort=next-visit", by_time);
    check("/sites?sort=%3Cb%3E&dir=x&page=-7", usual);
    let house = with_sites(vec![SiteRow::default(); 50], 500);
    let html = page(&house, "/sites?q=ex&sort=delay&dir=asc&page=2");
    let all = elements(&html);
    let sorted: Vec<&Element> =
        all.iter().filter(|it| it.attribute("aria-sort").is_some()).collect();
    assert_eq!(sorted.len(), 1);
    assert_eq!(sorted[0].attribute("aria-sort"), Some("ascending"));
    check_has(
        &html,
        &[
            "href=\"/sites?q=ex&amp;sort=delay&amp;dir=desc&amp;page=1\"",
            "href=\"/sites?q=ex&amp;sort=site&amp;dir=asc&amp;page=1\"",
            "rel=\"prev\" href=\"/sites?q=ex&amp;sort=delay&amp;dir=asc&amp;page=1\"",
            "rel=\"next\" href=\"/sites?q=ex&amp;sort=delay&amp;dir=asc&amp;page=3\"",
            "51 to 100 of 500",
        ],
    );
    let none = with_sites(Vec::new(), 0);
    check_has(&page(&none, "/sites?q=zzz"), &["No site matches."]);
    let html = page(&with_sites(Vec::new(), 232), "/sites?q=ex&page=99");
    let last = "href=\"/sites?q=ex&amp;sort=visits&amp;dir=desc&amp;page=5\"";
    check_has(&html, &["There is no such page.", last]);
    assert!(!html.contains("No site matches"), "{html}");
}

fn site() -> SiteRow {
    SiteRow {
        site: "a.example".to_owned(),
        state: "waiting".to_owned(),
        held_by: Some("site".to_owned()),
        next_visit: Some("2026-01-02T03:04:05.678Z".to_owned()),
        visits: 1_234,
        queued: 56,
        delay_ms: 3_000,
        crawl_delay_ms: Some(2_000),
        budget: Some(9_000),
        robots: "known".to_owned(),
        ..SiteRow::default()
    }
}

#[test]
fn a_site_has_a_page_with_all_of_it_and_a_form() {
    let house = with_sites(vec![site()], 1);
    let html = page(&house, "/site?host=a.example");
    check_has(
        &html,
        &["1,234", "its gap", "2026-01-02T03:04:05.678Z", "9,000", "/webmaster?host=a.example"],
    );
    check_has(&html, &["/search?q=site%3Aa.example", "placeholder=\"9000\""]);
    let of_ipv6 = page(&house, "/site?host=%5B::1%5D:81");
    check_has(&of_ipv6, &["/webmaster?host=%5B%3A%3A1%5D\"", "/search?q=site%3A%5B%3A%3A1%5D\""]);
    assert_eq!(buttons(&html), ["block", "slow", "set"]);
    let wanted = SitesWanted {
        search: "a.example".to_owned(),
        whole: true,
        count: 1,
        ..SitesWanted::default()
    };
    assert_eq!(orders(&house).first(), Some(&Question::Sites(wanted)));
    let blocked = with_sites(vec![SiteRow { blocked: true, ..site() }], 1);
    assert_eq!(buttons(&page(&blocked, "/site?host=a.example")), ["unblock", "set"]);
    let html = page(&house, "/site?host=b.example");
    check_has(&html, &["This crawl has not met it."]);
    for wrong in HOSTILE.iter().chain(&["", "a/b", "a@b", "a b"]) {
        let answered = house.get(&format!("/site?host={}", encoded(wrong)));
        assert_eq!(answered.code, 400, "{wrong}");
        check_whole(answered.text());
    }
}

#[test]
fn forms_of_a_site_reach_the_crawl_and_lead_back() {
    let check = |fields: &[(&str, &str)], expect: SiteChange, back: &str| {
        let house = with_sites(vec![site()], 1);
        let fields = [&[("host", "a.example")], fields].concat();
        let answered = house.post("/site", &fields);
        assert_eq!(answered.code, 303, "{}", answered.text());
        assert_eq!(answered.header("location"), Some(back));
        let asked = Question::Site { site: "a.example".to_owned(), change: expect };
        assert_eq!(orders(&house).last(), Some(&asked));
        check_has(&page(&house, back), &["role=\"status\""]);
    };
    let nothing = SiteChange::default;
    let word = |text: &str| Some(text.to_owned());
    let block = SiteChange { block: Some(true), ..nothing() };
    check(&[("do", "block")], block.clone(), "/site?host=a.example&done=block");
    let unblock = SiteChange { block: Some(false), ..nothing() };
    check(&[("do", "unblock")], unblock, "/site?host=a.example&done=unblock");
    let slow = SiteChange { delay: word("6000ms"), ..nothing() };
    check(&[("do", "slow")], slow, "/site?host=a.example&done=slow");
    let all = [("do", "set"), ("delay", "5s"), ("connections", "2"), ("budget", "none")];
    let all = [&all[..], &[("scope", "prefix"), ("block", "no")]].concat();
    let change = SiteChange {
        delay: word("5s"),
        connections: word("2"),
        scope: word("prefix"),
        budget: word("none"),
        block: Some(false),
    };
    check(&all, change, "/site?host=a.example&done=set");
    // From the table it goes back to where it was pressed, and never elsewhere.
    let list = "/sites?q=ex&sort=site&dir=desc&page=3";
    check(&[("do", "block"), ("list", list)], block.clone(), &format!("{list}&done=block"));
    let usual = "/sites?q=&sort=visits&dir=desc&page=1&done=block";
    for list in ["https://evil.example/", "//evil.example/?q=", "javascript:alert(1)?page=9"] {
        let house = with_sites(vec![site()], 1);
        let fields = [("host", "a.example"), ("do", "block"), ("list", list)];
        let back = house.post("/site", &fields).header("location").expect("a page").to_owned();
        assert!(back == usual || back == "/site?host=a.example&done=block", "{list}: {back}");
    }
}

#[test]
fn what_was_changed_at_rest_holds_from_the_next_start() {
    let check = |state: Activity, expect: &str| {
        let house = standing(Status { state, ..status() });
        for target in ["/site?host=a.example", "/sites?page=1"] {
            for word in ["block", "unblock", "slow", "set"] {
                check_has(&page(&house, &format!("{target}&done={word}")), &[expect]);
            }
        }
    };
    check(Activity::Running, " It holds from now on.");
    check(Activity::Stopped, " The crawl does not run: it holds from the next start.");
    check(Activity::Done, " The crawl does not run: it holds from the next start.");
}

#[test]
fn forms_that_make_no_sense_change_nothing() {
    let house = with_sites(Vec::new(), 0);
    let check = |fields: &[(&str, &str)], code: u16| {
        let answered = house.post("/site", fields);
        assert_eq!(answered.code, code, "{fields:?}: {}", answered.text());
        check_whole(answered.text());
    };
    check(&[], 400);
    check(&[("host", "a.example")], 400);
    check(&[("host", "a.example"), ("do", "explode")], 400);
    check(&[("host", "a.example"), ("do", "set")], 400);
    check(&[("host", "a.example"), ("do", "slow")], 404);
    check(&[("host", "a.example"), ("do", "set"), ("delay", &"9".repeat(5_000))], 400);
    for hostile in HOSTILE {
        check(&[("host", hostile), ("do", "block")], 400);
    }
    let changed = orders(&house).into_iter().any(|it| matches!(it, Question::Site { .. }));
    assert!(!changed);
}

#[test]
fn nobody_chooses_what_our_pages_say() {
    let house = with_sites(vec![site()], 1);
    for target in ["/crawl", "/sites", "/site"] {
        for hostile in HOSTILE.iter().chain(&["Your crawl was hacked"]) {
            let hostile = encoded(hostile);
            let html = page(&house, &format!("{target}?host=a.example&done={hostile}"));
            assert!(!html.contains("role=\"status\"") && !html.contains("hacked"), "{html}");
        }
    }
}

/// One who listens, and has heard the head of the answer.
struct Ear(BufReader<TcpStream>);

impl Ear {
    fn at(house: &TestHouse) -> (String, Self) {
        let mut stream = house.connect();
        let request = format!("GET /api/events HTTP/1.1\r\nhost: {}\r\n\r\n", house.address);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut ear = Self(BufReader::new(stream));
        let mut head = String::new();
        loop {
            let line = ear.line();
            if line.is_empty() {
                return (head.to_ascii_lowercase(), ear);
            }
            head += &line;
            head.push('\n');
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).expect("it is heard") > 0, "it goes on");
        line.trim_end().to_owned()
    }

    fn line_that_begins(&mut self, with: &str) -> String {
        loop {
            if let Some(rest) = self.line().strip_prefix(with) {
                return rest.to_owned();
            }
        }
    }
}

#[test]
fn whoever_listens_hears_how_the_crawl_stands() {
    let house = standing(status());
    let (head, mut ear) = Ear::at(&house);
    assert!(head.starts_with("http/1.1 200 ok"), "{head}");
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    assert_eq!(ear.line_that_begins("event: "), "status");
    let told: Status = serde_json::from_str(&ear.line_that_begins("data: ")).expect("a status");
    assert_eq!(told, status());
}

#[test]
fn those_who_listen_are_counted_and_others_still_answered() {
    let house = standing(status());
    let ears: Vec<(String, Ear)> = (0..32).map(|_| Ear::at(&house)).collect();
    assert!(ears.iter().all(|(head, _)| head.starts_with("http/1.1 200 ok")));
    let refused = house.get("/api/events");
    assert_eq!(refused.code, 503);
    check_has(refused.text(), &["32 others listen already"]);
    page(&house, "/crawl");
}
