//! What a page says about itself: description, author, dates, languages, `OpenGraph`, schema.org.
//!
//! [`Clues`] are gathered while the page goes by; [`About`] is what they come to.

mod date;
mod schema;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rhumb_web::{Canon, CanonUrl};
use serde::Serialize;

use crate::entities::{Place, decode};
use crate::scan::Tag;
use crate::words::Words;
pub use schema::Schema;

/// How much of a value is kept.
const VALUE_BYTES_MAX: usize = 4096;
/// How much of a name is kept.
const NAME_BYTES_MAX: usize = 256;
/// The most metas, and the most dates, that are looked at.
const CLUES_MAX: usize = 256;
/// The most languages that a page is said to be in.
const HREFLANG_MAX: usize = 512;

/// What a page says about itself; what it does not say is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// What it is about, in a sentence or two.
    pub description: Option<String>,
    /// Who wrote it; several names have a comma between them.
    pub author: Option<String>,
    /// When it came out: an RFC 3339 date, or a time in UTC where a zone is told.
    pub published: Option<String>,
    /// When it was changed last, likewise.
    pub modified: Option<String>,
    /// The same page in other languages: each tag in lower case and the address.
    pub hreflang: Vec<(String, CanonUrl)>,
    /// What it says to those who show links to it.
    pub open_graph: OpenGraph,
    /// What it says in the vocabulary of schema.org.
    pub schema: Schema,
}

impl About {
    /// What says nothing.
    pub const NONE: Self = Self {
        description: None,
        author: None,
        published: None,
        modified: None,
        hreflang: Vec::new(),
        open_graph: OpenGraph::NONE,
        schema: Schema::NONE,
    };
}

/// The basic properties of `OpenGraph`, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OpenGraph {
    /// `og:title`.
    pub title: Option<String>,
    /// `og:type`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// `og:url`.
    pub url: Option<String>,
    /// `og:image`.
    pub image: Option<String>,
    /// `og:description`.
    pub description: Option<String>,
    /// `og:site_name`.
    pub site_name: Option<String>,
    /// `og:locale`.
    pub locale: Option<String>,
}

impl OpenGraph {
    /// What says nothing.
    pub const NONE: Self = Self {
        title: None,
        kind: None,
        url: None,
        image: None,
        description: None,
        site_name: None,
        locale: None,
    };
}

