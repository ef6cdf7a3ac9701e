//! A line of the log: what one frame holds.

use std::borrow::Cow;

use rhumb_archive::Position;
use rhumb_frontier::Entry;
use rhumb_web::{Candidate, PartitionId, Site, Tick, TicketNumber};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::partition::{Fact, Settlement};

/// One line. Its order and the order of all fields below it are the log's format.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Line<'a> {
    /// The crawl was opened.
    Opened(Tick),
    /// A fact of a partition.
    Fact(PartitionId, Tick, Cow<'a, Fact>),
    /// The archive is on the disk up to here.
    Kept(Position),
    /// The crawl was closed: nothing was under way but the tickets that are out.
    Closed,
    /// The archive has records up to here of which no fact speaks.
    Noted(Position),
}

impl Line<'_> {
    /// Writes it into the buffer, which is emptied first.
    pub(super) fn encode(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        let bytes = std::mem::take(buffer);
        *buffer = postcard::to_extend(self, bytes).expect("a line can always be written down");
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Line<'static>, StoreError> {
        postcard::from_bytes(bytes).map_err(|_| StoreError::Line)
    }
}

/// [`Line::Fact`] and [`Fact::Settled`] as they are written.
const FACT: u32 = 1;
const SETTLED: u32 = 4;

/// The beginning of a line with a fact: who said it, and when. To read URLs is what costs time.
pub(super) struct Stamp<'b> {
    /// Whose fact it is.
    pub(super) id: PartitionId,
    /// When it was said.
    pub(super) at: Tick,
    fact: &'b [u8],
}

impl<'b> Stamp<'b> {
    /// None if the line is no fact.
    pub(super) fn of(bytes: &'b [u8]) -> Option<Self> {
        let read = postcard::take_from_bytes::<(u32, PartitionId, Tick)>(bytes);
        let ((kind, id, at), fact) = read.ok()?;
        (kind == FACT).then_some(Self { id, at, fact })
    }

    /// What was fetched and what that came to, without its links.
    pub(super) fn settled(&self) -> Option<(Entry, Settlement)> {
        let (kind, settled) = postcard::take_from_bytes::<u32>(self.fact).ok()?;
        let read = postcard::take_from_bytes::<(TicketNumber, Entry, Settlement)>(settled);
        let ((_, entry, result), _) = read.ok().filter(|_| kind == SETTLED)?;
        Some((entry, result))
    }

    /// Whether it may tell another partition of a site, or all of them of a root: only a seed
    /// brings one. If unsure, it may.
    pub(super) fn may_send(&self, site: &Site) -> bool {
        let Ok((SETTLED, settled)) = postcard::take_from_bytes::<u32>(self.fact) else {
            return false;
        };
        let read = postcard::take_from_bytes::<(TicketNumber, Candidate)>(settled);
        let Ok(((_, candidate), rest)) = read else { return true };
        let name = site.as_str().as_bytes();
        candidate.depth == 0 || rest.windows(name.len().max(1)).any(|window| window == name)
    }
}
