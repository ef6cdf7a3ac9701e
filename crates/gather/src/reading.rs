//! From a capture to what the index is told: one page, and nothing of any other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use rhumb_archive::{HttpMessage, Kept, Kind, RecordHead};
use rhumb_formats::{BlockingFormats, Kind as Format};
use rhumb_index::{Document, OutLink, Place};
use rhumb_rules::of_header;
use rhumb_web::{Canon, CanonUrl, Directive, Directives, HashKey, UrlKey};

use crate::moment;

/// The longest ending of a path that tells what a payload is.
const ENDING_BYTES_MAX: usize = 5;

/// What a capture means for the index.
#[derive(Debug)]
pub(crate) enum Finding {
    /// A page to be found.
    Page(Box<Document>),
    /// The page has the payload of an earlier capture.
    Again(Box<Again>),
    /// There is no page to be found, and if there was one it goes.
    Gone(CanonUrl),
    /// The same, and so it is with each capture of this payload and kind.
    Barren(CanonUrl, u64),
    /// It leads elsewhere.
    Moved(CanonUrl, CanonUrl),
    /// It says nothing of a page.
    Nothing,
    /// We could not read it, which says nothing of the page.
    Unread,
}

/// We could not read a document, which is no fault of it.
#[derive(Debug)]
pub(crate) struct Unread;

/// A capture whose payload lies elsewhere.
#[derive(Debug)]
pub(crate) struct Again {
    pub(crate) url: CanonUrl,
    /// The page that had it first.
    pub(crate) of: CanonUrl,
    /// The digest of the payload.
    pub(crate) digest: String,
    /// What it has in common with each capture of this payload and kind.
    pub(crate) sort: u64,
    /// What its own head asks for.
    pub(crate) directives: Directives,
    /// The capture, with its head only.
    pub(crate) kept: Kept,
}

/// What all pages of a crawl are read by.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) hash: HashKey,
    pub(crate) canon: Canon,
    pub(crate) agent: String,
    pub(crate) formats: Option<BlockingFormats>,
}

/// An answer as the archive has it.
pub(crate) struct Answer<'a> {
    pub(crate) url: &'a CanonUrl,
    pub(crate) message: HttpMessage<'a>,
    pub(crate) body: Bytes,
    pub(crate) digest: Option<&'a str>,
    pub(crate) fetched_ms: u64,
    pub(crate) place: Place,
    pub(crate) directives: Directives,
}

impl Answer<'_> {
    /// The first header of that name that is readable text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        text(self.message.header(name)?)
    }
}

impl Reader {
    pub(crate) fn key(&self, url: &CanonUrl) -> UrlKey {
        url.key(self.hash)
    }

    /// Reads a capture.
    pub(crate) fn read(&self, kept: Kept) -> Finding {
        guarded(|| self.meaning(kept))
    }

    fn meaning(&self, kept: Kept) -> Finding {
        let Some(url) = page_url(&kept) else { return Finding::Nothing };
        let message = HttpMessage::split(&kept.block);
        let status = message.status().and_then(|status| status.parse().ok()).unwrap_or(0_u16);
        match status {
            200..300 if self.directives(&message).has(Directive::NoIndex) => Finding::Gone(url),
            200..300 if kept.head.kind == Kind::Revisit => self.again(url, kept),
            200..300 => self.page(url, &kept, &message),
            304 => Finding::Nothing,
            300..400 => {
                let to = message.header("location").and_then(text);
                match to.map(|to| url.join(to, self.canon)) {
                    Some(Ok(to)) if to != url => Finding::Moved(url, to),
                    _ => Finding::Nothing,
                }
            }
            404 | 410 => Finding::Gone(url),
            // It may be there again tomorrow.
            _ => Finding::Nothing,
        }
    }

    /// The links of a page that may be found, and nothing else of it.
    pub(crate) fn read_links(&self, kept: &Kept) -> Option<(CanonUrl, Vec<OutLink>)> {
        catch_unwind(AssertUnwindSafe(|| self.links_of(kept))).unwrap_or_default()
    }

    fn links_of(&self, kept: &Kept) -> Option<(CanonUrl, Vec<OutLink>)> {
        let url = page_url(kept).filter(|_| kept.head.kind == Kind::Response)?;
        let message = HttpMessage::split(&kept.block);
        let status = message.status().and_then(|status| status.parse().ok()).unwrap_or(0_u16);
        let media_type = message.header("content-type").and_then(text);
        let body = Some(body(&message)).filter(|_| (200..300).contains(&status))?;
        // Documents have few links, and take long.
        if Format::of(&body, media_type, &url).is_some() {
            return None;
        }
        let scan = rhumb_page::read_links(&body, media_type, &url, self.canon, false).scan;
        let wishes = self.directives(&message).union(self.wishes(&scan));
        let is_closed = wishes.has(Directive::NoIndex) || wishes.has(Directive::NoFollow);
        let links = (!is_closed).then(|| self.links(self.key(&url), scan.links))?;
        Some((url, links))
    }

