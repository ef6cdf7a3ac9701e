//! What a robots.txt says to one agent: its groups merged, its rules in the order of their weight.

use std::borrow::Cow;
use std::cmp::Reverse;

use rhumb_web::Span;
use serde::{Deserialize, Serialize};

use super::hours::{Rate, Window};
use super::lines::{Extension, Record, RuleLine};
use super::pattern::{Pattern, normal_path};
use super::reading::{Reading, names_all};

/// The most lines about the use by AI that are kept, and the most bytes of one.
pub const AI_USE_MAX: usize = 64;
const AI_USE_BYTES_MAX: usize = 1_024;

/// The most request-rate and visit-time lines that are kept, each.
const WINDOWS_MAX: usize = 64;

/// The most rules with stars that are matched as such. Each is searched for in the whole path, so
/// tens of thousands would hold up the crawl at every URL. Beyond them a Disallow counts up to its
/// first star, with the weight that it had, and an Allow is left out: the site is closed more,
/// never less.
pub const WILDCARD_RULES_MAX: usize = 1_000;

/// Whether a path may be fetched, and what decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RobotsVerdict<'a> {
    /// Whether it may.
    pub allowed: bool,
    /// The line that decided, counted from 1; none if no rule matches.
    pub line: Option<u32>,
    /// That line as written, without comment.
    pub rule: Option<&'a str>,
    /// The agent of the group that speaks to us, as written; none if no group does.
    pub group: Option<&'a str>,
}

/// The part of a robots.txt that is for one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsFor {
    reading: Reading,
    group: Option<Box<str>>,
    /// Heaviest first: the first that matches decides.
    rules: Vec<Rule>,
    crawl_delay: Option<Span>,
    rates: Vec<Rate>,
    visits: Vec<Window>,
    ai_use: Vec<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rule {
    allow: bool,
    line: u32,
    text: Box<str>,
    pattern: Pattern,
}

impl RobotsFor {
    fn empty(reading: Reading) -> Self {
        Self {
            reading,
            group: None,
            rules: Vec::new(),
            crawl_delay: None,
            rates: Vec::new(),
            visits: Vec::new(),
            ai_use: Vec::new(),
        }
    }

    /// Walks the groups. Only a rule ends a run of user-agent lines (RFC 9309 §2.2.4: other lines
    /// must not interfere), so `a`, crawl-delay, `b`, rule is one group; but the delay is `a`'s.
    /// An extension above all groups is for everybody.
    pub(super) fn collect(records: &[Record], agent: &str, reading: Reading) -> Self {
        let names_us = |value: &str| reading.names(value, agent);
        let has_own = records.iter().any(|it| matches!(it, Record::Agent(name) if names_us(name)));
        let mut view = Self::empty(reading);
        let (mut rules_for_us, mut extensions_for_us) = (false, true);
        let (mut after_rule, mut after_extension) = (false, true);
        for record in records {
            match record {
                Record::Agent(name) => {
                    rules_for_us &= !after_rule;
                    extensions_for_us &= !after_rule && !after_extension;
                    (after_rule, after_extension) = (false, false);
                    let is_ours = if has_own { names_us(name) } else { names_all(name) };
                    if is_ours {
                        (rules_for_us, extensions_for_us) = (true, true);
                        view.group.get_or_insert_with(|| name.clone());
                    }
                }
                Record::Rule(rule) => {
                    after_rule = true;
                    if rules_for_us {
                        view.add_rule(rule);
                    }
                }
                Record::Extension(extension) => {
                    after_extension = true;
                    if extensions_for_us {
                        view.add_extension(extension);
                    }
                }
                Record::Sitemap(_) | Record::Host(_) => {}
            }
        }
        view.limit_wildcards();
        // A stable sort: of two equal rules the upper one is named.
        view.rules.sort_by_key(|rule| (Reverse(rule.pattern.weight()), Reverse(rule.allow)));
        view.rules.dedup_by(|b, a| a.allow == b.allow && a.pattern == b.pattern);
        view.rules.shrink_to_fit();
        view
    }

