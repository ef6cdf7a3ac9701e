//! The desk and the sieve: does what a fetch brought lie in the archive already?
//!
//! One place asks, in the order in which records were written: of two mirrors that are fetched at
//! the same moment one is the original and the other its twin.

use rhumb_frontier::SiteKey;
use rhumb_likeness::Verdict;
use rhumb_rules::{Reason, Trap};
use rhumb_web::{Candidate, CanonUrl, Errand, Mark, PartitionId};

use super::desk::Desk;
use super::suspicion::{Kinship, Met, of_shape};
use crate::partition::{Answer, Event, Finding, Return};

/// The sieve has an estimate for texts from so many runs of words on; shorter ones are twins only
/// if all their words are the same.
const ESTIMATED_WORDS: u32 = 50;

impl Desk {
    /// Judges the content of an answer before its partition hears of it.
    pub(super) fn liken(&mut self, partition: PartitionId, returned: &mut Return) {
        let (number, candidate) = (returned.ticket.number, &returned.ticket.candidate);
        let Finding::Answered(answer) = &mut returned.finding else { return };
        if answer.is_copy {
            return;
        }
        // What a ticket brings that has expired is not used.
        let is_used = self.partitions[partition.index()].state().is_out(number);
        if is_used && candidate.errand == Errand::Page {
            self.mark_doorway(&candidate.url, answer);
        }
        let is_page = candidate.errand == Errand::Page && (200..300).contains(&answer.status);
        // A body that was cut is nobody's duplicate, and a gate is no page.
        let is_sound = answer.cut.is_none() && answer.content.told.mark != Some(Mark::Challenge);
        if !is_page || !is_sound || !is_used {
            answer.content.sketch = None;
            return;
        }
        let (hash, digest) = (self.settings.hash, returned.digest.as_ref());
        // Nothing is not the same as nothing.
        let digest = digest.filter(|_| answer.bytes > 0);
        let document = answer.content.document(hash, partition, &candidate.url, digest);
        let own = document.site;
        let words = document.sketch.as_ref().map_or(0, |sketch| sketch.shingles);
        if answer.shape != 0 && self.repeats.is_one_too_many(answer.shape ^ own, words) {
            let links = answer.candidates.len();
            answer.candidates.retain(|(id, link)| {
                let site = SiteKey::of(hash, *id, &link.url.site());
                link.errand != Errand::Page || site.0 != own
            });
            let spared = u32::try_from(links - answer.candidates.len()).unwrap_or(u32::MAX);
            if spared > 0 {
                let reason = Reason::Trap(Trap::RepeatedPage);
                *answer.refused.entry(reason).or_default() += spared;
                answer.content.told.is_repeat = true;
            }
        }
        match self.keeping.holdings.meet(&document) {
            Verdict::Twin(twin) => {
                answer.content.told.twin = Some(twin);
                // Only the sketches of originals are needed again.
                answer.content.sketch = None;
            }
            Verdict::Original { replaces } => {
                self.own.extend(replaces.map(|late| (late.partition, Event::Likened(late))));
            }
        }
        self.take_note(own, candidate, words, answer);
    }

    /// Marks an answer that leads to where many domains lead.
    fn mark_doorway(&mut self, url: &CanonUrl, answer: &mut Answer) {
        let Some(target) = answer.moved_to.as_ref().or(answer.leads_to.as_ref()) else { return };
        let (hash, mark) = (self.settings.hash, &mut answer.content.told.mark);
        // What is no page at all is told by that.
        if self.doorways.is_one(hash, url, target) && !mark.is_some_and(Mark::is_no_page) {
            *mark = Some(Mark::Doorway);
        }
    }

    /// Notes whether a page of a site with so many words said something new.
    fn take_note(&mut self, site: u64, candidate: &Candidate, words: u32, answer: &mut Answer) {
        let suspects = &mut self.keeping.holdings.suspects;
        for (trap, url) in answer.trapped.drain(..) {
            suspects.note(of_shape(trap, &url));
        }
        let told = &mut answer.content.told;
        let twin = Kinship::of(told.twin, site);
        // Documents are no traps.
        if told.document.is_some() {
            if twin == Kinship::Original {
                self.suspicion.credit(candidate);
            }
            return;
        }
        told.is_repeat |= self.suspicion.learn(&Met {
            site,
            candidate,
            saying: answer.saying,
            outline: answer.outline,
            twin,
            is_short: words < ESTIMATED_WORDS,
            is_empty: told.mark == Some(Mark::SoftError),
        });
    }
}
