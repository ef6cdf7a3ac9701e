//! A capture as the archive has it: one record is read, and another where the payload lies
//! elsewhere.

use std::io;
use std::path::Path;

use bytes::Bytes;
use rhumb_archive::{HttpMessage, Kind, Position, RecordHead, Version, payload_place, record_at};
use rhumb_fetch::FetchSettings;
use rhumb_page::{Mime, Page, read_links};
use rhumb_rules::{of_header, of_meta};
use rhumb_web::{Canon, CanonUrl, Directive, Directives};

/// The longest block that is read: a fetch keeps less, unless it is told to.
pub(super) const BLOCK_BYTES_MAX: usize = 32 << 20;

/// What a body may inflate to whatever its size, as in a fetch.
const INFLATION_FREE: usize = 1 << 20;

/// Whose eyes a capture is read with.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// How links become canonical.
    pub(super) canon: Canon,
    /// The name that wishes may speak to.
    pub(super) agent: String,
}

/// What was captured.
#[derive(Debug)]
pub(super) struct Capture {
    /// The media type, as the answer has it.
    pub(super) content_type: Option<String>,
    /// Where the answer leads.
    pub(super) location: Option<CanonUrl>,
    /// The payload without its content encoding.
    pub(super) body: Bytes,
    /// Whether it is longer than what is read of it.
    pub(super) is_cut: bool,
    /// What the page room makes of it.
    pub(super) page: Page,
    /// The digest of the payload.
    pub(super) digest: Option<String>,
    /// What it asks of those who fetched it.
    pub(super) wishes: Directives,
}

impl Capture {
    /// Its media type without parameters.
    pub(super) fn mime(&self) -> Option<Mime> {
        self.content_type.as_deref().and_then(Mime::parse)
    }

    /// Whether it asks that no copy be shown.
    pub(super) fn is_closed(&self) -> bool {
        self.wishes.has(Directive::NoArchive)
    }
}

impl Reader {
    /// Reads a version of a URL, at most so much of it; none where it is not there, or damaged.
    pub(super) fn read(
        &self,
        archive: &Path,
        url: &CanonUrl,
        version: &Version,
        max: usize,
    ) -> io::Result<Option<Capture>> {
        // A file that is written anew without what was forgotten has other places.
        let is_it = |head: &RecordHead| head.url() == Some(url.as_str());
        let Some(Block { head, bytes, is_cut }) = block_at(archive, version.place, max, is_it)?
        else {
            return Ok(None);
        };
        let own = HttpMessage::split(&bytes);
        let digest = head.field("WARC-Payload-Digest").map(str::to_owned);
        if head.kind != Kind::Revisit {
            return Ok(Some(self.capture(url, &own, (&own, is_cut), digest)));
        }
        let earlier = payload(archive, &head, digest.as_deref(), max)?;
        let Some(Block { bytes, is_cut, .. }) = earlier else { return Ok(None) };
        Ok(Some(self.capture(url, &own, (&HttpMessage::split(&bytes), is_cut), digest)))
    }

    /// What an answer says whose payload is that of another, or its own.
    fn capture(
        &self,
        url: &CanonUrl,
        own: &HttpMessage<'_>,
        (earlier, is_cut): (&HttpMessage<'_>, bool),
        digest: Option<String>,
    ) -> Capture {
        let content_type = own.header("content-type").and_then(text).map(str::to_owned);
        let codings = || named(earlier, "content-encoding");
        let packed = Bytes::from(earlier.payload().into_owned());
        let packed_length = packed.len();
        let body = rhumb_fetch::decoded(codings(), packed);
        let is_packed = codings().next().is_some();
        let is_cut = is_cut || (is_packed && body.len() >= unpacked_max(packed_length));
        let page = read_links(&body, content_type.as_deref(), url, self.canon, false);
        let metas = &page.scan.metas;
        let metas = metas.iter().map(|(name, content)| of_meta(&self.agent, name, content));
        let headers = [own, earlier].into_iter().flat_map(|it| named(it, "x-robots-tag"));
        let headers = headers.map(|value| of_header(&self.agent, value));
        let location = own.header("location").and_then(text);
        Capture {
            location: location.and_then(|to| url.join(to, self.canon).ok()),
            wishes: metas.chain(headers).fold(Directives::NONE, Directives::union),
            content_type,
            body,
            is_cut,
            page,
            digest,
        }
    }
}

/// The length at which unpacking ends.
fn unpacked_max(packed: usize) -> usize {
    let limits = FetchSettings::default();
    packed.saturating_mul(limits.inflation_max).max(INFLATION_FREE).min(limits.body_max)
}

/// The answer that first had the payload of a revisit.
fn payload(
    archive: &Path,
    head: &RecordHead,
    digest: Option<&str>,
    max: usize,
) -> io::Result<Option<Block>> {
    let (Some(url), Some(digest)) = (head.field("WARC-Refers-To-Target-URI"), digest) else {
        return Ok(None);
    };
    let Some(place) = payload_place(archive, url, digest)? else { return Ok(None) };
    let is_it = |head: &RecordHead| head.field("WARC-Payload-Digest") == Some(digest);
    block_at(archive, place, max, is_it)
}

/// The block of a record.
struct Block {
    head: RecordHead,
    bytes: Vec<u8>,
    /// Whether there is more of it.
    is_cut: bool,
}

/// The answer in the record of a place, if it is the one that is looked for, and whole.
fn block_at(
    archive: &Path,
    place: Position,
    max: usize,
    is_it: impl FnOnce(&RecordHead) -> bool,
) -> io::Result<Option<Block>> {
    let Some(mut reader) = record_at(archive, place)? else { return Ok(None) };
    let Some(Ok(mut record)) = reader.next() else { return Ok(None) };
    let is_answer = matches!(record.head.kind, Kind::Response | Kind::Revisit);
    if !is_answer || !is_it(&record.head) {
        return Ok(None);
    }
    let Ok(bytes) = record.block(max) else { return Ok(None) };
    let read = u64::try_from(bytes.len()).expect("a length fits 64 bits");
    // What ends before its time is damaged.
    let is_whole = read == record.head.length || bytes.len() == max;
    let is_cut = read < record.head.length;
    let head = record.head.clone();
    // A checksum stands at the end.
    let is_whole = is_whole && (is_cut || record.finish().is_ok());
    Ok(is_whole.then_some(Block { head, bytes, is_cut }))
}

fn named<'a>(message: &HttpMessage<'a>, name: &'static str) -> impl Iterator<Item = &'a str> {
    let headers = message.headers();
    let named = headers.filter(move |(key, _)| key.eq_ignore_ascii_case(name.as_bytes()));
    named.filter_map(|(_, value)| text(value))
}

fn text(value: &[u8]) -> Option<&str> {
    str::from_utf8(value).ok().map(str::trim)
}
