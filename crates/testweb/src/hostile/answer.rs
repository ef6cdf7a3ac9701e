//! What each trick answers to a request.

use std::fmt::Write as _;
use std::time::Duration;

use super::trick::Trick;
use super::{Den, bomb};

const SECOND: Duration = Duration::from_secs(1);
/// Within the limit of headers, and far beyond what a client should send back.
const COOKIES: usize = 400;
const LINKS: usize = 100_000;
/// Elements of five bytes: together about a megabyte.
const NESTED: usize = 200_000;
const LARGE_ROBOTS_BYTES: usize = 10 << 20;
/// Numbers that fit 64 bits and no calendar.
const AGES: &str = "18446744073709551615";

/// Places to which redirects lead that are none.
const NOWHERE: [&[u8]; 8] = [
    b"http://[::bad",
    b"http://",
    b"javascript:alert(1)",
    b"http://a b c/",
    b"http://h.test:99999999/",
    b"http://%00.test/",
    b"\xff\xfe\xfd",
    b"",
];

/// How a connection goes on after a request.
pub(super) enum Act {
    /// These bytes, and the end.
    Say(Vec<u8>),
    /// These bytes, and then nothing more.
    Hold(Vec<u8>),
    /// No bytes, and a reset.
    Reset,
    /// Some bytes first, then others again and again.
    Endless { first: Vec<u8>, again: Vec<u8>, pause: Duration },
}

/// A request as far as tricks care.
pub(super) struct Asked<'a> {
    pub(super) host: &'a str,
    pub(super) target: &'a str,
    pub(super) has_cookie: bool,
}

impl Act {
    fn page(text: &str) -> Self {
        Self::body("Content-Type: text/html; charset=utf-8", text.as_bytes())
    }

    fn body(fields: &str, body: &[u8]) -> Self {
        Self::raw(&format!("HTTP/1.1 200 OK\r\n{fields}\r\nContent-Length: {}", body.len()), body)
    }

    fn status(status: u16, fields: &str) -> Self {
        let fields = if fields.is_empty() { "X-Hostile: yes" } else { fields };
        Self::raw(&format!("HTTP/1.1 {status} Told\r\n{fields}\r\nContent-Length: 0"), b"")
    }

    fn redirect(location: &[u8]) -> Self {
        let head = [b"HTTP/1.1 302 Found\r\nLocation: ", location, b"\r\nContent-Length: 0"];
        let end = b"\r\nConnection: close\r\n\r\n".as_slice();
        Self::Say([head.concat(), end.to_vec()].concat())
    }

    fn raw(head: &str, body: &[u8]) -> Self {
        Self::Say([head.as_bytes(), b"\r\nConnection: close\r\n\r\n", body].concat())
    }

    fn flood(first: &str, again: &[u8]) -> Self {
        // In large pieces: the reader is to be flooded, not the writer.
        let again = again.repeat(16 * 1024 / again.len() + 1);
        Self::Endless { first: first.as_bytes().to_vec(), again, pause: Duration::ZERO }
    }

    fn drip(first: &str) -> Self {
        Self::Endless { first: first.as_bytes().to_vec(), again: b"a".to_vec(), pause: SECOND }
    }
}

pub(super) fn act(den: &Den, trick: Trick, asked: &Asked<'_>) -> Act {
    match asked.target {
        "/robots.txt" | "/robots-b.txt" => robots(den, trick, asked),
        "/" => page(den, trick, asked),
        _ => inner(den, trick, asked),
    }
}

fn robots(den: &Den, trick: Trick, asked: &Asked<'_>) -> Act {
    let origin = den.origin(trick);
    let rules = "User-agent: *\nDisallow: /closed\n";
    let text = |text: &str| Act::body("Content-Type: text/plain", text.as_bytes());
    match trick {
        Trick::EndlessRobots => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
            Act::flood(&format!("{head}{rules}# "), b"a")
        }
        Trick::LargeRobots => {
            let padding = "# padding\n".repeat(LARGE_ROBOTS_BYTES / 10);
            text(&format!("{rules}{padding}Disallow: /\n"))
        }
        Trick::HtmlRobots => Act::page("<html><body><p>User-agent: *<p>Disallow: /</html>"),
        Trick::RobotsLoop if asked.target == "/robots.txt" => Act::redirect(b"/robots-b.txt"),
        Trick::RobotsLoop => Act::redirect(b"/robots.txt"),
        Trick::RobotsToPrivate => Act::redirect(den.private_urls("robots")[0].as_bytes()),
        Trick::LinksToPrivate => text(&format!("Sitemap: {}\n", den.private_urls("sitemap")[0])),
        Trick::SitemapBomb => text(&format!("Sitemap: {origin}/sitemap.xml.gz\n")),
        Trick::SitemapLoop => text(&format!("Sitemap: {origin}/sitemap.xml\n")),
        _ => Act::status(404, ""),
    }
}

