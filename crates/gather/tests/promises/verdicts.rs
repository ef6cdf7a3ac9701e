//! What a running crawl tells of its pages comes to effect, whenever it comes.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;

use rhumb_archive::Position;
use rhumb_crawl::shell::{News, Stopwatch};
use rhumb_index::Held;
use rhumb_web::{Mark, UrlKey};

use crate::maker::{Maker, held, key, page, urls};

const A: &str = "http://a.test/a";
const B: &str = "http://b.test/b";
const C: &str = "http://c.test/c";

fn follow(maker: &Maker, news: &[News]) -> BTreeMap<String, Held> {
    let (sender, receiver) = channel();
    for one in news {
        sender.send(*one).unwrap();
    }
    drop(sender);
    maker.gatherer(&maker.index()).follow(&receiver, &Stopwatch::default()).unwrap();
    held(&maker.index())
}

fn told(at: &str, end: Position, original: Option<UrlKey>, mark: Option<Mark>) -> News {
    News::Told { key: key(at), end, original, mark }
}

#[test]
fn a_crawl_is_followed_as_far_as_it_is_known() {
    let mut maker = Maker::new();
    let first = maker.page(A, &page("A", "words", &[]));
    maker.page(B, &page("B", "words", &[]));
    assert_eq!(urls(&follow(&maker, &[News::Kept(first)])), [A]);
    assert!(follow(&maker, &[]).contains_key(A));
    assert_eq!(urls(&maker.caught_up()), [A, B]);
}

#[test]
fn a_marked_page_is_not_found_and_a_copy_is_folded() {
    let mut maker = Maker::new();
    let a = maker.page(A, &page("A", "words", &[]));
    let b = maker.page(B, &page("B", "words", &[]));
    let c = maker.page(C, &page("C", "words", &[]));
    let news = [
        told(B, b, Some(key(A)), None),
        News::Kept(a),
        told(C, c, None, Some(Mark::SoftError)),
        News::Kept(c),
    ];
    let held = follow(&maker, &news);
    assert_eq!(urls(&held), [A, B]);
    assert_eq!((held[A].group, held[B].group), (key(A), key(A)));
    assert_eq!(held[B].original, Some(key(A)));
}

#[test]
fn spam_and_doorways_are_found_and_sink() {
    let mut maker = Maker::new();
    let a = maker.page(A, &page("A", "cheap words", &[]));
    let b = maker.page(B, &page("B", "other words", &[]));
    let news =
        [told(A, a, None, Some(Mark::Spam)), told(B, b, None, Some(Mark::Doorway)), News::Kept(b)];
    let held = follow(&maker, &news);
    assert_eq!(urls(&held), [A, B]);
    assert!(held[A].sinks && held[B].sinks);
}

#[test]
fn a_page_that_stays_as_it_is_sinks_and_rises_as_it_is_judged() {
    let mut maker = Maker::new();
    let honest = page("A", "words", &[]);
    let a = maker.page(A, &honest);
    assert!(!follow(&maker, &[News::Kept(a)])[A].sinks);
    let again = maker.page(A, &honest);
    let news = [told(A, again, None, Some(Mark::Doorway)), News::Kept(again)];
    assert!(follow(&maker, &news)[A].sinks);
    let third = maker.page(A, &honest);
    assert!(!follow(&maker, &[News::Kept(third)])[A].sinks);
}

#[test]
fn a_verdict_is_on_one_capture_alone() {
    let mut maker = Maker::new();
    let gate = maker.page(A, &page("Gate", "prove that you are human", &[]));
    let news = [told(A, gate, None, Some(Mark::Challenge)), News::Kept(gate)];
    assert!(follow(&maker, &news).is_empty());
    let real = maker.page(A, &page("A", "words", &[]));
    assert_eq!(urls(&follow(&maker, &[News::Kept(real)])), [A]);
    let gate = maker.page(A, &page("Gate", "prove it again", &[]));
    let news = [told(A, gate, None, Some(Mark::Challenge)), News::Kept(gate)];
    assert!(follow(&maker, &news).is_empty());
}

#[test]
fn a_page_that_turns_out_to_be_a_copy_later_is_folded_with_its_own_copies() {
    let mut maker = Maker::new();
    maker.page(A, &page("A", "words", &[]));
    let b = maker.page(B, &page("B", "words", &[]));
    let c = maker.page(C, &page("C", "words", &[]));
    let news = [told(B, b, Some(key(A)), None), News::Kept(c)];
    follow(&maker, &news);
    let held = follow(&maker, &[News::Likened { key: key(A), original: key(C) }]);
    assert_eq!(held[A].original, Some(key(C)));
    for page in [A, B, C] {
        assert_eq!(held[page].group, key(C), "{page}");
    }
}
