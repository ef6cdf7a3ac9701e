//! The door for a crawl: a body becomes a page, whatever it is.

use rhumb_web::{Canon, CanonUrl, Link, LinkKind};

use crate::article::{Article, article_of};
use crate::charset::{Charset, charset, decode, utf_16};
use crate::language::Language;
use crate::mime::Mime;
use crate::scan::{LINKS_MAX, Scan, TEXT_BYTES_MAX, UrlRoom, Wanted, scan_as};
use crate::sitemap::{ENTRIES_MAX, Sitemap, SitemapKind, inflated, plain_sitemap};
use crate::words::{Gap, Words};

/// How much of a body is looked at to tell what it is, from the MIME Sniffing standard.
const SNIFF_BYTES_MAX: usize = 1445;

/// What a body turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A page.
    Html,
    /// A sitemap, an index of them, or a file of URLs.
    Sitemap,
    /// An RSS, Atom or JSON feed.
    Feed,
    /// Plain text.
    Text,
    /// Nothing that is read.
    Other,
}

/// What a body says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it turned out to be.
    pub format: Format,
    /// Its charset, unless it is nothing that is read.
    pub charset: Option<Charset>,
    /// Its links and its text, as far as its format has them.
    pub scan: Scan,
    /// The sitemaps that an index of sitemaps names.
    pub sitemaps: Vec<CanonUrl>,
    /// For every link of a sitemap or feed, in their order, when it changed, as written there.
    pub lastmods: Vec<Option<String>>,
}

impl Page {
    /// A document that others have read.
    pub fn of(scan: Scan) -> Self {
        Self::new(Format::Other, None, scan)
    }

    fn new(format: Format, charset: Option<Charset>, scan: Scan) -> Self {
        Self { format, charset, scan, sitemaps: Vec::new(), lastmods: Vec::new() }
    }
}

/// Reads a body that was found at this address.
/// A sitemap is looked for in every body where one is expected, else only in XML.
pub fn read(
    body: &[u8],
    content_type: Option<&str>,
    url: &CanonUrl,
    canon: Canon,
    sitemap_expected: bool,
) -> Page {
    Reader { content_type, url, canon, wants_text: true }.read(body, sitemap_expected)
}

/// Reads the same without its text: what a crawl needs to go on.
pub fn read_links(
    body: &[u8],
    content_type: Option<&str>,
    url: &CanonUrl,
    canon: Canon,
    sitemap_expected: bool,
) -> Page {
    Reader { content_type, url, canon, wants_text: false }.read(body, sitemap_expected)
}

/// What is known of a body before it is read.
struct Reader<'a> {
    content_type: Option<&'a str>,
    url: &'a CanonUrl,
    canon: Canon,
    wants_text: bool,
}

impl Reader<'_> {
    fn read(&self, body: &[u8], sitemap_expected: bool) -> Page {
        if sitemap_expected {
            let (body, cut) = inflated(body);
            if let Some((charset, mut found)) = plain_sitemap(&body, self.content_type, true) {
                found.cut |= cut;
                return listed(charset, found, self.url, self.canon);
            }
        }
        let guess = Guess::of(body, self.content_type);
        if matches!(guess, Guess::Xml | Guess::Json)
            && let Some((charset, found)) = plain_sitemap(body, self.content_type, false)
        {
            return listed(charset, found, self.url, self.canon);
        }
        match guess {
            Guess::Html | Guess::Xhtml => self.html(body, guess == Guess::Xhtml),
            Guess::Xml if is_xhtml(body) => self.html(body, true),
            Guess::Text => self.text(body),
            Guess::Xml | Guess::Json | Guess::Other => {
                Page::new(Format::Other, None, Scan::default())
            }
        }
    }

    fn html(&self, body: &[u8], is_xml: bool) -> Page {
        let charset = charset(body, self.content_type);
        let wanted = Wanted { text: self.wants_text, is_xml };
        let html = decode(body, charset);
        let scan = scan_as(&html, wanted, self.url, self.canon, charset.encoding);
        Page::new(Format::Html, Some(charset), scan)
    }

    fn text(&self, body: &[u8]) -> Page {
        let charset = charset(body, self.content_type);
        let mut scan = Scan::default();
        if self.wants_text {
            (scan.text, scan.cut) = lines(&decode(body, charset));
        }
        Page::new(Format::Text, Some(charset), scan)
    }
}

