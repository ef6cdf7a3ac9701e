//! Exchanges of every shape that must survive being kept.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use rhumb_archive::{
    About, Archive, ArchiveSettings, Capture, CrawlId, Earlier, Encoded, Encoder, Keep, Lookup,
    Miss,
};
use rhumb_web::{CanonUrl, Cut, Failure, Phase};

pub(crate) const CRAWL: CrawlId = CrawlId([9; 16]);
pub(crate) const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 7));

/// An exchange: where, the request, the answer, and how it was cut.
pub(crate) struct Sample {
    pub(crate) url: CanonUrl,
    pub(crate) sent: Vec<u8>,
    pub(crate) received: Vec<u8>,
    pub(crate) cut: Option<Cut>,
}

impl Sample {
    pub(crate) fn new(url: &str, head: &str, body: &[u8], cut: Option<Cut>) -> Self {
        let url = CanonUrl::parse(url).unwrap();
        let (target, host) = (url.path_and_query(), url.authority());
        let sent = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n\r\n").into_bytes();
        let mut received = head.replace('\n', "\r\n").into_bytes();
        received.extend_from_slice(b"\r\n");
        received.extend_from_slice(body);
        Self { url, sent, received, cut }
    }

    pub(crate) fn capture(&self, number: u64) -> Capture<'_> {
        Capture {
            url: &self.url,
            number,
            began: moment(number),
            address: Some(SERVER),
            protocols: vec!["http/1.1", "tls/1.3"],
            sent: &self.sent,
            received: &self.received,
            cut: self.cut,
            fields: vec![("fetchTimeMs", "12".to_owned()), ("via", "http://a.test/".to_owned())],
        }
    }
}

pub(crate) fn moment(number: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_770_091_506_789 + number * 1_501)
}

pub(crate) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// Bytes that do not compress.
pub(crate) fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(count);
    while bytes.len() < count {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.push(state.to_be_bytes()[0]);
    }
    bytes
}

/// One of each: plain, chunked, gzip, br, redirect, cut, large, odd headers, robots.txt.
pub(crate) fn samples() -> Vec<Sample> {
    let html = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\n";
    let page = b"<html><title>A page</title><p>Hello, archive.</html>";
    let chunked = b"6\r\n<html>\r\n7;a=b\r\n</html>\r\n0\r\nX-Trailer: 1\r\n\r\n";
    let packed = gzip(&[&page[..]; 60].concat());
    let packed_head = format!("{html}Content-Encoding: gzip\nContent-Length: {}\n", packed.len());
    let image = noise(30_000);
    let image_head = "HTTP/1.1 200 OK\nContent-Type: image/png\n";
    vec![
        Sample::new("https://www.example.org/Plain?b=2&a=1", html, page, None),
        Sample::new(
            "http://example.org/chunked",
            &format!("{html}Transfer-Encoding: chunked\n"),
            chunked,
            None,
        ),
        Sample::new("http://example.org/gzip", &packed_head, &packed, None),
        Sample::new(
            "http://example.org/br",
            &format!("{html}Content-Encoding: br\n"),
            b"\x0b\x02\x80hello\x03",
            None,
        ),
        Sample::new(
            "http://example.org/moved",
            "HTTP/1.1 301 Moved Permanently\nLocation: /there\nContent-Length: 0\n",
            b"",
            None,
        ),
        Sample::new("http://example.org/cut", html, &page[..20], Some(Cut::Length)),
        Sample::new(
            "http://example.org/cut-chunk",
            &format!("{html}Transfer-Encoding: chunked\n"),
            b"ff\r\nonly this",
            Some(Cut::Disconnect),
        ),
        Sample::new("http://example.org:8080/image.png", image_head, &image, None),
        Sample::new("http://[::1]:8080/v6", html, b"six", None),
        Sample::new("http://127.0.0.1/%C3%A9/?q=%20x", "HTTP/1.0 404 \nX: \u{e9}\n", b"no", None),
        Sample::new(
            "http://example.org/odd-type",
            "HTTP/1.1 200 OK\ncontent-type:  \"odd\\\u{e9}\" x\n",
            b"odd",
            None,
        ),
        Sample::new("http://example.org/no-type", "HTTP/1.1 204 No Content\n", b"", None),
        Sample::new(
            "http://example.org/robots.txt",
            "HTTP/1.1 200 OK\nContent-Type: text/plain\n",
            b"User-agent: *\nDisallow: /private\n",
            None,
        ),
        Sample::new(
            "http://www2.example.org/Session.aspx?sid=0123456789abcdef0123456789ABCDEF&Z&y=",
            html,
            b"session",
            None,
        ),
    ]
}

/// Everything that can be kept: the samples, a revisit of the first, a failed fetch, a lookup.
pub(crate) fn everything() -> Vec<Encoded> {
    let mut encoder = Encoder::new(CRAWL);
    let samples = samples();
    let mut kept: Vec<Encoded> = (0..)
        .zip(&samples)
        .map(|(number, sample)| encoder.capture(&sample.capture(number), |_| None))
        .collect();
    let first = Earlier { url: samples[0].url.clone(), began: moment(0) };
    kept.push(encoder.capture(&samples[0].capture(100), |_| Some(first)));
    kept.push(encoder.miss(&miss(&samples[0].url)));
    kept.push(encoder.lookup(&Lookup {
        host: "example.org",
        number: 102,
        began: moment(102),
        server: Some(SERVER),
        addresses: &[SERVER],
        holds: Duration::from_mins(5),
    }));
    kept
}

pub(crate) fn miss(url: &CanonUrl) -> Miss<'_> {
    Miss {
        url,
        number: 101,
        began: moment(101),
        address: Some(SERVER),
        failure: Failure::TimedOut(Phase::Headers),
        took: Duration::from_millis(20_017),
        fields: vec![("hopsFromSeed", "LL".to_owned())],
    }
}

pub(crate) fn settings(rotate_bytes: u64) -> ArchiveSettings {
    let about = About {
        software: "rhumb/0.1".to_owned(),
        agent: "rhumb/0.1 (+mailto:who@example.org)".to_owned(),
        operator: Some("who@example.org".to_owned()),
        robots: "RFC 9309".to_owned(),
    };
    ArchiveSettings { prefix: "rhumb".to_owned(), rotate_bytes, crawl: CRAWL, about }
}

/// An archive in a real folder.
pub(crate) fn open(folder: &Path, rotate_bytes: u64) -> Archive {
    Archive::open(rhumb_disk::real(), folder, settings(rotate_bytes), Keep::Everything).unwrap()
}

/// Keeps it all in a folder, closed.
pub(crate) fn keep(folder: &Path, kept: &[Encoded], rotate_bytes: u64) {
    let mut archive = open(folder, rotate_bytes);
    for encoded in kept {
        archive.append(encoded).unwrap();
    }
    archive.close().unwrap();
}

/// The files of a folder whose names end so, in order.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.to_str().unwrap().ends_with(ending)).collect();
    files.sort();
    files
}