/// The first page of a host, where most tricks are.
fn page(den: &Den, trick: Trick, asked: &Asked<'_>) -> Act {
    let html = "Content-Type: text/html; charset=utf-8";
    let ok = format!("HTTP/1.1 200 OK\r\n{html}\r\n");
    let coded = |coding: &str, body: &[u8]| {
        Act::body(&format!("{html}\r\nContent-Encoding: {coding}"), body)
    };
    match trick {
        Trick::EndlessBody => Act::flood(&format!("{ok}\r\n<p>"), b"word "),
        Trick::EndlessHeaders => Act::flood(&ok, b"X-Flood: more and more\r\n"),
        Trick::EndlessInterim => Act::flood("", b"HTTP/1.1 103 Early Hints\r\nX-Hint: a\r\n\r\n"),
        Trick::EndlessChunks => {
            Act::flood(&format!("{ok}Transfer-Encoding: chunked\r\n\r\n"), b"1\r\na\r\n")
        }
        Trick::EndlessTrailers => {
            let first = format!("{ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n");
            Act::flood(&first, b"X-Trailer: more and more\r\n")
        }
        Trick::SlowBody => Act::drip(&format!("{ok}Content-Length: 100000\r\n\r\n")),
        Trick::SlowHeaders => Act::drip("HTTP/1.1 200 OK\r\nX-Slow: "),
        Trick::SilentPage => Act::Hold(Vec::new()),
        Trick::ResetPage => Act::Reset,
        Trick::BrokenChunks => {
            Act::raw(&format!("{ok}Transfer-Encoding: chunked"), b"5\r\nhello\r\nZZZ\r\nhello")
        }
        Trick::LengthTooLong => Act::raw(&format!("{ok}Content-Length: 5000"), b"<p>hello"),
        Trick::LengthTooShort => {
            Act::raw(&format!("{ok}Content-Length: 5"), b"<p>hello <a href=/surplus>x</a>")
        }
        Trick::ForgedAnswer => {
            let real = "<a href=/second>x</a>";
            let forged = "<a href=/forged>x</a>";
            let answer = |body: &str| format!("{ok}Content-Length: {}\r\n\r\n{body}", body.len());
            Act::Hold((answer(real) + &answer(forged)).into_bytes())
        }
        Trick::GzipBomb => coded("gzip", &bomb::gzip("<p>boom")),
        Trick::BrotliBomb => coded("br", &bomb::brotli("<p>boom")),
        Trick::ZstdBomb => coded("zstd", &bomb::zstd("<p>boom")),
        Trick::NestedBomb => coded("gzip, gzip, gzip", &bomb::nested("<p>boom")),
        Trick::BadHeaderBytes => Act::Say(bad_headers()),
        Trick::NulInHeader => Act::body(&format!("{html}\r\nX-Nul: a\0b"), b"<p>hello"),
        Trick::BadStatusLine => Act::Say(b"HTTP/9.9 twohundred\r\n\r\n<p>hello".to_vec()),
        Trick::NestedTags => Act::page(&"<div>".repeat(NESTED)),
        Trick::NulBytes => Act::page("<p>a\0b<a hr\0ef=/x>x</a>\0\0<a href=\"/se\0cond\">y</a>\0"),
        Trick::LyingCharset => {
            let text = "<p>hello <a href=/klingon>x</a>".encode_utf16().flat_map(u16::to_le_bytes);
            Act::body(html, &text.collect::<Vec<u8>>())
        }
        Trick::BinaryAsHtml => Act::body(html, &noise(100_000)),
        Trick::HtmlAsImage => Act::body("Content-Type: image/png", b"<p><a href=/hidden>x</a>"),
        Trick::UnnamedGzip => Act::body(html, &bomb::small_gzip(b"<p><a href=/hidden>x</a>")),
        _ => lead(den, trick, asked),
    }
}

