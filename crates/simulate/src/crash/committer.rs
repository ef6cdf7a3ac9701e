//! The committer of a simulated process, and the jobs that run beside it: what the real one does
//! on its threads, one piece at a time.

use std::collections::VecDeque;

use rhumb_archive::Encoded;
use rhumb_crawl::partition::{Dossier, Fact, Return};
use rhumb_crawl::store::{Mark, Snapshot, Store, StoreError};
use rhumb_frontier::backlog::Reading;
use rhumb_likeness as likeness;
use rhumb_seen::{Bucket, Pass};
use rhumb_web::{Origin, PartitionId, Tick, UrlKey};

use super::World;
use super::process::Notice;

/// Pieces of work that are written in one go.
const BATCH_MAX: u64 = 6;

/// What is to be written.
pub(super) enum Work {
    Deposit(Vec<Encoded>, PartitionId, Box<Return>),
    Facts(PartitionId, Tick, Vec<Fact>),
    Checkpoint(Box<Snapshot>),
    Trim(Mark),
}

/// A read of a cold site.
type Load = Box<dyn FnOnce() -> Result<Dossier, StoreError>>;

/// What runs on a thread of its own, and ends when chance wants it.
pub(super) enum Job {
    Refill(PartitionId, Origin, Reading),
    Wake(PartitionId, Load),
    Pass { bucket: Bucket, parts: Vec<(PartitionId, usize)>, keys: Vec<UrlKey>, pass: Pass },
    Liken(Box<likeness::Pass>),
    Checkpoint(Box<Snapshot>, Mark),
}

impl Job {
    pub(super) fn run(self, world: &mut World) -> Result<Notice, StoreError> {
        Ok(match self {
            Self::Refill(id, origin, reading) => Notice::Refilled(id, origin, reading.run()?),
            Self::Wake(id, load) => Notice::Woken(id, Box::new(load()?)),
            Self::Pass { bucket, parts, keys, pass } => {
                Notice::Passed(bucket, parts, pass.find_new(&keys)?)
            }
            Self::Liken(pass) => Notice::Likened(Box::new(pass.run()?)),
            Self::Checkpoint(snapshot, mark) => {
                world.arm_commit();
                Notice::Checkpointed(Box::new(snapshot.write(mark)?))
            }
        })
    }
}

pub(super) struct Committer {
    store: Store,
    work: VecDeque<Work>,
    /// Since when something is not synced.
    unsynced: Option<u64>,
}

impl Committer {
    pub(super) fn new(store: Store) -> Self {
        Self { store, work: VecDeque::new(), unsynced: None }
    }

    /// Says that the crawl goes on, before anything is sent.
    pub(super) fn opened(&mut self, world: &mut World, now: Tick) -> Result<(), StoreError> {
        self.store.opened(now)?;
        world.witness.synced();
        Ok(())
    }

    pub(super) fn bring(&mut self, work: Work) {
        self.work.push_back(work);
    }

    pub(super) fn has_work(&self) -> bool {
        !self.work.is_empty()
    }

    /// Writes some of what was brought, tells the desk of fetches whose records are written, and
    /// syncs if it is time.
    pub(super) fn turn(
        &mut self,
        world: &mut World,
        inbox: &mut VecDeque<Notice>,
        jobs: &mut Vec<Job>,
    ) -> Result<(), StoreError> {
        let mut arrivals = Vec::new();
        for _ in 0..world.chance.between(1, BATCH_MAX) {
            let Some(work) = self.work.pop_front() else { break };
            self.unsynced.get_or_insert(world.now);
            match work {
                Work::Deposit(records, id, mut returned) => {
                    returned.kept = self.store.keep(&records)?;
                    if let Some(end) = returned.kept {
                        world.witness.kept(end, &records);
                    }
                    arrivals.push(Notice::Arrived(id, returned));
                }
                Work::Facts(id, at, facts) => {
                    for fact in facts {
                        self.store.log(id, at, std::slice::from_ref(&fact))?;
                        world.witness.logged(self.store.log_end().0, &world.web, &fact);
                    }
                }
                Work::Checkpoint(snapshot) => {
                    let mark = self.store.mark()?;
                    world.witness.synced();
                    jobs.push(Job::Checkpoint(snapshot, mark));
                }
                Work::Trim(mark) => self.store.trim(mark)?,
            }
        }
        if self.unsynced.is_some() {
            self.store.write()?;
            world.witness.written();
            inbox.extend(arrivals);
        }
        let is_due = |since| world.now >= since + world.durability;
        if self.unsynced.is_some_and(is_due) {
            self.store.sync()?;
            world.witness.synced();
            self.unsynced = None;
        }
        Ok(())
    }

    pub(super) fn close(self, world: &mut World) -> Result<(), StoreError> {
        self.store.close()?;
        world.witness.synced();
        Ok(())
    }
}
