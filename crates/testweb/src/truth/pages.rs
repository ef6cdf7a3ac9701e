//! What a page is.

use super::{HostId, Link, PageId, Spelling};

/// What a page answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Status 200 and HTML.
    Html,
    /// Status 200 and plain text, in which nothing is a link.
    Text,
    /// A redirect.
    Redirect {
        /// 301, 302, 303, 307 or 308.
        status: u16,
        /// The page that it leads to.
        to: PageId,
        /// How Location is written.
        spelling: Spelling,
        /// Its target may lie on another host.
        abroad: bool,
    },
    /// 404, 410 or 500.
    Gone(u16),
    /// A redirect to itself until the cookie comes back, then HTML.
    Wall,
}

/// In which octets the text is written, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8, by header.
    Utf8,
    /// UTF-8, by byte order mark only.
    Utf8Bom,
    /// windows-1251, by header or by meta.
    Cyrillic(Declared),
    /// `Shift_JIS`, by header or by meta.
    Japanese(Declared),
    /// gb18030, by header or by meta.
    Chinese(Declared),
    /// UTF-16 little endian, by byte order mark.
    Utf16Le,
    /// UTF-16 big endian, by byte order mark.
    Utf16Be,
}

/// Who names the charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// Content-Type.
    Header,
    /// `<meta charset>`.
    Meta,
    /// `<meta http-equiv>`.
    HttpEquiv,
}

impl Charset {
    /// A word that only this charset's pages have.
    pub fn native_word(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf8Bom => Some("žluťoučký"),
            Self::Cyrillic(_) => Some("корабль"),
            Self::Japanese(_) => Some("航海日誌"),
            Self::Chinese(_) => Some("航海图"),
            Self::Utf16Le | Self::Utf16Be => Some("ναυσιπλοΐα"),
        }
    }
}

/// Which content coding the page is sent in where the client takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// None.
    Identity,
    /// gzip.
    Gzip,
    /// br.
    Brotli,
    /// zstd.
    Zstd,
}

/// How the end of the body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Content-Length.
    Length,
    /// Chunks.
    Chunked,
    /// Content-Length, and the connection is closed.
    LengthAndClose,
    /// Nothing but the end of the connection.
    UntilClose,
}

/// A robots directive of the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// No directive.
    None,
    /// Meta robots noindex: links are followed.
    Noindex,
    /// Meta otherbot nofollow: not for us.
    OtherbotMeta,
    /// `X-Robots-Tag: otherbot: nofollow`: not for us.
    OtherbotHeader,
    /// Meta robots nofollow.
    NofollowMeta,
    /// Meta rhumb nofollow.
    NofollowMetaRhumb,
    /// Meta robots none.
    NoneMeta,
    /// `X-Robots-Tag: nofollow`.
    NofollowHeader,
    /// `X-Robots-Tag: rhumb: nofollow`.
    NofollowHeaderRhumb,
}

pub(super) const NOFOLLOW: [Directive; 5] = [
    Directive::NofollowMeta,
    Directive::NofollowMetaRhumb,
    Directive::NoneMeta,
    Directive::NofollowHeader,
    Directive::NofollowHeaderRhumb,
];

impl Directive {
    /// The links of the page are not for `rhumb`.
    pub fn forbids_links(self) -> bool {
        NOFOLLOW.contains(&self)
    }
}

/// One page: a URL that some link, redirect or sitemap names.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "features of a page are independent")]
pub struct Page {
    /// Its origin.
    pub host: HostId,
    /// Path and query in canonical form.
    pub target: String,
    /// What it answers.
    pub kind: Kind,
    /// The links of its body.
    pub links: Vec<Link>,
    /// The origin's robots.txt disallows it.
    pub closed: bool,
    /// Named in the origin's sitemap.
    pub in_sitemap: bool,
    /// The page whose body this one repeats byte by byte; itself as a rule.
    pub body_of: PageId,
    /// The page whose text this one has but for a word; itself as a rule.
    pub text_of: PageId,
    /// Its charset.
    pub charset: Charset,
    /// Its content coding.
    pub coding: Coding,
    /// Its framing.
    pub framing: Framing,
    /// Its own robots directive.
    pub directive: Directive,
    /// Has a `<base href>`.
    pub base: bool,
    /// Is a frameset.
    pub frameset: bool,
    pub(super) is_stem: bool,
    pub(super) hidden: bool,
}

impl Page {
    /// An allowed HTML page with links: others hang on it, and chance adds more links.
    pub fn is_ordinary(&self) -> bool {
        self.is_stem
    }

    /// The status of its answer.
    pub fn status(&self) -> u16 {
        match self.kind {
            Kind::Html | Kind::Text | Kind::Wall => 200,
            Kind::Redirect { status, .. } | Kind::Gone(status) => status,
        }
    }
}
