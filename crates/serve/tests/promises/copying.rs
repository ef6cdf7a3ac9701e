//! Copies show what a page said and let it do nothing; versions are told and can be opened.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rhumb_archive::{About, Archive, ArchiveSettings, Capture, CrawlId, Earlier, Encoder, Keep};
use rhumb_web::CanonUrl;

use crate::house::{Answered, Captured, Furniture, TestHouse, encoded};
use crate::{grammar, stock};

const URL: &str = "http://a.example/page";
/// 2025-06-15T15:06:40Z.
const SECOND: u64 = 1_750_000_000;

fn house(captures: Vec<Captured>) -> TestHouse {
    Furniture { documents: Vec::new(), captures, ..Furniture::default() }.start()
}

fn answer(head: &str, body: impl Into<Vec<u8>>) -> Captured {
    let head = format!("HTTP/1.1 200 OK\n{head}");
    Captured { url: URL.to_owned(), second: SECOND, head, body: body.into() }
}

fn show(house: &TestHouse, part: &str, at: &str) -> Answered {
    house.get(&format!("/copy{part}?url={}&at={at}", encoded(URL)))
}

/// The frame of one page that has this body.
fn frame_of(head: &str, body: impl Into<Vec<u8>>) -> Answered {
    let house = house(vec![answer(head, body)]);
    show(&house, "/frame", "")
}

#[track_caller]
fn check_confined(answer: &Answered) {
    let policy = answer.header("content-security-policy").expect("a policy");
    for part in [
        "sandbox allow-top-navigation-by-user-activation;",
        "default-src 'none';",
        "base-uri 'none';",
        "form-action 'none';",
        "frame-ancestors 'self'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("script") && !policy.contains("same-origin"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("x-dns-prefetch-control"), Some("off"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    // A browser shows no page in a sandbox that has another word here.
    assert_eq!(answer.header("cross-origin-opener-policy"), Some("unsafe-none"));
}

#[test]
fn nothing_hostile_is_left_of_a_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promises/hostile");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 15);
    let kinds = ["Content-Type: text/html\n", "Content-Type: text/html; charset=utf-8\n", ""];
    let files = files.iter().map(|file| (file.display().to_string(), fs::read(file).unwrap()));
    let files: Vec<_> = files.collect();
    let url = |file: usize, kind: usize| format!("http://a.example/{file}/{kind}");
    let mut captures = Vec::new();
    for (file, (_, body)) in files.iter().enumerate() {
        for (kind, head) in kinds.iter().enumerate() {
            captures.push(Captured { url: url(file, kind), ..answer(head, body.clone()) });
        }
    }
    let house = house(captures);
    for (file, (name, body)) in files.iter().enumerate() {
        for kind in 0..kinds.len() {
            let shown = house.get(&format!("/copy/frame?url={}", encoded(&url(file, kind))));
            assert_eq!(shown.code, 200, "{name}");
            assert_eq!(shown.header("content-type"), Some("text/html; charset=utf-8"));
            check_confined(&shown);
            grammar::check(shown.text(), name);
            // What people read is still there.
            let was = String::from_utf8_lossy(body).replace('\0', "");
            let is = shown.text();
            assert_eq!(was.contains("The end"), is.contains("The end"), "{name}: {is}");
        }
    }
}

