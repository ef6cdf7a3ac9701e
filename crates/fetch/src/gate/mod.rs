//! One gate per address: many sites may live on one machine, and its patience is one.
//!
//! A request passes when the last one began a gap ago and fewer than [`IN_FLIGHT_MAX`] are under
//! way. Who does not pass gets a place in the address's queue and the time until its turn; only
//! the head of the queue passes, so nobody starves and nobody comes all at once. Who does not come
//! back within a few gaps of its turn loses its place.
//!
//! The gate is pure: `now` is an argument.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use rhumb_web::Site;

#[cfg(test)]
mod tests;

/// Requests under way at one address.
pub(crate) const IN_FLIGHT_MAX: u32 = 4;

/// Sites that wait at one address; who comes then is sent away without a place.
const QUEUE_MAX: usize = 4_096;

/// The gaps for which a turn is kept: enough for a busy queue to bring the site back.
const LATE_GAPS: u32 = 4;

/// A turn is kept at least this long, however short the gap: the caller's clock is coarse.
const LATE_MIN: Duration = Duration::from_millis(100);

/// Addresses known before the idle ones are looked for.
const SWEEP_MIN: usize = 1_024;

/// What the gate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Go, and [`Gate::leave`] afterwards.
    Pass,
    /// Come back after this long.
    Wait(Duration),
}

#[derive(Debug, Default)]
struct Address {
    last_start: Option<Instant>,
    in_flight: u32,
    queue: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    site: Site,
    turn: Instant,
}

/// All addresses that were lately visited.
#[derive(Debug)]
pub(crate) struct Gate {
    gap: Duration,
    addresses: HashMap<IpAddr, Address>,
    sweep_at: usize,
}

impl Gate {
    /// A gate with this gap; a gap of zero lets everybody pass.
    pub(crate) fn new(gap: Duration) -> Self {
        Self { gap, addresses: HashMap::new(), sweep_at: SWEEP_MIN }
    }

    /// Asks for a request of `site` to `ip` now.
    pub(crate) fn enter(&mut self, now: Instant, ip: IpAddr, site: &Site) -> Entry {
        if self.gap.is_zero() {
            return Entry::Pass;
        }
        self.sweep(now);
        let (gap, late) = (self.gap, self.late());
        let address = self.addresses.entry(ip).or_default();
        address.queue.retain(|waiting| waiting.turn + late >= now);
        let found = address.queue.iter().position(|waiting| waiting.site == *site);
        let place = found.unwrap_or(address.queue.len());
        let free_at = address.last_start.map_or(now, |start| start + gap);
        let is_full = address.in_flight >= IN_FLIGHT_MAX;
        if place == 0 && !is_full && free_at <= now {
            if found.is_some() {
                address.queue.pop_front();
            }
            address.last_start = Some(now);
            address.in_flight += 1;
            return Entry::Pass;
        }
        // Nobody knows when a request under way will end; a gap from now is a fair time to ask.
        let head_turn = free_at.max(if is_full { now + gap } else { now });
        let ahead = u32::try_from(place).expect("a queue is bounded");
        let turn = head_turn + gap * ahead;
        match address.queue.get_mut(place) {
            Some(waiting) => waiting.turn = turn,
            None if place < QUEUE_MAX => {
                address.queue.push_back(Waiting { site: site.clone(), turn });
            }
            None => {}
        }
        Entry::Wait(turn - now)
    }

    /// A request that passed has ended.
    pub(crate) fn leave(&mut self, ip: IpAddr) {
        if let Some(address) = self.addresses.get_mut(&ip) {
            address.in_flight = address.in_flight.saturating_sub(1);
        }
    }

    fn late(&self) -> Duration {
        (self.gap * LATE_GAPS).max(LATE_MIN)
    }

    /// Forgets the addresses that nobody uses, when there are twice as many as were in use.
    fn sweep(&mut self, now: Instant) {
        if self.addresses.len() < self.sweep_at {
            return;
        }
        let (gap, late) = (self.gap, self.late());
        self.addresses.retain(|_, address| {
            address.in_flight > 0
                || address.last_start.is_some_and(|start| start + gap > now)
                || address.queue.iter().any(|waiting| waiting.turn + late >= now)
        });
        self.sweep_at = SWEEP_MIN.max(2 * self.addresses.len());
    }
}