/// What may become part of [`About`], as a page shows it.
#[derive(Default)]
pub(crate) struct Clues<'a> {
    title: Option<&'a str>,
    base: Option<Cow<'a, str>>,
    /// The language of the `html` element.
    pub(crate) html_language: Option<Cow<'a, str>>,
    /// Name and content.
    metas: Vec<(String, Cow<'a, str>)>,
    hreflang: Vec<(String, Cow<'a, str>)>,
    /// What a date is of, and how it is written.
    dates: Vec<(DateOf, &'a str)>,
    json_ld: Vec<&'a str>,
    types: Vec<&'a str>,
    /// The node that has an author's name.
    pub(crate) author_place: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateOf {
    Published,
    Modified,
    /// Some date.
    Unknown,
}

impl<'a> Clues<'a> {
    /// Takes the inside of a title in.
    pub(crate) fn title(&mut self, title: &'a str) {
        self.title.get_or_insert(title);
    }

    /// The text of the title.
    pub(crate) fn title_text(&self) -> String {
        let title = self.title.unwrap_or_default();
        Words::of(&decode(title, Place::Text), VALUE_BYTES_MAX)
    }

    /// Takes the inside of a script that is JSON-LD in.
    pub(crate) fn json_ld(&mut self, data: &'a str) {
        if self.json_ld.len() < schema::SCRIPTS_MAX {
            self.json_ld.push(data);
        }
    }

    /// Takes a start tag in, and says whether its text is wanted as that of the node at this place.
    pub(crate) fn element(&mut self, tag: &Tag<'a, '_>, place: usize) -> bool {
        match tag.name.known() {
            b"meta" => {
                self.meta(tag);
                return false;
            }
            b"link" => {
                self.link(tag);
                return false;
            }
            b"base" if self.base.is_none() => self.base = tag.value("href"),
            b"html" if self.html_language.is_none() => {
                self.html_language = tag.value("lang").or_else(|| tag.value("xml:lang"));
            }
            _ => {}
        }
        let mut date_of = None;
        for (name, value) in tag.attributes {
            match name.len() {
                3 if name.eq_ignore_ascii_case("rel") && tag.lists("rel", "author") => {
                    self.author_place.get_or_insert(place);
                }
                8 if name.eq_ignore_ascii_case("itemprop") => match *value {
                    "author" | "creator" => {
                        self.author_place.get_or_insert(place);
                    }
                    "datePublished" | "dateCreated" => date_of = Some(DateOf::Published),
                    "dateModified" => date_of = Some(DateOf::Modified),
                    _ => {}
                },
                8 if name.eq_ignore_ascii_case("itemtype") && self.types.len() < CLUES_MAX => {
                    self.types.push(value);
                }
                _ => {}
            }
        }
        let is_time = tag.name.known() == b"time";
        if (is_time || date_of.is_some())
            && self.dates.len() < CLUES_MAX
            && let Some(date) = tag.raw("datetime").or_else(|| tag.raw("content"))
        {
            let of_time =
                if tag.raw("pubdate").is_some() { DateOf::Published } else { DateOf::Unknown };
            self.dates.push((date_of.unwrap_or(of_time), date));
        }
        self.author_place == Some(place)
    }

    fn meta(&mut self, tag: &Tag<'a, '_>) {
        let keys = ["name", "property", "itemprop", "http-equiv"];
        if self.metas.len() < CLUES_MAX
            && let Some(key) = keys.iter().find_map(|key| tag.raw(key))
            && let Some(content) = tag.value("content")
        {
            let key = Words::of(key, NAME_BYTES_MAX).to_ascii_lowercase();
            self.metas.push((key, content));
        }
    }

    fn link(&mut self, tag: &Tag<'a, '_>) {
        if self.hreflang.len() < HREFLANG_MAX
            && tag.lists("rel", "alternate")
            && let Some(language) = tag.raw("hreflang")
            && let Some(href) = tag.value("href")
        {
            let language = Words::of(language, NAME_BYTES_MAX).to_ascii_lowercase();
            self.hreflang.push((language, href));
        }
    }

    /// The first of these metas that says something.
    fn said(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let mut metas = self.metas.iter().filter(|(key, _)| key == name);
            metas.find_map(|(_, content)| {
                let content = Words::of(content, VALUE_BYTES_MAX);
                Some(content).filter(|content| !content.is_empty())
            })
        })
    }

    fn meta_date(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let mut metas = self.metas.iter().filter(|(key, _)| key == name);
            metas.find_map(|(_, content)| date::normal(content))
        })
    }

    fn date(&self, of: DateOf) -> Option<String> {
        let mut dates = self.dates.iter().filter(|(found, _)| *found == of);
        dates.find_map(|(_, date)| date::normal(date))
    }

    /// The language that a meta declares.
    pub(crate) fn meta_language(&self) -> Option<String> {
        self.said(&["content-language", "language", "dc.language", "dcterms.language"])
    }

    /// What the clues come to, for a page at this address whose byline, if it has one, reads so.
    pub(crate) fn about(&self, url: &CanonUrl, canon: Canon, byline: Option<String>) -> About {
        let schema = Schema::of(&self.json_ld, &self.types);
        let published = schema.published.clone().or_else(|| self.meta_date(PUBLISHED));
        let published = published.or_else(|| self.date(DateOf::Published));
        let modified = schema.modified.clone().or_else(|| self.meta_date(MODIFIED));
        let author = schema.author.clone().or_else(|| self.said(AUTHOR).filter(is_name));
        let base = self.base.as_deref().and_then(|base| url.join(base, canon).ok());
        let from = base.as_ref().unwrap_or(url);
        let hreflang = self
            .hreflang
            .iter()
            .filter_map(|(language, href)| Some((language.clone(), from.join(href, canon).ok()?)));
        About {
            description: self.said(&[
                "description",
                "og:description",
                "twitter:description",
                "dc.description",
                "dcterms.description",
            ]),
            author: author.or_else(|| byline.filter(is_name)),
            published: published
                .or_else(|| self.meta_date(DATED))
                .or_else(|| self.date(DateOf::Unknown)),
            modified: modified.or_else(|| self.date(DateOf::Modified)),
            hreflang: hreflang.collect(),
            open_graph: OpenGraph {
                title: self.said(&["og:title"]),
                kind: self.said(&["og:type"]),
                url: self.said(&["og:url"]),
                image: self.said(&["og:image", "og:image:url", "og:image:secure_url"]),
                description: self.said(&["og:description"]),
                site_name: self.said(&["og:site_name"]),
                locale: self.said(&["og:locale"]),
            },
            schema,
        }
    }
}

const PUBLISHED: &[&str] = &[
    "article:published_time",
    "datepublished",
    "og:article:published_time",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.created",
    "dc.date.created",
    "citation_publication_date",
    "parsely-pub-date",
    "pubdate",
];
const MODIFIED: &[&str] = &[
    "article:modified_time",
    "datemodified",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
    "last-modified",
    "revised",
];
/// Dates that do not say of what.
const DATED: &[&str] = &["dcterms.date", "dc.date", "date"];
const AUTHOR: &[&str] = &[
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "parsely-author",
    "twitter:creator",
];

/// Whether a text can be the name of an author: no address, no number, no essay.
#[expect(clippy::ptr_arg, reason = "it is a filter of owned texts")]
fn is_name(text: &String) -> bool {
    text.len() <= NAME_BYTES_MAX
        && !text.contains("://")
        && text.chars().any(char::is_alphabetic)
        && !text.starts_with('@')
}
