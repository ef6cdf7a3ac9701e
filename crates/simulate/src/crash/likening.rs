//! The desk and the sieve, as in the real shell: arrivals are judged in the order in which they
//! come, before their partitions hear of them.

use rhumb_crawl::partition::{Event, Finding, Return};
use rhumb_likeness::{Late, Passed, Verdict};
use rhumb_web::{Errand, PartitionId};

use super::committer::Job;
use super::process::Process;
use super::report::Count;
use super::web::wide;

/// One turn of the desk in so many begins a pass without a reason.
const PASS_ONCE_IN: u64 = 300;

impl Process<'_> {
    /// Judges the content of an answer.
    pub(super) fn liken(&mut self, partition: PartitionId, returned: &mut Return) {
        let candidate = &returned.ticket.candidate;
        let Finding::Answered(answer) = &mut returned.finding else { return };
        if candidate.errand != Errand::Page || !(200..300).contains(&answer.status) {
            answer.content.sketch = None;
            return;
        }
        let (hash, digest) = (self.world.settings.identity.hash, returned.digest.as_ref());
        let document = answer.content.document(hash, partition, &candidate.url, digest);
        match self.holdings.meet(&document) {
            Verdict::Twin(twin) => {
                answer.content.told.twin = Some(twin);
                answer.content.sketch = None;
            }
            Verdict::Original { replaces } => {
                if replaces.is_some() {
                    self.world.witness.report.count(Count::Replaced);
                }
                self.tell_late(replaces);
            }
        }
    }

    /// Whether so many documents wait for a pass that no more should be fetched.
    pub(super) fn is_behind(&self) -> bool {
        self.is_likening && self.holdings.wants_pass()
    }

    /// Starts a pass when memory is full, before the end, and now and then.
    pub(super) fn tend_sieve(&mut self) {
        if self.is_likening {
            return;
        }
        let is_due = self.holdings.wants_pass()
            || (self.holdings.needs_pass() && self.is_idle())
            || self.world.chance.below(PASS_ONCE_IN) == 0;
        if let Some(pass) = is_due.then(|| self.holdings.pass()).flatten() {
            self.is_likening = true;
            self.jobs.push(Job::Liken(Box::new(pass)));
        }
    }

    pub(super) fn likened(&mut self, passed: Passed) {
        self.is_likening = false;
        self.world.witness.report.count(Count::Sieved);
        if self.is_checkpointing {
            self.world.witness.report.count(Count::SievedAmidCheckpoint);
        }
        let late = self.holdings.passed(passed);
        self.world.witness.report.add(Count::Late, wide(late.len()));
        self.tell_late(late);
    }

    /// Tells the partitions of pages that were taken for originals.
    pub(super) fn tell_late(&mut self, late: impl IntoIterator<Item = Late>) {
        self.own.extend(late.into_iter().map(|it| (it.partition, Event::Likened(it))));
    }
}
