//! One stored page a line, read back from the archive.

use std::io::Write;
use std::path::PathBuf;

use bytes::Bytes;
use rhumb_archive::{HttpMessage, Kind, RecordHead, WarcReader};
use rhumb_crawl::ask::{AboutPage, Contents};
use rhumb_formats::{BlockingFormats, Kind as Document};
use rhumb_page::Article;
use rhumb_web::{Canon, CanonUrl, Link};
use serde::Serialize;

use super::unreadable;
use crate::fault::Fault;
use crate::tell;

/// The longest block that is read: what a fetch keeps at most, with room for its framing.
const BLOCK_BYTES_MAX: usize = 64 << 20;

#[derive(Serialize)]
struct Row {
    url: String,
    status: Option<u16>,
    time: Option<String>,
    #[serde(rename = "type")]
    media_type: Option<String>,
    charset: Option<&'static str>,
    language: Option<String>,
    title: Option<String>,
    description: Option<String>,
    author: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    text: Option<String>,
    main: Option<String>,
    links: Vec<Link>,
    digest: Option<String>,
    duplicate_of: Option<String>,
    likeness: Option<&'static str>,
    mark: Option<&'static str>,
    document: Option<String>,
}

/// How stored pages are read.
pub(super) struct Reading {
    pub(super) canon: Canon,
    /// Everything that was asked for is wanted, not only pages.
    pub(super) all: bool,
    /// What the crawl knows of its pages, unless it runs or cannot be read.
    pub(super) contents: Option<Contents>,
    pub(super) documents: BlockingFormats,
}

/// Writes the pages. Returns how many faults it met.
pub(super) fn write(
    files: &[PathBuf],
    reading: &Reading,
    out: &mut impl Write,
) -> Result<u64, Fault> {
    let (all, mut faults) = (reading.all, 0);
    for path in files {
        let mut reader = WarcReader::open(path).map_err(|error| unreadable(path, &error))?;
        // An answer is followed by its metadata, which say what it was fetched for.
        let mut held: Option<(String, Row)> = None;
        while let Some(record) = reader.next() {
            let mut record = match record {
                Ok(record) => record,
                Err(fault) => {
                    let (offset, flaw) = (fault.offset, fault.flaw);
                    tell(&format!("warning: {}: at byte {offset}: {flaw}", path.display()));
                    faults += 1;
                    continue;
                }
            };
            if !matches!(record.head.kind, Kind::Response | Kind::Revisit | Kind::Metadata) {
                continue;
            }
            // A block that cannot be read is a fault that the next turn tells.
            let Ok(block) = record.block(BLOCK_BYTES_MAX) else { continue };
            if record.head.kind == Kind::Metadata {
                match record.head.field("WARC-Concurrent-To") {
                    Some(about) => {
                        if let Some((_, row)) = held.take_if(|(id, _)| id == about) {
                            let is_page = errand(&block) == Some("page");
                            put(&row, all || is_page, all, out)?;
                        }
                    }
                    // They accompany nothing: a fetch that got no answer.
                    None => put(&Row::of(&record.head), all, all, out)?,
                }
                continue;
            }
            if let Some((_, row)) = held.take() {
                put(&row, true, all, out)?;
            }
            let id = record.head.field("WARC-Record-ID").unwrap_or_default().to_owned();
            held = Some((id, row(&record.head, &block, reading)));
        }
        if let Some((_, row)) = held {
            put(&row, true, all, out)?;
        }
    }
    Ok(faults)
}