    fn add_rule(&mut self, line: &RuleLine) {
        let RuleLine { allow, number, text, pattern } = line;
        // An empty pattern matches nothing: `Disallow:` is the old way to allow all.
        if pattern.is_empty() {
            return;
        }
        let mut add = |pattern: &str| {
            let pattern = Pattern::new(pattern, self.reading);
            self.rules.push(Rule { allow: *allow, line: *number, text: text.clone(), pattern });
        };
        add(pattern);
        // Who allows the index page of a folder means the folder, as Google reads it.
        let folder = pattern.rfind('/').filter(|at| pattern[*at..].starts_with("/index.htm"));
        if let Some(slash) = folder.filter(|_| *allow) {
            add(&format!("{}$", &pattern[..=slash]));
        }
    }

    fn limit_wildcards(&mut self) {
        let mut left = WILDCARD_RULES_MAX;
        self.rules.retain_mut(|rule| {
            if !rule.pattern.has_star() {
                return true;
            }
            if left > 0 {
                left -= 1;
                return true;
            }
            rule.pattern.shorten();
            !rule.allow
        });
    }

    fn add_extension(&mut self, extension: &Extension) {
        match extension {
            Extension::CrawlDelay(delay) => {
                self.crawl_delay = self.crawl_delay.max(Some(*delay));
            }
            Extension::RequestRate(rate) if self.rates.len() < WINDOWS_MAX => {
                self.rates.push(*rate);
            }
            Extension::VisitTime(time) if self.visits.len() < WINDOWS_MAX => {
                self.visits.push(*time);
            }
            Extension::AiUse(line) if self.ai_use.len() < AI_USE_MAX => {
                let end = line.floor_char_boundary(AI_USE_BYTES_MAX);
                self.ai_use.push(Box::from(&line[..end]));
            }
            Extension::RequestRate(_) | Extension::VisitTime(_) | Extension::AiUse(_) => {}
        }
    }

    /// Whether the path, with its query, may be fetched. The longest rule that matches decides, and
    /// of two equally long ones the one that allows.
    pub fn judge(&self, path_and_query: &str) -> RobotsVerdict<'_> {
        let group = self.group.as_deref();
        let implicit = RobotsVerdict { allowed: true, line: None, rule: None, group };
        let path = match path_and_query {
            path if path.starts_with('/') => Cow::Borrowed(path),
            path => Cow::Owned(format!("/{path}")),
        };
        let path = match self.reading {
            Reading::Standard if path == "/robots.txt" => return implicit,
            Reading::Standard => normal_path(&path),
            Reading::Reference => Cow::Borrowed(path.as_ref()),
        };
        match self.rules.iter().find(|rule| rule.pattern.matches(&path)) {
            Some(rule) => RobotsVerdict {
                allowed: rule.allow,
                line: Some(rule.line),
                rule: Some(&rule.text),
                group,
            },
            None => implicit,
        }
    }

    /// The agent of the group that speaks to us, as written.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// The longest crawl-delay that is asked of us.
    pub fn crawl_delay(&self) -> Option<Span> {
        self.crawl_delay
    }

    /// The gap that crawl-delay and request-rate ask for at a minute of the day (UTC).
    pub fn gap(&self, minute_of_day: u16) -> Option<Span> {
        let rates = self.rates.iter().filter_map(|rate| rate.gap(minute_of_day));
        rates.chain(self.crawl_delay).max()
    }

    /// Outside the visit times: the minutes until the next one begins.
    pub fn closed_until(&self, minute_of_day: u16) -> Option<u16> {
        let soonest = self.visits.iter().map(|visit| visit.opens_in(minute_of_day)).min();
        soonest.filter(|minutes| *minutes > 0)
    }

    /// The lines about the use by AI that are for us, as written.
    pub fn ai_use(&self) -> impl Iterator<Item = &str> {
        self.ai_use.iter().map(AsRef::as_ref)
    }
}