#[test]
fn pages_of_any_size_and_depth_are_shown_or_said_to_be_too_long() {
    let deep =
        ["<div class=x>", "<b>", "<p>", "<table><tr><td>", "<svg><g>", "<a href=x>", "<ul><li>"];
    for tag in deep {
        let shown = frame_of("Content-Type: text/html\n", tag.repeat(100_000));
        assert_eq!(shown.code, 200, "{tag}");
        grammar::check(shown.text(), tag);
    }
    let ends = ["<i>".repeat(50_000), "</b></i></p>".repeat(50_000)].concat();
    grammar::check(frame_of("Content-Type: text/html\n", ends).text(), "ends");
    let long = ["<p>word</p>".repeat(2_900_000), "<script>alert(1)</script>".to_owned()].concat();
    assert!(long.len() > 30 << 20);
    let shown = frame_of("Content-Type: text/html\n", long);
    assert!(
        shown.body.len() < 6 << 20 && shown.text().contains("too long"),
        "{}",
        shown.body.len()
    );
    grammar::check(shown.text(), "long");
    let attributes = format!("<p {}>x", "title=x onclick=alert(1) ".repeat(100_000));
    grammar::check(frame_of("Content-Type: text/html\n", attributes).text(), "attributes");
    let value = format!("<p title='{}' class=kept>x", "<".repeat(1_000_000));
    let shown = frame_of("Content-Type: text/html\n", value);
    assert!(shown.text().ends_with("<p class=\"kept\">x"));
    let text = frame_of("Content-Type: text/plain\n", "<b>\n".repeat(2_000_000));
    assert!(text.text().contains("too long") && text.text().contains("&lt;b&gt;"));
}

#[test]
fn what_is_no_page_is_shown_as_text() {
    let check = |kind: &str, body: &str, expect: &str| {
        let shown = frame_of(&format!("Content-Type: {kind}\n"), body);
        assert_eq!(shown.code, 200, "{kind}");
        assert!(shown.text().contains(expect), "{kind}: {}", shown.text());
        check_confined(&shown);
        grammar::check(shown.text(), kind);
    };
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt;";
    check("text/plain", "a\n<script>alert(1)</script>", escaped);
    check("application/json", "{\"a\":\"<script>alert(1)</script>\"}", escaped);
    check("application/ld+json", "[\"</pre><script>alert(1)</script>\"]", escaped);
    check("text/xml", "<?xml version='1.0'?><x><script>alert(1)</script></x>", escaped);
    let feed = "<?xml version='1.0'?><rss><channel><item><link>http://a.example/</link>\
        <title><script>alert(1)</script></title></item></channel></rss>";
    check("application/rss+xml", feed, escaped);
    check("text/css", "</pre><script>alert(1)</script>", escaped);
    let script = "</pre>alert(1)//<script>alert(1)</script>";
    check("text/javascript", script, escaped);
    check("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "onload");
    check("image/png", "\u{fffd}PNG\r\n\u{1a}\n\0\0", "image/png");
    check("video/<b>", "\0\0\u{1}\u{2}", "no text that can be shown");
    check("text/html", "", "no content");
}

#[test]
fn a_document_is_shown_by_the_text_that_the_index_has() {
    let mut document = stock::document(URL, "Report", "What the </pre> report says.");
    let captures = || {
        let body = b"%PDF-1.7\n\0\x01\x02".to_vec();
        vec![answer("Content-Type: application/pdf\n", body)]
    };
    let texts = |document| {
        let furniture =
            Furniture { documents: vec![document], captures: captures(), ..Furniture::default() };
        show(&furniture.start(), "/frame", "").text().to_owned()
    };
    assert!(texts(document.clone()).contains("application/pdf"), "it may be the text of another");
    let house = house(captures());
    let page = rhumb_archive::versions(&house.folder.path().join("archive"), URL, 1).unwrap();
    document.digest.clone_from(&page[0].digest);
    assert!(texts(document).contains("What the &lt;/pre&gt; report says."));
}

#[test]
fn charsets_are_read_as_the_page_means_them() {
    let check = |head: &str, body: &[u8], expect: &str| {
        let shown = frame_of(head, body);
        assert!(shown.text().contains(expect), "{}", shown.text());
    };
    let html = "Content-Type: text/html\n";
    check("Content-Type: text/html; charset=koi8-r\n", b"<p>\xc1\xc2", "<p>аб");
    check(html, b"<meta charset=windows-1251><p>\xe0\xe1", "<p>аб");
    check(html, b"<meta charset=shift_jis><p>\x93\xfa\x96\x7b", "<p>日本");
    let legacy = b"<meta charset=windows-1251><a href='?q=\xe0'>x";
    check(html, legacy, "/copy?url=http%3A%2F%2Fa.example%2Fpage%3Fq%3D%25E0");
}

#[test]
fn links_start_from_the_base_of_the_page() {
    let page =
        "<base href='http://b.example/x/'><a href=y>1</a><a href='#z'>2</a><a href=/copy>3</a>";
    let shown = frame_of("Content-Type: text/html\n", page);
    assert!(shown.text().contains("/copy?url=http%3A%2F%2Fb.example%2Fx%2Fy"), "{}", shown.text());
    assert!(shown.text().contains("href=\"#z\""));
    assert!(shown.text().contains("/copy?url=http%3A%2F%2Fb.example%2Fcopy\""));
}

#[test]
fn a_copy_says_what_it_is_and_is_in_a_frame_that_may_do_nothing() {
    let house = house(vec![answer("Content-Type: text/html\n", "<p>Text")]);
    let page = show(&house, "", "");
    let text = page.text();
    assert_eq!(page.code, 200);
    assert!(text.contains("2025-06-15 15:06:40 UTC"), "{text}");
    assert!(text.contains("It is not the page itself"));
    assert!(text.contains("sandbox=\"allow-top-navigation-by-user-activation\""));
    assert!(text.contains("href=\"http://a.example/page\" rel=\"noreferrer noopener\""));
    for part in ["/copy/frame?", "/copy/file?", "/page?", "/why?"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("<select"), "there is one version only");
}

#[test]
fn a_file_is_handed_out_as_it_was_received_and_never_shown() {
    let packed: &[u8] = PACKED;
    let head = "Content-Type: text/html\nContent-Encoding: gzip\n";
    let house = house(vec![answer(head, packed)]);
    let file = show(&house, "/file", "20250615150640");
    assert_eq!(file.code, 200);
    assert_eq!(file.body, b"<title>Packed</title><p>Unpacked text</p>");
    assert_eq!(file.header("content-type"), Some("application/octet-stream"));
    assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"page\""));
    check_confined(&file);
    assert!(show(&house, "/frame", "").text().ends_with("<p>Unpacked text</p>"));
}

