//! From an answer to records in the archive.

use std::hint::black_box;
use std::path::Path;

use rhumb_archive::{
    About, Archive, ArchiveError, ArchiveSettings, Capture, CrawlId, Digest, Encoded, Encoder,
    HttpMessage, Keep,
};

use super::timing::{micros, plain, seconds};
use super::{Part, Sample};

/// Records of so many pages are handed to the operating system together, as a busy crawl does it.
pub(super) const PAGES_A_WRITE: u32 = 16;

pub(super) fn parts(sample: &Sample, folder: &Path) -> Result<[Part; 3], ArchiveError> {
    let exchange = sample.exchange();
    let mut capture = Capture::of(exchange, 7);
    let told = [("errand", "page"), ("depth", "3"), ("tick", "123456"), ("delayMs", "1000")];
    capture.fields.extend(told.map(|(name, value)| (name, value.to_owned())));
    let mut encoder = Encoder::new(CrawlId([7; 16]));
    let encoded = encoder.capture(&capture, |_| None);
    let record = Part {
        name: "record",
        what: "the records of a page, as gzip",
        micros: plain(|| drop(black_box(encoder.capture(&capture, |_| None)))),
        per_page: 1.0,
        within: None,
    };
    let payload = HttpMessage::split(&exchange.received).payload().into_owned();
    let sha1 = Part {
        name: "sha1",
        what: "the digests of payload and record",
        micros: plain(|| {
            black_box(Digest::of(&payload));
            black_box(Digest::of(&exchange.received));
        }),
        per_page: 1.0,
        within: Some("record"),
    };
    let write = Part {
        name: "write",
        what: "the records to their file",
        micros: written(&encoded, folder)?,
        per_page: 1.0,
        within: None,
    };
    Ok([record, sha1, write])
}

fn written(encoded: &Encoded, folder: &Path) -> Result<crate::Spread, ArchiveError> {
    let settings = ArchiveSettings {
        prefix: "bench".to_owned(),
        rotate_bytes: u64::MAX,
        crawl: CrawlId([7; 16]),
        about: About::default(),
    };
    let mut archive = Archive::open(rhumb_disk::real(), folder, settings, Keep::Everything)?;
    micros(|repeats| {
        let before = seconds();
        for page in 0..repeats {
            archive.append(encoded)?;
            if page % PAGES_A_WRITE == 0 {
                archive.flush()?;
            }
        }
        Ok((seconds() - before) / f64::from(repeats))
    })
}
