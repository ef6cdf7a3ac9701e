//! Spam in the manner of real spam, and honest pages that come near to it.

use rhumb_web::{Canon, CanonUrl, Mark};

use super::{Spam, spam};
use crate::{Facts, leads_to, mark, read};

fn judged(url: &str, html: &str) -> Spam {
    let url = CanonUrl::parse(url).expect("a URL");
    let page = read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, Canon::Full, false);
    let facts =
        Facts { url: &url, status: 200, headers: vec![], body: html.as_bytes(), redirected: false };
    let found = spam(&page, &facts);
    assert_eq!(mark(&page, &facts).map(|(mark, _)| mark), found.mark, "{found:?}");
    found
}

fn check(html: &str, expect: Option<Mark>) -> Spam {
    let found = judged("https://shop.example/page", html);
    assert_eq!(found.mark, expect, "{found:?}\n{}", &html[..html.len().min(400)]);
    assert_eq!(found.score >= 0.8, expect.is_some());
    found
}

/// So many of these, in an order that is no order.
fn mixed<'a>(pieces: &'a [&str], count: usize) -> impl Iterator<Item = &'a str> {
    let mut state = 7_usize;
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        pieces[(state >> 33) % pieces.len()]
    })
    .take(count)
}

fn joined(pieces: &[&str], count: usize, between: &str) -> String {
    mixed(pieces, count).collect::<Vec<_>>().join(between)
}

const PILLS: &[&str] = &[
    "cheap pills online",
    "buy pills",
    "order pills without prescription",
    "discount pills",
    "pills and tablets",
    "generic pills 100mg",
    "online pharmacy",
    "best price pills",
];
const CITIES: &[&str] = &[
    "Paris", "London", "Rome", "Berlin", "Madrid", "Vienna", "Prague", "Lisbon", "Dublin", "Oslo",
];
const HONEST: &str = "Welcome to our small shop for garden tools. We sell spades and rakes and \
    watering cans to people who like to work outside. Come and see us in the old mill by the \
    river, where the road from the village meets the bridge.";

