//! A document as the sieve keeps it, in memory and on disk, and the keys under which it is found.

use rhumb_web::{PartitionId, UrlKey};

use crate::sketch::{BINS, Gist};
use crate::words::mix;
use crate::{Document, Late, Likeness, Sketch, Twin};

/// Bytes of a row on disk.
pub(crate) const ROW_BYTES: usize = 6 * 8 + 2 * 4 + 2 + 1 + BINS;

const HAS_PAYLOAD: u8 = 1;
const HAS_CANONICAL: u8 = 2;

/// A band has six bins, and there are twelve: texts with an index of 0.8 share a band with a
/// probability of 0.97, those with 0.9 of 0.9999, those with 0.3 of 0.01.
const BANDS: usize = 12;
const BAND_BINS: usize = 6;
const _: () = assert!(BANDS * BAND_BINS <= BINS, "all bands have their bins");

/// Keys of a document at most.
pub(crate) const KEYS_MAX: usize = 4 + BANDS;
/// Bits of a key: among a billion of them a look-up meets a stranger once in 280,000 times, and
/// strangers are told by their rows.
pub(crate) const KEY_BITS: u32 = 48;
/// Keys of URLs come first, so that a pass knows which rows are outdated before all else.
pub(crate) const URLS_END: u64 = 1 << (KEY_BITS - 1);

/// Kinds of keys.
const URL: u64 = 1;
const PAYLOAD: u64 = 2;
const BLIND: u64 = 3;
const DECLARED: u64 = 4;
const SHORT: u64 = 5;
const BAND: u64 = 6;

/// A document in a fixed number of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) url: u64,
    pub(crate) site: u64,
    payload: u64,
    canonical: u64,
    blind: u64,
    simhash: u64,
    /// None for a document without text.
    shingles: u32,
    path: u32,
    pub(crate) partition: u16,
    has: u8,
    bins: [u8; BINS],
}

/// What an earlier row is to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The same URL, visited before.
    Earlier,
    /// They are alike.
    Alike {
        how: Likeness,
        /// The better ones first.
        rank: u8,
        /// The row calls the document its canonical form, and not the other way round.
        yields: bool,
    },
}

impl Row {
    pub(crate) fn of(document: &Document) -> Self {
        let has_payload = document.payload.map_or(0, |_| HAS_PAYLOAD);
        let canonical = document.canonical.filter(|canonical| *canonical != document.url);
        let has_canonical = canonical.map_or(0, |_| HAS_CANONICAL);
        let gist = document.sketch.as_ref().map(Sketch::gist);
        Self {
            url: document.url.0,
            site: document.site,
            payload: document.payload.unwrap_or(0),
            canonical: canonical.map_or(0, |canonical| canonical.0),
            blind: gist.map_or(0, |gist| gist.blind),
            simhash: gist.map_or(0, |gist| gist.simhash),
            shingles: gist.map_or(0, |gist| gist.shingles),
            path: document.path,
            partition: document.partition.0,
            has: has_payload | has_canonical,
            bins: gist.map_or([0; BINS], |gist| *gist.bins),
        }
    }

    fn payload(&self) -> Option<u64> {
        (self.has & HAS_PAYLOAD != 0).then_some(self.payload)
    }

    pub(crate) fn canonical(&self) -> Option<u64> {
        (self.has & HAS_CANONICAL != 0).then_some(self.canonical)
    }