    /// Reads a capture whose payload is that of this answer, which was kept before.
    pub(crate) fn read_again(&self, again: &Again, earlier: &[u8]) -> Finding {
        guarded(|| {
            let message = HttpMessage::split(&again.kept.block);
            let body = body(&HttpMessage::split(earlier));
            self.document_of(again.url.clone(), &again.kept, &message, body)
        })
    }

    fn page(&self, url: CanonUrl, kept: &Kept, message: &HttpMessage<'_>) -> Finding {
        self.document_of(url, kept, message, body(message))
    }

    fn document_of(
        &self,
        url: CanonUrl,
        kept: &Kept,
        message: &HttpMessage<'_>,
        body: Bytes,
    ) -> Finding {
        let answer = Answer {
            url: &url,
            message: *message,
            body,
            digest: kept.head.field("WARC-Payload-Digest"),
            fetched_ms: fetched_ms(&kept.head),
            place: Place { serial: kept.place.serial, offset: kept.place.end },
            directives: self.directives(message),
        };
        match self.document(&answer) {
            Ok(Some(document)) => Finding::Page(Box::new(document)),
            Ok(None) => match answer.digest.map(|digest| self.sort(digest, message, &url)) {
                Some(sort) => Finding::Barren(url, sort),
                None => Finding::Gone(url),
            },
            Err(Unread) => Finding::Unread,
        }
    }

    fn again(&self, url: CanonUrl, kept: Kept) -> Finding {
        let of = kept.head.field("WARC-Refers-To-Target-URI");
        let of = of.and_then(|of| CanonUrl::parse_with(of, Canon::KeepQuery).ok());
        let digest = kept.head.field("WARC-Payload-Digest").map(str::to_owned);
        let (Some(of), Some(digest)) = (of, digest) else { return Finding::Nothing };
        let message = HttpMessage::split(&kept.block);
        let (sort, directives) = (self.sort(&digest, &message, &url), self.directives(&message));
        Finding::Again(Box::new(Again { url, of, digest, sort, directives, kept }))
    }

    /// All on which it depends whether there is a page in an answer that does not forbid it.
    fn sort(&self, digest: &str, message: &HttpMessage<'_>, url: &CanonUrl) -> u64 {
        let media_type = message.header("content-type").unwrap_or_default();
        let ending = url.path().rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending = if ending.len() > ENDING_BYTES_MAX { "" } else { ending };
        let parts = [digest.as_bytes(), media_type, ending.as_bytes()];
        self.hash.hash(&parts.join(&b'\n'))
    }

    fn directives(&self, message: &HttpMessage<'_>) -> Directives {
        let named = |(key, _): &(&[u8], &[u8])| key.eq_ignore_ascii_case(b"x-robots-tag");
        let values = message.headers().filter(named).filter_map(|(_, value)| text(value));
        values.map(|value| of_header(&self.agent, value)).fold(Directives::NONE, Directives::union)
    }
}

/// Where a capture was made, if it was asked for as a page.
fn page_url(kept: &Kept) -> Option<CanonUrl> {
    let url = CanonUrl::parse_with(kept.head.url()?, Canon::KeepQuery).ok()?;
    let is_page = match kept.field("errand") {
        Some(errand) => errand == "page",
        // The first crawls did not say it.
        None => url.path() != "/robots.txt",
    };
    is_page.then_some(url)
}

/// One page that makes a parser panic keeps no other out of the index.
fn guarded(read: impl FnOnce() -> Finding) -> Finding {
    // What it leaves half done is dropped with it.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Finding::Unread)
}

/// When a capture began, in milliseconds since 1970.
pub(crate) fn fetched_ms(head: &RecordHead) -> u64 {
    head.field("WARC-Date").and_then(moment::rfc_3339).unwrap_or_default()
}

/// The body without its transfer and content encodings.
fn body(message: &HttpMessage<'_>) -> Bytes {
    let codings =
        message.headers().filter(|(key, _)| key.eq_ignore_ascii_case(b"content-encoding"));
    let codings = codings.filter_map(|(_, value)| text(value));
    rhumb_fetch::decoded(codings, message.payload().into_owned().into())
}

pub(crate) fn text(value: &[u8]) -> Option<&str> {
    std::str::from_utf8(value).ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panics_says_nothing_of_a_page() {
        let mut findings = vec![Finding::Nothing];
        let found = guarded(|| findings.remove(1));
        assert!(matches!(found, Finding::Unread), "{found:?}");
    }
}
