//! What becomes a page of the index, and what takes one out again.

use rhumb_crawl::shell::Stopwatch;
use rhumb_gather::is_read;
use rhumb_index::{Document, Place, Searcher, Want};

use crate::maker::{Maker, held, key, page, urls};

const A: &str = "http://a.test/a";
const B: &str = "http://b.test/b";
const HTML: &str = "Content-Type: text/html\n";

fn document(maker: &Maker, url: &str) -> Option<Document> {
    Searcher::open(&maker.index()).unwrap().page(key(url)).unwrap()
}

#[test]
fn a_page_is_found_with_all_that_it_says() {
    let mut maker = Maker::new();
    let body = "<!doctype html><html lang=de-AT><title>Die Karte</title>\
        <meta name=description content='Von Karten'><meta name=robots content=noarchive>\
        <meta property='article:modified_time' content='2025-06-07T08:09:10Z'>\
        <main><h1>Karten</h1><p>Die Karte zeigt das ganze Land.</p><h2>Wege</h2></main>\
        <a href='/a'>selbst</a><a href='/b?utm_source=x'>zum <img alt=Bild></a>\
        <a href='/b' rel=nofollow>nicht</a><link rel=next href=/c></html>";
    maker.answer(A, 200, "Content-Type: text/html\nLast-Modified: never\n", body);
    let held = maker.caught_up();
    assert_eq!(urls(&held), [A]);
    let document = document(&maker, A).unwrap();
    assert_eq!(document.title.as_deref(), Some("Die Karte"));
    assert_eq!(document.headings, ["Karten", "Wege"]);
    assert_eq!(document.description.as_deref(), Some("Von Karten"));
    assert_eq!(document.language.as_deref(), Some("de"));
    assert_eq!(document.kind, "html");
    assert_eq!(document.fetched_ms, 1_770_000_000_000);
    assert_eq!(document.dated_ms, Some(1_749_283_750_000));
    assert!(document.no_archive && !document.no_snippet);
    assert!(document.main.contains("das ganze Land"));
    assert_eq!(document.place, Place { serial: 1, offset: held[A].place.offset });
    assert!(document.place.offset > 0, "a file begins with its own record");
}

#[test]
fn words_of_a_link_find_its_target() {
    let mut maker = Maker::new();
    maker.page(
        A,
        &page("Start", "nothing", &[])
            .replace("<nav>", "<a href='http://b.test/b'>quokka burrow</a><nav>"),
    );
    maker.page(B, &page("Target", "something else", &[]));
    maker.caught_up();
    let searcher = Searcher::open(&maker.index()).unwrap();
    let found = searcher.search("quokka", &Want::default()).unwrap();
    let urls: Vec<_> = found.hits.iter().map(|hit| hit.url.as_str()).collect();
    assert!(urls.contains(&B), "{urls:?}");
}

#[test]
fn only_pages_and_texts_are_taken_in() {
    let mut maker = Maker::new();
    maker.page(A, "");
    maker.answer(B, 200, "Content-Type: text/plain; charset=utf-8\n", "plain words");
    maker.answer("http://c.test/image", 200, "Content-Type: image/png\n", "\u{1}");
    maker.answer("http://c.test/feed", 200, "Content-Type: application/rss+xml\n", "<rss/>");
    maker.answer("http://c.test/data", 200, "Content-Type: application/json\n", "{}");
    maker.answer_for("sitemap", "http://c.test/map", 200, HTML, "<title>Not found</title>");
    maker.answer_for("robots", "http://c.test/robots.txt", 200, "Content-Type: text/plain\n", "");
    maker.answer("http://c.test/error", 500, HTML, "<title>Error</title>");
    assert_eq!(urls(&maker.caught_up()), [A, B]);
    assert_eq!(document(&maker, B).unwrap().kind, "text");
}

