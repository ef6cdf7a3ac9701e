//! What the frontier is told of the worth of pages and domains, and what it tells.

use std::sync::Arc;

use rhumb_order::{Coins, Forecast};
use rhumb_web::{CanonUrl, Site, UrlKey};

use crate::entry::Entry;
use crate::frontier::Frontier;
use crate::manner::Hold;
use crate::ranking::Ranks;
use crate::site::Waiting;
use crate::worth::{Census, DomainCount, DomainKey, Gift, Harvest, Policy};

impl Frontier {
    /// What the user wants first, and how many pages a domain may have.
    pub fn policy(&self) -> &Policy {
        self.worth.policy()
    }

    /// Sets that; at the opening of a crawl.
    pub fn set_policy(&mut self, policy: Policy) {
        self.worth.set_policy(self.hash, policy);
        self.reappraise();
    }

    /// Sets what earlier crawls say of its pages; at the opening of a crawl.
    pub fn set_forecast(&mut self, forecast: Arc<Forecast>) {
        self.worth.set_forecast(forecast);
        self.reappraise();
    }

    /// Sets what is known of the standing of all domains.
    pub fn set_census(&mut self, census: Arc<Census>) {
        self.worth.set_census(census);
        self.lift_shares();
    }

    /// Sets how often the ceiling of all domains was raised; none lifts it. Sites that stand at a
    /// new one are held when they come on turn.
    pub fn set_level(&mut self, level: Option<u32>) {
        self.worth.set_level(level);
        self.lift_shares();
    }

    /// Ranks of pages are about to be computed from all links so far.
    pub fn begin_ranks(&mut self) {
        self.worth.ranking().begin();
    }

    /// Sets the ranks of pages as they were computed.
    pub fn set_ranks(&mut self, ranks: Arc<Ranks>) {
        self.worth.ranking().set(ranks);
    }

    /// Gives the cash of pages so many bytes; where the order asks for ranks, half of it to what
    /// was given since they were computed.
    pub fn set_purse(&mut self, bytes: usize) {
        let for_ranks = if self.worth.needs_rank() { bytes / 2 } else { 0 };
        self.worth.purse().set_bytes(bytes - for_ranks);
        self.worth.ranking().set_bytes(for_ranks);
    }

    /// What the pages have that wait, as far as it is known; in no promised order.
    pub fn coins(&self) -> impl Iterator<Item = (UrlKey, Coins)> {
        self.worth.coins()
    }

    /// Notes what a page had: for the opening of a crawl.
    pub fn note_coins(&mut self, page: UrlKey, coins: Coins) {
        self.worth.purse().put(page, coins);
    }

    /// A link to a page was met.
    pub fn receive(&mut self, url: &CanonUrl, page: UrlKey, gift: Gift) {
        let domain = DomainKey::of_url(self.hash, url);
        self.worth.receive(domain, page, gift);
    }

    /// What a page that was fetched gives to each of its links, so many, of which so many lead to
    /// other domains.
    pub fn give(&mut self, url: &CanonUrl, links: usize, outward: usize) -> Gift {
        let domain = DomainKey::of_url(self.hash, url);
        self.worth.give(domain, url.key(self.hash), links, outward)
    }

    /// Counts an answer of a site.
    pub fn reap(&mut self, site: &Site, harvest: Harvest) {
        let domain = self.domain(site);
        self.worth.reap(domain, harvest);
    }

    /// The part of the usual gap after which a site may be visited again.
    pub fn gap_part(&self, site: &Site) -> f64 {
        self.worth.gap(self.domain(site))
    }

    /// What was counted of the domain of a site.
    pub fn domain_count(&self, site: &Site) -> DomainCount {
        self.worth.count(self.domain(site))
    }

    /// How many sites wait because their domain has had its share.
    pub fn shared(&self) -> u64 {
        let warm = self.agenda.held().find(|(hold, _)| *hold == Hold::Share);
        warm.map_or(0, |(_, count)| count) + self.cold.shared()
    }

    /// Domains whose counts changed since the last time it was asked.
    pub fn take_changed_domains(&mut self) -> Vec<(DomainKey, DomainCount)> {
        self.worth.take_changed()
    }

    /// Notes what was counted of a domain: for the opening of a crawl.
    pub fn note_domain(&mut self, domain: DomainKey, count: DomainCount) {
        self.worth.note(domain, count);
    }

    /// Looks again at sites that wait for their share.
    fn lift_shares(&mut self) {
        let is_shared = |waits: Option<Waiting>| waits.is_some_and(|it| it.hold == Hold::Share);
        let sites: Vec<Site> = self.warm.keys().cloned().collect();
        for site in sites {
            if is_shared(self.agenda.waits(&site)) {
                self.schedule(&site);
            }
        }
        let (worth, hash) = (&self.worth, self.hash);
        self.cold.lift(Hold::Share, |site| !worth.is_spent(DomainKey::of(hash, site)));
    }

    /// Looks again at all warm sites and their entries.
    fn reappraise(&mut self) {
        let sites: Vec<Site> = self.warm.keys().cloned().collect();
        for site in sites {
            let (hash, worth) = (self.hash, &self.worth);
            let prepare = |entry: &mut Entry| entry.prepare(hash, worth);
            self.warm.get_mut(&site).expect("it was just listed").prepare(prepare);
            self.schedule(&site);
        }
    }
}
