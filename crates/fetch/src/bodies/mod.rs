//! The memory of bodies in flight: so many bytes for all of them together.
//!
//! A fetch takes bytes before it reads them, in steps, and gives them back when its exchange is
//! dropped. Two shares keep large bodies from holding up small ones. Fetches that all hold a part
//! of a share and wait for more would wait for ever: so each share has one turn to go beyond it,
//! and whoever has the turn never waits again, ends, and hands it on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// Bytes that are taken at a time, and that a connection reads at a time.
pub(crate) const STEP: usize = 64 * 1024;

/// What a fetch takes of the share for small bodies; the rest is of the other share. A page of
/// 90 KiB that is packed takes no more, as it may inflate to twenty times that.
const SMALL: usize = 2 * 1024 * 1024;

/// How many times the longest body one exchange holds: as it came, without chunks, unpacked.
const COPIES: usize = 3;

/// The memory of all fetches of a door.
#[derive(Debug)]
pub(crate) struct Bodies {
    small: Share,
    large: Share,
    held: AtomicU64,
    peak: AtomicU64,
}

impl Bodies {
    /// So many bytes in all, of which a part is kept back for the one that may go beyond.
    pub(crate) fn new(bytes: u64, body_max: usize) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let kept_back = body_max.saturating_mul(COPIES).min(bytes / 4);
        Self {
            small: Share::new(bytes / 2),
            large: Share::new(bytes / 2 - kept_back),
            held: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }
    }

    /// Lets a fetch begin, with one step. It holds nothing yet, so it can wait without a turn.
    pub(crate) async fn enter(self: &Arc<Self>) -> Claim {
        let permit = Arc::clone(&self.small.steps).acquire_owned().await;
        let mut claim = Claim::new(Arc::clone(self));
        claim.small.permit = Some(permit.expect(NEVER_CLOSED));
        claim.small.count = 1;
        claim.count(0);
        claim
    }

    /// Bytes that are held now.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// The most bytes that were ever held.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

const NEVER_CLOSED: &str = "a share is never closed";

/// Steps that many take from, and the turn to take more than there are.
#[derive(Debug)]
struct Share {
    total: usize,
    steps: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

impl Share {
    fn new(bytes: usize) -> Self {
        let total = (bytes / STEP).clamp(1, Semaphore::MAX_PERMITS);
        Self { total, steps: Arc::new(Semaphore::new(total)), turn: Arc::new(Semaphore::new(1)) }
    }
}

/// What a fetch has of a share.
#[derive(Debug, Default)]
struct Part {
    count: usize,
    permit: Option<OwnedSemaphorePermit>,
    turn: Option<OwnedSemaphorePermit>,
}

impl Part {
    async fn grow(&mut self, share: &Share, count: usize) {
        if count <= self.count {
            return;
        }
        if self.turn.is_none() {
            let more = count - self.count;
            // What nobody could give would only keep others waiting.
            let is_possible = more <= share.total;
            let more = u32::try_from(more).unwrap_or(u32::MAX);
            tokio::select! {
                biased;
                permit = Arc::clone(&share.steps).acquire_many_owned(more), if is_possible => {
                    let permit = permit.expect(NEVER_CLOSED);
                    match &mut self.permit {
                        Some(held) => held.merge(permit),
                        None => self.permit = Some(permit),
                    }
                }
                turn = Arc::clone(&share.turn).acquire_owned() => {
                    self.turn = Some(turn.expect(NEVER_CLOSED));
                }
            }
        }
        self.count = count;
    }

    fn shrink(&mut self, count: usize) {
        self.count = self.count.min(count);
        let permits = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        if permits >= self.count {
            let surplus = self.permit.as_mut().and_then(|held| held.split(permits - self.count));
            drop(surplus);
            self.turn = None;
        }
    }
}

/// The bytes that one fetch holds; given back when dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    bodies: Arc<Bodies>,
    small: Part,
    large: Part,
}

impl Claim {
    fn new(bodies: Arc<Bodies>) -> Self {
        Self { bodies, small: Part::default(), large: Part::default() }
    }

    /// Waits until so many bytes are held; says how long that took.
    pub(crate) async fn reach(&mut self, bytes: usize) -> Duration {
        let (small, large) = parts(bytes);
        if small <= self.small.count && large <= self.large.count {
            return Duration::ZERO;
        }
        let began = Instant::now();
        let before = self.steps();
        self.small.grow(&self.bodies.small, small).await;
        self.count(before);
        let before = self.steps();
        self.large.grow(&self.bodies.large, large).await;
        self.count(before);
        began.elapsed()
    }

    /// Gives back what is beyond so many bytes.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let before = self.steps();
        let (small, large) = parts(bytes);
        self.small.shrink(small);
        self.large.shrink(large);
        self.count(before);
    }

    fn steps(&self) -> usize {
        self.small.count + self.large.count
    }

    /// Tells the whole how the steps changed.
    fn count(&self, before: usize) {
        let bytes = |steps: usize| u64::try_from(steps * STEP).expect("a length fits 64 bits");
        let (before, now) = (bytes(before), bytes(self.steps()));
        if now >= before {
            let held = self.bodies.held.fetch_add(now - before, Ordering::Relaxed);
            self.bodies.peak.fetch_max(held + now - before, Ordering::Relaxed);
        } else {
            self.bodies.held.fetch_sub(before - now, Ordering::Relaxed);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

/// The steps of so many bytes: of small bodies, and beyond.
fn parts(bytes: usize) -> (usize, usize) {
    (bytes.min(SMALL).div_ceil(STEP), bytes.saturating_sub(SMALL).div_ceil(STEP))
}