#[test]
fn the_newest_answer_counts() {
    let mut maker = Maker::new();
    maker.page(A, &page("Old", "old words", &[B]));
    let old = maker.caught_up();
    maker.page(A, &page("New", "new words", &[]));
    let new = maker.caught_up();
    assert_ne!(old[A].digest, new[A].digest);
    assert_eq!(new[A].title.as_deref(), Some("New"));
    maker.answer(A, 503, HTML, "busy");
    maker.answer(A, 304, "", "");
    assert_eq!(maker.caught_up(), new);
    for status in [404, 410] {
        maker.answer(A, status, HTML, "gone");
        assert!(maker.caught_up().is_empty());
        maker.page(A, &page("Again", "again", &[]));
        assert_eq!(urls(&maker.caught_up()), [A]);
    }
    assert_eq!(maker.made_anew(), held(&maker.index()));
}

#[test]
fn a_page_that_asks_not_to_be_found_is_not() {
    let asks = [
        ("", "<meta name=robots content=noindex>"),
        ("", "<meta name=Rhumb content='none'>"),
        ("X-Robots-Tag: noindex\n", ""),
        ("X-Robots-Tag: otherbot: nofollow, rhumb: noindex\n", ""),
    ];
    for (header, meta) in asks {
        let mut maker = Maker::new();
        maker.page(A, &page("Here", "words", &[]));
        assert_eq!(urls(&maker.caught_up()), [A]);
        let body = meta.to_owned() + &page("Here", "words", &[]);
        maker.answer(A, 200, &format!("{HTML}{header}"), &body);
        assert!(maker.caught_up().is_empty(), "{header}{meta}");
        // The bytes are those of the first time: nothing but the header has changed.
        maker.page(A, &page("Here", "words", &[]));
        assert_eq!(urls(&maker.caught_up()), [A], "{header}{meta}");
        assert_eq!(maker.made_anew(), held(&maker.index()));
    }
    let mut maker = Maker::new();
    maker.answer(A, 200, "X-Robots-Tag: otherbot: noindex\n", "<title>For us</title>");
    assert_eq!(urls(&maker.caught_up()), [A]);
}

#[test]
fn a_page_that_moved_is_where_it_leads() {
    let mut maker = Maker::new();
    maker.page(A, &page("Here", "words", &[]));
    maker.caught_up();
    maker.answer(A, 301, "Location: //B.test/b?\n", "");
    maker.page(B, &page("There", "words", &[]));
    assert_eq!(urls(&maker.caught_up()), [B]);
    maker.answer(B, 302, "Location: http://%zz/\n", "");
    assert_eq!(urls(&maker.caught_up()), [B], "it leads nowhere");
    assert_eq!(maker.made_anew(), held(&maker.index()));
}

#[test]
fn a_payload_that_was_kept_before_makes_a_page_of_its_own() {
    let mut maker = Maker::new();
    let same = page("Same", "the same words", &[]);
    maker.page(A, &same);
    maker.page(A, &same);
    maker.page(B, &same);
    let held = maker.caught_up();
    assert_eq!(urls(&held), [A, B]);
    assert_eq!((held[A].original, held[B].original), (None, Some(key(A))));
    assert_eq!(held[B].group, key(A));
    assert_ne!(held[A].place, held[B].place);
    assert_eq!(document(&maker, B).unwrap().title.as_deref(), Some("Same"));
    // The original changes, and a third page has what it had.
    maker.page(A, &page("Other", "other words", &[]));
    maker.page("http://c.test/c", &same);
    let held = maker.caught_up();
    assert_eq!(held["http://c.test/c"].title.as_deref(), Some("Same"));
    assert_eq!(held["http://c.test/c"].digest, held[B].digest);
    // It goes back to what it was.
    maker.page(A, &same);
    let held = maker.caught_up();
    assert_eq!(held[A].title.as_deref(), Some("Same"));
    assert_eq!(maker.made_anew(), held);
}

#[test]
fn files_that_rotate_are_read_through() {
    let mut maker = Maker::rotating(2_000);
    let pages: Vec<String> = (0..40).map(|n| format!("http://a.test/{n:02}")).collect();
    for (number, to) in pages.iter().enumerate() {
        maker.page(to, &page(&format!("Page {number}"), "words", &[]));
        if number % 7 == 0 {
            maker.caught_up();
        }
    }
    assert_eq!(urls(&maker.caught_up()), pages);
    assert_eq!(maker.made_anew(), held(&maker.index()));
}

