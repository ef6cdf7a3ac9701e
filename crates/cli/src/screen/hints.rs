//! Hints at the end of a crawl: what it showed that its user may want to know or to change.
//!
//! A table of rules, each a condition on the summary and a text; a rule that does not apply says
//! nothing.

use rhumb_crawl::partition::Miss;
use rhumb_crawl::shell::{Ended, Summary};
use rhumb_rules::{Reason, ScopeKind};
use rhumb_web::{Failure, Phase};

use crate::quantity::{counted, elapsed, grouped};

/// What was asked for, as far as hints speak of it.
#[derive(Clone, Debug)]
pub(crate) struct Backdrop {
    pub(crate) scope: ScopeKind,
    pub(crate) seeds: usize,
    /// What politeness was lifted.
    pub(crate) lifted: Vec<&'static str>,
    /// The command that goes on with the crawl; none if none can.
    pub(crate) again: Option<String>,
}

type Rule = fn(&Summary, &Backdrop) -> Option<String>;

const RULES: [Rule; 12] = [
    slow_hosts,
    pushed_back,
    robots_out_of_reach,
    all_out_of_scope,
    all_alike,
    names_fail,
    certificates,
    limit_reached,
    left_for_later,
    own_outage,
    clock,
    lifted,
];

/// Everything that the rules have to say.
pub(super) fn of(summary: &Summary, backdrop: &Backdrop) -> Vec<String> {
    RULES.iter().filter_map(|rule| rule(summary, backdrop)).collect()
}

fn slow_hosts(summary: &Summary, _: &Backdrop) -> Option<String> {
    let hosts = &summary.hosts;
    let (who, time) = (counted(hosts.slow, "host"), elapsed(hosts.slow_needs.duration()));
    (hosts.slow > 0)
        .then(|| format!("{who} asked for a delay above 10 s: this crawl needs at least {time}"))
}

fn pushed_back(summary: &Summary, _: &Backdrop) -> Option<String> {
    let who = counted(summary.hosts.pushed, "host");
    (summary.hosts.pushed > 0).then(|| {
        let they = if summary.hosts.pushed == 1 { "it" } else { "they" };
        format!(
            "{who} answered 429 or 503 and got the quiet {they} asked for: try a longer --delay"
        )
    })
}

fn robots_out_of_reach(summary: &Summary, backdrop: &Backdrop) -> Option<String> {
    let hosts = &summary.hosts;
    let (sites, urls) =
        (counted(hosts.unreachable, "site"), counted(hosts.unreachable_urls, "URL"));
    let were = if hosts.unreachable_urls == 1 { "was" } else { "were" };
    let them = if hosts.unreachable == 1 { "it" } else { "them" };
    let later = backdrop.again.as_ref();
    let later = later.map_or_else(String::new, |again| format!("; try again later: {again}"));
    (hosts.unreachable > 0).then(|| {
        format!(
            "robots.txt of {sites} cannot be reached, which closes {them}: {urls} {were} not \
             fetched{later}"
        )
    })
}

fn all_out_of_scope(summary: &Summary, backdrop: &Backdrop) -> Option<String> {
    let tally = &summary.progress.tally;
    let outside = tally.refused.get(&Reason::OutOfScope).copied().unwrap_or(0);
    let is_stuck = tally.pages() <= backdrop.seeds as u64 && summary.progress.queued == 0;
    let wider = match backdrop.scope {
        ScopeKind::Prefix => "host",
        ScopeKind::Host => "domain",
        ScopeKind::Domain => "any",
        // The one is what was asked for, the other has no outside.
        ScopeKind::Page | ScopeKind::Any => return None,
    };
    let is_done = summary.ended == Ended::Done;
    (outside > 0 && tally.fetched > 0 && is_stuck && is_done)
        .then(|| format!("all links lead out of the scope {}: try --scope {wider}", backdrop.scope))
}

fn all_alike(summary: &Summary, _: &Backdrop) -> Option<String> {
    let pages = summary.progress.tally.pages();
    (pages > 1 && summary.duplicates + 1 >= pages).then(|| {
        format!(
            "all {} pages have the same content: the server may answer every URL alike",
            grouped(pages)
        )
    })
}

fn names_fail(summary: &Summary, _: &Backdrop) -> Option<String> {
    let missed = &summary.progress.tally.missed;
    let of = |failure| missed.get(&Miss::Failure(failure)).copied().unwrap_or(0);
    let names = of(Failure::Dns) + of(Failure::TimedOut(Phase::Dns));
    let all: u64 = missed.values().sum();
    (names > 0 && names * 2 >= all).then(|| {
        let urls = counted(names, "URL");
        format!("{urls} failed because names could not be looked up: try --dns 9.9.9.9")
    })
}

fn certificates(summary: &Summary, _: &Backdrop) -> Option<String> {
    let count = summary.progress.tally.missed.get(&Miss::Failure(Failure::Tls)).copied()?;
    Some(format!(
        "{} failed in TLS: a certificate is expired, or its authority is unknown on this machine",
        counted(count, "URL")
    ))
}

fn limit_reached(summary: &Summary, backdrop: &Backdrop) -> Option<String> {
    let queued = counted(summary.progress.queued, "URL");
    let more = backdrop.again.as_ref();
    let more = more
        .map_or_else(String::new, |again| format!("; with a higher one, or none, set: {again}"));
    (summary.ended == Ended::Limit && summary.progress.queued > 0)
        .then(|| format!("the limit was reached with {queued} in the queue{more}"))
}

/// Sites without robots.txt have a hint of their own.
fn left_for_later(summary: &Summary, backdrop: &Backdrop) -> Option<String> {
    let again = backdrop.again.as_ref()?;
    let left = summary.progress.queued.saturating_sub(summary.hosts.unreachable_urls);
    match summary.ended {
        Ended::Stopped => Some(format!("nothing is lost; to go on: {again}")),
        Ended::Done if left > 0 => Some(format!("what is left waits for long; later: {again}")),
        Ended::Done | Ended::Limit | Ended::DiskLow { .. } => None,
    }
}

fn own_outage(summary: &Summary, backdrop: &Backdrop) -> Option<String> {
    let then = backdrop.again.as_deref().unwrap_or("start the crawl again");
    summary
        .progress
        .outage
        .then(|| format!("our own connection seems to be down: check it, then {then}"))
}

fn clock(summary: &Summary, _: &Backdrop) -> Option<String> {
    super::clock_jump(&summary.progress)
}

fn lifted(_: &Summary, backdrop: &Backdrop) -> Option<String> {
    (!backdrop.lifted.is_empty())
        .then(|| format!("lifted by your settings: {}", backdrop.lifted.join(", ")))
}
