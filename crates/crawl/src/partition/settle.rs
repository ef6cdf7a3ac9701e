//! A ticket came back: what it means for the site, the URL and the links.

use std::collections::BTreeMap;

use rhumb_frontier::{Conduct, Entry, Gift, Manner, Manners};
use rhumb_rules::HOPS_MAX;
use rhumb_seen::Seen;
use rhumb_web::{
    Candidate, Copies, Errand, Failure, Found, Mark, Origin, PartitionId, Phase, Site, Span, Tick,
    TicketNumber, UrlKey,
};

use super::fact::{
    Answer, Effect, Fact, Finding, More, Parcel, Return, RobotsAnswer, Settled, Settlement, Turn,
};
use super::robots::Need;
use super::{Miss, Outstanding, Partition};

impl<S: Seen> Partition<S> {
    pub(super) fn settle(&mut self, now: Tick, returned: Return, turn: &mut Turn) {
        let Return { ticket, took, finding, digest, kept, excused } = returned;
        // A ticket that expired was settled then; what it brings late is not used.
        let Some(Outstanding { entry, .. }) = self.state.out.get(&ticket.number).cloned() else {
            return;
        };
        let site = entry.url().site();
        let conduct = conduct(&entry, &finding, took, excused);
        let manner = self.manner_after(now, &site, conduct, took);
        let again = self.again(now, &entry, &finding, manner, excused);
        let again = again.or_else(|| Some((Tick::default(), next_copy(&entry, &finding)?)));
        let entry = entry.itself();
        let robots = again.is_none().then(|| robots_answer(&entry, &finding)).flatten();
        let (result, answer) = match finding {
            Finding::Answered(answer) => (Settlement::Answered(answer.status), *answer),
            Finding::Failed(failure) => (Settlement::Failed(failure), Answer::default()),
            Finding::AddressBusy(_) => (Settlement::AddressBusy, Answer::default()),
            Finding::PrivateAddress => (Settlement::PrivateAddress, Answer::default()),
        };
        let candidates = match (&again, robots_hop(&entry, &answer)) {
            (Some(_), _) => Vec::new(),
            (None, Some(hop)) => vec![(self.owner(&hop.url.site()), hop)],
            (None, None) => answer.candidates,
        };
        let (links, outward) = (candidates.len(), answer.outward);
        let cited = self.cited(&entry, &candidates);
        let parcels = self.pack(now, &entry, candidates, robots);
        let is_page = again.is_none() && !entry.is_robots();
        let (url, domain) = (entry.url().clone(), self.state.frontier.domain(&site));
        let settled = Settled {
            number: ticket.number,
            entry,
            result,
            bytes: answer.bytes,
            cut: answer.cut,
            took,
            manner,
            again,
            parcels: parcels.clone(),
            refused: answer.refused,
            root: answer.root,
            digest,
            kept,
            more: More { moved_to: answer.moved_to, duplicate_of: None, content: answer.content },
        };
        self.speak(now, Fact::Settled(Box::new(settled)), turn);
        self.refill(&site, turn);
        let mut gift = if is_page {
            self.state.frontier.give(&url, links, outward.len())
        } else {
            Gift::default()
        };
        if !outward.is_empty() {
            turn.effects.push(Effect::Vote(domain, outward));
        }
        if cited.is_empty() {
            gift.rank = 0.0;
        } else {
            turn.effects.push(Effect::Cite(url.key(self.settings.hash), cited));
        }
        for mut parcel in parcels {
            parcel.gift = gift;
            if parcel.to == self.settings.id {
                self.open(now, parcel, turn);
            } else {
                turn.effects.push(Effect::Send(parcel));
            }
        }
    }

    fn manner_after(&self, now: Tick, site: &Site, conduct: Conduct, took: Span) -> Manner {
        let before = self.state.frontier.site(site).map(rhumb_frontier::SiteState::manner);
        let gap = self.gap(now, site, took);
        let chance = self.settings.hash.hash(site.as_str().as_bytes()) ^ now.0;
        before.unwrap_or_default().after(now, conduct, gap, chance)
    }

    /// The quiet time of a site after an exchange that took so long.
    pub(super) fn gap(&self, now: Tick, site: &Site, took: Span) -> Span {
        let rule = self.state.frontier.rules().of(site);
        self.manners_towards(site).gap_for(rule, took, self.robots_gap(now, site))
    }

    /// The manners towards a site, by what its domain is worth.
    pub(super) fn manners_towards(&self, site: &Site) -> Manners {
        let manners = self.settings.manners;
        match manners.floor {
            Some(_) => manners.towards(self.state.frontier.gap_part(site)),
            None => manners,
        }
    }

    /// The gap that the site's robots.txt asks for, over both schemes.
    pub fn robots_gap(&self, now: Tick, site: &Site) -> Option<Span> {
        let minute = self.minute_of_day(now);
        let schemes = [rhumb_web::Scheme::Http, rhumb_web::Scheme::Https];
        let gaps = schemes.into_iter().filter_map(|scheme| {
            let origin = Origin { scheme, site: site.clone() };
            self.state.robots.get(&origin)?.rules()?.gap(minute)
        });
        gaps.max()
    }

