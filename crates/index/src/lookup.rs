//! Documents of a commit by their keys.

use tantivy::schema::document::Value;
use tantivy::schema::{Field, IndexRecordOption, TantivyDocument, Term};
use tantivy::{DocAddress, DocSet, Searcher, TERMINATED, TantivyError};

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

/// The bytes that are kept of a document.
pub(crate) fn kept_bytes(
    searcher: &Searcher,
    kept: Field,
    address: DocAddress,
) -> Result<Vec<u8>, TantivyError> {
    let document: TantivyDocument = searcher.doc(address)?;
    let bytes = document.get_first(kept).and_then(|value| value.as_bytes().map(<[u8]>::to_vec));
    bytes.ok_or_else(|| TantivyError::InternalError("a document has nothing kept".to_owned()))
}

/// What is kept of a document.
pub(crate) fn kept(
    searcher: &Searcher,
    field: Field,
    address: DocAddress,
) -> Result<Kept, TantivyError> {
    unpack(&kept_bytes(searcher, field, address)?)
}

/// What is kept of a document, from its bytes.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Kept, TantivyError> {
    Kept::from_bytes(bytes)
        .map_err(|error| TantivyError::InternalError(format!("a document is damaged: {error}")))
}
