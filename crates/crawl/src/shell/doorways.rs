//! Doorways by where they lead: many domains that all lead to one and the same page.
//!
//! Very many innocent sites lead to the same large domain (to a profile, to a login), so it is the
//! page that counts and not its domain, and neither a move between names of one owner nor a way
//! that leads back counts.

use std::collections::HashMap;

use rhumb_frontier::DomainKey;
use rhumb_web::{CanonUrl, HashKey};

/// So many domains that lead to one page are its doorways.
const DOMAINS_MIN: usize = 20;
/// Targets that are remembered at least.
const TARGETS_MAX: usize = 25_000;

/// Which domains led to which pages lately. After a restart it begins anew: some doorways are not
/// marked, and nothing else is lost.
#[derive(Debug, Default)]
pub(super) struct Doorways {
    young: HashMap<u64, Vec<DomainKey>>,
    old: HashMap<u64, Vec<DomainKey>>,
}

impl Doorways {
    /// Notes that a page leads to another at once, and says whether that makes it a doorway.
    pub(super) fn is_one(&mut self, hash: HashKey, page: &CanonUrl, target: &CanonUrl) -> bool {
        if is_own(page, target) || leads_back(page, target) {
            return false;
        }
        let key = key(hash, target);
        let known = self.young.remove(&key).or_else(|| self.old.remove(&key));
        let mut domains = known.unwrap_or_default();
        let domain = DomainKey::of_url(hash, page);
        if domains.len() < DOMAINS_MIN && !domains.contains(&domain) {
            domains.push(domain);
        }
        let are_many = domains.len() >= DOMAINS_MIN;
        if self.young.len() >= TARGETS_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, domains);
        are_many
    }
}

/// A target without its scheme and its query, which often says only who led there.
fn key(hash: HashKey, target: &CanonUrl) -> u64 {
    let end = target.as_str().len() - target.query().map_or(0, |query| query.len() + 1);
    hash.hash(&target.as_str().as_bytes()[target.scheme().prefix().len()..end])
}

/// Whether both belong to one owner as far as names tell: one domain, or one name under several
/// suffixes.
fn is_own(page: &CanonUrl, target: &CanonUrl) -> bool {
    page.pld() == target.pld()
        || page.pld().label().is_some_and(|label| target.pld().label() == Some(label))
}

/// Whether a target is told the address that it was led to from, as a login is, which leads back.
fn leads_back(page: &CanonUrl, target: &CanonUrl) -> bool {
    let query = target.query().unwrap_or_default().to_ascii_lowercase();
    let after = |slashes: &str| {
        query
            .match_indices(slashes)
            .any(|(at, _)| query[at + slashes.len()..].starts_with(page.host()))
    };
    after("//") || after("%2f%2f")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: HashKey = HashKey(1, 2);

    fn url(text: &str) -> CanonUrl {
        CanonUrl::parse(text).unwrap()
    }

    /// Whether the last of so many domains is a doorway, and none before it.
    #[track_caller]
    fn check(
        domains: usize,
        from: impl Fn(usize) -> String,
        to: impl Fn(usize) -> String,
        expect: bool,
    ) {
        let mut doorways = Doorways::default();
        let told: Vec<bool> =
            (0..domains).map(|at| doorways.is_one(HASH, &url(&from(at)), &url(&to(at)))).collect();
        let (last, before) = told.split_last().unwrap();
        assert_eq!(*last, expect);
        assert!(before.iter().all(|it| !it), "{told:?}");
    }

    fn door(at: usize) -> String {
        format!("http://door{at}.example/cheap/{at}")
    }

    #[test]
    fn the_twentieth_domain_that_leads_to_a_page_is_its_doorway() {
        check(DOMAINS_MIN - 1, door, |_| "https://shop.test/pills".to_owned(), false);
        check(DOMAINS_MIN, door, |_| "https://shop.test/pills".to_owned(), true);
        let told = |at| format!("http://shop.test/pills?from=door{at}.example");
        check(DOMAINS_MIN, door, told, true);
        let address = |at| format!("http://127.0.0.{}/", at + 1);
        check(DOMAINS_MIN, address, |_| "http://127.1.0.1/".to_owned(), true);
    }

    #[test]
    fn many_pages_of_few_domains_are_no_doorways() {
        let page = |at| format!("http://door{}.example/{at}", at % (DOMAINS_MIN - 1));
        check(10 * DOMAINS_MIN, page, |_| "http://shop.test/".to_owned(), false);
    }

    #[test]
    fn ways_to_many_pages_of_one_domain_are_no_doorways() {
        let profile = |at| format!("https://social.test/profile/{at}");
        check(10 * DOMAINS_MIN, door, profile, false);
    }

    #[test]
    fn a_login_that_leads_back_and_a_name_under_another_suffix_are_no_doorways() {
        let plain = |at| format!("https://login.test/?next=http://door{at}.example/cheap");
        check(2 * DOMAINS_MIN, door, plain, false);
        let packed = |at| format!("https://login.test/?next=HTTP%3A%2f%2Fdoor{at}.example%2F");
        check(2 * DOMAINS_MIN, door, packed, false);
        let suffixes = ["com", "org", "net", "de", "fr", "it", "es", "pl", "nl", "be", "at", "ch"];
        let more = ["dk", "se", "no", "fi", "pt", "cz", "co.uk", "com.au", "co.jp", "eu", "io"];
        let suffixes: Vec<&str> = suffixes.into_iter().chain(more).collect();
        let own = |at: usize| format!("http://shop.{}/", suffixes[at]);
        check(suffixes.len(), own, |_| "https://www.shop.example/".to_owned(), false);
    }

    #[test]
    fn a_target_that_comes_often_is_remembered_among_any_number_of_others() {
        let mut doorways = Doorways::default();
        let shop = url("http://shop.test/");
        let mut others = 0_usize..;
        for at in 1..DOMAINS_MIN {
            assert!(!doorways.is_one(HASH, &url(&door(at)), &shop));
            for other in others.by_ref().take(TARGETS_MAX / 16) {
                let target = url(&format!("http://else.test/{other}"));
                assert!(!doorways.is_one(HASH, &url(&door(0)), &target));
            }
        }
        assert!(doorways.is_one(HASH, &url(&door(0)), &shop));
        assert!(doorways.young.len() <= TARGETS_MAX && doorways.old.len() <= TARGETS_MAX);
    }
}
