//! What pages and domains are worth: the signs that an order and a budget look at.
//!
//! What was fetched of a domain and what waits is folded from facts, and kept. Cash, trust and
//! votes are estimates beside them: they decide who goes first and nothing else, so they may be
//! forgotten at any time.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use regex::RegexSet;
use rhumb_order::{
    Budget, Coins, Crowd, DomainSigns, Forecast, Order, Outlook, PageSigns, Purse, Standing,
};
use rhumb_web::{CanonUrl, HashKey, Site, UrlKey};
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::ranking::Ranking;

/// Pages that a domain is believed to have had, all of them new, before the first.
const NOVELTY_PRIOR: f32 = 4.0;
/// From this level on there is no ceiling: whatever a budget says, a crawl comes to its end.
const LEVELS_MAX: u32 = 60;
/// The part of its trust that a domain gives away.
const DAMPING: f32 = 0.85;

/// By what an order and a budget know a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DomainKey(pub u64);

impl DomainKey {
    /// The key of the domain of a site.
    pub fn of(hash: HashKey, site: &Site) -> Self {
        Self(hash.hash(site.pld().as_str().as_bytes()))
    }

    /// The key of the domain of a URL.
    pub fn of_url(hash: HashKey, url: &CanonUrl) -> Self {
        Self(hash.hash(url.pld().as_str().as_bytes()))
    }
}

/// What the user wants first.
#[derive(Clone, Debug)]
pub struct Policy {
    /// In which order pages are fetched.
    pub order: &'static dyn Order,
    /// How many a domain may have.
    pub budget: &'static dyn Budget,
    /// URLs that go before all others.
    pub first: Arc<RegexSet>,
}

impl Default for Policy {
    /// Breadth first, without budgets: what needs nothing but the queue itself.
    fn default() -> Self {
        Self {
            order: rhumb_order::order("bfs").expect("it is there"),
            budget: rhumb_order::budget("none").expect("it is there"),
            first: Arc::new(RegexSet::empty()),
        }
    }
}

/// What is counted of a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainCount {
    /// Answers that were no robots.txt.
    pub fetched: u32,
    /// Of those, pages that said something new.
    pub novel: u32,
    /// Links on them that were followed.
    pub links: u64,
    /// Entries that wait, on disk too.
    pub pending: u32,
}

/// What one answer adds to the counts of its domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Harvest {
    /// It said something new.
    pub is_novel: bool,
    /// Links on it that are followed.
    pub links: u32,
}

/// The standing of all domains, as it was computed last.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// In the order of their keys.
    standings: Vec<(DomainKey, Standing)>,
    /// What holds for all of them.
    pub crowd: Crowd,
}

impl Census {
    /// Of these standings.
    pub fn new(mut standings: Vec<(DomainKey, Standing)>, crowd: Crowd) -> Self {
        standings.sort_unstable_by_key(|(key, _)| *key);
        Self { standings, crowd }
    }

    fn of(&self, domain: DomainKey) -> Option<Standing> {
        let at = self.standings.binary_search_by_key(&domain, |(key, _)| *key).ok()?;
        Some(self.standings[at].1)
    }
}

/// What is given to the target of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gift {
    /// Cash for the page.
    pub cash: f32,
    /// Trust for its domain, until that is computed.
    pub trust: f32,
    /// Rank for the page, until that is computed; nothing where the order does not ask for it.
    pub rank: f32,
}

/// What a page is worth among those of its site: by its outlook, and of equals by the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageWorth {
    outlook: Outlook,
    /// As the order has it.
    pub(crate) value: f64,
}

impl PageWorth {
    /// Of what goes before all else.
    pub(crate) const FIRST: Self = Self { outlook: Outlook::Changed, value: f64::INFINITY };

    /// Of a page of which earlier crawls say nothing.
    pub(crate) fn by_order(value: f64) -> Self {
        Self { outlook: Outlook::Unknown, value }
    }
}

impl Eq for PageWorth {}

impl Ord for PageWorth {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_outlook = self.outlook.cmp(&other.outlook);
        by_outlook.then_with(|| self.value.total_cmp(&other.value))
    }
}

impl PartialOrd for PageWorth {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Worth {
    policy: Policy,
    /// By what the patterns of the policy are told from others.
    patterns: u64,
    /// What earlier crawls say, if there were any.
    forecast: Option<Arc<Forecast>>,
    purse: Purse,
    ranking: Ranking,
    counts: HashMap<DomainKey, DomainCount>,
    changed: HashSet<DomainKey>,
    /// What domains have that the census does not know yet.
    young: HashMap<DomainKey, f32>,
    census: Arc<Census>,
    /// How often the ceiling was raised; none while there is none.
    level: Option<u32>,
}

impl Worth {
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    pub(crate) fn set_policy(&mut self, hash: HashKey, policy: Policy) {
        self.patterns = hash.hash(policy.first.patterns().join("\n").as_bytes());
        self.policy = policy;
    }

    /// What goes before all others, and by what that is told from what did once.
    pub(crate) fn sought(&self) -> (&Arc<RegexSet>, u64) {
        (&self.policy.first, self.patterns)
    }

    pub(crate) fn purse(&mut self) -> &mut Purse {
        &mut self.purse
    }

    pub(crate) fn coins(&self) -> impl Iterator<Item = (UrlKey, Coins)> {
        self.purse.iter()
    }

    pub(crate) fn ranking(&mut self) -> &mut Ranking {
        &mut self.ranking
    }

    pub(crate) fn needs_rank(&self) -> bool {
        self.policy.order.needs_rank()
    }

    /// Whether a URL goes before all others.
    pub(crate) fn is_first(&self, url: &CanonUrl) -> bool {
        !self.policy.first.is_empty() && self.policy.first.is_match(url.as_str())
    }