fn put(row: &Row, is_wanted: bool, all: bool, out: &mut impl Write) -> Result<(), Fault> {
    let is_page = row.status.is_some_and(|status| (200..300).contains(&status));
    if is_wanted && (all || is_page) {
        let line = crate::printable::json(row).map_err(std::io::Error::from)?;
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn errand(metadata: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(metadata).ok()?;
    text.lines().find_map(|line| line.strip_prefix("errand:").map(str::trim))
}

impl Row {
    /// What a record's head tells; nothing of an answer.
    fn of(head: &RecordHead) -> Self {
        Self {
            url: head.url().unwrap_or_default().to_owned(),
            status: None,
            time: head.field("WARC-Date").map(str::to_owned),
            media_type: None,
            charset: None,
            language: None,
            title: None,
            description: None,
            author: None,
            published: None,
            modified: None,
            text: None,
            main: None,
            links: Vec::new(),
            digest: head.field("WARC-Payload-Digest").map(str::to_owned),
            duplicate_of: head.field("WARC-Refers-To-Target-URI").map(str::to_owned),
            likeness: None,
            mark: None,
            document: None,
        }
    }
}

fn row(head: &RecordHead, block: &[u8], reading: &Reading) -> Row {
    let canon = reading.canon;
    let message = HttpMessage::split(block);
    let media_type = message.header("content-type");
    let media_type = media_type.and_then(|value| std::str::from_utf8(value).ok());
    let mut row = Row {
        status: message.status().and_then(|status| status.parse().ok()),
        media_type: media_type.map(str::to_owned),
        ..Row::of(head)
    };
    let Ok(url) = CanonUrl::parse_with(&row.url, Canon::KeepQuery) else { return row };
    row.know(&url, reading);
    if head.kind == Kind::Revisit {
        return row;
    }
    let codings =
        message.headers().filter(|(key, _)| key.eq_ignore_ascii_case(b"content-encoding"));
    let codings = codings.filter_map(|(_, value)| std::str::from_utf8(value).ok());
    let body = rhumb_fetch::decoded(codings, message.payload().into_owned().into());
    if let Some(kind) = Document::of(&body, row.media_type.as_deref(), &url) {
        row.read_document(kind, body, &url, reading);
        return row;
    }
    let page = rhumb_page::read(&body, row.media_type.as_deref(), &url, canon, false);
    row.charset = page.charset.map(|charset| charset.encoding.name());
    let spoken = message.header("content-language");
    let spoken = spoken.and_then(|value| std::str::from_utf8(value).ok());
    let article = rhumb_page::read_article(&body, row.media_type.as_deref(), spoken, &url, canon);
    if let Some(article) = article.filter(|_| page.lastmods.is_empty()) {
        let about = article.about;
        row.language = article.language.map(|language| language.tag);
        (row.description, row.author) = (about.description, about.author);
        (row.published, row.modified) = (about.published, about.modified);
        row.main = Some(article.main);
    }
    row.title = page.scan.title;
    row.text = page.charset.is_some().then_some(page.scan.text);
    row.links = page.scan.links;
    row
}

impl Row {
    /// Takes in what the crawl knows of it.
    fn know(&mut self, url: &CanonUrl, reading: &Reading) {
        let is_page = self.status.is_some_and(|status| (200..300).contains(&status));
        self.likeness = self.duplicate_of.as_ref().filter(|_| is_page).map(|_| "same");
        let Some(contents) = &reading.contents else { return };
        let about = contents.about(url).unwrap_or_else(|error| {
            tell(&format!("note: cannot read what the crawl knows of {url}: {error}"));
            AboutPage::default()
        });
        self.mark = about.mark;
        if about.likeness.is_some() {
            self.likeness = about.likeness;
            self.duplicate_of = about.duplicate_of.map(|url| url.to_string());
        }
    }

    fn read_document(&mut self, kind: Document, body: Bytes, url: &CanonUrl, reading: &Reading) {
        let extract = reading.documents.read(kind, body);
        self.document = Some(format!("{}: {}", kind.word(), extract.end.word()));
        let language = extract.language.as_deref();
        let article = Article::of_text(extract.text.clone(), language, None);
        self.language = article.language.map(|language| language.tag);
        self.main = Some(article.main);
        self.author.clone_from(&extract.author);
        self.published.clone_from(&extract.created);
        self.modified.clone_from(&extract.modified);
        let scan = extract.into_scan(url, reading.canon);
        (self.title, self.text, self.links) = (scan.title, Some(scan.text), scan.links);
    }
}