#[test]
fn every_capture_is_a_version() {
    let page = |second, body: &str| Captured::html(URL, second, body);
    let house = house(vec![
        page(SECOND, "<p>First text"),
        page(SECOND + 60, "<p>Second text"),
        Captured::html("http://a.example/PAGE", SECOND + 90, "<p>Of another page"),
        Captured { head: "HTTP/1.1 503 No\n".to_owned(), ..page(SECOND + 120, "<p>Sorry") },
    ]);
    // A crawl that runs: a payload again, an answer without news, and a new payload.
    let mut archive = grow(&house.folder.path().join("archive"));
    put(
        &mut archive,
        SECOND + 180,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Second text",
        Some(SECOND + 60),
    );
    put(&mut archive, SECOND + 240, "HTTP/1.1 304 Not Modified\r\n\r\n", None);
    archive.flush().unwrap();
    let text = |at: &str| show(&house, "/frame", at).text().to_owned();
    assert!(text("").ends_with("<p>Second text"), "the newest that answers well");
    assert!(text("20250615150640").ends_with("<p>First text"));
    assert!(text("20250615150740").ends_with("<p>Second text"));
    assert!(text("20250615150840").ends_with("<p>Sorry"));
    assert!(text("20250615150940").ends_with("<p>Second text"), "its payload lies elsewhere");
    assert!(text("20250615151040").ends_with("<p>Second text"), "it has no news");
    let page = show(&house, "", "20250615150840").text().to_owned();
    let options: Vec<&str> = page.split("<option ").skip(1).collect();
    let options: Vec<&str> =
        options.iter().map(|it| it.split("</option>").next().unwrap()).collect();
    assert_eq!(
        options,
        [
            "value=\"20250615151040\">2025-06-15 15:10:40 UTC, status 304, same as before",
            "value=\"20250615150940\">2025-06-15 15:09:40 UTC",
            "value=\"20250615150840\" selected>2025-06-15 15:08:40 UTC, status 503",
            "value=\"20250615150740\">2025-06-15 15:07:40 UTC",
            "value=\"20250615150640\">2025-06-15 15:06:40 UTC",
        ]
    );
    assert!(page.contains("5 versions"));
}

