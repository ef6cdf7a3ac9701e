//! Facts, events and effects: the whole language between a partition and its shell.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_archive::Position;
use rhumb_frontier::{DomainKey, Entry, Gift, Manner, Place, SiteKey, Stock, Wish};
use rhumb_likeness::{Late, Twin};
use rhumb_rules::{ROBOTS_BYTES_MAX, Reason, Trap};
use rhumb_seen::Bucket;
use rhumb_web::{
    Candidate, CanonUrl, Copies, Cut, Failure, Origin, PartitionId, Site, Span, Tick, Ticket,
    TicketNumber, UrlKey,
};
use serde::{Deserialize, Deserializer, Serialize};

use super::content::Content;
use super::dossier::Dossier;
use super::tally::Miss;

/// What happened, for ever: the log holds these, and state is nothing but their sum.
/// Every value that policy decided is inside, so that replay needs neither policy nor clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// Candidates were judged by the seen-set.
    Admitted {
        /// The parcel that brought them; none for seeds.
        parcel: Option<(PartitionId, u64)>,
        /// The new ones that go into the heads of their sites; now queued and seen.
        entries: Vec<Entry>,
        /// The new ones that go to the shelves of their sites; queued and seen as well.
        shelved: Vec<Entry>,
        /// Those that wait for a bucket of the seen-set.
        unsure: Vec<(Bucket, Candidate)>,
    },
    /// A bucket was settled: these candidates of it were new after all.
    Rescued {
        /// Which bucket.
        bucket: Bucket,
        /// How many of its candidates were looked at; later ones wait for the next pass.
        read: usize,
        /// Now queued and seen.
        entries: Vec<Entry>,
        /// Now queued on their shelves and seen.
        shelved: Vec<Entry>,
    },
    /// The next shelved entries came back into their origin's head: how crawls of before tell it.
    Refilled {
        /// Whose.
        origin: Origin,
        /// In their order.
        entries: Vec<Entry>,
    },
    /// A ticket went out.
    Issued {
        /// Its number.
        number: TicketNumber,
        /// For what.
        entry: Entry,
        /// When it must be back.
        expires: Tick,
    },
    /// A ticket came back.
    Settled(Box<Settled>),
    /// A ticket was out when the crawl ended: what came of it is not known, and it is void.
    Recalled(TicketNumber),
    /// A site is left alone for a while, since a request to it may be unknown.
    Rested {
        /// Which.
        site: Site,
        /// Until when.
        until: Tick,
    },
    /// An entry will not be fetched.
    Dropped {
        /// Which.
        entry: Entry,
        /// Why not.
        cause: Cause,
    },
    /// The robots.txt of an origin is known, or is known to be out of reach.
    Robots {
        /// Whose.
        origin: Origin,
        /// What came.
        answer: RobotsAnswer,
        /// When to ask again.
        refresh_at: Tick,
        /// The clock of the origin's site.
        manner: Manner,
        /// No page of the origin is asked for before this.
        pages_at: Tick,
        /// It is out of reach, and is not tried again soon.
        is_given_up: bool,
    },
    /// An origin may not be asked for pages for a while.
    Held {
        /// Which.
        origin: Origin,
        /// Until when.
        until: Tick,
    },
    /// A page that was taken for an original is none.
    Likened {
        /// Which.
        url: UrlKey,
        /// On which site.
        site: SiteKey,
        /// Its original.
        twin: Twin,
    },
    /// Shelved entries were chosen, and came back into their origin's head.
    Picked {
        /// Whose.
        origin: Origin,
        /// By their ordinals on the shelf.
        picks: Vec<(u64, Entry)>,
    },
}

/// Why an entry is dropped without a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// A rule forbids it.
    Refused(Reason),
    /// Its site is known not to exist.
    Failed(Failure),
}