/// The document in a body that was found at this address, with the Content-Language of its
/// answer; nothing where the body is neither a page nor plain text.
pub fn read_article(
    body: &[u8],
    content_type: Option<&str>,
    content_language: Option<&str>,
    url: &CanonUrl,
    canon: Canon,
) -> Option<Article> {
    let guess = Guess::of(body, content_type);
    let is_xml = guess.is_xml_page(body)?;
    let text = decode(body, charset(body, content_type));
    if guess != Guess::Text {
        return Some(article_of(&text, is_xml, url, canon, content_language, Language::of));
    }
    let (main, cut) = lines(&text);
    Some(Article { cut, ..Article::of_text(main, None, content_language) })
}

/// The links and the document in a body, read in one go; nothing where it is neither a page nor
/// plain text. The text of the [`Scan`] is left out: the document has it.
pub fn read_whole(
    body: &[u8],
    content_type: Option<&str>,
    content_language: Option<&str>,
    url: &CanonUrl,
    canon: Canon,
) -> Option<(Page, Article)> {
    let guess = Guess::of(body, content_type);
    let is_xml = guess.is_xml_page(body)?;
    let charset = charset(body, content_type);
    let text = decode(body, charset);
    if guess == Guess::Text {
        let (main, cut) = lines(&text);
        let article = Article { cut, ..Article::of_text(main, None, content_language) };
        return Some((Page::new(Format::Text, Some(charset), Scan::default()), article));
    }
    let wanted = Wanted { text: false, is_xml };
    let scan = scan_as(&text, wanted, url, canon, charset.encoding);
    let glance = Language::at_a_glance;
    let article = article_of(&text, is_xml, url, canon, content_language, glance);
    Some((Page::new(Format::Html, Some(charset), scan), article))
}

/// The lines of a plain text, and whether some were left out.
fn lines(text: &str) -> (String, bool) {
    let mut words = Words::new(TEXT_BYTES_MAX);
    for line in text.lines() {
        words.push(line);
        words.gap(Gap::Line);
    }
    let cut = words.is_full();
    (words.into_text(), cut)
}

fn listed(charset: Charset, list: Sitemap, url: &CanonUrl, canon: Canon) -> Page {
    let feed = matches!(list.kind, SitemapKind::Rss | SitemapKind::Atom | SitemapKind::Json);
    let (format, kind) =
        if feed { (Format::Feed, LinkKind::Feed) } else { (Format::Sitemap, LinkKind::Sitemap) };
    let scan = Scan { cut: list.cut, ..Scan::default() };
    let page = Page::new(format, Some(charset), scan);
    let mut listing = Listing { page, room: UrlRoom::new(), url, canon };
    for entry in list.entries {
        if list.kind == SitemapKind::Index {
            listing.sitemap(&entry.loc);
            continue;
        }
        listing.link(&entry.loc, kind, entry.lastmod);
        for alternate in &entry.alternates {
            listing.link(alternate, LinkKind::Hreflang, None);
        }
    }
    listing.page
}

/// A list whose addresses are being resolved.
struct Listing<'a> {
    page: Page,
    room: UrlRoom,
    url: &'a CanonUrl,
    canon: Canon,
}

impl Listing<'_> {
    fn sitemap(&mut self, loc: &str) {
        if self.room.is_used_up() {
            self.page.scan.cut = true;
            return;
        }
        match self.url.join(loc, self.canon) {
            Ok(url) if self.room.take(&url) => self.page.sitemaps.push(url),
            Ok(_) => self.page.scan.cut = true,
            Err(_) => {}
        }
    }

    fn link(&mut self, loc: &str, kind: LinkKind, lastmod: Option<String>) {
        let scan = &mut self.page.scan;
        if scan.links.len() == ENTRIES_MAX || self.room.is_used_up() {
            scan.cut = true;
            return;
        }
        match self.url.join(loc, self.canon) {
            Ok(url) if self.room.take(&url) => {
                scan.links.push(Link { url, kind, text: String::new(), nofollow: false });
                self.page.lastmods.push(lastmod);
            }
            Ok(_) => scan.cut = true,
            Err(error) if scan.bad_links.len() < LINKS_MAX => {
                scan.bad_links.push((loc.to_owned(), error));
            }
            Err(_) => {}
        }
    }
}

