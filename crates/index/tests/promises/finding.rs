//! Queries find what they ask for, and say why.

use rhumb_index::{Document, IndexError, Loosened, Searcher, Want};
use tempfile::TempDir;

use crate::made::{Made, key, page};

/// A day of 2020 and one of 2024.
const OLD_MS: i64 = 1_590_000_000_000;
const NEW_MS: i64 = 1_710_000_000_000;

fn library() -> Made {
    let mut old = page("http://docs.one.org/sextant", "The Sextant", "measures angles at sea");
    old.dated_ms = Some(OLD_MS);
    old.headings = vec!["Using it".to_owned()];
    let mut new = page("http://one.org/octant", "The Octant", "measures angles; the older one");
    new.dated_ms = Some(NEW_MS);
    let mut german = page("http://two.net/kompass", "Der Kompass", "zeigt nach Norden");
    german.language = Some("de".to_owned());
    let paper = page("http://two.net:8080/stars.pdf", "Stars", "angles of stars: run pg_dump");
    let paper = Document { kind: "pdf".to_owned(), ..paper };
    Made::of(vec![old, new, german, paper])
}

#[test]
fn every_kind_of_query_finds_what_it_should() {
    let made = library();
    let check = |query: &str, expect: &[&str]| made.check(query, expect);
    check("sextant", &["/sextant"]);
    check("angle", &["/octant", "/sextant", "/stars.pdf"]);
    check("measuring angles", &["/octant", "/sextant"]);
    check("\"angles at sea\"", &["/sextant"]);
    check("\"sea at angles\"", &[]);
    check("angles -sea", &["/octant", "/stars.pdf"]);
    check("angles -\"at sea\" -stars", &["/octant"]);
    check("sextant OR octant", &["/octant", "/sextant"]);
    check("angles (sea OR stars)", &["/sextant", "/stars.pdf"]);
    check(
        "angles (sea OR kompass OR norden OR pg_dump OR older)",
        &["/octant", "/sextant", "/stars.pdf"],
    );
    check("site:one.org angles", &["/octant", "/sextant"]);
    check("site:docs.one.org", &["/sextant"]);
    check("site:two.net", &["/kompass", "/stars.pdf"]);
    check("site:two.net:8080", &["/stars.pdf"]);
    check("angles -site:one.org", &["/stars.pdf"]);
    check("intitle:octant", &["/octant"]);
    check("inurl:stars", &["/stars.pdf"]);
    check("angles lang:de", &[]);
    check("lang:de", &["/kompass"]);
    check("type:pdf", &["/stars.pdf"]);
    check("angles before:2022", &["/sextant"]);
    check("angles after:2022", &["/octant"]);
    check("sext*", &["/sextant"]);
    check("-sext* angles", &["/octant", "/stars.pdf"]);
    check("pg_dump", &["/stars.pdf"]);
    check("pg dump", &["/stars.pdf"]);
    check("norden", &["/kompass"]);
}

#[test]
fn parts_of_a_score_add_up_to_it() {
    let made = library();
    for query in ["sextant", "measures angles", "angles at sea", "the octant", "site:one.org"] {
        for hit in made.ask(query).hits {
            let sum: f32 = hit.parts.iter().map(|part| part.value).sum();
            assert!((sum - hit.score).abs() < 1e-4, "{query}: {sum} and {}", hit.score);
        }
    }
}

#[test]
fn a_page_that_is_made_to_be_found_comes_last_says_so_and_is_found() {
    let stuffed = "cheap sextant, buy a sextant, best sextant ".repeat(20);
    let bait = page("http://spam.org/bait", "Sextant", &stuffed);
    let passing = "Somewhere in this long list of instruments there is a sextant too. ";
    let other = "Clocks and charts and other things are there as well. ".repeat(40);
    let honest = page("http://a.org/it", "Instruments", &(passing.to_owned() + &other));
    let (bait_key, first) = (bait.key, |made: &Made| made.found("sextant").remove(0));
    assert_eq!(first(&Made::of(vec![bait.clone(), honest.clone()])), "/bait");
    let sunk = Made::of(vec![Document { sinks: true, ..bait.clone() }, honest.clone()]);
    let mut judged_later = Made::of(vec![bait, honest]);
    judged_later.index.sink(bait_key).expect("it sinks");
    judged_later.index.sink(key("http://a.org/unknown")).expect("it stays out");
    for made in [sunk, judged_later.settled()] {
        assert_eq!(made.found("sextant"), ["/it", "/bait"]);
        let hit = made.ask("cheap").hits.remove(0);
        assert_eq!(hit.url.path(), "/bait");
        let lost = hit.parts.iter().find(|part| part.name == "spam").expect("it says so").value;
        let sum: f32 = hit.parts.iter().map(|part| part.value).sum();
        assert!(lost < 0.0 && hit.score > 0.0 && (sum - hit.score).abs() < 1e-4, "{hit:?}");
        let honest = made.ask("clocks").hits.remove(0);
        assert!(honest.parts.iter().all(|part| part.name != "spam"), "{honest:?}");
    }
}

