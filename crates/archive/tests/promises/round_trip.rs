//! What went in comes out, byte for byte, and the verifier agrees.

use std::io::Cursor;

use rhumb_archive::{
    Capture, Digest, Earlier, Encoder, HttpMessage, Interrupted, Kind, RecordHead, WarcReader,
    fields_of, verify,
};

use crate::samples::{CRAWL, Sample, everything, files, keep, miss, moment, noise, samples};

fn records(bytes: &[u8]) -> Vec<(RecordHead, Vec<u8>)> {
    let mut reader = WarcReader::new(Cursor::new(bytes));
    let mut records = Vec::new();
    while let Some(record) = reader.next() {
        let mut record = record.unwrap();
        let block = record.block(usize::MAX).unwrap();
        records.push((record.head, block));
    }
    records
}

fn capture(sample: &Sample) -> Vec<(RecordHead, Vec<u8>)> {
    records(&Encoder::new(CRAWL).capture(&sample.capture(1), |_| None).bytes)
}

fn field<'a>(record: &'a (RecordHead, Vec<u8>), name: &str) -> &'a str {
    record.0.field(name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_exchange_comes_back_byte_for_byte() {
    for sample in samples() {
        let records = capture(&sample);
        let kinds: Vec<Kind> = records.iter().map(|(head, _)| head.kind).collect();
        assert_eq!(kinds, [Kind::Response, Kind::Request, Kind::Metadata]);
        assert_eq!(records[0].1, sample.received);
        assert_eq!(records[1].1, sample.sent);
        assert_eq!(records[2].1, b"fetchTimeMs: 12\r\nvia: http://a.test/\r\n");
        assert_eq!(records[0].0.url(), Some(sample.url.as_str()));
        assert_eq!(field(&records[0], "WARC-Date"), "2026-02-03T04:05:08.290Z");
        assert_eq!(field(&records[0], "WARC-IP-Address"), "127.0.0.7");
        let id = field(&records[0], "WARC-Record-ID");
        assert_eq!(field(&records[1], "WARC-Concurrent-To"), id);
        assert_eq!(field(&records[2], "WARC-Concurrent-To"), id);
        let protocols = records[0].0.fields.iter().filter(|(name, _)| name == "WARC-Protocol");
        let protocols: Vec<&str> = protocols.map(|(_, value)| value.as_str()).collect();
        assert_eq!(protocols, ["http/1.1", "tls/1.3"]);
    }
}

#[test]
fn the_payload_digest_is_over_the_body_without_its_chunks() {
    let samples = samples();
    let chunked = &capture(&samples[1])[0];
    assert_eq!(HttpMessage::split(&chunked.1).payload(), &b"<html></html>"[..]);
    let digest = Digest::of(b"<html></html>").to_string();
    assert_eq!(field(chunked, "WARC-Payload-Digest"), digest);
    let packed = &capture(&samples[2])[0];
    let body = HttpMessage::split(&packed.1).body;
    assert_eq!(field(packed, "WARC-Payload-Digest"), Digest::of(body).to_string());
}

#[test]
fn a_cut_body_says_why() {
    let samples = samples();
    assert_eq!(field(&capture(&samples[5])[0], "WARC-Truncated"), "length");
    assert_eq!(field(&capture(&samples[6])[0], "WARC-Truncated"), "disconnect");
    assert_eq!(capture(&samples[0])[0].0.field("WARC-Truncated"), None);
}

#[test]
fn a_revisit_keeps_its_headers_and_names_the_earlier_capture() {
    let sample = &samples()[0];
    let earlier = Earlier { url: sample.url.clone(), began: moment(0) };
    let mut asked = None;
    let encoded = Encoder::new(CRAWL).capture(&sample.capture(1), |digest| {
        asked = Some(*digest);
        Some(earlier)
    });
    assert_eq!(asked, encoded.payload_digest);
    let revisit = &records(&encoded.bytes)[0];
    assert_eq!(revisit.0.kind, Kind::Revisit);
    assert_eq!(revisit.1, HttpMessage::split(&sample.received).head);
    assert_eq!(field(revisit, "WARC-Refers-To-Target-URI"), sample.url.as_str());
    assert_eq!(field(revisit, "WARC-Refers-To-Date"), "2026-02-03T04:05:06.789Z");
    assert_eq!(field(revisit, "WARC-Payload-Digest"), asked.unwrap().to_string());
    let profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
    assert_eq!(field(revisit, "WARC-Profile"), profile);
}

#[test]
fn a_cut_or_empty_payload_is_never_taken_as_known() {
    let samples = samples();
    for sample in [&samples[4], &samples[5], &samples[6]] {
        let encoded =
            Encoder::new(CRAWL).capture(&sample.capture(1), |_| panic!("{} was asked", sample.url));
        assert_eq!(encoded.records[0].kind, Kind::Response);
    }
}

#[test]
fn a_failed_fetch_leaves_a_metadata_record() {
    let url = samples()[0].url.clone();
    let encoded = Encoder::new(CRAWL).miss(&miss(&url));
    let records = records(&encoded.bytes);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].0.kind, Kind::Metadata);
    assert_eq!(records[0].0.url(), Some(url.as_str()));
    let expect = "outcome: timeout-headers\r\nfetchTimeMs: 20017\r\nhopsFromSeed: LL\r\n";
    assert_eq!(records[0].1, expect.as_bytes());
}

