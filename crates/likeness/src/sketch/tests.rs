use super::*;
use crate::Reading;

/// Words by number, so that texts can be cut and changed anywhere.
fn text(words: impl IntoIterator<Item = u32>) -> String {
    words.into_iter().map(|number| letters(number) + "x ").collect()
}

fn letters(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

fn sketch(text: &str) -> Sketch {
    Sketch::of(text).unwrap()
}

#[test]
fn a_text_without_words_has_no_sketch() {
    assert_eq!(Sketch::of(""), None);
    assert_eq!(Sketch::of(" … -- !"), None);
}

#[test]
fn fewer_than_four_words_are_one_shingle() {
    for few in ["one", "one two", "one two three", "one two three four"] {
        let sketch = sketch(few);
        assert_eq!(sketch.shingles, 1, "{few}");
        assert!(sketch.is_near(&sketch, false) && sketch.is_near(&sketch, true));
    }
    assert!(!sketch("one two").is_near(&sketch("two one"), false));
    assert!(!sketch("one").is_near(&sketch("two"), true));
}

#[test]
fn case_signs_and_space_do_not_change_a_sketch() {
    assert_eq!(sketch("The quick, brown fox: jumps!"), sketch("the  QUICK brown\nfox jumps"));
}

#[test]
fn the_estimate_is_close_to_the_truth() {
    let mut error = 0.0;
    for changed in 0..100 {
        let a = text((0..800).map(|word| word + changed * 10_000));
        let start = changed * 8;
        let b = text((start..start + 800).map(|word| word + changed * 10_000));
        let truth = Reading::of(&a).jaccard(&Reading::of(&b));
        error += (sketch(&a).jaccard(&sketch(&b)) - truth).abs() / 100.0;
    }
    assert!(error < 0.04, "{error}");
}

#[test]
fn texts_with_little_in_common_are_not_near() {
    let a = sketch(&text(0..1_000));
    let half = sketch(&text(333..1_333));
    assert!((a.jaccard(&half) - 0.5).abs() < 0.15, "{}", a.jaccard(&half));
    assert!(!a.is_near(&half, false) && !a.is_near(&half, true));
    let other = sketch(&text(5_000..6_000));
    assert!(a.jaccard(&other) < 0.05 && !a.is_near(&other, false));
}

#[test]
fn a_few_changed_words_leave_a_text_near() {
    let a = sketch(&text(0..1_000));
    let b = sketch(&text((0..1_000).map(|word| if word % 300 == 7 { word + 9_000 } else { word })));
    assert!(a.is_near(&b, false) && a.is_near(&b, true));
}

/// A page of a calendar: many words, and a few numbers that are others every day.
fn day(day: u32) -> Sketch {
    let page = text(0..80);
    sketch(&format!("{page} on {day} May 2026 {page} next {} previous a{day}b", day + 1))
}

#[test]
fn a_few_numbers_alone_make_no_new_page_of_a_site() {
    assert_eq!(day(3).blind, day(14).blind);
    assert!(day(3).is_near(&day(14), true));
}

#[test]
fn many_numbers_make_a_new_page() {
    let table = |salt: u32| {
        let cell = |number: u32| format!("{} {} ", letters(number), number * 7 + salt);
        sketch(&(0..200).map(cell).collect::<String>())
    };
    assert_eq!(table(1).blind, table(2).blind);
    assert!(!table(1).is_near(&table(2), true));
    assert!(!sketch("1 2 3").is_near(&sketch("4 5 6"), true));
}
