//! A site is on turn: what may be asked of it now?

use rhumb_frontier::Entry;
use rhumb_rules::Reason;
use rhumb_seen::Seen;
use rhumb_web::{Candidate, Errand, Failure, Origin, Site, Span, Tick, Ticket, TicketNumber};

use super::fact::{Asked, Cause, Effect, Fact, Turn};
use super::robots::{ANSWER_WITHIN, Need};
use super::{Partition, RobotsState};

/// Moves of one site in one turn, so that a turn stays short.
const MOVES_MAX: usize = 64;
/// Sites that are served in one go, so that other partitions and events have their turn.
const TURNS_MAX: usize = 1_024;

/// Has a reason against a page that is about to be fetched, or none.
pub(super) type Refuse<'a> = &'a mut dyn FnMut(&Entry) -> Option<Reason>;

/// What to do with the next entry of a site.
enum Move {
    Fetch(Entry),
    Drop(Entry, Cause),
    AskRobots(Origin),
    HoldPages(Origin, Tick),
    Nothing,
}

impl<S: Seen> Partition<S> {
    /// Issues at most `room` tickets for sites that are due, and says how many.
    pub fn issue(&mut self, now: Tick, room: usize, turn: &mut Turn) -> usize {
        self.issue_unless(now, room, turn, &mut |_| None)
    }

    /// The same, but for pages that somebody has a reason against: these are dropped.
    pub fn issue_unless(
        &mut self,
        now: Tick,
        room: usize,
        turn: &mut Turn,
        refuse: Refuse<'_>,
    ) -> usize {
        let mut issued = 0;
        // A site that is met for the first time may have been visited before all the same.
        if self.rest_from.is_some_and(|from| now < from + self.settings.manners.delay) {
            return 0;
        }
        for _ in 0..TURNS_MAX {
            if issued >= room {
                break;
            }
            let Some(site) = self.state.frontier.next(now) else { break };
            issued += usize::from(self.serve(now, &site, turn, refuse));
            self.refill(&site, turn);
        }
        self.wake_due(now, turn);
        issued
    }

    /// Serves a site that is on turn, and says whether a ticket went out.
    fn serve(&mut self, now: Tick, site: &Site, turn: &mut Turn, refuse: Refuse<'_>) -> bool {
        for _ in 0..MOVES_MAX {
            match self.next_move(now, site) {
                // A page that is tried again was let through before.
                Move::Fetch(entry)
                    if !entry.is_robots()
                        && entry.tries == 0
                        && let Some(reason) = refuse(&entry) =>
                {
                    self.speak(now, Fact::Dropped { entry, cause: Cause::Refused(reason) }, turn);
                }
                Move::Fetch(entry) => {
                    self.send_out(now, entry, turn);
                    return true;
                }
                Move::AskRobots(origin) => {
                    let url = origin.robots_url();
                    let errand = Errand::Robots { origin, hops: 0 };
                    let candidate = Candidate::new(url, errand, 0, 0);
                    self.send_out(now, Entry::new(candidate), turn);
                    return true;
                }
                Move::Drop(entry, cause) => {
                    self.speak(now, Fact::Dropped { entry, cause }, turn);
                }
                Move::HoldPages(origin, until) => {
                    self.speak(now, Fact::Held { origin, until }, turn);
                }
                Move::Nothing => return false,
            }
        }
        self.state.frontier.give_back(site);
        false
    }

    fn next_move(&self, now: Tick, site: &Site) -> Move {
        let Some(entry) = self.state.frontier.peek(site, now) else { return Move::Nothing };
        // Whoever asks for a gap asks for one request at a time; the next answer brings it up again.
        let is_busy = self.state.frontier.site(site).is_some_and(|it| it.in_flight() > 0);
        if is_busy && self.robots_gap(now, site).is_some() {
            return Move::Nothing;
        }
        if entry.is_robots() {
            return Move::Fetch(entry.clone());
        }
        let origin = entry.url().origin();
        let fresh = RobotsState::default();
        let robots = self.state.robots.get(&origin).unwrap_or(&fresh);
        match robots.need(now) {
            Need::Ask => Move::AskRobots(origin),
            Need::Wait(until) => Move::HoldPages(origin, until),
            Need::NoSuchHost => Move::Drop(entry.clone(), Cause::Failed(Failure::NoSuchHost)),
            Need::PrivateAddress => {
                Move::Drop(entry.clone(), Cause::Refused(Reason::PrivateAddress))
            }
            Need::Obey(rules) => match rules.closed_until(self.minute_of_day(now)) {
                Some(minutes) => Move::HoldPages(origin, now + Span::minutes(u64::from(minutes))),
                None if rules.judge(entry.url().path_and_query()).allowed => {
                    Move::Fetch(entry.clone())
                }
                None => Move::Drop(entry.clone(), Cause::Refused(Reason::Robots)),
            },
        }
    }

    fn send_out(&mut self, now: Tick, entry: Entry, turn: &mut Turn) {
        let number = TicketNumber(self.state.next_ticket.0);
        let expires = now + self.settings.ticket_for;
        let entry = if self.settings.may_disguise { entry } else { entry.itself() };
        let (candidate, copies) = entry.candidate.clone().parted();
        let ticket = Ticket {
            number,
            candidate,
            visit: entry.visit,
            epoch: self.settings.epoch,
            tries: entry.tries,
            expires,
        };
        let etag = match &entry.candidate.errand {
            Errand::Robots { origin, hops: 0 } => {
                self.state.robots.get(origin).and_then(RobotsState::etag).cloned()
            }
            _ => None,
        };
        let rules = self.state.frontier.rules();
        let site = entry.url().site();
        let delay = rules.of(&site).and_then(|rule| rule.delay);
        let asked = Asked {
            etag,
            delay: delay.unwrap_or(self.manners_towards(&site).delay),
            connections: rules.connections(&site),
            copies,
        };
        self.speak(now, Fact::Issued { number, entry, expires }, turn);
        turn.effects.push(Effect::Fetch(ticket, asked));
    }

    /// The minute of the day, in UTC: robots.txt may speak of hours.
    pub(super) fn minute_of_day(&self, now: Tick) -> u16 {
        let minute = (self.settings.born_ms.saturating_add(now.0) / 60_000) % (24 * 60);
        u16::try_from(minute).expect("a day has fewer minutes than that")
    }
}

const _: () = assert!(ANSWER_WITHIN.0 > 120_000, "a run may end while an answer is under way");
