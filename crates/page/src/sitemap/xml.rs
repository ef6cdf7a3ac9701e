//! The XML kinds of list. Nothing is expanded but the five predefined entities and numbers.

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use rhumb_web::URL_BYTES_MAX;

use super::{ALTERNATES_MAX, DEPTH_MAX, ENTRIES_MAX, Entry, FIELD_BYTES_MAX, Sitemap, SitemapKind};
use crate::words::cut;

/// Reads a document; what came before an error is kept.
pub(super) fn read(text: &str) -> Option<Sitemap> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut state: Option<State> = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => match &mut state {
                Some(state) => state.start(&tag),
                None => state = Some(State::new(root_kind(&tag)?)),
            },
            Ok(Event::Empty(tag)) => match &mut state {
                Some(state) => {
                    state.start(&tag);
                    state.end();
                }
                None => return root_kind(&tag).map(|kind| State::new(kind).finish(false)),
            },
            Ok(Event::End(_)) => {
                if let Some(state) = &mut state {
                    state.end();
                }
            }
            Ok(Event::Text(text)) => push(&mut state, &text.xml10_content()),
            Ok(Event::CData(text)) => push(&mut state, &text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => push(&mut state, &resolved(&reference)),
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) => return state.map(|state| state.finish(false)),
            Err(_) => return state.map(|state| state.finish(true)),
        }
        if state.as_ref().is_some_and(State::is_full) {
            return state.map(|state| state.finish(true));
        }
    }
}

fn push(state: &mut Option<State>, piece: &str) {
    if let Some(state) = state {
        state.text(piece);
    }
}

fn root_kind(tag: &BytesStart<'_>) -> Option<SitemapKind> {
    match tag.local_name().as_ref() {
        "urlset" => Some(SitemapKind::Pages),
        "sitemapindex" => Some(SitemapKind::Index),
        "rss" | "RDF" => Some(SitemapKind::Rss),
        "feed" => Some(SitemapKind::Atom),
        _ => None,
    }
}

