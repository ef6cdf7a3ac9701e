//! What is crawled, and on how many cores.

use std::time::Duration;

use rhumb_testweb::{Coding, Spec};

use crate::peers::Web;

/// Sites that must have work while a rate is called steady, in webs that are much larger.
const BUSY_SITES: u64 = 500;

/// A web, and the threads that it is crawled with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Hosts of the web; all have as many pages.
    pub hosts: u64,
    /// Pages of the web.
    pub pages: u64,
    /// Bodies come in gzip, else as they are.
    pub gzip: bool,
    /// The server thinks so long before every answer.
    pub latency_ms: u64,
    /// Every host speaks TLS.
    pub https: bool,
    /// The server closes the connection after every page.
    pub closes: bool,
    /// Cores of the crawler.
    pub threads: usize,
}

impl Setting {
    /// The broad web that everything is measured on.
    pub const BROAD: Self = Self {
        hosts: 500,
        pages: 10_000,
        gzip: true,
        latency_ms: 0,
        https: false,
        closes: false,
        threads: 1,
    };

    /// One host has all pages, which takes several connections at once.
    pub fn kind(&self) -> Web {
        if self.hosts == 1 { Web::Single } else { Web::Broad }
    }

    /// Its kind in a word.
    pub fn web(&self) -> &'static str {
        if self.hosts == 1 { "single" } else { "broad" }
    }

    /// How bodies come, in a word.
    pub fn coding(&self) -> &'static str {
        if self.gzip { "gzip" } else { "plain" }
    }

    /// The web as it is to be served.
    pub fn spec(&self) -> Result<Spec, String> {
        if self.pages < self.hosts {
            return Err(format!("{} has hosts without a page", self.title()));
        }
        let size = |count: u64| usize::try_from(count).map_err(|e| format!("{count}: {e}"));
        let mut spec = Spec::bench(size(self.hosts)?, size(self.pages)?);
        spec.prepared = true;
        spec.coding = Some(if self.gzip { Coding::Gzip } else { Coding::Identity });
        spec.only_https = self.https;
        spec.closes = self.closes;
        spec.latency = Duration::from_millis(self.latency_ms);
        Ok(spec)
    }

    /// From how many pages on and up to how many a rate is called steady: not while the first
    /// links are being found, nor while the last sites run out of pages. In a web of many hosts it
    /// ends while 500 of them have work for certain, since all have as many pages.
    pub fn steady(&self) -> (u64, u64) {
        let end = if self.hosts >= 3 * BUSY_SITES {
            self.pages.saturating_sub(self.pages.div_ceil(self.hosts) * BUSY_SITES)
        } else {
            self.pages * 95 / 100
        };
        (self.pages * 5 / 100, end)
    }

    /// How many pages a host has.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub fn pages_per_host(&self) -> f64 {
        self.pages as f64 / self.hosts as f64
    }

    /// What is crawled, for people.
    pub fn title(&self) -> String {
        let size = match self.hosts {
            1 => format!("single site: {} pages", grouped(self.pages)),
            hosts => format!("broad web: {} hosts, {} pages", grouped(hosts), grouped(self.pages)),
        };
        let latency = (self.latency_ms > 0).then(|| format!("latency {} ms", self.latency_ms));
        let threads = (self.threads != 1).then(|| format!("{} threads", self.threads));
        let https = self.https.then(|| "https".to_owned());
        let closes = self.closes.then(|| "a connection a page".to_owned());
        let parts = [Some(size), Some(self.coding().to_owned()), https, closes, latency, threads];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A number with commas.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_steady_while_five_hundred_sites_have_work_for_certain() {
        assert_eq!(Setting::BROAD.steady(), (500, 9_500));
        let many = Setting { hosts: 2_000, pages: 40_000, ..Setting::BROAD };
        assert_eq!(many.steady(), (2_000, 30_000));
        let uneven = Setting { pages: 40_001, ..many };
        assert_eq!(uneven.steady(), (2_000, 29_501));
    }

    #[test]
    fn a_host_without_a_page_is_refused() {
        assert!(Setting::BROAD.spec().is_ok());
        let why = Setting { pages: 400, ..Setting::BROAD }.spec().unwrap_err();
        assert!(why.contains("500 hosts"), "{why}");
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
