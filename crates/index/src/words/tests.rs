use proptest::prelude::*;
use rhumb_web::CanonUrl;

use super::{Analyser, Initials, Sought};

/// The words as `raw/stem@position`, the stem only where it is another.
fn words(text: &str, language: Option<&str>) -> Vec<String> {
    let mut words = Vec::new();
    Analyser::new().each(text, language, |word| {
        let stem = if word.stem == word.raw { String::new() } else { format!("/{}", word.stem) };
        words.push(format!("{}{stem}@{}", word.raw, word.position));
    });
    words
}

fn check(text: &str, expect: &str) {
    assert_eq!(words(text, Some("xx")).join(" "), expect, "{text}");
}

fn check_stems(language: &str, text: &str, expect: &str) {
    let mut stems = Vec::new();
    Analyser::new().each(text, Some(language), |word| stems.push(word.stem.to_owned()));
    assert_eq!(stems.join(" "), expect, "{text}");
}

#[test]
fn words_are_runs_of_letters_and_digits_in_lower_case() {
    check("The quick--BROWN fox, (42)\n", "the@0 quick@1 brown@2 fox@3 42@4");
    check("", "");
    check("…—¿ · ‽ ++ ... _ __ -", "");
    check("std::vec 12:30 a/b", "std@0 vec@1 12@2 30@3 a@4 b@5");
}

#[test]
fn case_width_accents_and_ligatures_do_not_count() {
    check("Ünïted Ångström STRASSE straße", "united@0 angstrom@1 strasse@2 strasse@3");
    check("e\u{301}te\u{301} co\u{ad}operate ﬁne Ｗｉｄｅ", "ete@0 cooperate@1 fine@2 wide@3");
    check("ΣΊΣΥΦΟΣ σίσυφος Ёлка Việt İstanbul", "σισυφοσ@0 σισυφοσ@1 елка@2 viet@3 istanbul@4");
    check("हिन्दी भाषा।", "हिन्दी@0 भाषा@1");
}

#[test]
fn names_are_found_whole_and_in_their_parts() {
    check("pg_dump -Fc", "pg_dump@0 pg@0 dump@1 fc@2");
    check("BACK_\u{200b}END", "back_end@0 back@0 end@1");
    check("__init__ a__b", "init@0 a_b@1 a@1 b@2");
    check("node.js 9.6.3.", "node.js@0 node@0 js@1 9.6.3@2 9@2 6@3 3@4");
    check("U.S.A. is", "usa@0 u@0 s@1 a@2 is@3");
    check("e-mail, UTF-8 2024-01-15", "email@0 e@0 mail@1 utf8@2 utf@2 8@3 2024@4 01@5 15@6");
    check("state-of-the-art x", "state@0 of@1 the@2 art@3 x@4");
    check("a_b-c", "a@0 b@1 c@2");
}

#[test]
fn signs_that_belong_to_a_name_are_kept() {
    check("C++, C# and C", "c++@0 c@0 c#@1 c@1 and@2 c@3");
    check("ASP.NET or .NET. End", "asp.net@0 asp@0 net@1 or@2 .net@3 net@3 end@4");
    check("~/.pgpass a...b 5++ a+b page#2", ".pgpass@0 pgpass@0 a@1 b@2 5@3 a@4 b@5 page@6 2@7");
}

#[test]
fn apostrophes_join_end_or_divide() {
    check("don't o’reilly site's 'tis'", "dont@0 oreilly@1 site@2 tis@3");
    check("l'index d’une dell'acqua", "l@0 index@1 d@2 une@3 dell@4 acqua@5");
}

#[test]
fn scripts_without_spaces_give_letters_and_pairs() {
    check("漢字とRust 9", "漢@0 漢字@0 字@1 字と@1 と@2 rust@3 9@4");
    check("한국어", "한@0 한국@0 국@1 국어@1 어@2");
    check("ไทย", "ไ@0 ไท@0 ท@1 ทย@1 ย@2");
    check("検", "検@0");
}

#[test]
fn words_that_are_too_long_are_left_out_and_keep_their_place() {
    let long = "x".repeat(65);
    check(&format!("a {long} b"), "a@0 b@2");
    check(&format!("a {} b", "é".repeat(65)), "a@0 b@2");
    check(&format!("{long}.js b"), "js@1 b@2");
    let just = "x".repeat(64);
    check(&just, &format!("{just}@0"));
}

#[test]
fn long_chains_of_names_are_cut() {
    let chain = ["a"; 1_001].join(".");
    assert_eq!(words(&chain, None).len(), 1_001);
}

#[test]
fn stems_are_those_of_the_language() {
    check_stems("en", "indexes indexing Indexed utf8s", "index index index utf8s");
    check_stems("de", "Häuser Häusern", "haus haus");
    check_stems("fr", "fenêtres fenêtre", "fenetr fenetr");
    check_stems("ru", "книгами книга", "книг книг");
    check_stems("el", "Καλημέρα φορολογούμενε", "καλημερ φορολογουμεν");
    check_stems("pl", "indexes", "indexes");
    check_stems("en", "e-mails emails", "email e mail email");
}

