//! What records of others become that had to do with one that goes.

use super::survey::Heir;
use super::{Covers, FORGOTTEN};
use crate::encode::{fields_block, fields_of};
use crate::http::HttpMessage;
use crate::read::{Kind, RecordHead};

/// The fields by which a revisit refers to another capture.
const REFERS: [&str; 3] = ["WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"];

/// The field that says for whom a robots.txt speaks.
const ROBOTS_FOR: &str = "robotsFor";
/// What is kept of the note of a robots.txt that goes.
const KEPT_FIELDS: [&str; 4] = ["errand", "tick", "fetchTimeMs", ROBOTS_FOR];
/// What is kept of that record's head: nothing that leads to where it was.
const KEPT_HEAD: [&str; 8] = [
    "WARC-Type",
    "WARC-Record-ID",
    "WARC-Warcinfo-ID",
    "WARC-Date",
    "WARC-Target-URI",
    "WARC-Block-Digest",
    "Content-Type",
    "Content-Length",
];

/// A revisit refers to another capture, or to none.
pub(super) fn disown(head: &mut RecordHead, heir: Option<&Heir>) {
    let Some(heir) = heir else { return drop_fields(head, &REFERS) };
    drop_fields(head, &REFERS[..1]);
    set_field(head, "WARC-Refers-To-Target-URI", &heir.url);
    set_field(head, "WARC-Refers-To-Date", &heir.date);
}

/// A revisit becomes an answer.
pub(super) fn inherit(head: &mut RecordHead) {
    drop_fields(head, &REFERS);
    drop_fields(head, &["WARC-Profile", "WARC-Truncated"]);
    set_field(head, "WARC-Type", Kind::Response.word());
    head.kind = Kind::Response;
}

/// The head of an answer with its payload behind it, framed as the head says.
pub(super) fn refilled(head: Vec<u8>, payload: &[u8]) -> Vec<u8> {
    let is_chunked = HttpMessage::split(&head).is_chunked();
    let mut block = head;
    if is_chunked {
        block.extend_from_slice(format!("{:x}\r\n", payload.len()).as_bytes());
        block.extend_from_slice(payload);
        block.extend_from_slice(b"\r\n0\r\n\r\n");
    } else {
        block.extend_from_slice(payload);
    }
    block
}

/// Whether a block of named values names something that is to go.
pub(super) fn names_covered(block: &[u8], covers: Covers<'_>) -> bool {
    fields_of(block).iter().any(|(name, value)| is_covered(name, value, covers))
}

/// A block of named values without those that name something that is to go.
pub(super) fn scrubbed(block: &[u8], covers: Covers<'_>) -> Vec<u8> {
    let mut fields = fields_of(block);
    fields.retain(|(name, value)| !is_covered(name, value, covers));
    fields_block(&fields)
}

fn is_covered(name: &str, value: &str, covers: Covers<'_>) -> bool {
    // An origin stands for its site: it does not go because the front page does.
    if name == ROBOTS_FOR {
        return covers(&robots_url(value));
    }
    value.contains("://") && covers(value)
}

fn robots_url(origin: &str) -> String {
    format!("{}/robots.txt", origin.trim_end_matches('/'))
}

/// Whether named values tell of a robots.txt of an origin that stays.
pub(super) fn speaks_for_another(block: &[u8], covers: Covers<'_>) -> bool {
    let fields = fields_of(block);
    fields.iter().any(|(name, value)| name == ROBOTS_FOR && !covers(&robots_url(value)))
}

/// What is left of the note of a robots.txt that goes: for whom it spoke, and when.
pub(super) fn anonymised(head: &mut RecordHead, block: &[u8]) -> Vec<u8> {
    let mut fields = fields_of(block);
    fields.retain(|(name, _)| KEPT_FIELDS.contains(&name.as_str()));
    if let Some((_, origin)) = fields.iter().find(|(name, _)| name == ROBOTS_FOR) {
        set_field(head, "WARC-Target-URI", &robots_url(origin));
    }
    head.fields.retain(|(name, _)| KEPT_HEAD.iter().any(|kept| kept.eq_ignore_ascii_case(name)));
    fields.push(("outcome".to_owned(), FORGOTTEN.to_owned()));
    fields_block(&fields)
}

fn drop_fields(head: &mut RecordHead, names: &[&str]) {
    let is_named = |field: &str| names.iter().any(|name| name.eq_ignore_ascii_case(field));
    head.fields.retain(|(field, _)| !is_named(field));
}

fn set_field(head: &mut RecordHead, name: &str, value: &str) {
    let found = head.fields.iter_mut().find(|(field, _)| field.eq_ignore_ascii_case(name));
    if let Some((_, old)) = found {
        value.clone_into(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(url: &str) -> bool {
        url.starts_with("http://gone.test/")
    }

    #[test]
    fn named_values_lose_what_is_covered_and_nothing_else() {
        let check = |block: &str, expect: &str| {
            assert_eq!(names_covered(block.as_bytes(), &covers), block != expect, "{block}");
            let left = scrubbed(block.as_bytes(), &covers);
            assert_eq!(String::from_utf8(left).unwrap(), expect);
        };
        check("via: http://gone.test/a\r\ndepth: 1\r\n", "depth: 1\r\n");
        check("via: http://here.test/a\r\n", "via: http://here.test/a\r\n");
        check("robotsFor: http://gone.test\r\nerrand: robots\r\n", "errand: robots\r\n");
        check("robotsFor: http://here.test\r\n", "robotsFor: http://here.test\r\n");
        check("", "");
    }

    #[test]
    fn an_origin_stays_where_only_its_front_page_goes() {
        let front = |url: &str| url == "http://gone.test" || url == "http://gone.test/";
        assert!(!names_covered(b"robotsFor: http://gone.test\r\n", &front));
        assert!(names_covered(b"via: http://gone.test/\r\n", &front));
    }

    #[test]
    fn a_note_of_a_robots_txt_that_goes_names_only_whom_it_spoke_for() {
        let block = b"errand: robots\r\ndepth: 0\r\ntick: 5\r\nvia: http://gone.test/\r\n\
            robotsFor: http://here.test\r\n";
        assert!(speaks_for_another(block, &covers));
        assert!(!speaks_for_another(b"robotsFor: http://gone.test\r\n", &covers));
        assert!(!speaks_for_another(b"errand: page\r\n", &covers));
        let fields = [
            ("WARC-Type", "metadata"),
            ("WARC-Target-URI", "http://gone.test/r.txt"),
            ("WARC-IP-Address", "192.0.2.7"),
            ("WARC-Concurrent-To", "<urn:uuid:0>"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let version = "WARC/1.1".to_owned();
        let mut head = RecordHead { version, kind: Kind::Metadata, length: 0, fields };
        let left = String::from_utf8(anonymised(&mut head, block)).unwrap();
        let expect = "errand: robots\r\ntick: 5\r\nrobotsFor: http://here.test\r\n";
        assert_eq!(left, format!("{expect}outcome: forgotten\r\n"));
        assert_eq!(head.url(), Some("http://here.test/robots.txt"));
        assert_eq!(head.fields.len(), 2, "{:?}", head.fields);
    }

    #[test]
    fn a_payload_is_framed_as_its_head_says() {
        let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".to_vec();
        assert!(refilled(plain, b"hello").ends_with(b"\r\n\r\nhello"));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        let block = refilled(chunked, b"hello, chunked world");
        assert!(block.ends_with(b"\r\n\r\n14\r\nhello, chunked world\r\n0\r\n\r\n"));
        assert_eq!(&*HttpMessage::split(&block).payload(), b"hello, chunked world");
    }
}
