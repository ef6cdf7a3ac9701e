//! The requests of one site in time: gaps between them, and how many there were at once.

use rhumb_web::Site;

use super::host::{HostAudit, Kept, ViolationKind};
use super::moment::Moment;
use super::records::{Outcome, Purpose, Trace};

/// Times are cut to whole milliseconds, at the beginning of a request and at its end.
const TOLERANCE_MS: i64 = 2;
/// Requests of a site that are remembered: more come late only where many were at once.
const REMEMBERED_MIN: usize = 4;
/// The most of them, whatever a record says of connections.
const REMEMBERED_MAX: usize = 64;

/// What is known of a site on the way through its requests.
#[derive(Debug)]
pub(super) struct SiteBook {
    pub(super) audit: HostAudit,
    /// The last requests. Records come in the order of their ends.
    recent: Vec<Stay>,
}

/// The time that one request took.
#[derive(Clone, Copy, Debug)]
struct Stay {
    began: Moment,
    ended: Moment,
    /// Whether that end is known.
    is_ended: bool,
    delay_ms: Option<u64>,
    ticket: Option<u64>,
}

/// How a request stands to those before it.
#[derive(Debug)]
pub(super) struct Timing {
    /// Quiet time since the one before it ended; none for the first, or where that is not known.
    pub(super) gap_ms: Option<u64>,
    /// The quiet time that was asked for.
    pub(super) asked_ms: u64,
    /// Requests at once, this one among them.
    in_flight: u32,
    /// Quiet time that was less than was asked for.
    early_by: Option<u64>,
    /// The same before a later request, which was written down first.
    hurried: Option<Kept>,
}

impl SiteBook {
    pub(super) fn new(site: &Site) -> Self {
        let audit = HostAudit { host: Some(site.clone()), ..HostAudit::default() };
        Self { audit, recent: Vec::new() }
    }

    /// Whether this was taken down before: what was interrupted is noted at the next opening, and
    /// once more where that is killed too.
    pub(super) fn knows(&self, trace: &Trace) -> bool {
        let is_same = |it: &Stay| it.ticket == trace.ticket && it.began == trace.began;
        trace.outcome == Outcome::Interrupted
            && trace.ticket.is_some()
            && self.recent.iter().any(is_same)
    }

    /// Takes down a request; `by_robots` is the gap that robots.txt asked for between the end of
    /// one request and the beginning of the next.
    pub(super) fn note(
        &mut self,
        trace: &Trace,
        by_robots: impl Fn(Moment, Moment) -> Option<u64>,
    ) -> Timing {
        let stay = Stay {
            began: trace.began,
            ended: trace.ended(),
            is_ended: trace.is_ended(),
            delay_ms: trace.delay_ms,
            ticket: trace.ticket,
        };
        let timing = self.timing(stay, trace.connections, &by_robots);
        let audit = &mut self.audit;
        audit.note_time(trace.began.wall_ms);
        if trace.outcome.was_sent() {
            audit.requests += 1;
            audit.robots_requests += u64::from(trace.purpose == Purpose::Robots);
            audit.disguised += u64::from(trace.is_disguised);
        } else {
            audit.attempts += 1;
        }
        audit.interrupted += u64::from(trace.outcome == Outcome::Interrupted);
        audit.delay_ms = audit.delay_ms.max(trace.delay_ms);
        audit.crawl_delay_ms = audit.crawl_delay_ms.max(by_robots(trace.began, trace.began));
        audit.max_in_flight = audit.max_in_flight.max(timing.in_flight);
        let gap = timing.gap_ms.map(|gap_ms| Kept { gap_ms, asked_ms: timing.asked_ms });
        for kept in gap.into_iter().chain(timing.hurried) {
            audit.note_gap(kept);
        }
        self.remember(stay, trace.connections);
        timing
    }

    fn timing(
        &self,
        stay: Stay,
        connections: u32,
        by_robots: &impl Fn(Moment, Moment) -> Option<u64>,
    ) -> Timing {
        let in_flight = self.in_flight(stay);
        let before = self.recent.iter().filter(|it| stay.began.since(it.began) >= 0);
        let asked = |it: &Stay| stay.asked_after(it, by_robots);
        let gap = |it: &Stay| stay.began.since(it.ended);
        let last = before.clone().min_by_key(|it| gap(it));
        let is_early = self.disturbed(&stay, by_robots) >= connections;
        let is_alone = in_flight <= 1;
        let gap_ms = last.map(|it| if is_alone { unsigned(gap(it)) } else { 0 });
        Timing {
            gap_ms: gap_ms.filter(|_| last.is_some_and(|it| it.is_ended)),
            asked_ms: last.map_or(0, asked),
            in_flight,
            early_by: gap_ms.filter(|_| is_early),
            hurried: self.hurried(stay, connections, by_robots),
        }
    }