#[test]
fn a_page_stuffed_with_words_is_spam() {
    let list = format!("<title>Pills</title><p>{}</p>", joined(PILLS, 300, ", "));
    check(&list, Some(Mark::Spam));
    let cities = mixed(CITIES, 40)
        .map(|city| {
            format!(
                "<p>Emergency plumber in {city}, call our {city} plumber now. The best {city} \
                 plumber, cheap plumber {city}, plumber day and night in {city}.</p>"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let title = joined(CITIES, 30, " plumber ");
    let found = check(&format!("<title>{title}</title>{cities}"), Some(Mark::Spam));
    assert!(found.signs.contains(&"title of more than 24 words"), "{found:?}");
    let flights = mixed(CITIES, 60)
        .map(|city| {
            format!(
                "<p>Looking for cheap flights? Our cheap flights are the best cheap flights that \
                 you can find. Book cheap flights to {city} with us, since our cheap flights are \
                 cheap.</p>"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    check(&flights, Some(Mark::Spam));
}

#[test]
fn a_stuffed_list_of_links_to_many_hosts_is_spam() {
    let words = ["casino", "poker", "slots", "best casino", "casino bonus", "free slots casino"];
    let links = mixed(&words, 200)
        .enumerate()
        .map(|(at, word)| format!("<a href=https://best-{at}.casino{at}.example/>{word}</a> "))
        .collect::<Vec<_>>()
        .concat();
    let found = check(&format!("<title>Friends</title>{links}"), Some(Mark::Spam));
    assert!(found.signs.contains(&"list of links to many hosts"), "{found:?}");
}

#[test]
fn hidden_text_that_is_stuffed_is_spam() {
    let pills = joined(PILLS, 150, " ");
    for hidden in [
        format!("<div style='display:none'>{pills}</div>"),
        format!("<div hidden><p>{pills}</p></div>"),
        format!("<div style='visibility: hidden'>{pills}</div>"),
        format!("<span style='font-size:0'>{pills}</span>"),
        format!("<p style='color:#fff;background-color:white'>{pills}</p>"),
        format!("<body bgcolor=#000000><font color=black>{pills}</font>"),
    ] {
        let found = check(&format!("<p>{HONEST}</p>{hidden}"), Some(Mark::Spam));
        assert!(found.signs.contains(&"hidden text repeats itself"), "{found:?}");
    }
}

#[test]
fn a_list_of_words_in_the_colour_of_its_ground_is_spam_though_none_comes_twice() {
    let words = (0..90_u32)
        .map(|at| {
            let letter = |shift: u32| char::from(b'a' + u8::try_from(at * shift % 26).unwrap());
            format!("{}{}{}keyword{} ", letter(3), letter(7), letter(11), letter(5))
        })
        .collect::<Vec<_>>()
        .concat();
    check(&format!("<p>{HONEST}</p><p style='color:#fefefe'>{words}</p>"), Some(Mark::Spam));
    // A menu that opens has such words too.
    check(&format!("<p>{HONEST}</p><p style='display:none'>{words}</p>"), None);
}

#[test]
fn a_page_that_leads_to_another_domain_at_once_is_a_doorway() {
    for html in [
        "<title>Cheap pills</title><meta http-equiv=refresh content='0;url=https://pills.example.net/buy'><p>Cheap pills here</p>",
        "<meta http-equiv=refresh content='5; https://pills.example.net/'>",
        "<title>Pills</title><script>window.location.href = \"https://pills.example.net/\";</script>",
        "<script type=text/javascript>setTimeout(function(){location.replace('//pills.example.net/')},100)</script><h1>Pills</h1>",
        "<meta name=keywords content='pills, cheap pills'><meta http-equiv=refresh content='1;url=https://pills.example.net/'><a href=https://pills.example.net/>Enter</a>",
    ] {
        let found = check(html, Some(Mark::Doorway));
        assert!(found.signs.contains(&"to another domain"), "{found:?}");
    }
}

#[test]
fn a_page_that_has_moved_is_no_doorway() {
    let long = HONEST.repeat(3);
    for html in [
        // Within the site, and within its domain.
        "<meta http-equiv=refresh content='0;url=/new'><p>Redirecting…</p>",
        "<meta http-equiv=refresh content='0;url=https://www.shop.example/new'>",
        "<script>location.href='https://docs.shop.example/'</script>",
        // It says where to.
        "<meta http-equiv=refresh content='0;url=https://new.example.net/'><p>We are at <a href=https://new.example.net/>new.example.net</a> now.</p>",
        "<link rel=canonical href=https://new.example.net/><meta http-equiv=refresh content='0;url=https://new.example.net/'>",
        // It can be read first.
        "<meta http-equiv=refresh content='30;url=https://new.example.net/'><p>Read this.</p>",
        // For those without scripts.
        "<noscript><meta http-equiv=refresh content='0;url=https://enable.example.net/'></noscript><div id=root></div>",
        // Somewhere in a program.
        "<script>if (a) location.href = base + '/login'</script>",
        "<script>var at = location.href; track(at)</script>",
        &format!("<meta http-equiv=refresh content='0;url=https://new.example.net/'>{long}"),
    ] {
        check(html, None);
    }
}

#[test]
fn honest_pages_that_repeat_themselves_are_not_spam() {
    let row = |at: usize| format!("<tr><td>value_{at}</td><td>const u32</td><td>{at}</td></tr>");
    let table = (0..400).map(row).collect::<Vec<_>>().concat();
    check(&format!("<title>Constants</title><table>{table}</table>"), None);
    let entry = |at: usize| {
        format!("<li><a href=/v{at}>Release notes of version 1.{at}</a>: fixes and changes</li>")
    };
    let index = (0..200).map(entry).collect::<Vec<_>>().concat();
    check(&format!("<title>Release notes</title><ul>{index}</ul>"), None);
    let blog = |at: usize| {
        format!("<li><a href=https://friend{at}.example/>{}</a></li>", CITIES[at % CITIES.len()])
    };
    let blogroll = (0..60).map(blog).collect::<Vec<_>>().concat();
    check(&format!("<p>{HONEST}</p><ul>{blogroll}</ul>"), None);
    check(&format!("<p>{}</p>", HONEST.repeat(20)), None);
    let menu = CITIES
        .iter()
        .flat_map(|city| ["Gardens", "Parks", "Farms"].map(|what| (what, city)))
        .map(|(what, city)| format!("<a href=/{what}/{city}>{what} around {city}</a>"))
        .collect::<Vec<_>>()
        .concat();
    check(&format!("<p>{HONEST}</p><nav style='display:none'>{menu}</nav>"), None);
}

#[test]
fn languages_without_spaces_are_not_spam() {
    for text in [
        "本日はお日柄もよく、多くの方々にお集まりいただき誠にありがとうございます。",
        "今天天气很好，我们去公园散步，看到了很多花和鸟。",
        "วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวนสาธารณะ",
        "ថ្ងៃនេះអាកាសធាតុល្អណាស់យើងទៅដើរលេងនៅសួនច្បារ",
    ] {
        for count in [1, 10, 100] {
            check(&format!("<title>{text}</title><p>{}</p>", text.repeat(count)), None);
        }
    }
}

#[test]
fn what_is_no_page_and_what_is_empty_has_no_signs() {
    assert_eq!(judged("https://shop.example/", ""), Spam::default());
    let url = CanonUrl::parse("https://shop.example/robots.txt").unwrap();
    let text = joined(PILLS, 300, " ");
    let page = read(text.as_bytes(), Some("text/plain"), &url, Canon::Full, false);
    let facts =
        Facts { url: &url, status: 200, headers: vec![], body: text.as_bytes(), redirected: false };
    assert_eq!(spam(&page, &facts), Spam::default());
}

#[test]
fn where_a_page_leads_at_once_is_known_whatever_it_says() {
    #[track_caller]
    fn check(head: &str, text: &str, header: Option<&str>, expect: Option<&str>) {
        let url = CanonUrl::parse("https://shop.example/page").expect("a URL");
        let html = format!("{head}<p>{text}</p>");
        let page = read(html.as_bytes(), Some("text/html"), &url, Canon::Full, false);
        let headers = header.map(|it| ("refresh", it)).into_iter().collect();
        let body = html.as_bytes();
        let facts = Facts { url: &url, status: 200, headers, body, redirected: false };
        let found = leads_to(&page, &facts);
        assert_eq!(found.as_ref().map(CanonUrl::as_str), expect, "{html}");
    }
    let (there, long) = (Some("http://there.example/"), HONEST.repeat(3));
    let refresh = "<meta http-equiv=refresh content='0;url=http://there.example/'>";
    let slow = "<meta http-equiv=refresh content='30;url=http://there.example/'>";
    let script = "<script>location.href = 'http://there.example/';</script>";
    for text in ["", &long] {
        check(refresh, text, None, there);
        check("", text, Some("3; url=http://there.example/"), there);
        check(slow, text, None, None);
        check("", text, None, None);
    }
    check(script, "", None, there);
    // A script in a page that says something may lead away for a reason.
    check(script, &long, None, None);
}