    /// Whether and when the entry is fetched again.
    fn again(
        &self,
        now: Tick,
        entry: &Entry,
        finding: &Finding,
        manner: Manner,
        excused: bool,
    ) -> Option<(Tick, Entry)> {
        let at_once = Some((Tick::default(), entry.clone()));
        let is_retryable = match finding {
            Finding::AddressBusy(_) | Finding::Failed(Failure::Stale) => return at_once,
            Finding::Answered(answer) if answer.self_redirect && !entry.again => {
                return Some((Tick::default(), entry.asked_again()));
            }
            Finding::Answered(answer) => answer.pushback.is_some() || answer.status >= 500,
            Finding::Failed(failure) => is_passing(*failure),
            Finding::PrivateAddress => false,
        };
        if is_retryable && excused {
            return at_once;
        }
        // A robots.txt has its own tries: see `RobotsState`.
        if !is_retryable || entry.is_robots() {
            return None;
        }
        let tries = entry.tries.saturating_add(1);
        let at = self.settings.manners.retry_at(now, tries)?;
        let pushed = matches!(finding, Finding::Answered(answer) if answer.pushback.is_some());
        let at = if pushed { manner.ready_at } else { at };
        Some((at, entry.tried(tries)))
    }

    /// The pages that a page links to, where the order of the crawl asks for ranks. What a sitemap
    /// or a robots.txt names is no link.
    fn cited(&self, entry: &Entry, candidates: &[(PartitionId, Candidate)]) -> Vec<UrlKey> {
        let is_page = matches!(entry.candidate.errand, Errand::Page);
        if !is_page || !self.state.frontier.policy().order.needs_rank() {
            return Vec::new();
        }
        candidates.iter().map(|(_, candidate)| candidate.url.key(self.settings.hash)).collect()
    }

    /// Groups candidates and a robots answer by owner, and numbers the parcels.
    fn pack(
        &self,
        now: Tick,
        page: &Entry,
        candidates: Vec<(PartitionId, Candidate)>,
        robots: Option<(Origin, RobotsAnswer)>,
    ) -> Vec<Parcel> {
        let from = self.settings.id;
        let found = Found { on: Some(page.url().key(self.settings.hash)), at: now };
        let mut owned: BTreeMap<PartitionId, (Vec<Candidate>, Option<_>)> = BTreeMap::new();
        for (to, candidate) in candidates {
            owned.entry(to).or_default().0.push(Candidate { found, ..candidate });
        }
        if let Some(robots) = robots {
            let to = self.owner(&robots.0.site);
            owned.entry(to).or_default().1 = Some(robots);
        }
        let parcel = |(to, (candidates, robots)): (PartitionId, (Vec<Candidate>, Option<_>))| {
            let number = self.state.sent.get(&to).copied().unwrap_or(0) + 1;
            let gift = Gift::default();
            Parcel { from, to, number, candidates: candidates.into(), robots, gift }
        };
        owned.into_iter().map(parcel).collect()
    }

    fn owner(&self, site: &Site) -> PartitionId {
        site.pld().partition(self.settings.hash, self.settings.count)
    }

    /// The robots.txt of one of our origins is known.
    pub(super) fn hear_robots(
        &mut self,
        now: Tick,
        origin: Origin,
        answer: RobotsAnswer,
        turn: &mut Turn,
    ) {
        let mut robots = self.state.robots.get(&origin).cloned().unwrap_or_default();
        // "Not changed" means nothing where we have nothing.
        let answer = match answer {
            RobotsAnswer::Unchanged if robots.rules().is_none() => RobotsAnswer::Absent,
            answer => answer,
        };
        let refresh_at = robots.refresh_at(now, &answer, self.settings.manners.tries > 1);
        robots.answered(now, &self.settings.agent, &answer, refresh_at);
        let gap = robots.rules().and_then(|rules| rules.gap(self.minute_of_day(now)));
        let site = self.state.frontier.site(&origin.site);
        let mut manner = site.map(rhumb_frontier::SiteState::manner).unwrap_or_default();
        // The file may ask for a longer gap than held when it was fetched.
        if let Some(gap) = gap {
            manner = manner.not_before(now + gap + Span(1));
        }
        // While the file is out of reach the pages wait for it, and for nothing sooner.
        let (pages_at, is_given_up) = match robots.need(now) {
            Need::Wait(until) => (until, robots.is_out_of_reach()),
            _ => (Tick::default(), false),
        };
        self.speak(
            now,
            Fact::Robots { origin, answer, refresh_at, manner, pages_at, is_given_up },
            turn,
        );
    }

