//! What kind of web is wanted.

use std::time::Duration;

/// How hosts are laid on loopback addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// Every host has a 127.x address of its own.
    OnePerHost,
    /// All hosts share this many addresses.
    Shared(usize),
}

/// The wish from which a web is made: the same spec always gives the same web.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a part of the web to leave out")]
pub struct Spec {
    /// Everything that looks like chance comes from this number.
    pub seed: u64,
    /// Host names, bad ones and mirrors among them.
    pub hosts: usize,
    /// The least number of pages that a correct crawler fetches.
    pub pages: usize,
    /// One address a host, or many hosts on few.
    pub addresses: Addresses,
    /// Some hosts do not resolve, refuse, hang up or fail on everything.
    pub bad_hosts: bool,
    /// Some hosts have endless paths and queries, and a calendar behind a Disallow.
    pub traps: bool,
    /// About a third of the hosts speaks TLS, some of them on top of plain HTTP.
    pub https: bool,
    /// A name whose DNS query is never answered: costs the crawler a time-out.
    pub slow_hosts: bool,
    /// Pages that redirect to themselves until their cookie comes back.
    pub cookie_walls: bool,
    /// Pages are padded with words up to about this size.
    pub body_bytes: usize,
    /// The server thinks this long before every answer.
    pub latency: Duration,
}

impl Spec {
    /// A web of a wished size with everything in it that costs no waiting.
    pub fn sized(seed: u64, hosts: usize, pages: usize) -> Self {
        Self {
            seed,
            hosts,
            pages,
            addresses: Addresses::OnePerHost,
            bad_hosts: true,
            traps: true,
            https: true,
            slow_hosts: false,
            cookie_walls: false,
            body_bytes: 3_000,
            latency: Duration::ZERO,
        }
    }

    /// The web of `rhumb demo`.
    pub fn demo() -> Self {
        Self::sized(1, 240, 2_500)
    }
}
