//! Feeds in JSON, by jsonfeed.org 1.1.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::{ENTRIES_MAX, Entry, FIELD_BYTES_MAX, Sitemap, SitemapKind};
use crate::words::cut;
use rhumb_web::URL_BYTES_MAX;

/// What every version of the format begins its name with.
const VERSION: &str = "jsonfeed.org/version/";

/// Reads a feed; nothing where the text is none.
pub(super) fn read(text: &str) -> Option<Sitemap> {
    memchr::memmem::find(text.as_bytes(), VERSION.as_bytes())?;
    let feed: Feed = serde_json::from_str(text).ok()?;
    feed.version.contains(VERSION).then_some(())?;
    let mut list = Sitemap { kind: SitemapKind::Json, entries: Vec::new(), cut: feed.items.cut };
    for item in feed.items.kept {
        let lastmod = item.date_modified.or(item.date_published);
        let lastmod = lastmod.map(|date| cut(&date, FIELD_BYTES_MAX).to_owned());
        // An item without an address of its own is often called by it.
        let own = item.url.or_else(|| item.id.filter(|id| id.starts_with("http")));
        for loc in [own, item.external_url].into_iter().flatten() {
            push(&mut list, loc, lastmod.clone());
        }
    }
    if let Some(next) = feed.next_url {
        push(&mut list, next, None);
    }
    Some(list)
}

fn push(list: &mut Sitemap, loc: String, lastmod: Option<String>) {
    if list.entries.len() == ENTRIES_MAX {
        list.cut = true;
    } else if loc.len() <= URL_BYTES_MAX {
        list.entries.push(Entry { loc, lastmod, ..Entry::default() });
    }
}

#[derive(Deserialize)]
struct Feed {
    version: String,
    #[serde(default)]
    items: Items,
    next_url: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default, deserialize_with = "string")]
    id: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    date_modified: Option<String>,
    date_published: Option<String>,
}

/// An id may be a number by mistake; then it is no address.
fn string<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    let value = serde_json::Value::deserialize(source)?;
    Ok(value.as_str().map(ToOwned::to_owned))
}

/// The items up to the maximum.
#[derive(Default)]
struct Items {
    kept: Vec<Item>,
    cut: bool,
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_seq(Take)
    }
}

struct Take;

impl<'de> Visitor<'de> for Take {
    type Value = Items;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Items, A::Error> {
        let mut items = Items::default();
        while items.kept.len() < ENTRIES_MAX {
            match list.next_element()? {
                Some(item) => items.kept.push(item),
                None => return Ok(items),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {
            items.cut = true;
        }
        Ok(items)
    }
}