    /// Settles tickets that did not come back in time.
    pub(super) fn expire(&mut self, now: Tick, turn: &mut Turn) {
        let late = self.state.out.iter().filter(|(_, out)| out.expires < now);
        let late: Vec<(TicketNumber, Outstanding)> =
            late.map(|(number, out)| (*number, out.clone())).collect();
        for (number, Outstanding { entry, expires }) in late {
            let ticket = rhumb_web::Ticket {
                number,
                candidate: entry.candidate,
                visit: entry.visit,
                epoch: self.settings.epoch,
                tries: entry.tries,
                expires,
            };
            let finding = Finding::Failed(Failure::TimedOut(Phase::Body));
            let took = self.settings.ticket_for;
            let (digest, kept) = (None, None);
            let returned = Return { ticket, took, finding, digest, kept, excused: false };
            self.settle(now, returned, turn);
        }
    }
}

/// One table: what a finding says of its site.
fn conduct(entry: &Entry, finding: &Finding, took: Span, excused: bool) -> Conduct {
    match finding {
        Finding::Answered(answer) => match answer.pushback {
            // A robots.txt that fails has waits of its own, unless the server names one.
            Some(None) if entry.is_robots() && answer.status >= 500 => Conduct::Answered(took),
            Some(asked) => Conduct::Pushback(asked),
            // Whoever doubts us is left alone for longer; what is behind the doubt is not asked
            // for again.
            None if answer.content.told.mark == Some(Mark::Challenge) => Conduct::Pushback(None),
            None => Conduct::Answered(took),
        },
        Finding::AddressBusy(wait) => Conduct::AddressBusy(*wait),
        Finding::Failed(Failure::Stale | Failure::NoSuchHost) | Finding::PrivateAddress => {
            Conduct::Excused
        }
        Finding::Failed(_) if excused => Conduct::Excused,
        Finding::Failed(_) => Conduct::Failed,
    }
}

/// The entry that is fetched once more because what came is only a copy of its page. Without one
/// for a browser there is nothing to compare, and the page itself is fetched all the same.
fn next_copy(entry: &Entry, finding: &Finding) -> Option<Entry> {
    let copied = match finding {
        Finding::Answered(answer) if answer.is_copy => answer.copied,
        _ => None,
    };
    match entry.candidate.errand {
        Errand::Page => copied.map(|own| entry.compared(Copies::Own(own))),
        Errand::Compared(Copies::Own(own)) => {
            Some(entry.compared(Copies::Both { own, browser: copied }))
        }
        Errand::Compared(Copies::Both { .. }) | Errand::Sitemap | Errand::Robots { .. } => None,
    }
}

/// Whether a failure may be gone at the next try.
fn is_passing(failure: Failure) -> bool {
    match failure {
        Failure::Dns
        | Failure::Connect
        | Failure::TimedOut(_)
        | Failure::TooSlow
        | Failure::Reset
        | Failure::Stale
        | Failure::Proxy => true,
        Failure::NoSuchHost | Failure::Tls | Failure::NotHttp | Failure::HeadersTooLarge => false,
    }
}

/// What the finding says about robots, if the errand was that and it ends here.
fn robots_answer(entry: &Entry, finding: &Finding) -> Option<(Origin, RobotsAnswer)> {
    let Errand::Robots { origin, hops } = &entry.candidate.errand else { return None };
    let answer = match finding {
        Finding::AddressBusy(_) => return None,
        Finding::Failed(Failure::NoSuchHost) if *hops == 0 => RobotsAnswer::NoSuchHost,
        Finding::PrivateAddress if *hops == 0 => RobotsAnswer::PrivateAddress,
        Finding::Failed(failure) => RobotsAnswer::Unreachable(Miss::Failure(*failure)),
        Finding::PrivateAddress => RobotsAnswer::Unreachable(Miss::Failure(Failure::Connect)),
        Finding::Answered(answer) => match (answer.status, &answer.robots) {
            (status, _)
                if answer.pushback.is_some() || answer.robots_is_withheld || status >= 500 =>
            {
                RobotsAnswer::Unreachable(Miss::Status(status))
            }
            // Half a file may lack the very line that closes the site.
            (200..300, _) if answer.robots_is_torn() => {
                RobotsAnswer::Unreachable(Miss::Failure(Failure::Reset))
            }
            (200..300, Some(body)) => {
                RobotsAnswer::File { body: body.clone(), etag: answer.etag.clone() }
            }
            (304, _) => RobotsAnswer::Unchanged,
            (300..400, _) if answer.robots_moved.is_some() && *hops < HOPS_MAX => return None,
            _ => RobotsAnswer::Absent,
        },
    };
    Some((origin.clone(), answer))
}

/// The next hop of a robots.txt that was redirected.
fn robots_hop(entry: &Entry, answer: &Answer) -> Option<Candidate> {
    let Errand::Robots { origin, hops } = &entry.candidate.errand else { return None };
    let url = answer.robots_moved.clone().filter(|_| *hops < HOPS_MAX)?;
    let errand = Errand::Robots { origin: origin.clone(), hops: hops + 1 };
    Some(Candidate::new(url, errand, 0, 0))
}
