//! What kind of web is wanted.

use std::time::Duration;

use crate::truth::Coding;

/// How hosts are laid on loopback addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// Every host has a 127.x address of its own.
    OnePerHost,
    /// All hosts share this many addresses.
    Shared(usize),
}

/// What the pages of a web are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// All that a crawler has to cope with: redirects, copies, charsets, decoys, broken markup.
    Varied,
    /// HTML pages of long prose with many links, and nothing else: what speed is measured on.
    Even,
}

/// The wish from which a web is made: the same spec always gives the same web.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a part of the web or of its serving")]
pub struct Spec {
    /// Everything that looks like chance comes from this number.
    pub seed: u64,
    /// Host names, bad ones and mirrors among them.
    pub hosts: usize,
    /// The least number of pages that a correct crawler fetches.
    pub pages: usize,
    /// What its pages are like; an even web has none of the parts that can be left out.
    pub shape: Shape,
    /// One address a host, or many hosts on few.
    pub addresses: Addresses,
    /// Some hosts do not resolve, refuse, hang up or fail on everything.
    pub bad_hosts: bool,
    /// Some hosts have endless paths and queries, and a calendar behind a Disallow.
    pub traps: bool,
    /// About a third of the hosts speaks TLS, some of them on top of plain HTTP.
    pub https: bool,
    /// Every host speaks TLS, and nothing but TLS.
    pub only_https: bool,
    /// A name whose DNS query is never answered: costs the crawler a time-out.
    pub slow_hosts: bool,
    /// Pages that redirect to themselves until their cookie comes back.
    pub cookie_walls: bool,
    /// Pages are padded with words up to about this size.
    pub body_bytes: usize,
    /// How all bodies are coded for clients that take it; otherwise it varies from page to page.
    pub coding: Option<Coding>,
    /// Answers are rendered, coded and framed before the web is served: costs memory, not time.
    pub prepared: bool,
    /// On an even web: the server closes the connection after every page.
    pub closes: bool,
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
            shape: Shape::Varied,
            addresses: Addresses::OnePerHost,
            bad_hosts: true,
            traps: true,
            https: true,
            only_https: false,
            slow_hosts: false,
            cookie_walls: false,
            body_bytes: 3_000,
            coding: None,
            prepared: false,
            closes: false,
            latency: Duration::ZERO,
        }
    }

    /// The web of `rhumb demo`.
    pub fn demo() -> Self {
        Self::sized(1, 240, 2_500)
    }

    /// The web that crawlers are timed on: exactly these pages of about 21 KB, spread evenly over
    /// the hosts, with about 31 links each; any crawler finds all of them.
    pub fn bench(hosts: usize, pages: usize) -> Self {
        Self {
            shape: Shape::Even,
            bad_hosts: false,
            traps: false,
            https: false,
            body_bytes: 21_000,
            prepared: true,
            ..Self::sized(1, hosts, pages)
        }
    }
}
