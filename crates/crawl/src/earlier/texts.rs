//! Whether two captures say the same, though their bytes differ.
//!
//! Many pages are never twice the same: a date, a counter, a token in a form. They have changed
//! when their words have, without digits and attributes, as everywhere else in a crawl.

use std::path::PathBuf;

use rhumb_archive::{HttpMessage, Listed, record_at};
use rhumb_likeness::Sketch;
use rhumb_web::{Canon, CanonUrl};

/// Pairs of captures whose texts are read, so that a crawl begins within seconds; of those beyond
/// the payloads decide.
const PAIRS_MAX: u32 = 10_000;
/// The longest block that is read: of a longer one the payload decides.
const BLOCK_BYTES_MAX: usize = 4 << 20;

/// The texts of some archives.
#[derive(Debug)]
pub(super) struct Texts {
    archives: Vec<PathBuf>,
    canon: Canon,
    pairs_left: u32,
}

impl Texts {
    pub(super) fn new(archives: Vec<PathBuf>, canon: Canon) -> Self {
        Self { archives, canon, pairs_left: PAIRS_MAX }
    }

    /// Whether the words of two captures of a page are the same; not, if that cannot be told.
    pub(super) fn are_same(&mut self, url: &CanonUrl, before: &Listed, after: &Listed) -> bool {
        if self.pairs_left == 0 || !is_html(before) || !is_html(after) {
            return false;
        }
        self.pairs_left -= 1;
        let words = |listed| self.words(url, listed);
        words(before).is_some_and(|before| words(after) == Some(before))
    }

    /// A digest of the words of a capture.
    fn words(&self, url: &CanonUrl, listed: &Listed) -> Option<u64> {
        let archive = &self.archives[listed.archive];
        let mut reader = record_at(archive, listed.version.place).ok()??;
        let mut record = reader.next()?.ok()?;
        usize::try_from(record.head.length).ok().filter(|length| *length <= BLOCK_BYTES_MAX)?;
        let block = record.block(BLOCK_BYTES_MAX).ok()?;
        let message = HttpMessage::split(&block);
        let text = |value| std::str::from_utf8(value).ok();
        let media_type = message.header("content-type").and_then(text);
        let codings =
            message.headers().filter(|(key, _)| key.eq_ignore_ascii_case(b"content-encoding"));
        let codings = codings.filter_map(|(_, value)| text(value));
        let body = rhumb_fetch::decoded(codings, message.payload().into_owned().into());
        let page = rhumb_page::read(&body, media_type, url, self.canon, false);
        Sketch::of(&page.scan.text).map(|sketch| sketch.blind)
    }
}

/// Where a payload lies elsewhere its type is not told.
fn is_html(listed: &Listed) -> bool {
    let media_type = listed.version.media_type.as_deref().unwrap_or_default();
    ["text/html", "application/xhtml+xml"].iter().any(|it| media_type.eq_ignore_ascii_case(it))
}