#[test]
fn a_copy_that_is_not_there_is_told_with_a_way_on() {
    let house = house(vec![answer("Content-Type: text/html\n", "<p>x")]);
    let check = |target: &str, code: u16| {
        let answer = house.get(target);
        assert_eq!(answer.code, code, "{target}");
        answer
    };
    let absent = check("/copy?url=http%3A%2F%2Fa.example%2Fnone", 404);
    assert!(absent.text().contains("/submit?url=") && absent.text().contains("/why?url="));
    check_confined(&check("/copy/frame?url=http%3A%2F%2Fa.example%2Fnone", 404));
    check_confined(&check("/copy/file?url=http%3A%2F%2Fa.example%2Fnone", 404));
    check(&format!("/copy?url={}&at=19990101000000", encoded(URL)), 404);
    for at in ["x", "1", "-1", "20250615150640x", "99999999999999999999", "%F0%9F%98%80"] {
        check(&format!("/copy?url={}&at={at}", encoded(URL)), 400);
        check_confined(&check(&format!("/copy/frame?url={}&at={at}", encoded(URL)), 400));
    }
    for url in
        ["", "x", "javascript:alert(1)", "%22%3E%3Cscript%3E", "file:///etc/passwd", "http://"]
    {
        check(&format!("/copy?url={url}"), 400);
        check(&format!("/copy/frame?url={url}"), 400);
        check(&format!("/copy/file?url={url}"), 400);
    }
    check("/copy", 400);
    check("/copy?url=http%3A%2F%2Fa.example%2F&url=http%3A%2F%2Fb.example%2F", 400);
}

#[test]
fn a_forgotten_page_has_no_copy() {
    let other = Captured::html("http://b.example/", SECOND, "<p>Other");
    let house = house(vec![answer("Content-Type: text/html\n", "<p>Secret"), other]);
    let archive = house.folder.path().join("archive");
    let places = rhumb_archive::versions(&archive, URL, 9).unwrap();
    forget(&archive);
    assert_eq!(rhumb_archive::versions(&archive, URL, 9).unwrap(), []);
    assert_eq!(places.len(), 1);
    for part in ["", "/frame", "/file"] {
        let answer = show(&house, part, "");
        assert_eq!(answer.code, 404);
        assert!(!String::from_utf8_lossy(&answer.body).contains("Secret"));
    }
}

#[test]
fn a_page_that_asks_for_it_is_not_shown() {
    let html = "Content-Type: text/html\n";
    let check = |captures: Vec<Captured>, documents, is_shown: bool| {
        let house = Furniture { documents, captures, ..Furniture::default() }.start();
        let page = show(&house, "", "20250615150640");
        assert_eq!(page.code, 200);
        assert_eq!(page.text().contains("<iframe"), is_shown);
        assert_eq!(page.text().contains("/copy/file"), is_shown);
        assert_eq!(page.text().contains("asks that no copy"), !is_shown);
        for part in ["/frame", "/file"] {
            let answer = show(&house, part, "20250615150640");
            assert_eq!(answer.code, if is_shown { 200 } else { 403 });
            assert_eq!(answer.text().contains("Secret"), is_shown);
        }
    };
    check(vec![answer(html, "<p>Secret")], Vec::new(), true);
    check(vec![answer(html, "<meta name=robots content=noarchive><p>Secret")], Vec::new(), false);
    check(vec![answer(html, "<meta name=rhumb content=noarchive><p>Secret")], Vec::new(), false);
    check(vec![answer(html, "<meta name=otherbot content=noarchive><p>Secret")], Vec::new(), true);
    let head = format!("{html}X-Robots-Tag: otherbot: none, rhumb: noarchive\n");
    check(vec![answer(&head, "<p>Secret")], Vec::new(), false);
    let mut document = stock::document(URL, "Page", "Secret");
    check(vec![answer(html, "<p>Secret")], vec![document.clone()], true);
    document.no_archive = true;
    check(vec![answer(html, "<p>Secret")], vec![document], false);
    let later = Captured { second: SECOND + 9, ..answer(&head, "<p>Newer") };
    check(vec![answer(html, "<p>Secret"), later.clone()], Vec::new(), false);
    let with =
        |second, head: &str| Captured { head: head.to_owned(), ..Captured::html(URL, second, "") };
    let error = with(SECOND + 20, "HTTP/1.1 503 No\n");
    check(vec![answer(html, "<p>Secret"), later.clone(), error.clone()], Vec::new(), false);
    let open = Captured { second: SECOND + 15, ..answer(html, "<p>Newest") };
    check(vec![answer(html, "<p>Secret"), later, open, error], Vec::new(), true);
    let unchanged = with(SECOND + 20, "HTTP/1.1 304 Not Modified\nX-Robots-Tag: noarchive\n");
    check(vec![answer(html, "<p>Secret"), unchanged], Vec::new(), false);
}

