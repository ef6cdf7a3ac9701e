//! How often each client may do something: a bucket of tokens for each, in a table with an end.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Clients that are told apart at once; those beyond share one bucket.
const CLIENTS_MAX: usize = 10_000;
/// The table is cleared of quiet clients at most this often.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// One client, as far as it is told from others: an IPv6 host has a whole /64 to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Client(u128);

impl Client {
    const ALL_OTHERS: Self = Self(u128::MAX);

    pub(super) fn at(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.to_ipv6_mapped().to_bits()),
            IpAddr::V6(address) => Self(address.to_bits() >> 64 << 64),
        }
    }
}

/// A rate, and what may come at once after a quiet time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) every: Duration,
    pub(super) burst: u32,
}

/// When each client will have all its tokens again.
#[derive(Debug)]
pub(super) struct Rates {
    allowance: Allowance,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    full_at: HashMap<Client, Instant>,
    swept_at: Option<Instant>,
}

impl Rates {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { allowance, table: Mutex::new(Table::default()) }
    }

    /// Takes a token, or tells when there will be one.
    pub(super) fn take(&self, client: Client, now: Instant) -> Result<(), Duration> {
        let Allowance { every, burst } = self.allowance;
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let client = table.seat(client, now);
        let full_at = table.full_at.get(&client).map_or(now, |at| (*at).max(now));
        let owed = full_at.duration_since(now) + every;
        let room = every.saturating_mul(burst);
        if owed > room {
            return Err(owed.saturating_sub(room));
        }
        table.full_at.insert(client, now + owed);
        Ok(())
    }
}

impl Table {
    /// The client itself, if the table has a place for it.
    fn seat(&mut self, client: Client, now: Instant) -> Client {
        if self.full_at.len() < CLIENTS_MAX || self.full_at.contains_key(&client) {
            return client;
        }
        if self.swept_at.is_none_or(|at| now.duration_since(at) >= SWEEP_EVERY) {
            self.swept_at = Some(now);
            self.full_at.retain(|_, full_at| *full_at > now);
        }
        if self.full_at.len() < CLIENTS_MAX { client } else { Client::ALL_OTHERS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn client(address: &str) -> Client {
        Client::at(address.parse().expect("an address"))
    }

    #[test]
    fn a_client_has_its_burst_and_then_its_rate() {
        let rates = Rates::new(Allowance { every: SECOND, burst: 3 });
        let (one, other, start) = (client("192.0.2.1"), client("192.0.2.2"), Instant::now());
        for _ in 0..3 {
            assert_eq!(rates.take(one, start), Ok(()));
        }
        assert_eq!(rates.take(one, start), Err(SECOND));
        assert_eq!(rates.take(other, start), Ok(()));
        assert_eq!(rates.take(one, start + SECOND), Ok(()));
        assert_eq!(rates.take(one, start + SECOND), Err(SECOND));
        for _ in 0..3 {
            assert_eq!(rates.take(one, start + 60 * SECOND), Ok(()));
        }
        assert_eq!(rates.take(one, start + 60 * SECOND), Err(SECOND));
    }

    #[test]
    fn one_machine_is_one_client() {
        let check = |one: &str, other: &str, expect: bool| {
            assert_eq!(client(one) == client(other), expect, "{one} and {other}");
        };
        check("192.0.2.1", "192.0.2.1", true);
        check("192.0.2.1", "192.0.2.2", false);
        check("::ffff:192.0.2.1", "192.0.2.1", true);
        check("2001:db8::1", "2001:db8::ffff:1", true);
        check("2001:db8::1", "2001:db8:0:1::1", false);
    }

    #[test]
    fn the_table_has_an_end_and_quiet_clients_leave_it() {
        let rates = Rates::new(Allowance { every: SECOND, burst: 1 });
        let start = Instant::now();
        let many = u32::try_from(CLIENTS_MAX).expect("a small number");
        let nth = |n: u32| Client::at(IpAddr::from(n.to_be_bytes()));
        for n in 0..many {
            assert_eq!(rates.take(nth(n), start), Ok(()));
        }
        assert_eq!(rates.take(nth(many), start), Ok(()), "the first beyond the end");
        assert_eq!(rates.take(nth(many + 1), start), Err(SECOND), "shares its bucket");
        assert_eq!(rates.take(nth(many + 2), start + 2 * SECOND), Ok(()));
        assert_eq!(rates.take(nth(many + 3), start + 2 * SECOND), Ok(()), "there is room again");
        assert!(rates.table.lock().expect("whole").full_at.len() < 10);
    }
}
