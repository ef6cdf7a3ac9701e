//! The requests that were under way when a crawl ended: nobody knows what came of them, and the
//! archive says so.

use std::time::{Duration, SystemTime};

use rhumb_archive::{CrawlId, Encoded, Encoder, Interrupted};
use rhumb_seen::Seen;
use rhumb_web::{Span, Tick};

use super::worker::fields;
use crate::partition::State;

/// One record for every ticket that was out; `ticket_for` is how long tickets may be out, `last`
/// the last moment that is known. Whether its request had been sent is not.
pub(super) fn notes<S: Seen>(
    crawl: CrawlId,
    born_ms: u64,
    ticket_for: Span,
    last: Tick,
    states: &[State<S>],
) -> Vec<Encoded> {
    let mut encoder = Encoder::new(crawl);
    let out = states.iter().flat_map(State::out);
    out.map(|(number, out)| {
        // Tickets of before may have had more time than those of now.
        let tick = (out.expires - ticket_for).min(last);
        let candidate = &out.entry.candidate;
        let began = Duration::from_millis(born_ms.saturating_add(tick.0));
        encoder.interrupted(&Interrupted {
            url: &candidate.url,
            number: number.0,
            began: SystemTime::UNIX_EPOCH + began,
            fields: fields(candidate, number, tick, None),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use rhumb_archive::Kind;
    use rhumb_frontier::Entry;
    use rhumb_seen::MemorySeen;
    use rhumb_web::{Candidate, CanonUrl, Errand, HashKey, PartitionId, TicketNumber};

    use super::*;
    use crate::partition::Fact;

    #[test]
    fn every_ticket_that_was_out_is_noted_with_the_moment_at_which_it_went() {
        let hash = HashKey(1, 2);
        let seen = MemorySeen::default();
        let mut state = State::new(PartitionId(0), hash, "rhumb".to_owned(), seen);
        for (number, at) in [(0, Tick(1_000)), (1, Tick(2_000))] {
            let url = CanonUrl::parse(&format!("http://{number}.test/")).unwrap();
            let entry = Entry::new(Candidate::new(url, Errand::Page, 0, 0));
            let entries = vec![entry.clone()];
            let (shelved, unsure) = (Vec::new(), Vec::new());
            state.apply(at, &Fact::Admitted { parcel: None, entries, shelved, unsure });
            let expires = at + Span::seconds(90);
            state.apply(at, &Fact::Issued { number: TicketNumber(number), entry, expires });
        }
        let began = |ticket_for, last| {
            let notes =
                notes(crate::store::crawl_id(hash), 500, ticket_for, last, &[state.clone()]);
            assert!(notes.iter().all(|note| note.records[0].kind == Kind::Metadata));
            let since = |note: &Encoded| note.began.duration_since(SystemTime::UNIX_EPOCH).unwrap();
            notes.iter().map(|note| since(note).as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(began(Span::seconds(90), Tick(2_500)), [1_500, 2_500]);
        // A run whose tickets have less time does not put them behind the end.
        assert_eq!(began(Span::seconds(9), Tick(2_500)), [3_000, 3_000]);
    }
}
