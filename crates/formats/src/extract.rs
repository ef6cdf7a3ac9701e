//! What was read of a document, and how the reading ended.

use rhumb_page::{LINKS_MAX, Scan};
use rhumb_web::{Canon, CanonUrl, Link, LinkKind};
use serde::{Deserialize, Serialize};

/// The most bytes of all addresses of one document, as of one page.
const URLS_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What a document says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extract {
    /// How the reading ended; what was read until then is kept.
    pub end: End,
    /// Its title, as its properties name it.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its language, as written.
    pub language: Option<String>,
    /// When it was made, by RFC 3339: a moment, or a date alone.
    pub created: Option<String>,
    /// When it was changed last, likewise.
    pub modified: Option<String>,
    /// Its pages, sheets or slides.
    pub pages: Option<u32>,
    /// Its text in reading order, a line for each paragraph, row or printed line.
    pub text: String,
    /// Its links in their order.
    pub links: Vec<RawLink>,
}

/// A link as it is written in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawLink {
    /// Where it leads, not yet resolved.
    pub href: String,
    /// The text that it stands on.
    pub text: String,
}

/// How the reading of a document ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// All was read.
    #[default]
    Whole,
    /// A maximum left something out.
    Cut,
    /// Nothing was read: such a document is only kept.
    Stored,
    /// Nothing can be read without a password.
    Encrypted,
    /// It is damaged, or made by no rules that we know; says what is wrong.
    Broken(String),
    /// The reading took too long.
    TooLong,
    /// The reading took too much memory, or it unpacks to too much.
    TooLarge,
    /// We could not read it, which is no fault of the document: no reader could be started, none
    /// was free in time, or it was stopped from outside; says which.
    Unread(String),
}

impl End {
    /// Its word in all outputs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Cut => "cut",
            Self::Stored => "stored",
            Self::Encrypted => "encrypted",
            Self::Broken(_) => "broken",
            Self::TooLong => "time-limit",
            Self::TooLarge => "size-limit",
            Self::Unread(_) => "unread",
        }
    }

    pub(crate) fn broken(what: &str) -> Self {
        Self::Broken(what.to_owned())
    }
}

impl Extract {
    /// An extract without anything but its end.
    pub(crate) fn only(end: End) -> Self {
        Self { end, ..Self::default() }
    }

    /// The same in the words of a page that was found at this address: its links are resolved.
    pub fn into_scan(self, url: &CanonUrl, canon: Canon) -> Scan {
        let cut = self.end != End::Whole && self.end != End::Stored;
        let mut scan = Scan {
            title: self.title,
            language: self.language,
            text: self.text,
            cut,
            ..Scan::default()
        };
        let mut room = URLS_BYTES_MAX;
        for RawLink { href, text } in self.links.into_iter().take(LINKS_MAX) {
            match url.join(&href, canon) {
                Ok(url) if url.as_str().len() <= room => {
                    room -= url.as_str().len();
                    scan.links.push(Link { url, kind: LinkKind::A, text, nofollow: false });
                }
                Ok(_) => scan.cut = true,
                Err(error) => scan.bad_links.push((href, error)),
            }
        }
        scan
    }
}