/// What a body seems to be before it is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    Html,
    /// A page that is XML.
    Xhtml,
    Xml,
    Json,
    Text,
    Other,
}

impl Guess {
    fn of(body: &[u8], content_type: Option<&str>) -> Self {
        if is_document(body) {
            return Self::Other;
        }
        let mime = content_type.and_then(Mime::parse);
        let Some(mime) = mime else {
            return Self::sniffed(body);
        };
        match mime.essence.as_str() {
            "text/html" => Self::Html,
            "application/xhtml+xml" => Self::Xhtml,
            "text/plain" if starts_like_html(body) => Self::Html,
            "text/plain" => Self::Text,
            "unknown/unknown" | "application/unknown" | "*/*" => Self::sniffed(body),
            _ if mime.is_xml() => Self::Xml,
            "application/json" => Self::Json,
            essence if essence.ends_with("+json") => Self::Json,
            // An error page in the place of a document.
            essence if names_document(essence) && starts_like_html(body) => Self::Html,
            _ => Self::Other,
        }
    }

    /// Whether a page is XML; nothing of what is neither a page nor plain text.
    fn is_xml_page(self, body: &[u8]) -> Option<bool> {
        match self {
            Self::Html | Self::Text => Some(false),
            Self::Xhtml => Some(true),
            Self::Xml => is_xhtml(body).then_some(true),
            Self::Json | Self::Other => None,
        }
    }

    fn sniffed(body: &[u8]) -> Self {
        let head = &body[..body.len().min(SNIFF_BYTES_MAX)];
        let marked = head.starts_with(b"\xfe\xff") || head.starts_with(b"\xff\xfe");
        if let Some(encoding) = utf_16(head).filter(|_| !marked) {
            let head = encoding.decode_without_bom_handling(head).0;
            return if starts_like_html(head.as_bytes()) { Self::Html } else { Self::Text };
        }
        if starts_like_html(body) {
            Self::Html
        } else if without_space(head).starts_with(b"<?xml") {
            Self::Xml
        } else if !marked && head.iter().any(|byte| is_binary(*byte)) {
            Self::Other
        } else {
            Self::Text
        }
    }
}

/// Whether a body is a PDF, RTF or PostScript file or a package, whatever it is called: room
/// `formats` reads those.
fn is_document(body: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"%PDF-", b"{\\rtf", b"%!PS", b"PK\x03\x04"];
    let head = without_space(body);
    matches!(head.first(), Some(b'%' | b'{' | b'P'))
        && STARTS.into_iter().any(|start| head.starts_with(start))
}

/// Whether a media type is one of documents that are no pages.
fn names_document(essence: &str) -> bool {
    const NAMES: [&str; 5] = ["pdf", "x-pdf", "rtf", "postscript", "msword"];
    let name = essence.strip_prefix("application/").unwrap_or_default();
    name.starts_with("vnd.") || NAMES.contains(&name)
}

/// Bytes that no text has, by the MIME Sniffing standard.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)
}

fn without_space(body: &[u8]) -> &[u8] {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start()
}

/// Whether a body starts with one of the tags by which browsers know HTML.
fn starts_like_html(body: &[u8]) -> bool {
    const TAGS: [&str; 16] = [
        "!DOCTYPE HTML",
        "HTML",
        "HEAD",
        "SCRIPT",
        "IFRAME",
        "H1",
        "DIV",
        "FONT",
        "TABLE",
        "A",
        "STYLE",
        "TITLE",
        "B",
        "BODY",
        "BR",
        "P",
    ];
    let Some(rest) = without_space(body).strip_prefix(b"<") else {
        return false;
    };
    rest.starts_with(b"!--")
        || TAGS.into_iter().any(|tag| {
            let head = rest.get(..tag.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
                && matches!(rest.get(tag.len()), Some(b' ' | b'>'))
        })
}

/// Whether an XML body is a page: its first element is `html`.
fn is_xhtml(body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&body[..body.len().min(SNIFF_BYTES_MAX)]);
    let mut tags = head.split('<').skip(1);
    let first = tags.find(|tag| tag.starts_with(|char: char| char.is_ascii_alphabetic()));
    first.is_some_and(|tag| tag.split([' ', '\t', '\r', '\n', '>', ':']).next() == Some("html"))
}

#[cfg(test)]
mod tests;