    pub(crate) fn set_forecast(&mut self, forecast: Arc<Forecast>) {
        self.forecast = Some(forecast);
    }

    /// What earlier crawls say of a page.
    pub(crate) fn outlook(&self, page: UrlKey) -> Outlook {
        self.forecast.as_ref().map(|forecast| forecast.of(page)).unwrap_or_default()
    }

    /// What a page is worth among those of its site.
    pub(crate) fn page(&self, entry: &Entry) -> PageWorth {
        if entry.band() == 0 {
            return PageWorth::FIRST;
        }
        let coins = entry.key().map(|key| self.purse.of(key)).unwrap_or_default();
        let candidate = &entry.candidate;
        let value = self.policy.order.page(&PageSigns {
            depth: candidate.depth,
            met: candidate.found.at.0,
            cash: coins.cash,
            in_links: coins.in_links,
            rank: self.rank(entry),
        });
        PageWorth { outlook: entry.outlook(), value }
    }

    /// The rank of a page, where the order asks for it.
    fn rank(&self, entry: &Entry) -> f32 {
        let page = entry.key().filter(|_| self.needs_rank());
        page.map_or(0.0, |page| self.ranking.of(page))
    }

    /// What a domain is worth whose best page here is worth so much.
    pub(crate) fn domain(&self, domain: DomainKey, best: f64) -> f64 {
        self.policy.order.domain(&DomainSigns { best, ..self.signs(domain) })
    }

    /// Whether a domain has had all that it may have for now.
    pub(crate) fn is_spent(&self, domain: DomainKey) -> bool {
        let Some(level) = self.level.filter(|level| *level < LEVELS_MAX) else { return false };
        let signs = self.signs(domain);
        let crowd = Crowd { level, ..self.crowd() };
        signs.fetched > 0 && signs.fetched >= self.policy.budget.ceiling(&signs, &crowd)
    }

    /// The part of the usual gap after which a domain may be visited again.
    pub(crate) fn gap(&self, domain: DomainKey) -> f64 {
        self.policy.budget.gap(&self.signs(domain), &self.crowd())
    }

    fn crowd(&self) -> Crowd {
        let known = u64::try_from(self.counts.len()).expect("a length fits 64 bits");
        let crowd = self.census.crowd;
        Crowd { domains: crowd.domains.max(known), ..crowd }
    }

    fn signs(&self, domain: DomainKey) -> DomainSigns {
        let count = self.count(domain);
        let standing = self.census.of(domain).unwrap_or_else(|| {
            let trust = self.young.get(&domain).copied().unwrap_or_default();
            Standing { trust, votes: 0 }
        });
        DomainSigns {
            best: 0.0,
            pending: u64::from(count.pending),
            fetched: u64::from(count.fetched),
            links: count.links,
            votes: standing.votes,
            trust: standing.trust,
            novelty: novelty(&count),
        }
    }

    pub(crate) fn count(&self, domain: DomainKey) -> DomainCount {
        self.counts.get(&domain).copied().unwrap_or_default()
    }

    /// Counts entries that begin or cease to wait.
    pub(crate) fn pend(&mut self, domain: DomainKey, more: i32) {
        let count = self.counts.entry(domain).or_default();
        count.pending = count.pending.saturating_add_signed(more);
        self.changed.insert(domain);
    }

    /// Counts an answer.
    pub(crate) fn reap(&mut self, domain: DomainKey, harvest: Harvest) {
        let count = self.counts.entry(domain).or_default();
        count.fetched = count.fetched.saturating_add(1);
        count.novel = count.novel.saturating_add(u32::from(harvest.is_novel));
        count.links = count.links.saturating_add(u64::from(harvest.links));
        self.changed.insert(domain);
    }

    /// A link to a page was met.
    pub(crate) fn receive(&mut self, domain: DomainKey, page: UrlKey, gift: Gift) {
        self.purse.give(page, gift.cash);
        if gift.rank > 0.0 {
            self.ranking.receive(page, gift.rank);
        }
        if gift.trust > 0.0 && self.census.of(domain).is_none() {
            self.young.entry(domain).or_insert(gift.trust);
        }
    }

    /// What a page of a domain gives to each of so many links, of which so many lead to other
    /// domains: the page keeps nothing.
    pub(crate) fn give(
        &mut self,
        domain: DomainKey,
        page: UrlKey,
        links: usize,
        outward: usize,
    ) -> Gift {
        let coins = self.purse.take(page);
        let signs = self.signs(domain);
        let others = signs.links.max(u64::try_from(outward).unwrap_or(u64::MAX)).max(1);
        #[expect(clippy::cast_precision_loss, reason = "a part of a part need not be exact")]
        let trust = DAMPING * signs.trust / others as f32;
        let rank = if self.needs_rank() { self.ranking.give(page, links) } else { 0.0 };
        Gift { cash: rhumb_order::dividend(coins.cash, links), trust, rank }
    }

    pub(crate) fn set_census(&mut self, census: Arc<Census>) {
        self.young.retain(|domain, _| census.of(*domain).is_none());
        self.census = census;
    }

    pub(crate) fn set_level(&mut self, level: Option<u32>) {
        self.level = level;
    }

    pub(crate) fn take_changed(&mut self) -> Vec<(DomainKey, DomainCount)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().map(|domain| (domain, self.count(domain))).collect()
    }

    pub(crate) fn note(&mut self, domain: DomainKey, count: DomainCount) {
        self.counts.insert(domain, count);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of pages need not be exact")]
fn novelty(count: &DomainCount) -> f32 {
    (count.novel as f32 + NOVELTY_PRIOR) / (count.fetched as f32 + NOVELTY_PRIOR)
}
