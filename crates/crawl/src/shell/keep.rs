//! What is kept of a page: one JSON object a line, in `pages.jsonl`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use rhumb_web::{CanonUrl, Link};
use serde::Serialize;

/// Digests that are remembered to name duplicates.
const DIGESTS_MAX: usize = 1_000_000;

/// A page as it is kept.
#[derive(Debug, Serialize)]
pub struct PageRecord {
    /// Where.
    pub url: CanonUrl,
    /// The status.
    pub status: u16,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// The media type that the server named.
    #[serde(rename = "type")]
    pub media_type: Option<String>,
    /// The charset by which it was read.
    pub charset: Option<&'static str>,
    /// The language that it declares.
    pub language: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its visible text.
    pub text: Option<String>,
    /// Its links.
    pub links: Vec<Link>,
    /// `sha1:` and base 32, over the body.
    pub digest: String,
    /// The page that had the same body first.
    pub duplicate_of: Option<CanonUrl>,
    /// Whether the body is whole; one that was cut is nobody's duplicate.
    #[serde(skip)]
    pub is_whole: bool,
}

/// The file of pages.
#[derive(Debug)]
pub(super) struct Keeper {
    file: BufWriter<File>,
    digests: HashMap<String, CanonUrl>,
    pub(super) duplicates: u64,
}

impl Keeper {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { file: BufWriter::new(file), digests: HashMap::new(), duplicates: 0 })
    }

    pub(super) fn keep(&mut self, mut page: PageRecord) -> std::io::Result<()> {
        if page.is_whole {
            page.duplicate_of = self.digests.get(&page.digest).cloned();
            self.duplicates += u64::from(page.duplicate_of.is_some());
            if page.duplicate_of.is_none() && self.digests.len() < DIGESTS_MAX {
                self.digests.insert(page.digest.clone(), page.url.clone());
            }
        }
        serde_json::to_writer(&mut self.file, &page)?;
        self.file.write_all(b"\n")
    }

    pub(super) fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