#[test]
fn an_index_is_read_to_the_end_when_it_is() {
    let mut maker = Maker::new();
    maker.page(A, "words");
    let is_all_read = |maker: &Maker| {
        let cursor = Searcher::open(&maker.index()).unwrap().cursor();
        is_read(maker.folder.path(), cursor).unwrap()
    };
    maker.caught_up();
    assert!(is_all_read(&maker));
    maker.page(B, "words");
    assert!(!is_all_read(&maker));
    maker.caught_up();
    assert!(is_all_read(&maker));
    // A verdict that comes late is a line of the log, and no record.
    let log = maker.folder.path().join("log");
    std::fs::create_dir(&log).unwrap();
    std::fs::write(log.join(format!("{:020}.log", 7)), "a line").unwrap();
    assert!(!is_all_read(&maker));
    maker.caught_up();
    assert!(is_all_read(&maker));
}

#[test]
fn records_that_the_crawl_does_not_know_are_waited_for_once() {
    let mut maker = Maker::new();
    let known = maker.page(A, "words");
    maker.page(B, "words of which a kill took the line in the log");
    let (sender, news) = std::sync::mpsc::channel();
    sender.send(rhumb_crawl::shell::News::Kept(known)).unwrap();
    drop(sender);
    let empty = Maker::new();
    let settings = empty.settings(&empty.index());
    let gatherer = rhumb_gather::Gatherer::open(settings).unwrap();
    // The crawl began after its follower.
    for entry in std::fs::read_dir(maker.folder.path().join("archive")).unwrap() {
        let path = entry.unwrap().path();
        let to = empty.folder.path().join("archive").join(path.file_name().unwrap());
        std::fs::copy(&path, to).unwrap();
    }
    gatherer.follow(&news, &Stopwatch::default()).unwrap();
    assert_eq!(urls(&held(&empty.index())), [A]);
    let cursor = Searcher::open(&empty.index()).unwrap().cursor();
    assert!(is_read(empty.folder.path(), cursor).unwrap());
}

#[test]
fn a_page_without_a_change_may_ask_for_more_than_before() {
    let mut maker = Maker::new();
    let same = page("Same", "the same words", &[B]);
    maker.page(A, &same);
    maker.page(B, &same);
    maker.caught_up();
    let hidden = |maker: &Maker, url| {
        let found = document(maker, url).unwrap();
        (found.no_snippet, found.no_archive)
    };
    assert_eq!((hidden(&maker, A), hidden(&maker, B)), ((false, false), (false, false)));
    maker.answer(A, 200, &format!("{HTML}X-Robots-Tag: nosnippet\n"), &same);
    maker.answer(B, 200, &format!("{HTML}X-Robots-Tag: noarchive\n"), &same);
    maker.caught_up();
    assert_eq!((hidden(&maker, A), hidden(&maker, B)), ((true, false), (true, true)));
    assert_eq!(maker.made_anew(), held(&maker.index()));
}

#[test]
fn a_payload_without_a_page_is_none_wherever_it_is_kept() {
    let mut maker = Maker::new();
    let noindex = "<meta name=robots content=noindex><title>Not for you</title>";
    for number in 0..3 {
        let image = "Content-Type: image/png\n";
        maker.answer(&format!("http://a.test/{number}.png"), 200, image, "\u{1}");
        maker.page(&format!("http://a.test/{number}"), noindex);
    }
    assert!(maker.caught_up().is_empty());
    // The same bytes, said to be a text.
    maker.answer(A, 200, "Content-Type: text/plain\n", "\u{1}");
    maker.answer(B, 200, "Content-Type: text/plain\n", noindex);
    let held = maker.caught_up();
    assert!(held.contains_key(B));
    assert_eq!(maker.made_anew(), held);
}

#[test]
fn an_index_that_is_ahead_of_its_archive_is_made_anew() {
    let mut maker = Maker::new();
    maker.page(A, "words");
    maker.caught_up();
    let other = Maker::new();
    std::fs::rename(maker.index(), other.index()).unwrap();
    let error = rhumb_gather::Gatherer::open(other.settings(&other.index())).unwrap_err();
    assert!(error.is_remade(), "{error}");
}
