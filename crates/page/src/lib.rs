//! What a body says: its charset, its links and text, the entries of a sitemap or feed.
//!
//! [`read_links()`] is the door for a crawl, [`read()`] for who wants the text as well,
//! [`read_article()`] for the document in a page and what it says about itself, [`read_whole()`] for
//! that and the links; [`charset()`], [`scan()`] and [`sitemap()`] are their parts, and [`mark()`] tells pages that are
//! not what was asked for, [`spam()`] what is made to be found. Whatever bytes come, something
//! comes out: broken markup yields what could be read, and everything that a page can make large
//! has a named maximum.
//!
//! This room never fetches, never runs a script, reads no clock and judges nothing: what a robots
//! meta means is for `rules`. It follows the HTML, Encoding and MIME Sniffing standards of the
//! WHATWG, the sitemap protocol 0.9, RSS and RFC 4287 (Atom).

mod about;
mod article;
mod charset;
mod entities;
mod frequent;
mod language;
mod marks;
mod mime;
mod read;
mod scan;
mod sitemap;
mod spam;
mod words;

pub use about::{About, OpenGraph, Schema};
pub use article::{Article, HEADINGS_MAX, article, main_text};
pub use charset::{Charset, CharsetFrom, charset, decode};
pub use language::{Language, LanguageFrom};
pub use marks::{Facts, mark};
pub use mime::Mime;
pub use read::{Format, Page, read, read_article, read_links, read_whole};
pub use scan::{Concealed, LINKS_MAX, Scan, TEXT_BYTES_MAX, refresh_target, scan};
pub use sitemap::{ENTRIES_MAX, Entry, INFLATED_BYTES_MAX, Sitemap, SitemapKind, sitemap};
pub use spam::{Spam, leads_to, spam};
