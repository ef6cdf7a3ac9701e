//! What came over the wire and what was kept of it: content codings, HTTP messages, WARC files.

use std::cell::RefCell;
use std::io::{Cursor, Seek, SeekFrom, Write};

use bytes::Bytes;
use rhumb_archive::{HttpMessage, WarcReader, verify};
use rhumb_fetch::{FetchSettings, decoded};
use tempfile::NamedTempFile;

use crate::first_line;

pub(crate) const CODINGS: &[&str] =
    &["gzip", "deflate", "br", "zstd", "identity", ", ", "\n", "\x1f", "\x08", "\0", "(", "/"];
pub(crate) const HTTP_WORDS: &[&str] = &[
    "HTTP/1.1 200 OK\r\n",
    "Transfer-Encoding: chunked\r\n",
    "\r\n\r\n",
    "\n\n",
    "0\r\n\r\n",
    "ffffffffffffffff\r\n",
    "5;x=1\r\n",
    ": ",
    "Content-Length: 5\r\n",
    "\0",
];
pub(crate) const WARC_WORDS: &[&str] = &[
    "WARC/1.1\r\n",
    "WARC/1.0\n",
    "WARC-Type: response\r\n",
    "WARC-Record-ID: <urn:uuid:1>\r\n",
    "Content-Length: 0\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "\r\n\r\n",
    "filedesc://",
    "WARC-Block-Digest: sha1:",
    "WARC-Truncated: length\r\n",
    "Content-Type: application/http\r\n",
    "HTTP/1.1 200 OK\r\n",
    "WARC-Segment-Number: 2\r\n",
];

/// Bytes that are read of each block.
const BLOCK_BYTES: usize = 64 * 1024;
/// Deflate makes at most a thousandfold, and a record has at least some sixty bytes.
const RECORDS_A_BYTE: usize = 32;

/// The first line is a Content-Encoding, the rest is a body.
pub(crate) fn coding(input: &[u8]) {
    let (header, body) = first_line(input);
    let limit = FetchSettings::default().body_max;
    let out = decoded([header.as_str()].into_iter(), Bytes::copy_from_slice(body));
    assert!(out.len() <= limit, "{} bytes", out.len());
    let same = decoded(["identity", ""].into_iter(), Bytes::copy_from_slice(body));
    assert_eq!(same, body, "nothing to undo");
}

pub(crate) fn http(input: &[u8]) {
    let message = HttpMessage::split(input);
    assert_eq!([message.head, message.body].concat(), input, "the parts add up to the whole");
    assert!(message.payload().len() <= message.body.len());
    for (name, value) in message.headers() {
        assert!(!value.contains(&b'\n') && !name.contains(&b':'));
    }
    let _ = (message.status(), message.header("content-type"));
}

pub(crate) fn warc(input: &[u8]) {
    let mut reader = WarcReader::new(Cursor::new(input));
    let (mut last, mut records, mut faults) = (0, 0, 0);
    while let Some(next) = reader.next() {
        let offset = match next {
            Ok(mut record) => {
                records += 1;
                let offset = record.offset;
                // A block that cannot be read is told as a fault by the next step.
                let block = record.block(BLOCK_BYTES).unwrap_or_default();
                assert!(block.len() <= BLOCK_BYTES);
                let _ = (record.head.url(), record.head.is_http());
                offset
            }
            Err(fault) => {
                faults += 1;
                fault.offset
            }
        };
        assert!(offset >= last, "{offset} after {last}");
        assert!(usize::try_from(offset).is_ok_and(|offset| offset <= input.len()));
        last = offset;
        let steps = usize::try_from(records + faults).expect("a count fits");
        assert!(steps <= (input.len() + 1) * RECORDS_A_BYTE, "it comes to an end");
    }
    let report = verified(input);
    assert_eq!(report.records, records, "the verifier reads what the reader reads");
    let listed = u64::try_from(report.faults.len()).expect("a count fits") + report.more_faults;
    assert!(listed >= faults, "the verifier finds what the reader finds");
}

/// What the verifier says of a file with these bytes.
fn verified(input: &[u8]) -> rhumb_archive::Report {
    thread_local! {
        static FILE: RefCell<NamedTempFile> =
            RefCell::new(NamedTempFile::new().expect("a file to write to"));
    }
    FILE.with_borrow_mut(|named| {
        let path = named.path().to_owned();
        let file = named.as_file_mut();
        file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).expect("an empty file");
        file.write_all(input).expect("a written file");
        verify(&path).expect("a readable file")
    })
}