#[test]
fn a_title_that_is_the_query_comes_first() {
    let long = "sextant ".repeat(30);
    let made = Made::of(vec![
        page("http://a.org/much", "Notes", &long),
        page("http://a.org/it", "Sextant", "an instrument"),
    ]);
    assert_eq!(made.found("sextant")[0], "/it");
}

#[test]
fn words_that_stand_together_come_first() {
    let made = Made::of(vec![
        page("http://a.org/apart", "One", "lunar rocks and a measured distance"),
        page("http://a.org/together", "Two", "a measured lunar distance and rocks"),
    ]);
    assert_eq!(made.found("lunar distance"), ["/together", "/apart"]);
}

#[test]
fn a_slip_is_mended_and_told() {
    let answer = library().ask("sextent angles");
    assert_eq!(answer.hits[0].url.path(), "/sextant");
    let corrected = vec![("sextent".to_owned(), "sextant".to_owned())];
    let expect = Loosened { corrected, ..Loosened::default() };
    assert_eq!(answer.loosened, Some(expect));
}

#[test]
fn a_word_that_no_page_has_is_left_out_and_told() {
    let answer = library().ask("angles xylophonist");
    assert_eq!(answer.hits.len(), 3);
    assert_eq!(answer.loosened.unwrap().dropped, ["xylophonist"]);
}

#[test]
fn pages_with_some_of_the_words_are_found_if_none_has_all() {
    let answer = library().ask("kompass sextant");
    assert_eq!(answer.hits.len(), 2);
    assert!(answer.loosened.unwrap().is_partial);
}

#[test]
fn a_word_that_no_page_has_is_not_left_out_where_only_filters_remain() {
    for query in ["site:one.org xylophonist", "lang:en -sea xylophonist", "xylophonist"] {
        let answer = library().ask(query);
        assert_eq!((answer.hits.len(), answer.total, answer.loosened), (0, 0, None), "{query}");
    }
    let answer = library().ask("\"measures angles\" site:one.org xylophonist");
    assert_eq!(answer.hits.len(), 2);
}

#[test]
fn a_word_that_is_too_long_to_be_one_is_left_out_and_told() {
    let long = "x".repeat(65);
    let answer = library().ask(&format!("angles {long}"));
    assert_eq!(answer.hits.len(), 3);
    assert_eq!(answer.loosened.unwrap().dropped, [long.as_str()]);
    assert_eq!(library().ask(&long).total, 0);
}

#[test]
fn a_domain_that_nobody_owns_is_hinted_at_if_it_finds_nothing() {
    let hint = |query| library().ask(query).hint;
    let hinted = "site:org is that host only, not those below it; write site:example.org";
    assert_eq!(hint("angles site:org").as_deref(), Some(hinted));
    for query in ["site:three.org", "site:one.org", "site:127.0.0.1:80", "-site:org xylophonist"] {
        assert_eq!(hint(query), None, "{query}");
    }
}

/// More pages than are scored in full, with the best one last.
fn many() -> Made {
    let padding = "other things are written here too ".repeat(3);
    let pages = (0..1_100).map(|number| {
        let text = format!("{padding} lunar distance {padding} almanac{number}");
        page(&format!("http://a.org/{number}"), "Notes", &text)
    });
    let best = page("http://a.org/best", "Lunar distance", &"lunar distance ".repeat(9));
    Made::of(pages.chain([best]).collect())
}

#[test]
fn the_best_pages_are_chosen_whatever_finds_them() {
    let made = many();
    for query in [
        "\"lunar distance\"",
        "lunar OR sextant",
        "luna*",
        "site:a.org lunar",
        "(\"lunar distance\" OR sextant) site:a.org",
        "-sextant (lunar OR (distance sextant))",
    ] {
        assert_eq!(made.found(query)[0], "/best", "{query}");
    }
}

#[test]
fn a_prefix_finds_all_pages_and_excludes_them() {
    let made = many();
    let answer = made.ask("almanac*");
    assert_eq!((answer.total, answer.is_exact), (1_100, true));
    made.check("lunar -almanac*", &["/best"]);
    made.check("lunar -intitle:note*", &["/best"]);
    assert!(!made.ask("intitle:lun* OR intitle:almanac*").is_exact);
}

