//! What the index takes in, and how far it has read.

use rhumb_web::{CanonUrl, UrlKey};
use serde::{Deserialize, Serialize};

/// A page as it is to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The key of its URL.
    pub key: UrlKey,
    /// Where it was found.
    pub url: CanonUrl,
    /// Its title.
    pub title: Option<String>,
    /// Its headings, in their order.
    pub headings: Vec<String>,
    /// What it says of itself in a sentence.
    pub description: Option<String>,
    /// Its text without what the site puts around it.
    pub main: String,
    /// The primary tag of its language, in lower case.
    pub language: Option<String>,
    /// What it is: `html`, `text`, `pdf`, `docx` and so on.
    pub kind: String,
    /// When it was fetched, in milliseconds since 1970.
    pub fetched_ms: u64,
    /// The day of its last change or its publication, as it says itself; milliseconds since 1970.
    pub dated_ms: Option<i64>,
    /// Where its record lies in the archive.
    pub place: Place,
    /// The digest of its payload, as the archive writes it.
    pub digest: Option<String>,
    /// It asks that none of its text be shown.
    pub no_snippet: bool,
    /// It asks that no copy of it be shown.
    pub no_archive: bool,
    /// The page that had the same before, if one had.
    pub original: Option<UrlKey>,
    /// It is made to be found and not to be read: its score sinks.
    pub sinks: bool,
    /// Where it leads.
    pub links: Vec<OutLink>,
}

/// A link that counts: not `nofollow`, and not to the page itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutLink {
    /// The key of where it leads.
    pub key: UrlKey,
    /// Its text.
    pub text: String,
}

/// Where a record lies in the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The serial number of its file.
    pub serial: u32,
    /// Where it begins in it.
    pub offset: u64,
}

/// How far the index has read its crawl: kept in each of its commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The file of the archive.
    pub serial: u32,
    /// How much of it was read.
    pub end: u64,
    /// Whether all verdicts on duplicates that the crawl had at that moment are in it.
    pub is_settled: bool,
    /// How far the files of the archive reached when it was settled.
    #[serde(default)]
    pub reach: Place,
    /// How far the log of the crawl reached then, in bytes.
    #[serde(default)]
    pub log_end: u64,
}
