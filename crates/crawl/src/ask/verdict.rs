//! What holds a crawl back: one cause, the first that explains the rest.

use super::status::{Activity, Status};

/// A crawl that keeps this share of its cores busy is held back by them.
const CPU_SHARE: f64 = 0.85;
/// So full memory for bodies is what new fetches wait for.
const BODIES_SHARE: f64 = 0.9;

/// What only the running process knows of its own load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strain {
    /// Pieces of work that are not written yet.
    pub(crate) lag: usize,
    /// Writing or the seen-set is so far behind that no fetch is started.
    pub(crate) is_behind: bool,
    /// Bytes of bodies that may be held at once.
    pub(crate) bodies_max: u64,
    /// Cores that it may use.
    pub(crate) cores: usize,
}

/// One word and a sentence.
pub(super) fn of(status: &Status, strain: Strain) -> (&'static str, String) {
    if status.state != Activity::Running {
        return stopped(status);
    }
    let cores = f64::from(u32::try_from(strain.cores).unwrap_or(u32::MAX));
    let bodies = status.memory.get("bodies").copied().unwrap_or_default();
    if status.paused {
        ("pause", "paused by the user".to_owned())
    } else if status.outage {
        ("outage", "our own connection seems to be down".to_owned())
    } else if strain.is_behind {
        ("disk", format!("disk: {} pieces of work are not written yet", strain.lag))
    } else if strain.bodies_max > 0 && share(bodies, strain.bodies_max) >= BODIES_SHARE {
        ("memory", "memory: the share for bodies is full, see --memory".to_owned())
    } else if status.cpu_cores >= CPU_SHARE * cores {
        ("cpu", format!("CPU: {}", busiest_work(status)))
    } else if status.in_flight >= status.connections {
        ("connections", format!("all {} connections are in use", status.connections))
    } else {
        waiting(status)
    }
}

fn stopped(status: &Status) -> (&'static str, String) {
    if status.queued == 0 {
        return ("nothing", "nothing is left to do".to_owned());
    }
    let queued = status.queued;
    let what = if queued == 1 { "URL is" } else { "URLs are" };
    ("stopped", format!("it does not run; {queued} {what} queued"))
}

fn waiting(status: &Status) -> (&'static str, String) {
    let fetching = status.in_flight;
    let sites = fetching + status.waiting;
    if sites == 0 && status.queued == 0 {
        return ("nothing", "nothing is left to do".to_owned());
    }
    let most = status.waiting_by.iter().max_by_key(|(_, count)| **count);
    let Some((hold, count)) = most.filter(|_| status.waiting > fetching) else {
        return ("servers", format!("waiting for answers: {fetching} fetches under way"));
    };
    let (word, what) = match hold.as_str() {
        "site" => ("politeness", "waiting for host politeness"),
        "address" => ("address", "waiting for addresses that several sites share"),
        "backoff" => ("backoff", "waiting for sites that asked for quiet or do not answer"),
        "robots" => ("robots", "waiting for robots.txt files"),
        "budget" => ("budget", "budgets are used up"),
        "block" => ("block", "blocked by the user"),
        _ => ("politeness", "waiting"),
    };
    (word, format!("{what}: {count} of {sites} sites"))
}

/// The part of the work on a page that takes most of the time.
fn busiest_work(status: &Status) -> &'static str {
    let sum = |phase: &str| status.phases.get(phase).map_or(0.0, |times| times.sum_ms);
    let parts = [("parse", "parsing"), ("digest", "digests"), ("archive", "compression")];
    let most = parts.into_iter().max_by(|(a, _), (b, _)| sum(a).total_cmp(&sum(b)));
    most.map_or("parsing", |(_, word)| word)
}

fn share(part: u64, whole: u64) -> f64 {
    // Thousandths are exact enough for a share.
    let thousandths = part.saturating_mul(1_000) / whole.max(1);
    f64::from(u32::try_from(thousandths).unwrap_or(u32::MAX)) / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Percentiles;

    fn check(change: impl FnOnce(&mut Status, &mut Strain), word: &str, text: &str) {
        let mut status = Status { state: Activity::Running, connections: 512, ..Status::default() };
        let mut strain = Strain { cores: 2, bodies_max: 1_000, ..Strain::default() };
        change(&mut status, &mut strain);
        let (is_word, is_text) = of(&status, strain);
        assert_eq!((is_word, is_text.as_str()), (word, text));
    }

    #[test]
    fn the_first_cause_that_explains_the_rest_is_named() {
        let polite = |status: &mut Status, _: &mut Strain| {
            (status.in_flight, status.waiting, status.queued) = (68, 412, 9);
            status.waiting_by = [("site".to_owned(), 412)].into();
        };
        check(polite, "politeness", "waiting for host politeness: 412 of 480 sites");
        check(
            |status, strain| {
                polite(status, strain);
                strain.is_behind = true;
                strain.lag = 17_000;
            },
            "disk",
            "disk: 17000 pieces of work are not written yet",
        );
        check(
            |status, strain| {
                polite(status, strain);
                status.cpu_cores = 1.9;
                let long = Percentiles { sum_ms: 9.0, ..Percentiles::default() };
                status.phases = [("digest".to_owned(), long)].into();
            },
            "cpu",
            "CPU: digests",
        );
        check(
            |status, _| (status.in_flight, status.queued) = (30, 1),
            "servers",
            "waiting for answers: 30 fetches under way",
        );
        check(|_, _| {}, "nothing", "nothing is left to do");
        check(|status, _| status.paused = true, "pause", "paused by the user");
        check(|status, _| status.state = Activity::Done, "nothing", "nothing is left to do");
        check(
            |status, _| status.memory = [("bodies".to_owned(), 950)].into(),
            "memory",
            "memory: the share for bodies is full, see --memory",
        );
    }
}