    fn gist(&self) -> Option<Gist<'_>> {
        (self.shingles > 0).then_some(Gist {
            blind: self.blind,
            simhash: self.simhash,
            shingles: self.shingles,
            bins: &self.bins,
        })
    }

    /// What an earlier row is to this document, if anything.
    pub(crate) fn relation(&self, earlier: &Self) -> Option<Relation> {
        if self.url == earlier.url {
            return Some(Relation::Earlier);
        }
        let calls = self.canonical() == Some(earlier.url);
        let called = earlier.canonical() == Some(self.url);
        let how = self.likeness(earlier, calls || called)?;
        let rank = match how {
            _ if calls => 0,
            Likeness::Same => 1,
            Likeness::Canonical => 2,
            Likeness::Near => 3,
        };
        Some(Relation::Alike { how, rank, yields: called && !calls })
    }

    fn likeness(&self, other: &Self, is_declared: bool) -> Option<Likeness> {
        if self.payload().is_some_and(|payload| other.payload() == Some(payload)) {
            return Some(Likeness::Same);
        }
        let (own, others) = (self.gist()?, other.gist()?);
        if is_declared {
            return own.agrees(others).then_some(Likeness::Canonical);
        }
        own.is_near(others, self.site == other.site).then_some(Likeness::Near)
    }

    /// This document as the twin of another.
    pub(crate) fn late(&self, original: &Self, how: Likeness) -> Late {
        let same_path = self.path == original.path;
        self.late_of(Twin { of: UrlKey(original.url), site: original.site, how, same_path })
    }

    /// This document with its original.
    pub(crate) fn late_of(&self, twin: Twin) -> Late {
        let (url, partition) = (UrlKey(self.url), PartitionId(self.partition));
        Late { url, partition, site: self.site, twin }
    }

    /// A row that says no more than that its URL is no original: nothing is like it.
    pub(crate) fn nothing(url: UrlKey) -> Self {
        Self {
            url: url.0,
            site: 0,
            payload: 0,
            canonical: 0,
            blind: 0,
            simhash: 0,
            shingles: 0,
            path: 0,
            partition: 0,
            has: 0,
            bins: [0; BINS],
        }
    }

    /// Whether nothing can be like it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.payload().is_none() && self.gist().is_none()
    }

    /// Under which keys it is found.
    pub(crate) fn keys(&self, mut take: impl FnMut(u64)) {
        take(Self::url_key(self.url));
        self.content_keys(&mut take);
        if let Some(canonical) = self.canonical() {
            take(content_key(DECLARED, canonical));
        }
    }

    /// Under which keys others may be found that it has to do with.
    pub(crate) fn questions(&self, mut take: impl FnMut(u64)) {
        take(Self::url_key(self.url));
        if let Some(canonical) = self.canonical() {
            take(Self::url_key(canonical));
        }
        self.content_keys(&mut take);
        take(content_key(DECLARED, self.url));
    }

    /// The key of a document with this URL.
    pub(crate) fn url_key(url: u64) -> u64 {
        mix(url, URL) >> (64 - KEY_BITS + 1)
    }

    fn content_keys(&self, take: &mut impl FnMut(u64)) {
        if let Some(payload) = self.payload() {
            take(content_key(PAYLOAD, payload));
        }
        let Some(gist) = self.gist() else { return };
        take(content_key(BLIND, gist.blind));
        if gist.is_short() {
            take(content_key(SHORT, gist.simhash));
            return;
        }
        let bands = gist.bins.as_chunks::<BAND_BINS>().0.iter().take(BANDS);
        for (number, band) in (0..).zip(bands) {
            let value = band.iter().fold(number, |value, bin| value << 8 | u64::from(*bin));
            take(content_key(BAND, value));
        }
    }
}

impl Row {
    /// As it stands in a file.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let words = [self.url, self.site, self.payload, self.canonical, self.blind, self.simhash];
        bytes.extend(words.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend([self.shingles, self.path].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(self.partition.to_le_bytes());
        bytes.push(self.has);
        bytes.extend(self.bins);
    }

    /// What [`encode`](Self::encode) wrote.
    pub(crate) fn decode(bytes: &[u8; ROW_BYTES]) -> Self {
        let mut rest = &bytes[..];
        let mut words = [0; 6];
        for word in &mut words {
            *word = u64::from_le_bytes(cut(&mut rest));
        }
        let [url, site, payload, canonical, blind, simhash] = words;
        Self {
            url,
            site,
            payload,
            canonical,
            blind,
            simhash,
            shingles: u32::from_le_bytes(cut(&mut rest)),
            path: u32::from_le_bytes(cut(&mut rest)),
            partition: u16::from_le_bytes(cut(&mut rest)),
            has: u8::from_le_bytes(cut(&mut rest)),
            bins: cut(&mut rest),
        }
    }
}

/// Takes bytes off the front.
fn cut<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (front, rest) = bytes.split_first_chunk().expect("a row has all its fields");
    *bytes = rest;
    *front
}

fn content_key(kind: u64, value: u64) -> u64 {
    URLS_END | mix(value, kind) >> (64 - KEY_BITS + 1)
}