/// The first pages that lead elsewhere, ask for patience or carry things along.
fn lead(den: &Den, trick: Trick, asked: &Asked<'_>) -> Act {
    let other = |name: &str| format!("http://{name}.{}:{}/", trick.host(), den.port);
    match trick {
        Trick::RedirectChain => Act::redirect(b"/1"),
        Trick::RedirectLoop2 if asked.host.starts_with("b.") => back(den, trick),
        Trick::RedirectLoop3 if asked.host.starts_with("c.") => back(den, trick),
        Trick::RedirectLoop3 if asked.host.starts_with("b.") => {
            Act::redirect(other("c").as_bytes())
        }
        Trick::RedirectLoop2 | Trick::RedirectLoop3 => Act::redirect(other("b").as_bytes()),
        Trick::SelfRedirect => Act::redirect(b"/"),
        Trick::SelfRedirectCookie => Act::status(302, "Location: /\r\nSet-Cookie: again=1; Path=/"),
        Trick::CookieWall if !asked.has_cookie => {
            Act::status(302, "Location: /\r\nSet-Cookie: pass=1; Path=/")
        }
        Trick::BadLocation => Act::page(&links(&numbered("/to/", NOWHERE.len()))),
        Trick::RedirectToPrivate => {
            Act::page(&links(&numbered("/to/", den.private_urls("redirect").len())))
        }
        Trick::LinksToPrivate => {
            let urls = den.private_urls("link");
            let refresh = &den.private_urls("refresh")[0];
            let refresh = format!("<meta http-equiv=refresh content='0; url={refresh}'>");
            Act::page(&(refresh + &links(&urls)))
        }
        Trick::AlwaysBusy => Act::status(429, "Retry-After: 1"),
        Trick::AbsurdRetryAfter => Act::status(503, &format!("Retry-After: {AGES}")),
        Trick::LargeRobots | Trick::EndlessRobots => Act::page(&links(&["/closed".to_owned()])),
        Trick::ManyLinks => Act::page(&links(&numbered("/never/", LINKS))),
        Trick::CookieFlood => cookies(&links(&["/second".to_owned()])),
        _ => Act::page("<p>hello"),
    }
}

/// What lies behind the first page.
fn inner(den: &Den, trick: Trick, asked: &Asked<'_>) -> Act {
    let number = asked.target.rsplit('/').next().and_then(|last| last.parse::<usize>().ok());
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    let origin = den.origin(trick);
    match (trick, number) {
        (Trick::RedirectChain, Some(number)) => {
            Act::redirect(format!("/{}", number + 1).as_bytes())
        }
        (Trick::BadLocation, Some(number)) if number < NOWHERE.len() => {
            Act::redirect(NOWHERE[number])
        }
        (Trick::RedirectToPrivate, Some(number)) => {
            match den.private_urls("redirect").get(number) {
                Some(url) => Act::redirect(url.as_bytes()),
                None => Act::status(404, ""),
            }
        }
        (Trick::SitemapBomb, _) if asked.target == "/sitemap.xml.gz" => {
            let first = format!("{xml}<urlset><url><loc>{origin}/listed</loc></url>");
            Act::body("Content-Type: application/gzip", &bomb::gzip(&first))
        }
        (Trick::SitemapLoop, _) if matches!(asked.target, "/sitemap.xml" | "/b.xml") => {
            let entry = |name: &str| format!("<sitemap><loc>{origin}{name}</loc></sitemap>");
            let entries = entry("/sitemap.xml") + &entry("/b.xml");
            let index = format!("{xml}<sitemapindex>{entries}</sitemapindex>");
            Act::body("Content-Type: application/xml", index.as_bytes())
        }
        (Trick::LyingCharset, _) => {
            Act::body("Content-Type: text/html; charset=klingon-8", b"<p>nuqneH \xff\xfe")
        }
        (Trick::CookieFlood, _) => cookies("<p>second"),
        (Trick::SitemapBomb | Trick::ForgedAnswer, _) => Act::page("<p>hello"),
        _ => Act::status(404, ""),
    }
}

fn back(den: &Den, trick: Trick) -> Act {
    Act::redirect(format!("{}/", den.origin(trick)).as_bytes())
}

fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}{number}")).collect()
}

fn links(urls: &[String]) -> String {
    let mut text = String::from("<p>hello");
    for url in urls {
        let _infallible = write!(text, "<a href=\"{url}\">x</a>");
    }
    text
}

fn cookies(text: &str) -> Act {
    let mut fields = String::from("Content-Type: text/html");
    for number in 0..COOKIES {
        let value = "v".repeat(200);
        let _infallible = write!(fields, "\r\nSet-Cookie: c{number}={value}; Path=/");
    }
    Act::body(&fields, text.as_bytes())
}

fn bad_headers() -> Vec<u8> {
    let body = b"<p>hello <a href=/second>x</a>";
    let length = format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let lines = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-High: \xff\xfe\r\nBad \x01 Name\x80: x\r\n\
        no colon at all\r\n: no name\r\nX-Bell: \x07\r\n";
    [lines.as_slice(), length.as_bytes(), body].concat()
}

/// Bytes without any sense, the same every time.
fn noise(count: usize) -> Vec<u8> {
    let step = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(state.to_be_bytes()[0])
    };
    (0..count).scan(7_u32, |state, _| step(state)).collect()
}