#[test]
fn a_fetch_whose_end_nobody_knows_leaves_a_metadata_record() {
    let url = samples()[0].url.clone();
    let fields = vec![("errand", "page".to_owned())];
    let interrupted = Interrupted { url: &url, number: 7, began: moment(7), fields };
    let encoded = Encoder::new(CRAWL).interrupted(&interrupted);
    let records = records(&encoded.bytes);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].0.kind, Kind::Metadata);
    assert_eq!(records[0].0.url(), Some(url.as_str()));
    let fields = fields_of(&records[0].1);
    let expect = [("outcome", "interrupted"), ("errand", "page")];
    assert_eq!(fields, expect.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn the_time_that_digests_took_is_told() {
    let body = noise(1_000_000);
    let sample = Sample::new("http://a.test/", "HTTP/1.1 200 OK\n", &body, None);
    let encoded = Encoder::new(CRAWL).capture(&sample.capture(1), |_| None);
    assert!(!encoded.digest_took.is_zero());
}

#[test]
fn a_line_end_in_a_value_begins_no_field() {
    let sample = &samples()[0];
    let fields = vec![("via", "http://a/\r\nWARC-Type: response\r\n\r\n".to_owned())];
    let capture = Capture { fields, ..sample.capture(1) };
    let records = records(&Encoder::new(CRAWL).capture(&capture, |_| None).bytes);
    assert_eq!(records[2].1, b"via: http://a/  WARC-Type: response    \r\n");
}

#[test]
fn the_same_captures_give_the_same_bytes() {
    let bytes = |kept: Vec<rhumb_archive::Encoded>| -> Vec<u8> {
        kept.into_iter().flat_map(|encoded| encoded.bytes).collect()
    };
    assert_eq!(bytes(everything()), bytes(everything()));
}

#[test]
fn bodies_that_are_packed_already_are_stored() {
    let image = &samples()[7];
    let encoded = Encoder::new(CRAWL).capture(&image.capture(1), |_| None);
    let extent = encoded.records[0];
    let member = &encoded.bytes[extent.offset..extent.offset + extent.length];
    let body = HttpMessage::split(&image.received).body;
    assert!(member.windows(1_000).any(|window| window == &body[..1_000]));
}

#[test]
fn the_verifier_finds_nothing_wrong_with_what_we_write() {
    let folder = tempfile::tempdir().unwrap();
    let kept = everything();
    keep(folder.path(), &kept, u64::MAX);
    let files = files(folder.path(), ".warc.gz");
    assert_eq!(files.len(), 1);
    let report = verify(&files[0]).unwrap();
    assert_eq!(report.faults, []);
    assert_eq!(report.records, 1 + kept.iter().map(|e| e.records.len() as u64).sum::<u64>());
    assert_eq!(report.by_kind[&Kind::Warcinfo], 1);
    assert_eq!(report.by_kind[&Kind::Response], 14);
    assert_eq!(report.by_kind[&Kind::Revisit], 1);
    assert_eq!(report.by_kind[&Kind::Metadata], 16);
    assert_eq!(report.by_kind[&Kind::Resource], 1);
    assert_eq!(report.truncated, 2);
}
