//! Pages come, change, go, and turn out to be copies.

use rhumb_index::{Cursor, Held, Want};

use crate::made::{Made, key, open, page};

const FIRST: &str = "http://a.org/first";
const SECOND: &str = "http://b.org/second";
const THIRD: &str = "http://c.org/third";

#[test]
fn the_newest_form_of_a_page_is_found_and_no_other() {
    let mut made = Made::of(vec![page(FIRST, "Sextant", "an instrument")]);
    made.index.put(page(FIRST, "Octant", "another instrument")).unwrap();
    let made = made.settled();
    made.check("sextant", &[]);
    made.check("octant", &["/first"]);
    assert_eq!(made.searcher().documents(), 1);
}

#[test]
fn what_is_removed_is_not_found() {
    let mut made = Made::of(vec![page(FIRST, "Sextant", "text"), page(SECOND, "Sextant", "text")]);
    made.index.remove(key(FIRST)).unwrap();
    made.index.remove(key(THIRD)).unwrap();
    let made = made.settled();
    made.check("sextant", &["/second"]);
    assert!(made.searcher().page(key(FIRST)).unwrap().is_none());
}

#[test]
fn nothing_is_seen_before_its_commit_and_all_of_it_after() {
    let mut made = Made::new();
    let searcher = made.searcher();
    made.index.put(page(FIRST, "Sextant", "text")).unwrap();
    searcher.reload().unwrap();
    assert_eq!(searcher.documents(), 0);
    let cursor = Cursor { serial: 3, end: 4_711, is_settled: true, ..Cursor::default() };
    made.index.commit(cursor).unwrap();
    searcher.reload().unwrap();
    assert_eq!((searcher.documents(), searcher.cursor()), (1, cursor));
    drop(made.index);
    assert_eq!(open(&made.folder).cursor(), cursor);
}

#[test]
fn copies_are_folded_into_one_result_and_counted() {
    let mut copy = page(SECOND, "Sextant", "about a sextant");
    copy.original = Some(key(FIRST));
    let made = Made::of(vec![page(FIRST, "Sextant", "about a sextant"), copy]);
    let answer = made.ask("sextant");
    assert_eq!((answer.hits.len(), answer.hits[0].folded, answer.total), (1, 1, 2));
}

#[test]
fn what_a_copy_is_of_can_change_and_its_own_copies_follow() {
    let text = |url| page(url, "Sextant", "about a sextant");
    let mut made = Made::of(vec![text(FIRST), text(SECOND), text(THIRD)]);
    assert_eq!(made.ask("sextant").hits.len(), 3);
    made.index.liken(key(THIRD), Some(key(SECOND))).unwrap();
    made.index.liken(key(SECOND), Some(key(FIRST))).unwrap();
    made.index.commit(Cursor { end: 1, ..Cursor::default() }).unwrap();
    let group_of_third = |made: &Made| {
        let mut groups = Vec::new();
        made.searcher().each(|it: Held| groups.push((it.key, it.group))).unwrap();
        groups.into_iter().find(|(it, _)| *it == key(THIRD)).map(|(_, group)| group)
    };
    assert_eq!(group_of_third(&made), Some(key(FIRST)));
    assert_eq!(made.ask("sextant").hits.len(), 1);
    made.index.liken(key(SECOND), None).unwrap();
    let made = made.settled();
    assert_eq!(group_of_third(&made), Some(key(SECOND)));
    assert_eq!(made.ask("sextant").hits.len(), 2);
}

#[test]
fn pages_of_results_repeat_nothing_and_leave_nothing_out() {
    let pages = (0..35).map(|number| {
        let mut page = page(&format!("http://a.org/{number}"), "Sextant", "the same words");
        page.original = (number % 5 == 4).then(|| key(&format!("http://a.org/{}", number - 1)));
        page
    });
    let made = Made::of(pages.collect());
    let searcher = made.searcher();
    let mut seen = Vec::new();
    for from in (0..40).step_by(10) {
        let answer = searcher.search("sextant", &Want { from, ..Want::default() }).unwrap();
        seen.extend(answer.hits.into_iter().map(|hit| (hit.rank, hit.url)));
    }
    assert_eq!(
        seen.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(),
        (1..=28).collect::<Vec<_>>()
    );
    let mut urls: Vec<_> = seen.into_iter().map(|(_, url)| url.to_string()).collect();
    urls.sort_unstable();
    urls.dedup();
    assert_eq!(urls.len(), 28);
}

#[test]
fn a_copy_of_what_is_held_can_be_had_before_and_after_the_commit() {
    let mut made = Made::new();
    let whole = page(FIRST, "Sextant", "text");
    made.index.put(whole.clone()).unwrap();
    assert_eq!(made.index.copy_of(key(FIRST)).unwrap(), Some(whole.clone()));
    made.index.commit(Cursor { end: 1, ..Cursor::default() }).unwrap();
    assert_eq!(made.index.copy_of(key(FIRST)).unwrap(), Some(whole));
    made.index.remove(key(FIRST)).unwrap();
    assert_eq!(made.index.copy_of(key(FIRST)).unwrap(), None);
}
