//! Pages that nobody would write are taken in all the same.

use crate::made::{Made, linking, page};

#[test]
fn endless_texts_and_words_are_cut() {
    let mut endless = page("http://a.org/1", &"title ".repeat(100_000), &"word ".repeat(2_000_000));
    endless.headings = vec!["heading ".repeat(100_000); 1_000];
    endless.description = Some("about ".repeat(1_000_000));
    let wide = page("http://a.org/2", "Sextant", &"x".repeat(1 << 20));
    let made = Made::of(vec![endless, wide]);
    made.check("word", &["/1"]);
    made.check("sextant", &["/2"]);
}

#[test]
fn signs_and_control_characters_are_no_words() {
    let odd = "\0\u{1}one\u{2}two\u{3}three\u{1b}[31m \u{202e}sextant\u{ffff} \u{10ffff}";
    let mut strange = page("http://a.org/1", odd, odd);
    strange.headings = vec![odd.to_owned()];
    strange.language = Some(odd.to_owned());
    strange.kind = String::new();
    strange.dated_ms = Some(i64::MIN);
    let linking = linking(page("http://a.org/2", "", ""), &[("http://a.org/1", odd)]);
    let made = Made::of(vec![strange, linking]);
    made.check("sextant", &["/1"]);
    made.check("three", &["/1"]);
}

#[test]
fn a_page_with_nothing_on_it_is_held() {
    let mut empty = page("http://a.org/", "", "");
    empty.title = None;
    empty.language = None;
    let made = Made::of(vec![empty]);
    assert_eq!(made.searcher().documents(), 1);
    made.check("site:a.org", &["/"]);
}
