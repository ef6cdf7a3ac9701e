//! The counts of a crawl, folded from its facts.

use std::collections::BTreeMap;

use rhumb_likeness::{Likeness, Twin};
use rhumb_rules::Reason;
use rhumb_web::{Cut, Errand, Failure, Mark};
use serde::{Deserialize, Serialize};

use super::fact::{Cause, Settled, Settlement};

/// How a URL ended without a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Miss {
    /// The server said so.
    Status(u16),
    /// There was no answer.
    Failure(Failure),
}

impl Miss {
    /// The one word for it: `http-404`, `timeout-connect`.
    pub fn word(self) -> String {
        match self {
            Self::Status(status) => format!("http-{status}"),
            Self::Failure(failure) => failure.word().to_owned(),
        }
    }
}

/// What was fetched, refused and missed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Answers that brought a page or led to one: status below 400.
    pub fetched: u64,
    /// Of those, redirects.
    pub redirects: u64,
    /// Of those, sitemaps.
    pub sitemaps: u64,
    /// Robots.txt files asked for.
    pub robots: u64,
    /// Of those, bodies that are not whole, by why.
    pub cut: BTreeMap<Cut, u64>,
    /// URLs given up, by outcome; a robots.txt that is out of reach among them.
    pub missed: BTreeMap<Miss, u64>,
    /// Links and URLs refused, by reason.
    pub refused: BTreeMap<Reason, u64>,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Links that crossed from one partition to another.
    pub crossed: u64,
    /// Pages whose payload another page had before; kept apart, since crawls of before lack it.
    #[serde(skip)]
    pub duplicates: u64,
    /// Of those, pages whose text is nearly that of another.
    #[serde(skip)]
    pub near: u64,
    /// Pages that are not what their status says, by what they are.
    #[serde(skip)]
    pub marked: BTreeMap<Mark, u64>,
}

impl Tally {
    /// Pages: what was fetched and is neither a redirect nor a sitemap.
    pub fn pages(&self) -> u64 {
        self.fetched - self.redirects - self.sitemaps
    }

    pub(super) fn settled(&mut self, settled: &Settled) {
        self.bytes += settled.bytes;
        for (reason, count) in &settled.refused {
            *self.refused.entry(*reason).or_default() += u64::from(*count);
        }
        for parcel in settled.parcels.iter().filter(|parcel| parcel.from != parcel.to) {
            self.crossed += u64::try_from(parcel.candidates.len()).expect("a length fits 64 bits");
        }
        if let Errand::Robots { .. } = settled.entry.candidate.errand {
            self.robots += u64::from(settled.result != Settlement::AddressBusy);
            return;
        }
        if settled.again.is_some() {
            return;
        }
        let told = &settled.more.content.told;
        if let Some(mark) = told.mark {
            *self.marked.entry(mark).or_default() += 1;
        }
        match settled.result {
            Settlement::Answered(status) if status < 400 => {
                self.fetched += 1;
                if let Some(cut) = settled.cut {
                    *self.cut.entry(cut).or_default() += 1;
                }
                self.duplicates += u64::from(settled.more.duplicate_of.is_some());
                if let Some(twin) = told.twin {
                    self.likened(twin);
                }
                self.redirects += u64::from((300..400).contains(&status) && status != 304);
                let is_sitemap = settled.entry.candidate.errand == Errand::Sitemap;
                self.sitemaps += u64::from(is_sitemap && !(300..400).contains(&status));
            }
            Settlement::Answered(status) => self.miss(Miss::Status(status)),
            Settlement::Failed(failure) => self.miss(Miss::Failure(failure)),
            Settlement::PrivateAddress => self.refuse(Reason::PrivateAddress),
            Settlement::AddressBusy | Settlement::Dropped(_) => {}
        }
    }

    /// A page turned out to have an original.
    pub(super) fn likened(&mut self, twin: Twin) {
        self.duplicates += 1;
        self.near += u64::from(twin.how != Likeness::Same);
    }

    pub(super) fn dropped(&mut self, cause: Cause) {
        match cause {
            Cause::Refused(reason) => self.refuse(reason),
            Cause::Failed(failure) => self.miss(Miss::Failure(failure)),
        }
    }

    pub(super) fn miss(&mut self, miss: Miss) {
        *self.missed.entry(miss).or_default() += 1;
    }

    fn refuse(&mut self, reason: Reason) {
        *self.refused.entry(reason).or_default() += 1;
    }

    /// Adds another partition's counts.
    pub fn add(&mut self, other: &Self) {
        self.fetched += other.fetched;
        self.redirects += other.redirects;
        self.sitemaps += other.sitemaps;
        self.robots += other.robots;
        self.bytes += other.bytes;
        self.crossed += other.crossed;
        self.duplicates += other.duplicates;
        self.near += other.near;
        for (mark, count) in &other.marked {
            *self.marked.entry(*mark).or_default() += count;
        }
        for (cut, count) in &other.cut {
            *self.cut.entry(*cut).or_default() += count;
        }
        for (miss, count) in &other.missed {
            *self.missed.entry(*miss).or_default() += count;
        }
        for (reason, count) in &other.refused {
            *self.refused.entry(*reason).or_default() += count;
        }
    }
}
