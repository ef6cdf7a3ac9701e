use proptest::prelude::*;

use super::{Matcher, Snippet, snippet};
use crate::ask::Query;
use crate::words::Analyser;

fn shown(text: &str, description: Option<&str>, query: &str, chars_max: usize) -> Snippet {
    let mut analyser = Analyser::new();
    let query = Query::parse(query).expect("a query");
    let matcher = Matcher::new(&mut analyser, &query, &["en".to_owned()]);
    snippet(&mut analyser, text, description, Some("en"), &matcher, chars_max)
}

/// The text with its marks in brackets.
fn marked(snippet: &Snippet) -> String {
    let mut text = snippet.text.clone();
    for mark in snippet.marks.iter().rev() {
        text.insert(mark.end, ']');
        text.insert(mark.start, '[');
    }
    text
}

fn check(text: &str, query: &str, chars_max: usize, expect: &str) {
    assert_eq!(marked(&shown(text, None, query, chars_max)), expect, "{query} in {text}");
}

#[test]
fn words_are_marked_by_their_stems() {
    check("It indexes pages.", "indexing page", 100, "It [indexes] [pages].");
    check("Use pg_dump, not pg.", "pg_dump", 100, "Use [pg_dump], not pg.");
    check("Postgres and PostgreSQL", "postg*", 100, "[Postgres] and [PostgreSQL]");
    check("The café is nice", "CAFE", 100, "The [café] is nice");
    check("C++ and C", "C++", 100, "[C++] and C");
}

#[test]
fn pairs_of_letters_are_marked_as_one() {
    check("全文検索エンジンの性能", "検索エンジン", 100, "全文[検索エンジン]の性能");
}

#[test]
fn words_of_a_phrase_are_marked_where_they_stand_together() {
    check(
        "the vacuum of the full moon; vacuum full.",
        "\"vacuum full\"",
        100,
        "the vacuum of the full moon; [vacuum] [full].",
    );
}

#[test]
fn the_passage_with_most_words_is_shown_from_its_sentence_on() {
    let filler = "Nothing of interest happens in this sentence at all. ".repeat(20);
    let text = format!("{filler}A vacuum is here. {filler}The vacuum full command. {filler}");
    let snippet = shown(&text, None, "vacuum full", 80);
    assert!(marked(&snippet).starts_with("The [vacuum] [full] command. Nothing"), "{snippet:?}");
    assert!(snippet.text.ends_with('…') && snippet.text.chars().count() <= 84, "{snippet:?}");
}

#[test]
fn words_far_apart_are_shown_in_two_passages() {
    let filler = "nothing of interest ".repeat(60);
    let text = format!("{filler} alpha {filler} beta {filler}");
    let marked = marked(&shown(&text, None, "beta alpha", 120));
    let [alpha, beta] = ["[alpha]", "[beta]"].map(|word| marked.find(word).expect("shown"));
    assert!(alpha < beta && marked[alpha..beta].contains('…'), "{marked}");
}

#[test]
fn a_text_without_the_words_gives_its_description_or_how_it_begins() {
    let text = "Begins so.\nAnd goes on.";
    assert_eq!(marked(&shown(text, Some("About it."), "missing", 100)), "About it.");
    assert_eq!(marked(&shown(text, Some(" "), "missing", 100)), "Begins so. And goes on.");
    assert_eq!(marked(&shown(text, Some("It is missing."), "missing", 100)), "It is [missing].");
    assert_eq!(shown("", None, "missing", 100), Snippet::default());
}

#[test]
fn control_characters_become_single_spaces() {
    check("a\u{0}\t b\u{202e}c\u{1b}[0m", "bc", 100, "a [bc] [0m");
    check("one\r\n\r\ntwo", "one", 100, "[one] two");
}

#[test]
fn a_mark_ends_with_its_word_whatever_cannot_be_seen_after_it() {
    for hidden in ["\u{200b}", "\u{ad}"] {
        check(&format!("a foo{hidden}\n"), "foo", 100, "a [foo]");
        check(&format!("a foo{hidden} {hidden}"), "foo", 100, "a [foo]");
        check(&format!("foo{hidden} {hidden}bar"), "foo", 100, "[foo] bar");
        check(&format!("{hidden}foo {hidden}"), "foo", 100, "[foo]");
    }
}

#[test]
fn a_word_as_it_was_typed_is_marked_in_any_language() {
    let mut analyser = Analyser::new();
    let query = Query::parse("Häuser").expect("a query");
    let matcher = Matcher::new(&mut analyser, &query, &["en".to_owned()]);
    let snippet = snippet(&mut analyser, "Alte Häuser", None, Some("de"), &matcher, 100);
    assert_eq!(marked(&snippet), "Alte [Häuser]");
}

#[test]
fn much_of_a_long_text_is_looked_at() {
    let text = format!("{} needle.", "hay ".repeat(50_000));
    assert!(marked(&shown(&text, None, "needle", 60)).contains("[needle]"));
    let text = format!("{} needle.", "hay ".repeat(80_000));
    assert!(!marked(&shown(&text, None, "needle", 60)).contains("[needle]"));
}

proptest! {
    #[test]
    fn any_snippet_is_short_and_its_marks_lie_in_it(
        text in "([a-c]{1,3}|[ .\n…é漢字\u{ad}\u{200b}]|\\PC){0,200}",
        query in "[a-c漢]{1,3}( [a-c]{1,2}){0,2}",
        chars_max in 0usize..120,
    ) {
        let Ok(parsed) = Query::parse(&query) else { return Ok(()) };
        let mut analyser = Analyser::new();
        let matcher = Matcher::new(&mut analyser, &parsed, &[]);
        let snippet = snippet(&mut analyser, &text, None, Some("xx"), &matcher, chars_max);
        prop_assert!(snippet.text.chars().count() <= 2 * chars_max + 80, "{:?}", snippet);
        let mut last = 0;
        for mark in &snippet.marks {
            prop_assert!(mark.start >= last && mark.start < mark.end);
            prop_assert!(snippet.text.get(mark.clone()).is_some());
            last = mark.end;
        }
    }
}
