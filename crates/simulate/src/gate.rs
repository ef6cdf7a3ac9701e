//! A stand-in for the gate of `fetch`: some visits are sent away because their address is busy.

use std::collections::HashMap;

use crate::moment::Moment;

/// Requests under way at one address.
const IN_FLIGHT_MAX: usize = 4;
/// The gap between two starts at one address.
const GAP: Moment = Moment::millis(250);

#[derive(Debug, Default)]
struct Address {
    last_start: Option<Moment>,
    /// When the requests under way will end.
    ends: Vec<Moment>,
    /// The turn that was promised last.
    promised: Moment,
}

/// All addresses.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    addresses: HashMap<u32, Address>,
}

impl Gate {
    /// Whether a request may begin now; if not, how long to wait.
    pub(crate) fn enter(&mut self, now: Moment, address: u32) -> Result<(), Moment> {
        let door = self.addresses.entry(address).or_default();
        door.ends.retain(|end| *end > now);
        let free_at = door.last_start.map_or(now, |start| start.plus(GAP));
        let is_full = door.ends.len() >= IN_FLIGHT_MAX;
        if free_at <= now && !is_full {
            door.last_start = Some(now);
            return Ok(());
        }
        let turn = if is_full { now.plus(GAP) } else { free_at };
        let turn = turn.max(door.promised.plus(GAP));
        door.promised = turn;
        Err(turn.since(now))
    }

    /// A request that entered will end then.
    pub(crate) fn ends(&mut self, address: u32, end: Moment) {
        self.addresses.entry(address).or_default().ends.push(end);
    }
}