#[test]
fn where_the_last_wish_cannot_be_read_no_copy_is_shown() {
    let html = "Content-Type: text/html\n";
    let check = |documents, is_shown: bool| {
        let newer = Captured { second: SECOND + 9, ..answer(html, "<p>Newer") };
        let captures = vec![answer(html, "<p>Secret"), newer];
        let house = Furniture { documents, captures, ..Furniture::default() }.start();
        assert!(show(&house, "/frame", "20250615150640").text().contains("Secret"));
        damage(&house.folder.path().join("archive"));
        let page = show(&house, "", "20250615150640");
        assert_eq!(page.text().contains("<iframe"), is_shown);
        assert_eq!(page.text().contains("nobody can tell"), !is_shown);
        for part in ["/frame", "/file"] {
            let answer = show(&house, part, "20250615150640");
            assert_eq!(answer.code, if is_shown { 200 } else { 403 });
            assert_eq!(answer.text().contains("Secret"), is_shown);
        }
        assert_eq!(show(&house, "/frame", "20250615150649").code, 404);
        assert!(show(&house, "", "20250615150649").text().contains("damaged"));
    };
    check(Vec::new(), false);
    check(vec![stock::document(URL, "Page", "Secret")], true);
}

#[test]
fn what_is_cut_is_said_to_be_so() {
    let check = |head: &str, body: Vec<u8>| {
        let house = house(vec![answer(head, body)]);
        let page = show(&house, "", "");
        assert!(page.text().contains("beginning of the copy"), "{head}");
        assert!(!page.text().contains("/copy/file"), "{head}");
        assert!(show(&house, "/frame", "").text().contains("too long"), "{head}");
        let file = show(&house, "/file", "");
        assert_eq!(file.code, 404, "{head}");
        assert!(file.text().contains("too long"), "{head}");
    };
    check("Content-Type: text/plain\n", vec![b'x'; 33 << 20]);
    // A zstd frame of blocks that are not packed.
    let block = [&[0, 0, 16][..], &vec![b'x'; 128 << 10]].concat();
    let frame = [&b"\x28\xb5\x2f\xfd\x00\x58"[..], &block.repeat(90), &[1, 0, 0]].concat();
    check("Content-Type: text/plain\nContent-Encoding: zstd\n", frame);
}

#[test]
fn captures_of_one_second_can_be_told_apart() {
    let html = "Content-Type: text/html\n";
    let house = house(vec![answer(html, "<p>First"), answer(html, "<p>Second")]);
    assert!(show(&house, "/frame", "20250615150640").text().ends_with("<p>First"));
    assert!(show(&house, "/frame", "20250615150640-2").text().ends_with("<p>Second"));
    assert_eq!(show(&house, "/frame", "20250615150640-3").code, 404);
    assert!(show(&house, "", "").text().contains("value=\"20250615150640-2\" selected"));
}