#[test]
fn a_word_has_the_same_stem_each_time() {
    let mut analyser = Analyser::new();
    let text = "replication replicated replicas incomprehensibilities-of-the-longest-kind";
    let mut read = |language| {
        let mut stems = Vec::new();
        analyser.each(text, Some(language), |word| stems.push(word.stem.to_owned()));
        stems
    };
    let first = read("en");
    assert_ne!(read("fr"), first, "stems of two languages do not meet");
    assert_eq!(read("en"), first);
}

fn check_sought(text: &str, languages: &[&str], whole: &str, row: &str, is_near: bool) {
    let languages: Vec<String> = languages.iter().map(|&tag| tag.to_owned()).collect();
    let Sought { whole: found, row: parts, is_near: near } =
        Analyser::new().sought(text, &languages);
    assert_eq!(found.join("|"), whole, "{text}");
    let parts: Vec<String> =
        parts.iter().map(|it| format!("{}@{}", it.stems.join("|"), it.position)).collect();
    assert_eq!(parts.join(" "), row, "{text}");
    assert_eq!(near, is_near, "{text}");
}

#[test]
fn a_word_of_a_query_has_the_stems_of_every_language() {
    check_sought("indexing", &["en"], "", "index|indexing@0", false);
    check_sought("Häuser", &["de", "en", "pl"], "", "haus|hauser@0", false);
    check_sought("pg_dump", &[], "pg_dump", "pg@0 dump@1", true);
    check_sought("std::pg_dump", &[], "", "std@0 pg@1 dump@2", true);
    check_sought("C++", &[], "c++", "", false);
    check_sought("(c)", &[], "", "c@0", false);
    check_sought("漢字と", &[], "", "漢字@0 字と@1", false);
    check_sought("漢", &[], "", "漢@0", false);
    check_sought("漢字Rust", &[], "", "漢字@0 rust@2", true);
    check_sought("…", &[], "", "", false);
}

fn check_url(url: &str, expect: &str) {
    let url = CanonUrl::parse(url).expect("a URL");
    let mut words = Vec::new();
    Analyser::new().each_of_url(&url, Some("xx"), |word| words.push(word.raw.to_owned()));
    assert_eq!(words.join(" "), expect, "{}", url.as_str());
}

#[test]
fn a_url_has_the_words_of_its_names() {
    check_url(
        "https://www.postgresql.org/docs/16/sql-vacuum.html",
        "postgresql docs 16 sqlvacuum sql vacuum",
    );
    check_url("https://a.example.co.uk/index.html", "a example");
    check_url(
        "http://127.0.0.1:8080/caf%C3%A9/getUserName2.php?q=big+data&x",
        "cafe getusername2 get user name 2 big data x",
    );
    check_url("http://127.0.0.1/%ff%zz/pg_dump", "zz pg_dump pg dump");
}

proptest! {
    #[test]
    fn any_text_has_words_that_lie_in_it(text in "\\PC{0,80}", language in 0usize..21) {
        let tags = ["ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nb", "nl", "nn",
            "no", "pt", "ro", "ru", "sv", "ta", "tr", "xx"];
        let mut last = 0;
        let mut analyser = Analyser::new();
        let end = analyser.each(&text, Some(tags[language]), |word| {
            assert!(text.get(word.from..word.to).is_some_and(|it| !it.is_empty()));
            assert!(word.position >= last);
            assert!(!word.raw.is_empty() && !word.stem.is_empty());
            last = word.position;
        });
        prop_assert!(end >= last);
        prop_assert!(super::pieces(&text) >= usize::from(super::has_letters(&text)));
    }

    #[test]
    fn every_word_of_a_text_is_found_by_itself(text in "[a-zé漢字_.'+#-]{1,12}") {
        let mut analyser = Analyser::new();
        let mut stems = Vec::new();
        analyser.each(&text, None, |word| stems.push((word.stem.to_owned(), word.position)));
        let sought = analyser.sought(&text, &[]);
        for part in &sought.row {
            let is_found = stems.iter().any(|(stem, position)| {
                part.stems.contains(stem) && *position == part.position
            });
            prop_assert!(is_found, "{}", text);
        }
        prop_assert_eq!(stems.is_empty(), sought.row.is_empty() && sought.whole.is_empty());
    }
}

proptest! {
    #[test]
    fn whoever_wants_words_by_their_beginning_misses_none(
        text in "([a-zA-Z]{1,9}(ing|ed|en|e|s|ly|ies|heit)?[ ,.-]{1,2}|é[a-z]{2} ){0,20}",
        wanted in "[a-z]{1,3}",
        language in prop::sample::select(vec![
            "ar", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr",
        ]),
    ) {
        let mut initials = Initials::default();
        for letter in wanted.chars() {
            initials.add(&letter.to_string());
        }
        let begins = |word: &str| word.starts_with(|letter| wanted.contains(letter));
        let mut expect = Vec::new();
        let mut analyser = Analyser::new();
        let words = analyser.each(&text, Some(language), |word| {
            if begins(word.raw) || begins(word.stem) {
                expect.push((word.raw.to_owned(), word.stem.to_owned(), word.position));
            }
        });
        let mut found = Vec::new();
        let passed = analyser.each_beginning(&text, Some(language), initials, |word| {
            if begins(word.raw) || begins(word.stem) {
                found.push((word.raw.to_owned(), word.stem.to_owned(), word.position));
            }
        });
        prop_assert_eq!(passed, words);
        prop_assert_eq!(found, expect);
    }
}