fn resolved(reference: &BytesRef<'_>) -> String {
    match reference.resolve_char_ref() {
        Ok(Some(char)) => char.to_string(),
        Ok(None) => resolve_xml_entity(&reference.xml10_content()).unwrap_or("").to_owned(),
        Err(_) => String::new(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    Lastmod,
    Changefreq,
    Priority,
    /// The stand-in for a link that an RSS item lacks.
    Guid,
}

struct State {
    kind: SitemapKind,
    /// Open elements below the root.
    depth: usize,
    /// The entry under way and the depth of its element.
    entry: Option<(usize, Entry)>,
    guid: Option<String>,
    field: Option<Field>,
    value: String,
    entries: Vec<Entry>,
}

impl State {
    fn new(kind: SitemapKind) -> Self {
        Self {
            kind,
            depth: 0,
            entry: None,
            guid: None,
            field: None,
            value: String::new(),
            entries: Vec::new(),
        }
    }

    /// Whether a maximum ends the reading here.
    fn is_full(&self) -> bool {
        self.entries.len() == ENTRIES_MAX || self.depth > DEPTH_MAX
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        self.depth += 1;
        let local = tag.local_name();
        let name = local.as_ref();
        let item = match self.kind {
            SitemapKind::Pages => "url",
            SitemapKind::Index => "sitemap",
            SitemapKind::Atom => "entry",
            SitemapKind::Rss | SitemapKind::Text | SitemapKind::Json => "item",
        };
        if name == item {
            self.close_entry();
            self.entry = Some((self.depth, Entry::default()));
            return;
        }
        // Deeper ones speak of something else: an image's loc, the feed that an entry came from.
        let direct = self.entry.as_ref().is_some_and(|(depth, _)| self.depth == depth + 1);
        if !direct {
            return;
        }
        if name == "link" && self.kind != SitemapKind::Rss {
            return self.link(tag);
        }
        self.value.clear();
        self.field = match (self.kind, name) {
            (SitemapKind::Pages | SitemapKind::Index, "loc") => Some(Field::Loc),
            (SitemapKind::Rss, "link") if attribute(tag, "href").is_none() => Some(Field::Loc),
            (SitemapKind::Rss, "guid") => {
                let permanent = attribute(tag, "isPermaLink").is_none_or(|value| value != "false");
                permanent.then_some(Field::Guid)
            }
            (SitemapKind::Atom, "updated")
            | (SitemapKind::Rss, "pubDate" | "date")
            | (_, "lastmod") => Some(Field::Lastmod),
            (SitemapKind::Atom, "published") if !self.has_lastmod() => Some(Field::Lastmod),
            (_, "changefreq") => Some(Field::Changefreq),
            (_, "priority") => Some(Field::Priority),
            _ => None,
        };
    }

    fn has_lastmod(&self) -> bool {
        self.entry.as_ref().is_some_and(|(_, entry)| entry.lastmod.is_some())
    }

    /// A link element of Atom, or a translation in a sitemap.
    fn link(&mut self, tag: &BytesStart<'_>) {
        let Some(((_, entry), href)) = self.entry.as_mut().zip(attribute(tag, "href")) else {
            return;
        };
        if href.len() > URL_BYTES_MAX || !is_alternate(tag) {
            return;
        }
        if self.kind == SitemapKind::Atom {
            if entry.loc.is_empty() {
                href.trim().clone_into(&mut entry.loc);
            }
        } else if entry.alternates.len() < ALTERNATES_MAX {
            entry.alternates.push(href.trim().to_owned());
        }
    }

    fn text(&mut self, piece: &str) {
        // One byte beyond the maximum is enough to know that it is too long.
        if self.field.is_some() && self.value.len() <= URL_BYTES_MAX {
            let room = URL_BYTES_MAX + 1 - self.value.len();
            self.value.push_str(cut(piece, room));
        }
    }

    fn end(&mut self) {
        if let Some(field) = self.field.take() {
            self.keep(field);
        }
        if self.entry.as_ref().is_some_and(|(depth, _)| *depth >= self.depth) {
            self.close_entry();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn keep(&mut self, field: Field) {
        let value = self.value.trim();
        let Some((_, entry)) = self.entry.as_mut().filter(|_| !value.is_empty()) else {
            return;
        };
        let short = || Some(cut(value, FIELD_BYTES_MAX).to_owned());
        match field {
            Field::Loc if value.len() <= URL_BYTES_MAX => value.clone_into(&mut entry.loc),
            Field::Guid if value.starts_with("http") && value.len() <= URL_BYTES_MAX => {
                self.guid = Some(value.to_owned());
            }
            Field::Loc | Field::Guid => {}
            Field::Lastmod => entry.lastmod = short(),
            Field::Changefreq => entry.changefreq = short(),
            Field::Priority => entry.priority = short(),
        }
    }

    fn close_entry(&mut self) {
        let guid = self.guid.take();
        let Some((_, mut entry)) = self.entry.take() else {
            return;
        };
        if entry.loc.is_empty() {
            entry.loc = guid.unwrap_or_default();
        }
        if !entry.loc.is_empty() && self.entries.len() < ENTRIES_MAX {
            self.entries.push(entry);
        }
    }

    fn finish(mut self, cut: bool) -> Sitemap {
        self.close_entry();
        Sitemap { kind: self.kind, entries: self.entries, cut }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.html_attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let found = attributes.find(|attribute| attribute.key.as_ref() == name)?;
    let raw: &str = &found.value;
    let known = |name: &str| resolve_xml_entity(name);
    let plain = quick_xml::escape::unescape_with(raw, known);
    Some(plain.map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned))
}

fn is_alternate(tag: &BytesStart<'_>) -> bool {
    attribute(tag, "rel").is_none_or(|rel| rel == "alternate")
}