#[test]
fn results_that_are_folded_are_not_promised() {
    let mut copy = page("http://b.org/copy", "Sextant", "a sextant at sea");
    copy.original = Some(key("http://a.org/1"));
    let made = Made::of(vec![page("http://a.org/1", "Sextant", "a sextant at sea"), copy]);
    let ask = |count| {
        let want = Want { count, ..Want::default() };
        made.searcher().search("sextant", &want).unwrap()
    };
    assert_eq!((ask(1).total, ask(1).hits.len(), ask(1).has_more), (2, 1, false));
    let library = library().searcher();
    for (from, count, has_more) in [(0, 2, true), (0, 3, false), (2, 1, false), (1, 1, true)] {
        let want = Want { from, count, ..Want::default() };
        assert_eq!(library.search("angles", &want).unwrap().has_more, has_more, "{from} {count}");
    }
}

#[test]
fn pages_in_languages_that_few_pages_have_are_found() {
    let english = (0..99).map(|number| {
        let text = if number == 0 { "cliff haus and" } else { "masts and sails and haus" };
        page(&format!("http://a.org/{number}"), "Notes", text)
    });
    let other = |url: &str, language: &str, text: &str| {
        let mut page = page(url, "x", text);
        page.language = Some(language.to_owned());
        page
    };
    let few = [
        other("http://a.org/de", "de", "alte Häuser, alte Zeiten"),
        other("http://a.org/sv", "sv", "bergen Andes och skolorna"),
        other("http://a.org/pl", "pl", "stare domy"),
    ];
    let made = Made::of(english.chain(few).collect());
    made.check("Häuser", &["/de"]);
    made.check("Zeit", &["/de"]);
    made.check("\"alte Zeiten\"", &["/de"]);
    made.check("\"alten Zeit\"", &["/de"]);
    made.check("skolor", &["/sv"]);
    made.check("andes", &["/sv"]);
    made.check("domy", &["/pl"]);
    made.check("cliff -skolor", &["/0"]);
    assert!(made.ask("Häuser").loosened.is_none());
}

#[test]
fn a_long_phrase_is_found_in_each_language() {
    let words = "connections regulations organising monuments continuing operators relations";
    let mut french = page("http://a.org/fr", "x", words);
    french.language = Some("fr".to_owned());
    let made = Made::of(vec![page("http://a.org/en", "x", words), french]);
    made.check(&format!("\"{words}\""), &["/en", "/fr"]);
}

#[test]
fn facets_of_pages_with_some_of_the_words_are_counted() {
    let answer = library().ask("kompass sextant");
    let facets = answer.facets.unwrap();
    let one = |name: &str| (name.to_owned(), 1);
    assert_eq!(facets.sites, [one("docs.one.org"), one("two.net")]);
    assert_eq!(facets.languages, [one("de"), one("en")]);
}

#[test]
fn words_that_are_there_twice_count_once_and_keep_their_neighbours() {
    let made = Made::of(vec![
        page("http://a.org/apart", "One", "new jersey and old york"),
        page("http://a.org/together", "Two", "old jersey and new york"),
    ]);
    let score = |query: &str| made.ask(query).hits[0].score;
    assert_eq!(made.found("new york new york")[0], "/together");
    assert_eq!(made.found("new old new jersey")[0], "/apart");
    assert!((score("sails OR jersey jersey") - score("sails OR jersey")).abs() < 1e-4);
}

#[test]
fn facets_count_all_matches() {
    let facets = library().ask("angles").facets.unwrap();
    let one = |name: &str| (name.to_owned(), 1);
    assert_eq!(facets.sites, [one("docs.one.org"), one("one.org"), one("two.net:8080")]);
    assert_eq!(facets.languages, [("en".to_owned(), 3)]);
    assert_eq!(facets.kinds, [("html".to_owned(), 2), one("pdf")]);
    assert!(!facets.is_sample);
}

#[test]
fn a_snippet_shows_the_words_unless_the_page_forbids_it() {
    let mut shy = page("http://a.org/shy", "Sextant", "a sextant that is not shown");
    shy.no_snippet = true;
    let made = Made::of(vec![page("http://a.org/", "Sextant", "this sextant is shown"), shy]);
    for hit in made.ask("sextants").hits {
        let marked: Vec<_> =
            hit.snippet.marks.iter().map(|mark| &hit.snippet.text[mark.clone()]).collect();
        let expect: &[&str] = if hit.url.path() == "/" { &["sextant"] } else { &[] };
        assert_eq!(marked, expect);
    }
}

#[test]
fn a_query_that_cannot_be_understood_is_an_error_that_says_so() {
    let searcher = library().searcher();
    for query in ["", "\"open", "-only", "before:yesterday"] {
        let error = searcher.search(query, &Want::default()).unwrap_err();
        assert!(matches!(error, IndexError::Query(_)), "{query}: {error}");
    }
}

#[test]
fn a_folder_without_an_index_says_so() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(Searcher::open(folder.path()), Err(IndexError::NoIndex { .. })));
}