/// What became of a ticket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Which ticket.
    pub number: TicketNumber,
    /// What was fetched.
    pub entry: Entry,
    /// What it came to.
    pub result: Settlement,
    /// Bytes of the body.
    pub bytes: u64,
    /// Why the body is not whole, if it is not.
    pub cut: Option<Cut>,
    /// How long it took.
    pub took: Span,
    /// The clock of the site from now on.
    pub manner: Manner,
    /// When to fetch it again, if it shall be; the entry is as it will be queued.
    pub again: Option<(Tick, Entry)>,
    /// Links to other partitions and to this one.
    pub parcels: Vec<Parcel>,
    /// Links that a rule refused, by reason.
    pub refused: BTreeMap<Reason, u32>,
    /// The place to which a seed moved: a new root of the scope.
    pub root: Option<CanonUrl>,
    /// The digest of the payload, if it came whole.
    pub digest: Option<PayloadDigest>,
    /// The end of its records in the archive, if it has any.
    pub kept: Option<Position>,
    /// What crawls of before do not tell.
    #[serde(deserialize_with = "late")]
    pub more: More,
}

/// What is told of a fetch since the second format of facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct More {
    /// Where it was redirected to.
    pub moved_to: Option<CanonUrl>,
    /// The page that had the same payload before, in crawls that knew no other likeness.
    pub duplicate_of: Option<CanonUrl>,
    /// What it says.
    #[serde(deserialize_with = "late")]
    pub content: Content,
}

/// Reads a last field that a writer of before did not have: where the bytes end it is empty.
#[expect(clippy::unnecessary_wraps, reason = "serde asks for this form")]
pub(crate) fn late<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(T::deserialize(deserializer).unwrap_or_default())
}

/// The SHA-1 of a payload.
pub type PayloadDigest = [u8; 20];

/// The end of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Settlement {
    /// The server answered with this status.
    Answered(u16),
    /// It did not answer.
    Failed(Failure),
    /// Nothing was sent: the address is busy.
    AddressBusy,
    /// Nothing was sent: the address is private.
    PrivateAddress,
    /// Nothing was sent: it is not to be fetched.
    Dropped(Cause),
}

/// What came of asking for a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RobotsAnswer {
    /// A file.
    File {
        /// Its bytes.
        body: Vec<u8>,
        /// By what the server knows this version.
        etag: Option<String>,
    },
    /// The file that we have is still the one.
    Unchanged,
    /// There is none: everything is allowed (RFC 9309 §2.3.1.3).
    Absent,
    /// The server failed, and how: everything is disallowed (RFC 9309 §2.3.1.4).
    Unreachable(Miss),
    /// The host does not exist.
    NoSuchHost,
    /// The host has only private addresses.
    PrivateAddress,
}

/// What one partition sends another, numbered per pair so that it takes effect once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parcel {
    /// From whom.
    pub from: PartitionId,
    /// To whom.
    pub to: PartitionId,
    /// One more than the parcel before it.
    pub number: u64,
    /// URLs that the target owns; shared, since the fact that sends them has them too.
    pub candidates: Arc<[Candidate]>,
    /// The robots.txt of an origin that the target owns, fetched by a redirect from it.
    pub robots: Option<(Origin, RobotsAnswer)>,
    /// What each candidate is given: an estimate, and no part of the fact that sends them.
    #[serde(skip)]
    pub gift: Gift,
}

/// What a partition is told.
#[derive(Debug)]
pub enum Event {
    /// Seeds, or URLs that a user submitted.
    Seeds(Vec<Candidate>),
    /// Links and answers from a partition.
    Parcel(Parcel),
    /// A ticket came back.
    Returned(Box<Return>),
    /// A bucket of the seen-set was read.
    BucketSettled {
        /// Which.
        bucket: Bucket,
        /// How many candidates were looked at.
        read: usize,
        /// Those that are new.
        new: Vec<Candidate>,
    },
    /// Shelved entries of an origin were read.
    Refilled(Origin, Stock),
    /// A cold site was read.
    Woken(Box<Dossier>),
    /// A page that was taken for an original is none.
    Likened(Late),
    /// Time passed.
    Tick,
}

/// A ticket, and what the web made of it.
#[derive(Debug)]
pub struct Return {
    /// The ticket, given back.
    pub ticket: Ticket,
    /// How long the exchange took.
    pub took: Span,
    /// What was found.
    pub finding: Finding,
    /// The digest of the payload, if it came whole.
    pub digest: Option<PayloadDigest>,
    /// The end of its records in the archive, if it has any.
    pub kept: Option<Position>,
    /// Our own connection is down: nothing is held against the site or the URL.
    pub excused: bool,
}

