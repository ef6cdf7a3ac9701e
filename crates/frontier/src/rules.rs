//! What the user wants of single sites, beside what holds for all.

use std::collections::BTreeMap;

use rhumb_web::{Site, Span, Tick};

use crate::manner::Hold;
use crate::site::{SiteState, Waiting};

/// What the user wants of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteRule {
    /// The gap between two visits, in place of the crawl's.
    pub delay: Option<Span>,
    /// Fetches that may be under way at once, in place of the crawl's.
    pub connections: Option<u8>,
    /// Exchanges after which it is left alone, robots.txt, redirects and failed tries among them.
    pub budget: Option<u64>,
    /// It is not visited.
    pub block: bool,
}

/// The rules of all sites that have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRules {
    /// Fetches that may be under way at once at a site without a rule of its own.
    pub connections: u8,
    by_name: BTreeMap<String, SiteRule>,
}

impl Default for SiteRules {
    fn default() -> Self {
        Self { connections: 1, by_name: BTreeMap::new() }
    }
}

impl SiteRules {
    /// Rules by the name of a site: `example.org:8080`, or `example.org` for all ports of that
    /// host that have no rule of their own.
    pub fn new(connections: u8, rules: impl IntoIterator<Item = (String, SiteRule)>) -> Self {
        Self { connections, by_name: rules.into_iter().collect() }
    }

    /// The rule of a site.
    pub fn of(&self, site: &Site) -> Option<&SiteRule> {
        // Most crawls have none, and ask often.
        if self.by_name.is_empty() {
            return None;
        }
        self.by_name.get(site.as_str()).or_else(|| self.by_name.get(site.host()))
    }

    /// How many fetches of a site may be under way at once: at least one.
    pub fn connections(&self, site: &Site) -> u8 {
        let own = self.of(site).and_then(|rule| rule.connections);
        own.unwrap_or(self.connections).max(1)
    }

    /// The sites that have a rule, as the user names them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// Whether a site is not to be visited at all.
    pub fn blocks(&self, site: &Site) -> bool {
        self.of(site).is_some_and(|rule| rule.block)
    }

    /// What keeps a site from being visited until the rules change: [`Hold::Block`] or
    /// [`Hold::Budget`].
    pub fn bars(&self, site: &Site, state: &SiteState) -> Option<Hold> {
        let rule = self.of(site)?;
        let is_spent = rule.budget.is_some_and(|budget| state.visits() >= budget);
        if rule.block { Some(Hold::Block) } else { is_spent.then_some(Hold::Budget) }
    }

    /// As [`SiteState::waits`], under these rules; a barred site with work waits for ever.
    pub fn waits(&self, site: &Site, state: &SiteState) -> Option<Waiting> {
        if let Some(hold) = self.bars(site, state) {
            let is_held = state.in_flight() == 0 && state.queued() > 0;
            return is_held.then_some(Waiting { until: Tick::NEVER, hold });
        }
        let budget = self.of(site).and_then(|rule| rule.budget);
        let left = budget.map_or(u64::MAX, |budget| budget.saturating_sub(state.visits()));
        let left = u8::try_from(left).unwrap_or(u8::MAX);
        state.waits_among(self.connections(site).min(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> SiteRules {
        let rule = |connections| SiteRule { connections: Some(connections), ..SiteRule::default() };
        let names = [("a.test", 2), ("a.test:8080", 3), ("b.test:81", 4), ("[::1]", 0)];
        SiteRules::new(5, names.map(|(name, connections)| (name.to_owned(), rule(connections))))
    }

    #[test]
    fn a_name_without_a_port_is_for_all_ports_that_have_no_rule() {
        let check = |name: &str, expect: u8| {
            assert_eq!(rules().connections(&Site::from(name.to_owned())), expect, "{name}");
        };
        check("a.test", 2);
        check("a.test:9090", 2);
        check("a.test:8080", 3);
        check("b.test", 5);
        check("b.test:81", 4);
        check("www.a.test", 5);
        check("[::1]:80", 1);
    }

    #[test]
    fn without_rules_a_site_has_one_connection_and_nothing_bars_it() {
        let (rules, site) = (SiteRules::default(), Site::from("a.test".to_owned()));
        assert_eq!((rules.of(&site), rules.connections(&site)), (None, 1));
        assert_eq!(rules.bars(&site, &SiteState::default()), None);
    }

    #[test]
    fn a_budget_of_nothing_bars_a_site_and_a_block_goes_before() {
        let site = Site::from("a.test".to_owned());
        let check = |rule: SiteRule, expect| {
            let rules = SiteRules::new(1, [("a.test".to_owned(), rule)]);
            assert_eq!(rules.bars(&site, &SiteState::default()), expect);
        };
        check(SiteRule { budget: Some(0), ..SiteRule::default() }, Some(Hold::Budget));
        check(SiteRule { budget: Some(1), ..SiteRule::default() }, None);
        check(SiteRule { budget: Some(0), block: true, ..SiteRule::default() }, Some(Hold::Block));
    }
}
