//! What was taken down: gone from the crawl, and never to be fetched again.

use std::collections::HashSet;

use rhumb_web::{Canon, CanonUrl, HashKey, Site, UrlKey};

/// The scheme of records that tell where a name led.
const DNS_SCHEME: &str = "dns:";

/// Hosts and URLs that a crawl was told to forget. It knows their keyed hashes alone: a list of
/// names would be a trace of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    hash: HashKey,
    names: HashSet<u64>,
    urls: HashSet<UrlKey>,
}

impl Default for Forgotten {
    /// Nothing.
    fn default() -> Self {
        Self::new(HashKey(0, 0))
    }
}

impl Forgotten {
    /// Nothing yet, by the hash of a crawl.
    pub fn new(hash: HashKey) -> Self {
        Self { hash, names: HashSet::new(), urls: HashSet::new() }
    }

    /// The hash by which it knows a host (on all ports), or a host on one port.
    pub fn key_of_name(hash: HashKey, name: &str) -> u64 {
        hash.hash(name.as_bytes())
    }

    /// Adds a host, or a host on one port, by its key.
    pub fn add_name(&mut self, key: u64) {
        self.names.insert(key);
    }

    /// Adds a URL by its key.
    pub fn add_url(&mut self, key: UrlKey) {
        self.urls.insert(key);
    }

    /// How many hosts and URLs it knows.
    pub fn count(&self) -> u64 {
        u64::try_from(self.names.len() + self.urls.len()).expect("a length fits 64 bits")
    }

    /// Whether a URL is to be forgotten, by itself or by its host.
    pub fn covers(&self, url: &CanonUrl) -> bool {
        // Asked for every link of every page, and nearly always empty.
        if self.count() == 0 {
            return false;
        }
        self.has_key(url.key(self.hash))
            || self.has_name(url.authority())
            || self.has_name(url.host())
    }

    /// Whether all of a site is to be forgotten.
    pub fn covers_site(&self, site: &Site) -> bool {
        self.has_name(site.as_str()) || self.has_name(site.host())
    }

    /// Whether the URL of this key is to be forgotten by itself.
    pub fn has_key(&self, key: UrlKey) -> bool {
        self.urls.contains(&key)
    }

    /// Whether a record of the archive with this target is to be forgotten: a URL as it was
    /// fetched, or `dns:` and a host.
    pub fn covers_text(&self, target: &str) -> bool {
        if let Some(host) = target.strip_prefix(DNS_SCHEME) {
            return self.has_name(host.trim_start_matches('/'));
        }
        // A canonical text is its own canonical form where every parameter is kept.
        CanonUrl::parse_with(target, Canon::KeepQuery).is_ok_and(|url| self.covers(&url))
    }

    fn has_name(&self, name: &str) -> bool {
        !self.names.is_empty() && self.names.contains(&Self::key_of_name(self.hash, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: HashKey = HashKey(7, 11);

    fn forgotten(names: &[&str], urls: &[&str]) -> Forgotten {
        let mut forgotten = Forgotten::new(HASH);
        for name in names {
            forgotten.add_name(Forgotten::key_of_name(HASH, name));
        }
        for url in urls {
            forgotten.add_url(CanonUrl::parse(url).unwrap().key(HASH));
        }
        forgotten
    }

    #[track_caller]
    fn check(forgotten: &Forgotten, target: &str, expect: bool) {
        assert_eq!(forgotten.covers_text(target), expect, "{target}");
        if let Ok(url) = CanonUrl::parse_with(target, Canon::KeepQuery) {
            assert_eq!(forgotten.covers(&url), expect, "{target}");
        }
    }

    #[test]
    fn a_forgotten_host_is_forgotten_on_every_port_and_no_other_host_is() {
        let forgotten = forgotten(&["a.example"], &[]);
        for target in ["http://a.example/", "https://a.example:8080/x?y=1", "dns:a.example"] {
            check(&forgotten, target, true);
        }
        for target in ["http://www.a.example/", "https://b.example/a.example", "dns:b.example"] {
            check(&forgotten, target, false);
        }
        let site = |url: &str| CanonUrl::parse(url).unwrap().site();
        assert!(forgotten.covers_site(&site("http://a.example:81/")));
        assert!(!forgotten.covers_site(&site("http://b.example/")));
    }

    #[test]
    fn a_host_on_one_port_leaves_its_other_ports_alone() {
        let forgotten = forgotten(&["a.example:8080", "[::1]:81"], &[]);
        check(&forgotten, "http://a.example:8080/", true);
        check(&forgotten, "http://[::1]:81/", true);
        check(&forgotten, "http://a.example/", false);
        check(&forgotten, "http://[::1]:82/", false);
        check(&forgotten, "dns:a.example", false);
    }

    #[test]
    fn a_forgotten_url_is_that_url_alone() {
        let forgotten = forgotten(&[], &["http://a.example/x?utm_source=1&y=2"]);
        check(&forgotten, "http://a.example/x?y=2", true);
        check(&forgotten, "https://a.example/x?y=2", false);
        check(&forgotten, "http://a.example/x", false);
        check(&forgotten, "dns:a.example", false);
        assert!(!forgotten.covers_text("no url at all"));
        assert_eq!(forgotten.count(), 1);
    }

    #[test]
    fn nothing_covers_nothing() {
        check(&Forgotten::default(), "http://a.example/", false);
        check(&Forgotten::default(), "dns:a.example", false);
    }
}
