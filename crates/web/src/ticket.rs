//! What may be fetched, and the right to fetch it once.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CanonUrl, Origin, Tick, UrlKey};

/// Which visit of a URL this is; the first is 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Visit(pub u32);

/// Which ownership of a partition issued something; a later owner has a higher one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Epoch(pub u64);

/// Numbers the tickets of one partition.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct TicketNumber(pub u64);

/// What a fetch is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Errand {
    /// A page: archived, parsed, its links followed.
    Page,
    /// A sitemap that a robots.txt named: its entries are candidates.
    Sitemap,
    /// The robots.txt of an origin, or the place to which it was redirected.
    Robots {
        /// For whom it will speak.
        origin: Origin,
        /// The redirects followed so far.
        hops: u8,
    },
    /// A page of which copies are compared before it is fetched for good.
    Compared(Copies),
}

/// The copies of a page so far, each as the `SimHash` of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Copies {
    /// We were shown this, and what a browser is shown comes next.
    Own(u64),
    /// Both were fetched, and the page itself comes next.
    Both {
        /// What we were shown.
        own: u64,
        /// What a browser was shown, if that can be compared.
        browser: Option<u64>,
    },
}

/// A URL that was found and may be worth a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub url: CanonUrl,
    /// What it would be fetched for.
    pub errand: Errand,
    /// Links from the nearest seed, as far as known.
    pub depth: u16,
    /// Redirects that led here from the page that was linked.
    pub hops: u8,
    /// How it came to be known.
    pub found: Found,
}

/// How a URL came to be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The page that links or redirects to it; none for a seed.
    pub on: Option<UrlKey>,
    /// When.
    pub at: Tick,
}

impl Candidate {
    /// One of which nobody said yet how it was found.
    pub fn new(url: CanonUrl, errand: Errand, depth: u16, hops: u8) -> Self {
        Self { url, errand, depth, hops, found: Found::default() }
    }

    /// The page itself, and the copies of it so far.
    #[must_use]
    pub fn parted(self) -> (Self, Option<Copies>) {
        match self.errand {
            Errand::Compared(copies) => (Self { errand: Errand::Page, ..self }, Some(copies)),
            Errand::Page | Errand::Sitemap | Errand::Robots { .. } => (self, None),
        }
    }
}

/// Set in the written form of the hops where it goes on with what [`Found`] says: crawls of before
/// do not have that.
const IS_FOUND: u8 = 0x80;

impl Serialize for Candidate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_found = self.found != Found::default();
        let mut tuple = serializer.serialize_tuple(4 + usize::from(is_found))?;
        tuple.serialize_element(&self.url)?;
        tuple.serialize_element(&self.errand)?;
        tuple.serialize_element(&self.depth)?;
        tuple.serialize_element(&(self.hops | if is_found { IS_FOUND } else { 0 }))?;
        if is_found {
            tuple.serialize_element(&self.found)?;
        }
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Candidate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(5, Written)
    }
}

/// Reads the written form of a [`Candidate`].
struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Candidate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a URL, its errand, its depth and its hops")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Candidate, A::Error> {
        let short = |count| A::Error::invalid_length(count, &self);
        let url = parts.next_element()?.ok_or_else(|| short(0))?;
        let errand = parts.next_element()?.ok_or_else(|| short(1))?;
        let depth = parts.next_element()?.ok_or_else(|| short(2))?;
        let hops: u8 = parts.next_element()?.ok_or_else(|| short(3))?;
        let found = if hops & IS_FOUND == 0 {
            Found::default()
        } else {
            parts.next_element()?.ok_or_else(|| short(4))?
        };
        Ok(Candidate { url, errand, depth, hops: hops & !IS_FOUND, found })
    }
}

/// The right to one fetch. It cannot be copied, and must be settled.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "an unsettled ticket keeps its site out of the queue"]
pub struct Ticket {
    /// Its number in its partition.
    pub number: TicketNumber,
    /// What to fetch.
    pub candidate: Candidate,
    /// Which visit of the URL.
    pub visit: Visit,
    /// Whose ownership of the partition issued it.
    pub epoch: Epoch,
    /// Tries before this one.
    pub tries: u8,
    /// When the fetch must have ended.
    pub expires: Tick,
}
