//! A document as it is handed to tantivy, and as it is kept there to be shown and added again.

use std::iter::{Empty, Map};
use std::slice;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rhumb_web::{CanonUrl, UrlKey};
use serde::{Deserialize, Serialize};
use tantivy::schema::Field;
use tantivy::schema::document::{
    Document as TantivyDocument, ReferenceValue, ReferenceValueLeaf, Value,
};

use crate::{Document, Place};

/// What is kept of a title.
const TITLE_BYTES: usize = 4 << 10;
/// What is kept of a description.
const DESCRIPTION_BYTES: usize = 4 << 10;
/// What is kept of a heading.
const HEADING_BYTES: usize = 1 << 10;
/// Headings that are kept.
const HEADINGS_MAX: usize = 256;
/// What is kept of a text.
const MAIN_BYTES: usize = 1 << 20;

/// What tantivy keeps of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) key: UrlKey,
    pub(crate) url: CanonUrl,
    pub(crate) title: Option<String>,
    pub(crate) headings: Vec<String>,
    pub(crate) description: Option<String>,
    pub(crate) main: String,
    pub(crate) language: Option<String>,
    pub(crate) kind: String,
    pub(crate) fetched_ms: u64,
    pub(crate) dated_ms: Option<i64>,
    pub(crate) place: Place,
    pub(crate) digest: Option<String>,
    pub(crate) no_snippet: bool,
    pub(crate) no_archive: bool,
    pub(crate) original: Option<UrlKey>,
    pub(crate) sinks: bool,
}

impl Kept {
    /// All but the links, and of texts that have no end their beginning.
    pub(crate) fn new(document: Document) -> Self {
        let mut headings = document.headings;
        headings.truncate(HEADINGS_MAX);
        for heading in &mut headings {
            cut(heading, HEADING_BYTES);
        }
        let short = |mut text: String, bytes| {
            cut(&mut text, bytes);
            text
        };
        Self {
            key: document.key,
            url: document.url,
            title: document.title.map(|title| short(title, TITLE_BYTES)),
            headings,
            description: document.description.map(|text| short(text, DESCRIPTION_BYTES)),
            main: short(document.main, MAIN_BYTES),
            language: document.language,
            kind: document.kind,
            fetched_ms: document.fetched_ms,
            dated_ms: document.dated_ms,
            place: document.place,
            digest: document.digest,
            no_snippet: document.no_snippet,
            no_archive: document.no_archive,
            original: document.original.filter(|original| *original != document.key),
            sinks: document.sinks,
        }
    }

    /// As it came, but without links.
    pub(crate) fn into_document(self) -> Document {
        Document {
            key: self.key,
            url: self.url,
            title: self.title,
            headings: self.headings,
            description: self.description,
            main: self.main,
            language: self.language,
            kind: self.kind,
            fetched_ms: self.fetched_ms,
            dated_ms: self.dated_ms,
            place: self.place,
            digest: self.digest,
            no_snippet: self.no_snippet,
            no_archive: self.no_archive,
            original: self.original,
            sinks: self.sinks,
            links: Vec::new(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Arc<[u8]> {
        postcard::to_stdvec(self).expect("plain data can be written").into()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

/// Cuts a text between two characters.
pub(crate) fn cut(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes));
    }
}

/// A value of a field.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    Unsigned(u64),
    Signed(i64),
    Bytes(Arc<[u8]>),
}

impl<'a> Value<'a> for &'a Cell {
    type ArrayIter = Empty<Self>;
    type ObjectIter = Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match self {
            Cell::Text(text) => ReferenceValueLeaf::Str(text),
            Cell::Unsigned(number) => ReferenceValueLeaf::U64(*number),
            Cell::Signed(number) => ReferenceValueLeaf::I64(*number),
            Cell::Bytes(bytes) => ReferenceValueLeaf::Bytes(bytes),
        })
    }
}

/// A document on its way through tantivy's queue.
#[derive(Debug)]
pub(crate) struct Entry {
    cells: Vec<(Field, Cell)>,
    bytes: usize,
    queue: Arc<Queue>,
}

impl Entry {
    /// Waits until the queue has room.
    pub(crate) fn new(cells: Vec<(Field, Cell)>, queue: Arc<Queue>) -> Self {
        let bytes = cells.iter().map(|(_, cell)| match cell {
            Cell::Text(text) => text.len(),
            Cell::Bytes(bytes) => bytes.len(),
            Cell::Unsigned(_) | Cell::Signed(_) => size_of::<u64>(),
        });
        let bytes = bytes.sum();
        queue.enter(bytes);
        Self { cells, bytes, queue }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.queue.leave(self.bytes);
    }
}

type Cells<'a> = Map<slice::Iter<'a, (Field, Cell)>, fn(&'a (Field, Cell)) -> (Field, &'a Cell)>;

impl TantivyDocument for Entry {
    type Value<'a> = &'a Cell;
    type FieldsValuesIter<'a> = Cells<'a>;

    fn iter_fields_and_values(&self) -> Cells<'_> {
        self.cells.iter().map(|(field, cell)| (*field, cell))
    }
}

/// Bytes that wait for tantivy's thread: its own queue is bounded by documents only, and ten
/// thousand of them may be large.
#[derive(Debug)]
pub(crate) struct Queue {
    bytes: Mutex<usize>,
    left: Condvar,
    bytes_max: usize,
}

impl Queue {
    pub(crate) fn new(bytes_max: usize) -> Arc<Self> {
        Arc::new(Self { bytes: Mutex::new(0), left: Condvar::new(), bytes_max })
    }

    fn enter(&self, bytes: usize) {
        let held = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is too large for the queue has it for itself.
        let mut held = self
            .left
            .wait_while(held, |held| *held > 0 && *held + bytes > self.bytes_max)
            .unwrap_or_else(PoisonError::into_inner);
        *held += bytes;
    }

    fn leave(&self, bytes: usize) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.left.notify_all();
    }
}
