//! A capture as the archive has it: one record is read, and another where the payload lies
//! elsewhere.

use std::io;
use std::path::Path;

use bytes::Bytes;
use rhumb_archive::{HttpMessage, Kind, Position, RecordHead, Version, payload_place, record_at};
use rhumb_page::{Mime, Page, read_links};
use rhumb_rules::{of_header, of_meta};
use rhumb_web::{Canon, CanonUrl, Directive, Directives};

/// The longest block that is read: what a fetch keeps at most, with room for its framing.
const BLOCK_BYTES_MAX: usize = 32 << 20;

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
    /// Reads a version of a URL; none where it is not there, or not whole.
    pub(super) fn read(
        &self,
        archive: &Path,
        url: &CanonUrl,
        version: &Version,
    ) -> io::Result<Option<Capture>> {
        // A file that is written anew without what was forgotten has other places.
        let is_it = |head: &RecordHead| head.url() == Some(url.as_str());
        let Some((head, block)) = block_at(archive, version.place, is_it)? else {
            return Ok(None);
        };
        let own = HttpMessage::split(&block);
        let digest = head.field("WARC-Payload-Digest").map(str::to_owned);
        if head.kind != Kind::Revisit {
            return Ok(Some(self.capture(url, &own, &own, digest)));
        }
        let Some(earlier) = payload(archive, &head, digest.as_deref())? else { return Ok(None) };
        Ok(Some(self.capture(url, &own, &HttpMessage::split(&earlier), digest)))
    }

    /// What an answer says whose payload is that of another, or its own.
    fn capture(
        &self,
        url: &CanonUrl,
        own: &HttpMessage<'_>,
        earlier: &HttpMessage<'_>,
        digest: Option<String>,
    ) -> Capture {
        let content_type = own.header("content-type").and_then(text).map(str::to_owned);
        let codings = named(earlier, "content-encoding");
        let body = rhumb_fetch::decoded(codings, earlier.payload().into_owned().into());
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
            page,
            digest,
        }
    }
}

/// The answer that first had the payload of a revisit.
fn payload(archive: &Path, head: &RecordHead, digest: Option<&str>) -> io::Result<Option<Vec<u8>>> {
    let (Some(url), Some(digest)) = (head.field("WARC-Refers-To-Target-URI"), digest) else {
        return Ok(None);
    };
    let Some(place) = payload_place(archive, url, digest)? else { return Ok(None) };
    let is_it = |head: &RecordHead| head.field("WARC-Payload-Digest") == Some(digest);
    Ok(block_at(archive, place, is_it)?.map(|(_, block)| block))
}

/// The answer in the record of a place, if it is the one that is looked for, and whole.
fn block_at(
    archive: &Path,
    place: Position,
    is_it: impl FnOnce(&RecordHead) -> bool,
) -> io::Result<Option<(RecordHead, Vec<u8>)>> {
    let Some(mut reader) = record_at(archive, place)? else { return Ok(None) };
    let Some(Ok(mut record)) = reader.next() else { return Ok(None) };
    let is_answer = matches!(record.head.kind, Kind::Response | Kind::Revisit);
    if !is_answer || !is_it(&record.head) {
        return Ok(None);
    }
    let block = record.block(BLOCK_BYTES_MAX);
    Ok(block.ok().map(|block| (record.head.clone(), block)))
}

fn named<'a>(message: &HttpMessage<'a>, name: &'static str) -> impl Iterator<Item = &'a str> {
    let headers = message.headers();
    let named = headers.filter(move |(key, _)| key.eq_ignore_ascii_case(name.as_bytes()));
    named.filter_map(|(_, value)| text(value))
}

fn text(value: &[u8]) -> Option<&str> {
    str::from_utf8(value).ok().map(str::trim)
}
