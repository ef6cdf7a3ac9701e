//! Feeds in JSON, by jsonfeed.org 1.1.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{ENTRIES_MAX, Entry, FIELD_BYTES_MAX, Sitemap, SitemapKind};
use crate::words::cut;
use rhumb_web::URL_BYTES_MAX;

/// What is in the name of every version of the format, however its slashes are written.
const VERSION: &str = "jsonfeed.org";

/// Reads a feed; nothing where the text is none. Of one that was cut, what came before the cut.
pub(super) fn read(text: &str) -> Option<Sitemap> {
    memchr::memmem::find(text.as_bytes(), VERSION.as_bytes())?;
    let list = Sitemap { kind: SitemapKind::Json, entries: Vec::new(), cut: false };
    let mut feed = Feed { list, is_known: false };
    let mut source = serde_json::Deserializer::from_str(text);
    let end = source.deserialize_map(Fields(&mut feed));
    feed.list.cut |= end.is_err();
    feed.is_known.then_some(feed.list)
}

/// What is read of a feed so far.
struct Feed {
    list: Sitemap,
    is_known: bool,
}

impl Feed {
    fn push(&mut self, loc: &str, lastmod: Option<&str>) {
        if self.list.entries.len() == ENTRIES_MAX {
            self.list.cut = true;
        } else if loc.len() <= URL_BYTES_MAX {
            let lastmod = lastmod.map(|date| cut(date, FIELD_BYTES_MAX).to_owned());
            self.list.entries.push(Entry { loc: loc.to_owned(), lastmod, ..Entry::default() });
        }
    }

    fn take(&mut self, item: &Value) {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let lastmod = text("date_modified").or_else(|| text("date_published"));
        // An item without an address of its own is often called by it.
        let own = text("url").or_else(|| text("id").filter(|id| id.starts_with("http")));
        for loc in [own, text("external_url")].into_iter().flatten() {
            self.push(loc, lastmod);
        }
    }
}

/// The fields of a feed. Those of another type than they should have are passed over.
struct Fields<'a>(&'a mut Feed);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            match key.as_str() {
                "version" => {
                    let version: Value = fields.next_value()?;
                    self.0.is_known |= version.as_str().is_some_and(|it| it.contains(VERSION));
                }
                "items" => fields.next_value_seed(Items(self.0))?,
                "next_url" => {
                    let next: Value = fields.next_value()?;
                    if let Some(next) = next.as_str() {
                        self.0.push(next, None);
                    }
                }
                _ => drop(fields.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The items, one by one: those before a cut count.
struct Items<'a>(&'a mut Feed);

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while self.0.list.entries.len() < ENTRIES_MAX {
            match items.next_element()? {
                Some(item) => self.0.take(&item),
                None => return Ok(()),
            }
        }
        while items.next_element::<IgnoredAny>()?.is_some() {
            self.0.list.cut = true;
        }
        Ok(())
    }

    // PHP writes a list with a gap in it as an object.
    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some((_, item)) = items.next_entry::<IgnoredAny, Value>()? {
            self.0.take(&item);
        }
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}
