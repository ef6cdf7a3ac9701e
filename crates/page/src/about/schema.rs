//! The basics of schema.org: JSON-LD, and the types of microdata.

use serde::Serialize;
use serde_json::Value;

use super::{NAME_BYTES_MAX, VALUE_BYTES_MAX, date};
use crate::words::Words;

/// The most scripts of JSON-LD that are looked at.
pub(super) const SCRIPTS_MAX: usize = 16;
/// The most bytes of them together.
const BYTES_MAX: usize = 256 * 1024;
/// The most objects that are looked at.
const OBJECTS_MAX: usize = 1_000;
/// The most types that are kept, and the most authors that are named.
const NAMES_MAX: usize = 16;

/// What a page says in the vocabulary of schema.org.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Schema {
    /// The types of its things, each once, in the page's order.
    pub types: Vec<String>,
    /// The headline.
    pub headline: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it came out.
    pub published: Option<String>,
    /// When it was changed last.
    pub modified: Option<String>,
}

impl Schema {
    /// What says nothing.
    pub const NONE: Self =
        Self { types: Vec::new(), headline: None, author: None, published: None, modified: None };

    pub(super) fn of(scripts: &[&str], itemtypes: &[&str]) -> Self {
        let mut schema = Self::default();
        let mut room = BYTES_MAX;
        for script in scripts {
            let Some(left) = room.checked_sub(script.len()) else { continue };
            room = left;
            // What holds no JSON holds nothing for us.
            if let Ok(value) = serde_json::from_str::<Value>(bare(script)) {
                schema.take(&value);
            }
        }
        for itemtype in itemtypes {
            itemtype.split_ascii_whitespace().for_each(|name| schema.add_type(name));
        }
        schema
    }

    /// Takes the objects of a script in, the outer ones first.
    fn take(&mut self, value: &Value) {
        let mut queue = vec![value];
        let mut next = 0;
        while let Some(value) = queue.get(next).copied().filter(|_| next < OBJECTS_MAX) {
            next += 1;
            let Value::Object(object) = value else {
                queue.extend(value.as_array().into_iter().flatten().take(OBJECTS_MAX));
                continue;
            };
            queue.extend(object.get("@graph"));
            queue.extend(object.get("mainEntity"));
            for name in texts(object.get("@type")) {
                self.add_type(name);
            }
            let text = |key: &str| object.get(key).and_then(Value::as_str);
            let tidy = |text: &str| Words::of(text, VALUE_BYTES_MAX);
            self.headline = self.headline.take().or_else(|| text("headline").map(tidy));
            let dated = |key: &str| text(key).and_then(date::normal);
            self.published = self.published.take().or_else(|| dated("datePublished"));
            self.modified = self.modified.take().or_else(|| dated("dateModified"));
            self.author = self.author.take().or_else(|| names(object.get("author")?));
        }
    }

    fn add_type(&mut self, name: &str) {
        let name = name.trim_end_matches('/').rsplit(['/', '#', ':']).next().unwrap_or_default();
        let is_new = !name.is_empty() && self.types.iter().all(|known| known != name);
        if is_new && self.types.len() < NAMES_MAX {
            self.types.push(Words::of(name, NAME_BYTES_MAX));
        }
    }
}

/// The JSON in a script without what old pages put around it.
fn bare(script: &str) -> &str {
    let script = script.trim_ascii();
    let script = script.strip_prefix("<!--").unwrap_or(script);
    let script = script.strip_suffix("-->").unwrap_or(script).trim_ascii();
    let script = script.trim_start_matches("//").trim_ascii_start();
    let script = script.strip_prefix("<![CDATA[").unwrap_or(script);
    let script = script.strip_suffix("]]>").unwrap_or(script).trim_ascii();
    script.trim_end_matches("//")
}

/// A text, or the texts of a list.
fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice);
    let one = value.map(std::slice::from_ref);
    list.or(one).unwrap_or_default().iter().filter_map(Value::as_str)
}

/// The names of authors, who are texts or objects, one or many.
fn names(authors: &Value) -> Option<String> {
    let list = authors.as_array().map_or(std::slice::from_ref(authors), Vec::as_slice);
    let names =
        list.iter().filter_map(|author| author.as_str().or_else(|| author.get("name")?.as_str()));
    let names: Vec<String> = names
        .map(|name| Words::of(name, NAME_BYTES_MAX))
        .filter(|name| !name.is_empty() && !name.contains("://"))
        .take(NAMES_MAX)
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}
