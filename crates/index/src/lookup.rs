//! Documents of a commit by their keys.

use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::store::StoreReader;
use tantivy::{DocAddress, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError};

use crate::entry::Kept;

/// All live documents with this number in a field; none has more than a few.
pub(crate) fn having(
    searcher: &Searcher,
    field: Field,
    number: u64,
) -> Result<Vec<DocAddress>, TantivyError> {
    let term = Term::from_field_u64(field, number);
    let mut found = Vec::new();
    for (segment, reader) in (0..).zip(searcher.segment_readers()) {
        let words = reader.inverted_index(field)?;
        let Some(mut postings) = words.read_postings(&term, IndexRecordOption::Basic)? else {
            continue;
        };
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if !reader.is_deleted(doc) {
                found.push(DocAddress::new(segment, doc));
            }
            doc = postings.advance();
        }
    }
    Ok(found)
}

/// Blocks of stored documents that are held of each segment.
const BLOCKS_HELD: usize = 8;
/// The last byte of a number of tantivy's has this bit, and the others have not.
const LAST: u8 = 0x80;
/// What goes before a value: its field, of four bytes, and the code of its type.
const LABEL_BYTES: usize = 5;

/// The stored documents of a commit, each of which has one value: what is kept of it. tantivy
/// itself would read that byte by byte, which took a sixth of a search.
pub(crate) struct Stores(Vec<StoreReader>);

impl Stores {
    pub(crate) fn of(searcher: &Searcher) -> Result<Self, TantivyError> {
        let open = |reader: &SegmentReader| reader.get_store_reader(BLOCKS_HELD);
        let stores = searcher.segment_readers().iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self(stores))
    }

    /// What is kept of a document.
    pub(crate) fn kept(&self, address: DocAddress) -> Result<Kept, TantivyError> {
        self.read(address, unpack)?
    }

    /// The bytes that are kept of a document.
    pub(crate) fn kept_bytes(&self, address: DocAddress) -> Result<Vec<u8>, TantivyError> {
        self.read(address, <[u8]>::to_vec)
    }

    fn read<T>(&self, address: DocAddress, f: impl FnOnce(&[u8]) -> T) -> Result<T, TantivyError> {
        let damaged = || TantivyError::InternalError("a document has nothing kept".to_owned());
        let at = usize::try_from(address.segment_ord).map_err(|_| damaged())?;
        let store = self.0.get(at).ok_or_else(damaged)?;
        let document = store.get_document_bytes(address.doc_id)?;
        value(document.as_slice()).map(f).ok_or_else(damaged)
    }
}

/// The one value of a document: a count of values, a label, a length, and as many bytes.
fn value(document: &[u8]) -> Option<&[u8]> {
    let (1, rest) = number(document)? else { return None };
    let (length, rest) = number(rest.get(LABEL_BYTES..)?)?;
    rest.get(..length)
}

/// A number of seven bits a byte, the lowest first, and what is after it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.iter().take(9).position(|byte| byte & LAST != 0)?;
    let (digits, rest) = bytes.split_at(end + 1);
    let number = digits.iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & !LAST));
    Some((number, rest))
}

/// What is kept of a document, from its bytes.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Kept, TantivyError> {
    Kept::from_bytes(bytes)
        .map_err(|error| TantivyError::InternalError(format!("a document is damaged: {error}")))
}
