//! robots.txt by RFC 9309, with the lines that it leaves to others: crawl-delay, request-rate,
//! visit-time, sitemap, host and statements on the use by AI.
//!
//! [`Robots`] is the file, line by line; [`RobotsFor`] is what it says to one agent.

mod hours;
mod lines;
mod pattern;
mod reading;
#[cfg(test)]
mod tests;
mod view;

use std::borrow::Cow;
use std::collections::HashSet;

use rhumb_web::{Canon, CanonUrl};

pub use hours::DELAY_MAX;
pub use lines::ROBOTS_BYTES_MAX;
pub use reading::Reading;
pub use view::{AI_USE_MAX, RobotsFor, RobotsVerdict, WILDCARD_RULES_MAX};

use lines::Record;

/// The most sitemaps that are taken from one file.
pub const SITEMAPS_MAX: usize = 1_000;

/// A robots.txt, read but for no agent in particular.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    records: Vec<Record>,
    sitemaps: Vec<String>,
    host: Option<String>,
}

impl Robots {
    /// Reads a file; what cannot be read means nothing.
    pub fn parse(body: &[u8]) -> Self {
        let mut robots = Self::default();
        let mut sitemaps_met = HashSet::new();
        for record in lines::read(body) {
            match record {
                Record::Sitemap(url) => {
                    if robots.sitemaps.len() < SITEMAPS_MAX && sitemaps_met.insert(url.clone()) {
                        robots.sitemaps.push(url);
                    }
                }
                Record::Host(host) => {
                    robots.host.get_or_insert(host);
                }
                record => robots.records.push(record),
            }
        }
        robots
    }

    /// What holds where there is no robots.txt.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// What it says to the agent, as a crawl obeys it.
    pub fn for_agent(&self, agent: &str) -> RobotsFor {
        self.for_agent_by(agent, Reading::Standard)
    }

    /// What it says to the agent, in one of the two readings.
    pub fn for_agent_by(&self, agent: &str, reading: Reading) -> RobotsFor {
        RobotsFor::collect(&self.records, agent, reading)
    }

    /// The sitemaps as written, each once, in their order.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// The sitemaps that are URLs, relative ones taken from where the file lay.
    pub fn sitemap_urls(&self, robots_url: &CanonUrl) -> Vec<CanonUrl> {
        let mut met = HashSet::new();
        let join = |text: &String| robots_url.join(text, Canon::KeepQuery).ok();
        self.sitemaps.iter().filter_map(join).filter(|url| met.insert(url.clone())).collect()
    }

    /// The main mirror that the file names.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }
}

/// Path and query of a URL exactly as it is written, for [`Reading::Reference`]; `/` if it has none.
pub fn path_as_written(url: &str) -> Cow<'_, str> {
    let url = url.split('#').next().unwrap_or_default();
    let after_scheme = url.split_once("//").map_or(url, |(_, rest)| rest);
    match after_scheme.find(['/', '?', ';']) {
        Some(at) if after_scheme[at..].starts_with('/') => Cow::Borrowed(&after_scheme[at..]),
        Some(at) => Cow::Owned(format!("/{}", &after_scheme[at..])),
        None => Cow::Borrowed("/"),
    }
}
