//! Every query has an answer, or a message that says what to do.

use std::path::{Path, PathBuf};

use rhumb_index::{IndexError, Query, QueryError, Searcher, Want};

use crate::made::{Made, page};

fn conformance() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os("RHUMB_CONFORMANCE") {
        Some(folder) => PathBuf::from(folder),
        None => root.join("../shared/conformance"),
    }
}

/// How many pages are found, or what is wrong with the query.
fn ask(searcher: &Searcher, query: &str) -> Result<usize, QueryError> {
    match searcher.search(query, &Want::default()) {
        Err(IndexError::Query(error)) => {
            assert!(!error.what.is_empty() && !error.advice.is_empty(), "{query}");
            assert!(query.get(error.place.clone()).is_some(), "{query}");
            Err(error)
        }
        answer => Ok(answer.expect(query).hits.len()),
    }
}

#[test]
fn a_page_of_hostile_words_is_found_by_each_of_them() {
    let file = conformance().join("hostile/blns.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        println!("skipped: no conformance data in {}", file.display());
        return;
    };
    let strings: Vec<String> = serde_json::from_str(&text).expect("a list of strings");
    let pages = strings.iter().enumerate();
    let pages = pages.map(|(at, text)| page(&format!("http://a.org/{at}"), "Title", text));
    let searcher = Made::of(pages.collect()).searcher();
    let (mut found, mut refused) = (0, 0);
    for string in &strings {
        // The quotes of a string would end the phrase.
        let phrase = format!("\"{}\"", string.replace(['"', '“', '”', '„', '＂'], " "));
        for query in [string.as_str(), phrase.as_str()] {
            match ask(&searcher, query) {
                Ok(hits) => found += usize::from(hits > 0),
                Err(_) => refused += 1,
            }
        }
        // Longer runs are no words.
        let is_worded =
            phrase.split(|it: char| !it.is_alphanumeric()).all(|it| it.chars().count() <= 64);
        if is_worded && Query::parse(&phrase).is_ok() {
            assert!(ask(&searcher, &phrase).is_ok_and(|hits| hits > 0), "{phrase}");
        }
    }
    println!("hostile queries: {found} found pages, {refused} were refused");
    assert!(found > strings.len());
}

#[test]
fn large_and_deep_queries_are_refused_or_answered() {
    let made = Made::of(vec![page("http://a.org/1", "Sextant", "a compass and a sextant")]);
    let searcher = made.searcher();
    let refused = |query: &str| ask(&searcher, query).expect_err("refused").what;
    assert_eq!(refused(&"sextant ".repeat(12_800)), "the query has 102400 bytes, more than 4096");
    assert_eq!(refused(&"(".repeat(4_096)), "parentheses are nested more than 16 deep");
    assert_eq!(refused(&"-sextant ".repeat(60)), "the query only says what pages must not have");
    assert_eq!(ask(&searcher, &"sextant ".repeat(64)), Ok(1));
    assert_eq!(ask(&searcher, &["sextant"; 64].join(" OR ")), Ok(1));
    assert_eq!(ask(&searcher, &format!("\"{}\"", "a ".repeat(64))), Ok(0));
    assert_eq!(ask(&searcher, &format!("{}sextant{}", "(".repeat(16), ")".repeat(16))), Ok(1));
}

#[test]
fn names_are_found_however_they_are_written() {
    let text = "pg_dump and e-mail; C++ or C#, not .NET; node.js 9.6.3, don't. Full-text in São \
                Paulo, straße, 全文検索エンジン, 한국어, ภาษาไทย, ﬁne";
    let searcher = Made::of(vec![page("http://a.org/1", "Sextant", text)]).searcher();
    let found = [
        "pg_dump",
        "pg dump",
        "dump",
        "PG_Dump",
        "e-mail",
        "email",
        "emails",
        "C++",
        "c#",
        ".net",
        "node.js",
        "node",
        "9.6",
        "9.6.3",
        "don't",
        "dont",
        "don’t",
        "fulltext",
        "full text",
        "full-text",
        "sao paulo",
        "SÃO",
        "strasse",
        "Straße",
        "検索",
        "検",
        "全文検索",
        "エンジン",
        "한국",
        "ไทย",
        "fine",
        "\"pg_dump and e-mail\"",
        "\"são paulo\"",
        "\"全文検索\"",
        "pg_du*",
        "pau*",
        "site:a.org",
        "site:a.org/",
        "intitle:sextants",
        "lang:en dump",
        "type:html dump",
    ];
    for query in found {
        assert_eq!(ask(&searcher, query), Ok(1), "{query}");
    }
    let missed =
        ["\"dump pg\"", "\"検全\"", "f#", "-dump email", "lang:de dump", "site:b.org dump"];
    for query in missed {
        assert_eq!(ask(&searcher, query), Ok(0), "{query}");
    }
}