    /// How many requests before this one had not had their rest when it began.
    fn disturbed(&self, stay: &Stay, by_robots: &impl Fn(Moment, Moment) -> Option<u64>) -> u32 {
        let others = self.recent.iter().filter(|it| !std::ptr::eq(*it, stay));
        let disturbed = others.filter(|it| stay.disturbs(it, by_robots)).count();
        u32::try_from(disturbed).unwrap_or(u32::MAX)
    }

    /// The gap after this one, where a request that was written down before it began too soon for
    /// its sake. Nobody noticed then.
    fn hurried(
        &self,
        stay: Stay,
        connections: u32,
        by_robots: &impl Fn(Moment, Moment) -> Option<u64>,
    ) -> Option<Kept> {
        let mut later = self.recent.iter().filter(|it| it.began.since(stay.began) > 0);
        let hurried = later.find(|it| {
            it.disturbs(&stay, by_robots) && self.disturbed(it, by_robots) + 1 == connections
        })?;
        let gap_ms = unsigned(hurried.began.since(stay.ended));
        Some(Kept { gap_ms, asked_ms: hurried.asked_after(&stay, by_robots) })
    }

    /// The most requests at once while this one was under way: whenever one of them began.
    fn in_flight(&self, stay: Stay) -> u32 {
        let under_way = |at: Moment| self.recent.iter().filter(|it| it.covers(at)).count();
        let later = self.recent.iter().filter(|it| stay.covers(it.began));
        // One that began later and ended at once does not count as under way when it began.
        let at_once = later.map(|it| under_way(it.began) + 1 + usize::from(!it.covers(it.began)));
        let most = at_once.chain([under_way(stay.began) + 1]).max();
        most.and_then(|most| u32::try_from(most).ok()).unwrap_or(u32::MAX)
    }

    fn remember(&mut self, stay: Stay, connections: u32) {
        self.recent.push(stay);
        let room = usize::try_from(connections).unwrap_or(usize::MAX).saturating_mul(2);
        let room = room.clamp(REMEMBERED_MIN, REMEMBERED_MAX);
        if self.recent.len() > room {
            self.recent.remove(0);
        }
    }
}

impl Stay {
    /// Whether it was under way at that moment, and surely so.
    fn covers(self, at: Moment) -> bool {
        at.since(self.began) >= 0 && self.ended.since(at) > TOLERANCE_MS
    }

    /// The gap to another one that was asked for. The settings may have been changed between the
    /// two, as may the hour: then the lesser holds.
    fn asked_after(
        &self,
        before: &Self,
        by_robots: &impl Fn(Moment, Moment) -> Option<u64>,
    ) -> u64 {
        let by_settings = match (before.delay_ms, self.delay_ms) {
            (Some(then), Some(now)) => then.min(now),
            (then, now) => now.or(then).unwrap_or(0),
        };
        by_settings.max(by_robots(before.ended, self.began).unwrap_or(0))
    }

    /// Whether it began after another one, and before the gap to that was over.
    fn disturbs(&self, other: &Self, by_robots: &impl Fn(Moment, Moment) -> Option<u64>) -> bool {
        let asked = signed(self.asked_after(other, by_robots));
        self.began.since(other.began) >= 0 && self.began.since(other.ended) < asked - TOLERANCE_MS
    }
}

impl Timing {
    /// What is wrong with it, where so many requests may be under way at once.
    pub(super) fn violations(&self, connections: u32) -> Vec<(ViolationKind, String)> {
        let mut found = Vec::new();
        if self.in_flight > connections {
            let what = format!("{} requests at once, {connections} allowed", self.in_flight);
            found.push((ViolationKind::InFlight, what));
        } else if let Some(gap) = self.early_by {
            let what = format!("{gap} ms after the request before it, asked for {}", self.asked_ms);
            found.push((ViolationKind::Gap, format!("{what} ms")));
        } else if let Some(Kept { gap_ms, asked_ms }) = self.hurried {
            let what = format!("{gap_ms} ms before the request after it, asked for {asked_ms} ms");
            found.push((ViolationKind::Gap, what));
        }
        found
    }
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn unsigned(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0)
}
