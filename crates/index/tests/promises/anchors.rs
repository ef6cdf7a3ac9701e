//! Texts of links find a page, with one vote per domain.

use rhumb_index::Cursor;

use crate::made::{Made, key, linking, page};

const TARGET: &str = "http://target.org/page";

#[test]
fn a_page_is_found_by_the_words_of_links_to_it_alone() {
    let made = Made::of(vec![
        page(TARGET, "Welcome", "nothing that helps"),
        linking(page("http://other.org/", "Links", "a list"), &[(TARGET, "excellent sextant")]),
    ]);
    assert_eq!(made.found("sextant"), ["/page"]);
    assert_eq!(made.found("\"excellent sextants\""), ["/page"]);
}

#[test]
fn links_that_were_there_before_the_page_count() {
    let made = Made::of(vec![
        linking(page("http://other.org/", "Links", "a list"), &[(TARGET, "sextant")]),
        page(TARGET, "Welcome", "nothing that helps"),
    ]);
    assert_eq!(made.found("sextant"), ["/page"]);
}

#[test]
fn a_farm_of_one_domain_lifts_its_target_less_than_three_domains_do() {
    let (farmed, voted) = ("http://farmed.org/farmed", "http://voted.org/voted");
    let mut pages =
        vec![page(farmed, "Welcome", "nothing here"), page(voted, "Welcome", "nothing here")];
    for number in 0..500 {
        let url = format!("http://host{}.farm.net/{number}", number % 20);
        pages.push(linking(page(&url, "Farm", "grass"), &[(farmed, "sextant")]));
    }
    for domain in ["one.org", "two.net", "three.com"] {
        let url = format!("http://{domain}/");
        pages.push(linking(page(&url, "Site", "text"), &[(voted, "sextant")]));
    }
    let made = Made::of(pages);
    let answer = made.ask("sextant");
    let [first, second] = answer.hits.as_slice() else { panic!("{answer:?}") };
    assert_eq!((first.url.path(), second.url.path()), ("/voted", "/farmed"));
    assert!(first.score > second.score, "{first:?} {second:?}");
}

#[test]
fn links_to_a_redirect_count_for_where_it_leads() {
    let old = "http://target.org/old";
    let mut made = Made::new();
    made.index.put(page(TARGET, "Welcome", "nothing that helps")).unwrap();
    let links = page("http://other.org/", "Links", "a list");
    made.index.put(linking(links, &[(old, "sextant")])).unwrap();
    made.index.moved(&rhumb_web::CanonUrl::parse(old).unwrap(), key(TARGET)).unwrap();
    let made = made.settled();
    assert_eq!(made.found("sextant"), ["/page"]);
    let (linking, total) = made.searcher().in_links(key(TARGET), 10).unwrap();
    assert_eq!((linking[0].title.as_deref(), total), (Some("Links"), 1));
}

#[test]
fn a_page_with_many_more_texts_than_before_can_have_them_before_the_end() {
    let mut made = Made::new();
    made.index.put(page(TARGET, "Welcome", "nothing that helps")).unwrap();
    made.index.commit(Cursor::default()).unwrap();
    for (number, text) in ["sextant", "octant", "compass", "astrolabe"].iter().enumerate() {
        let url = format!("http://other.org/{number}");
        made.index.put(linking(page(&url, "Links", "a list"), &[(TARGET, text)])).unwrap();
    }
    made.index.commit(Cursor::default()).unwrap();
    assert_eq!(made.index.refresh(0).unwrap(), 0);
    assert_eq!(made.index.refresh(10).unwrap(), 1);
    made.index.commit(Cursor::default()).unwrap();
    assert_eq!(made.found("octant"), ["/page"]);
    assert_eq!(made.index.refresh(10).unwrap(), 0);
}

#[test]
fn a_copy_whose_original_is_not_held_is_found_by_links_to_it() {
    let mut made = Made::new();
    let mut copy = page(TARGET, "Welcome", "nothing that helps");
    copy.original = Some(key("http://elsewhere.org/"));
    made.index.put(copy).unwrap();
    made.index.commit(Cursor::default()).unwrap();
    let links = page("http://other.org/", "Links", "a list");
    made.index.put(linking(links, &[(TARGET, "sextant")])).unwrap();
    assert_eq!(made.settled().found("sextant"), ["/page"]);
}

#[test]
fn no_domain_can_drive_out_what_another_one_says_of_a_page() {
    let texts: Vec<String> = (0..1000).map(|number| format!("rubbish {number}")).collect();
    let links: Vec<_> = texts.iter().map(|text| (TARGET, text.as_str())).collect();
    let made = Made::of(vec![
        page(TARGET, "Welcome", "nothing that helps"),
        linking(page("http://one.org/", "Links", "a list"), &[(TARGET, "sextant")]),
        linking(page("http://two.org/", "Links", "a list"), &[(TARGET, "octant")]),
        linking(page("http://farm.net/", "Farm", "grass"), &links),
    ]);
    assert_eq!(made.found("sextant"), ["/page"]);
    assert_eq!(made.found("octant"), ["/page"]);
}