/// What an exchange came to, read and judged.
#[derive(Debug)]
pub enum Finding {
    /// An answer.
    Answered(Box<Answer>),
    /// None.
    Failed(Failure),
    /// The address is busy for so long.
    AddressBusy(Span),
    /// The address is private.
    PrivateAddress,
}

/// An answer, as far as a partition needs it.
#[derive(Debug, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Bytes of the body.
    pub bytes: u64,
    /// Why the body is not whole, if it is not.
    pub cut: Option<Cut>,
    /// How long the site asks to be left alone, if it does; the inner is what it said.
    pub pushback: Option<Option<Span>>,
    /// Links that the rules admit, each with its owner.
    pub candidates: Vec<(PartitionId, Candidate)>,
    /// The other domains that they lead to.
    pub outward: Vec<DomainKey>,
    /// Links that they refuse.
    pub refused: BTreeMap<Reason, u32>,
    /// A redirect to the very same URL.
    pub self_redirect: bool,
    /// The new root of the scope, where a seed moved.
    pub root: Option<CanonUrl>,
    /// The body of a robots.txt.
    pub robots: Option<Vec<u8>>,
    /// By what the server knows this version of it.
    pub etag: Option<String>,
    /// Where a robots.txt was redirected to.
    pub robots_moved: Option<CanonUrl>,
    /// It was redirected to a place that is forgotten, so nobody will ask there.
    pub robots_is_withheld: bool,
    /// Where a page was redirected to, whatever the rules say of that, unless it is forgotten.
    pub moved_to: Option<CanonUrl>,
    /// Where a page leads at once by a refresh or a script, likewise.
    pub leads_to: Option<CanonUrl>,
    /// What it says.
    pub content: Content,
    /// A hash of its text without digits and its links without digits; 0 of what has neither.
    pub shape: u64,
    /// A hash of what it says, without numbers, dates and echoes; 0 if that is nothing.
    pub saying: u64,
    /// A hash of where it links to, as written, without digits.
    pub outline: u64,
    /// Some of its links that have the shape of a trap.
    pub trapped: Vec<(Trap, CanonUrl)>,
    /// It is no page, but a copy of one that is compared with others.
    pub is_copy: bool,
    /// The `SimHash` of a copy that can be compared.
    pub copied: Option<u64>,
}

impl Answer {
    /// Whether a robots.txt came only in part, short of what is read of it at most.
    pub(super) fn robots_is_torn(&self) -> bool {
        let is_full = self.robots.as_ref().is_some_and(|body| body.len() > ROBOTS_BYTES_MAX);
        self.cut.is_some_and(|cut| cut != Cut::Length || !is_full)
    }
}

/// What a partition wants done.
#[derive(Debug)]
pub enum Effect {
    /// Fetch it, and send the ticket back.
    Fetch(Ticket, Asked),
    /// Look up this site's name: it will be needed.
    Resolve(Site),
    /// Bring a parcel to its target.
    Send(Parcel),
    /// Put an entry on its origin's shelf, at this place.
    Shelve(Place, Entry),
    /// Read from disk, and report.
    Read(Read),
    /// A domain links to others.
    Vote(DomainKey, Vec<DomainKey>),
    /// A page links to others; only where the order of the crawl asks for ranks.
    Cite(UrlKey, Vec<UrlKey>),
}

/// How something is fetched, and by which manners: the archive keeps both.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Only if it is no longer the version of this `ETag`.
    pub etag: Option<String>,
    /// The gap to the request before it on its site.
    pub delay: Span,
    /// Requests that may be under way at its site at once.
    pub connections: u8,
    /// The copies of a page so far that are compared with it.
    pub copies: Option<Copies>,
}

impl Asked {
    /// Whether it is asked for as a browser would.
    pub(crate) fn is_as_browser(&self) -> bool {
        matches!(self.copies, Some(Copies::Own(_)))
    }
}

/// A disk read.
#[derive(Debug)]
pub enum Read {
    /// Shelved entries of an origin.
    Refill(Origin, Wish),
    /// A cold site.
    Site(SiteKey),
}

/// What one event led to.
#[derive(Debug, Default)]
pub struct Turn {
    /// In their order; to be logged before any effect is started.
    pub facts: Vec<Fact>,
    /// To be started.
    pub effects: Vec<Effect>,
}