#[test]
fn xhtml_is_read_by_its_own_rules() {
    let page = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/>\
        <script src=\"x.js\"/></head><body><p>Text</p></body></html>";
    let shown = frame_of("Content-Type: application/xhtml+xml\n", page);
    assert!(shown.text().contains("<title></title>"), "{}", shown.text());
    assert!(shown.text().ends_with("<p>Text</p></body></html>"), "{}", shown.text());
    grammar::check(shown.text(), "xhtml");
}

#[test]
fn an_answer_without_news_stands_for_the_last_good_one() {
    let with = |second, head: &str, body: &str| Captured {
        head: head.to_owned(),
        ..Captured::html(URL, second, body)
    };
    let house = house(vec![
        Captured::html(URL, SECOND, "<p>Good"),
        with(SECOND + 60, "HTTP/1.1 503 No\n", "<p>Sorry"),
        with(SECOND + 120, "HTTP/1.1 304 Not Modified\n", ""),
    ]);
    assert!(show(&house, "/frame", "20250615150840").text().ends_with("<p>Good"));
    assert!(!show(&house, "", "").text().contains("same as before"));
}

#[test]
fn a_redirect_says_where_it_led() {
    let head = "HTTP/1.1 301 Moved\nLocation: /new\"><script>\n".to_owned();
    let house = house(vec![Captured { head, ..answer("", "") }]);
    let page = show(&house, "", "");
    assert!(
        page.text().contains("/copy?url=http%3A%2F%2Fa.example%2Fnew%2522%253E%253Cscript%253E")
    );
    assert!(!page.text().contains("<script>"));
}

/// Spoils the last record of the page.
fn damage(archive: &Path) {
    let place = rhumb_archive::versions(archive, URL, 1).expect("its index")[0].place;
    let path = rhumb_archive::file_of(archive, place).expect("a folder").expect("its file");
    let mut bytes = fs::read(&path).expect("it is read");
    let at = usize::try_from(place.end).expect("a short file") + 40;
    bytes[at..at + 40].fill(0);
    fs::write(path, bytes).expect("it is written");
}

/// Takes all records of the page out.
fn forget(archive: &Path) {
    let (disk, crawl) = (rhumb_disk::real(), CrawlId([9; 16]));
    rhumb_archive::remove(&disk, archive, "rhumb", crawl, &|url| url == URL)
        .expect("it is taken out");
}

/// An archive that goes on.
fn grow(folder: &Path) -> Archive {
    let settings = ArchiveSettings {
        prefix: "rhumb".to_owned(),
        rotate_bytes: 1 << 20,
        crawl: CrawlId([9; 16]),
        about: About::default(),
    };
    Archive::open(rhumb_disk::real(), folder, settings, Keep::Everything).expect("it opens")
}

fn put(archive: &mut Archive, second: u64, received: &str, earlier: Option<u64>) {
    let at = |second| SystemTime::UNIX_EPOCH + Duration::from_secs(second);
    let url = CanonUrl::parse(URL).expect("a URL");
    let capture = Capture {
        url: &url,
        number: second,
        began: at(second),
        address: None,
        protocols: Vec::new(),
        sent: b"GET /page HTTP/1.1\r\n\r\n",
        received: received.as_bytes(),
        cut: None,
        fields: Vec::new(),
    };
    let earlier = earlier.map(|second| Earlier { url: url.clone(), began: at(second) });
    archive
        .append(&Encoder::new(CrawlId([9; 16])).capture(&capture, |_| earlier))
        .expect("it is kept");
}

/// `<title>Packed</title><p>Unpacked text</p>` in gzip.
const PACKED: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xb3\x29\xc9\x2c\xc9\x49\xb5\x0b\x48\x4c\
    \xce\x4e\x4d\xb1\xd1\x87\xf0\x6c\x0a\xec\x42\xf3\x0a\xc0\x42\x0a\x25\xa9\x15\x25\
    \x36\xfa\x05\x76\x00\x99\x6d\xce\xd8\x29\x00\x00\x00";
