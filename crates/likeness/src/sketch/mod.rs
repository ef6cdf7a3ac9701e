//! What is kept of a text to tell how alike it is to others.

mod minhash;
mod simhash;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::shingles::Shingles;
use crate::words::{self, mix};
pub(crate) use minhash::BINS;
use minhash::Minima;
use simhash::Majority;

/// Below so many shingles an estimate says nothing: only equal texts are alike.
pub(crate) const SHORT: u32 = 50;
/// Texts of different sites are near from this estimate and up to so many different bits.
const NEAR: (f64, u32) = (0.72, 12);
/// Pages of one site share menus and feet, and are near only if they have more in common.
const NEAR_WITHIN: (f64, u32) = (0.76, 8);
/// From this estimate on there is no doubt: few words of a short text can change many bits.
const CLEAR: (f64, u32) = (0.88, 16);
/// Pages of one site whose words are the same but for their digits are near from this estimate on:
/// a date or a counter is another, but not the numbers of a table.
const DATED: f64 = 0.5;
/// A canonical link is believed from this estimate on.
const AGREED: f64 = 0.6;

/// The least shingles of a text, 8 bits a bin; boxed, because sketches travel in messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
struct Bins(Box<[u8; BINS]>);

impl TryFrom<Vec<u8>> for Bins {
    type Error = &'static str;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Self::Error> {
        bytes.try_into().map(Self).map_err(|_| "a sketch has 128 bins")
    }
}

impl From<Bins> for Vec<u8> {
    fn from(bins: Bins) -> Self {
        bins.0.to_vec()
    }
}

/// How alike texts are, in 148 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    /// A digest of the words without digits and signs.
    pub blind: u64,
    /// The `SimHash` of the words.
    pub simhash: u64,
    /// Shingles of four words.
    pub shingles: u32,
    /// The `MinHash`, 8 bits a bin.
    bins: Bins,
}

impl Sketch {
    /// The sketch of a text; none if it has no words.
    pub fn of(text: &str) -> Option<Self> {
        let mut blind = 0;
        let mut minima = Minima::new();
        let mut majority = Majority::new();
        let mut shingles = Shingles::default();
        let mut before = 0;
        let mut count: u32 = 0;
        words::each(text, |word| {
            if let Some(letters) = word.letters {
                blind = mix(blind, letters);
            }
            majority.add(mix(before, word.hash));
            before = word.hash;
            if let Some(shingle) = shingles.next(word.hash) {
                minima.add(shingle);
                count = count.saturating_add(1);
            }
        });
        if let Some(shingle) = shingles.rest() {
            minima.add(shingle);
            count = 1;
        }
        let bins = || Bins(Box::new(minima.bins()));
        (count > 0).then(|| Self { blind, simhash: majority.bits(), shingles: count, bins: bins() })
    }

    /// The Jaccard index of the shingles of both texts, about.
    pub fn jaccard(&self, other: &Self) -> f64 {
        self.gist().jaccard(other.gist())
    }

    /// The bits in which the `SimHash`es differ.
    pub fn distance(&self, other: &Self) -> u32 {
        self.gist().distance(other.gist())
    }

    /// Whether the texts are nearly the same; more is asked of pages of one site, unless they differ
    /// in nothing but a few numbers.
    pub fn is_near(&self, other: &Self, same_site: bool) -> bool {
        self.gist().is_near(other.gist(), same_site)
    }

    /// Whether the texts have so much in common that one may call the other its canonical form.
    pub fn agrees(&self, other: &Self) -> bool {
        self.gist().agrees(other.gist())
    }

    pub(crate) fn gist(&self) -> Gist<'_> {
        Gist {
            blind: self.blind,
            simhash: self.simhash,
            shingles: self.shingles,
            bins: &self.bins.0,
        }
    }
}

/// A sketch wherever it lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gist<'a> {
    pub(crate) blind: u64,
    pub(crate) simhash: u64,
    pub(crate) shingles: u32,
    pub(crate) bins: &'a [u8; BINS],
}

impl Gist<'_> {
    /// Whether it is too short for estimates.
    pub(crate) fn is_short(self) -> bool {
        self.shingles < SHORT
    }

    fn jaccard(self, other: Gist<'_>) -> f64 {
        minhash::jaccard(self.bins, other.bins)
    }

    fn distance(self, other: Gist<'_>) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }

    pub(crate) fn is_near(self, other: Gist<'_>, same_site: bool) -> bool {
        if self.is_short() || other.is_short() {
            return self.simhash == other.simhash && self.bins == other.bins;
        }
        let (estimate, distance) = (self.jaccard(other), self.distance(other));
        if same_site && self.blind == other.blind && estimate >= DATED {
            return true;
        }
        let near = if same_site { NEAR_WITHIN } else { NEAR };
        [near, CLEAR].iter().any(|(least, bits)| estimate >= *least && distance <= *bits)
    }

    pub(crate) fn agrees(self, other: Gist<'_>) -> bool {
        self.is_near(other, true) || self.jaccard(other) >= AGREED
    }
}
