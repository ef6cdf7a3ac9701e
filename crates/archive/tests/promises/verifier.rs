//! Each rule of the verifier, broken one at a time.

use rhumb_archive::{Digest, Flaw, verify};

const GOOD: &str = "WARC/1.1\r\n\
    WARC-Type: response\r\n\
    WARC-Record-ID: <urn:uuid:1>\r\n\
    WARC-Date: 2026-02-03T04:05:06Z\r\n\
    WARC-Target-URI: http://a.test/\r\n\
    WARC-Block-Digest: BLOCK\r\n\
    WARC-Payload-Digest: PAYLOAD\r\n\
    Content-Type: application/http; msgtype=response\r\n\
    Content-Length: LENGTH\r\n\r\n\
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n\r\n\r\n";

/// Changes the good record and says what the verifier finds.
#[track_caller]
fn check(from: &str, to: &str, expect: &[Flaw]) {
    assert!(GOOD.contains(from), "{from}");
    assert_eq!(flaws(&GOOD.replace(from, to)), expect);
}

fn flaws(changed: &str) -> Vec<Flaw> {
    let block = &GOOD[GOOD.find("HTTP/1.1").unwrap()..GOOD.len() - 4];
    let text = changed
        .replace("BLOCK", &Digest::of(block.as_bytes()).to_string())
        .replace("PAYLOAD", &Digest::of(b"hello").to_string())
        .replace("LENGTH", &block.len().to_string());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.warc");
    std::fs::write(&path, text).unwrap();
    verify(&path).unwrap().faults.into_iter().map(|fault| fault.flaw).collect()
}

#[test]
fn a_good_record_passes_with_either_digest_of_its_chunked_payload() {
    check("hello", "hello", &[]);
    let raw = Digest::of(b"5\r\nhello\r\n0\r\n\r\n").to_string();
    check("PAYLOAD", &raw, &[]);
}

#[test]
fn changed_bytes_are_found_by_their_digests() {
    check("hello", "hullo", &[Flaw::BlockDigest, Flaw::PayloadDigest]);
    check("200 OK", "404 OK", &[Flaw::BlockDigest]);
    check("PAYLOAD", &Digest::of(b"5hello").to_string(), &[Flaw::PayloadDigest]);
}

#[test]
fn fields_that_are_wanted_are_missed() {
    check("WARC-Record-ID: <urn:uuid:1>\r\n", "", &[Flaw::NoField("WARC-Record-ID")]);
    check("WARC-Date: 2026-02-03T04:05:06Z\r\n", "", &[Flaw::NoField("WARC-Date")]);
    check(
        "WARC-Target-URI: http://a.test/\r\n",
        "",
        &[
            Flaw::NoField("WARC-Target-URI"),
            // Without a URL it is no HTTP message: the payload is the block.
            Flaw::PayloadDigest,
        ],
    );
    check("WARC-Type: response", "WARC-Type: revisit", &[Flaw::NoField("WARC-Profile")]);
    check("Content-Length: LENGTH", "X: y", &[Flaw::BadLength]);
}

#[test]
fn fields_must_have_their_form() {
    let bad = |name| [Flaw::BadField(name)];
    check("<urn:uuid:1>", "urn:uuid:1", &bad("WARC-Record-ID"));
    check("http://a.test/", "<http://a.test/>", &bad("WARC-Target-URI"));
    check("http://a.test/", "http://a.test/ x", &bad("WARC-Target-URI"));
    for date in ["2026-02-03 04:05:06Z", "2026-02-03T04:05Zx", "20260203", "2026-02-03T04:05:06.1x"]
    {
        check("2026-02-03T04:05:06Z", date, &bad("WARC-Date"));
    }
    for date in ["2026-02-03T04:05:06.123456Z", "2026-02-03", "2026", "2026-02-03T04:05Z"] {
        check("2026-02-03T04:05:06Z", date, &[]);
    }
}

#[test]
fn lengths_and_ends_must_be_right() {
    check("LENGTH", "10", &[Flaw::BadTail]);
    check("LENGTH", "9999", &[Flaw::CutShort]);
    check("0\r\n\r\n\r\n\r\n", "0\r\n\r\n\r\n", &[Flaw::CutShort]);
}

#[test]
fn an_answer_must_begin_like_one() {
    check("\r\n\r\nHTTP/1.1", "\r\n\r\nHTML/1.1", &[Flaw::NotHttp, Flaw::BlockDigest]);
    let revisit = "WARC-Type: revisit\r\nWARC-Profile: x";
    let changed = GOOD.replace("WARC-Type: response", revisit);
    assert_eq!(flaws(&changed), []);
    assert_eq!(flaws(&changed.replace("\r\n\r\nHTTP/1.1", "\r\n\r\nhttp/1.1")).len(), 2);
    let end = changed.find("HTTP/1.1").unwrap();
    let empty = changed[..end].replace("LENGTH", "0").replace("BLOCK", "md5:x") + "\r\n\r\n";
    assert_eq!(flaws(&empty), [], "a revisit may have no block");
    let request = GOOD.replace("WARC-Type: response", "WARC-Type: request");
    let request = request.replace("\r\n\r\nHTTP/1.1", "\r\n\r\nGET /xyz");
    assert_eq!(flaws(&request), [Flaw::BlockDigest]);
}
