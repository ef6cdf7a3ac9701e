//! The witness: it hears what the crawl says and what hosts see, and holds it against what is
//! found after an end. It shares no code with the store.

use std::collections::{BTreeMap, HashMap};

use rhumb_archive::{Encoded, Position};
use rhumb_crawl::partition::{Fact, Finding, RobotsAnswer, Settlement, Tally};
use rhumb_likeness::{Likeness, Twin};
use rhumb_web::{Span, Ticket, TicketNumber};

use super::report::{Count, CrashReport};
use super::web::{Kind, Reply, Web, wide};

/// The gap that every host is promised.
pub(super) const DELAY: Span = Span::seconds(1);
/// The gap is this many times the last exchange.
const LOAD_TIMES: u64 = 5;
/// The shortest wait after a push-back that names none.
const QUIET: Span = Span::seconds(60);

/// What a fact in the log says, as far as it is checked.
#[derive(Debug)]
struct Line {
    /// Where it ends in the log.
    end: u64,
    /// What was settled, and whether for good.
    settled: Option<End>,
    /// The records that it speaks of, as they must lie in the archive.
    records: Vec<Vec<u8>>,
    /// The page that is said to have a twin.
    twin: Option<(usize, Twin)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    /// None: a robots.txt.
    page: Option<usize>,
    result: Settlement,
    bytes: u64,
    is_final: bool,
    root: bool,
}

/// What a host remembers of us.
#[derive(Clone, Copy, Debug, Default)]
struct Host {
    /// When the last request began and ended; it ends with the process at the latest.
    last: Option<(u64, u64)>,
    /// The gap that is owed after that exchange, beside the one that holds for all.
    owed: Span,
    /// Its ticket, and the line of the log that knows how it ended.
    ticket: Option<TicketNumber>,
    settled: Option<usize>,
    /// The line of the log that knows its robots.txt.
    read: Option<usize>,
}

/// All that was said, and what of it must last.
#[derive(Debug)]
pub(super) struct Witness {
    lines: Vec<Line>,
    /// So many lines survive a kill.
    written: usize,
    /// So many survive a power cut.
    synced: usize,
    /// Records that no fact speaks of yet, by where they end.
    deposits: BTreeMap<Position, Vec<Vec<u8>>>,
    hosts: Vec<Host>,
    /// Pages that are settled for good, and the line that says so.
    finals: HashMap<usize, usize>,
    pub(super) report: CrashReport,
}

impl Witness {
    pub(super) fn new(seed: u64, sites: usize) -> Self {
        Self {
            lines: Vec::new(),
            written: 0,
            synced: 0,
            deposits: BTreeMap::new(),
            hosts: vec![Host::default(); sites],
            finals: HashMap::new(),
            report: CrashReport::new(seed),
        }
    }

    /// A request begins.
    pub(super) fn asked(&mut self, now: u64, web: &Web, ticket: &Ticket, reply: &Reply) {
        let url = &ticket.candidate.url;
        let (site, page) = (web.site(url), web.page(url));
        let host = self.hosts[site];
        if let Some((_, end)) = host.last {
            let mut gap = DELAY.max(host.owed);
            if page.is_some() || host.read.is_some() {
                gap = gap.max(web.crawl_delay(site).unwrap_or(Span::ZERO));
            }
            if now < end + gap.0 {
                let after = i128::from(now) - i128::from(end);
                self.report.violate("early", || {
                    format!("site {site} after {after} ms of {} ms, at {now}", gap.0)
                });
            }
        }
        if let Some(page) = page.filter(|page| self.finals.contains_key(page)) {
            self.report.violate("repeated", || format!("page {page} at {now}"));
        }
        if page.is_some_and(|page| web.pages[page].kind == Kind::Forbidden) {
            self.report.violate("disallowed", || format!("{page:?} at {now}"));
        }
        self.report.count(Count::Asked);
        self.hosts[site] = Host {
            last: Some((now, now + reply.took.0)),
            owed: owed(reply),
            ticket: Some(ticket.number),
            settled: None,
            ..host
        };
    }

    /// Records are in the archive up to here.
    pub(super) fn kept(&mut self, end: Position, records: &[Encoded]) {
        let records = records.iter().map(|record| record.bytes.clone()).collect();
        self.deposits.insert(end, records);
    }

    /// A fact is in the log, up to here.
    pub(super) fn logged(&mut self, end: u64, web: &Web, fact: &Fact) {
        let number = self.lines.len();
        let mut line = Line { end, settled: None, records: Vec::new(), twin: None };
        match fact {
            Fact::Settled(settled) => {
                let site = web.site(settled.entry.url());
                let page = web.page(settled.entry.url());
                let is_final = settled.again.is_none();
                if self.hosts[site].ticket == Some(settled.number) {
                    self.hosts[site].settled = Some(number);
                }
                if let Some(page) = page.filter(|_| is_final) {
                    self.finals.insert(page, number);
                }
                line.twin = page.zip(settled.more.content.told.twin);
                let (result, bytes) = (settled.result, settled.bytes);
                let root = settled.root.is_some();
                line.settled = Some(End { page, result, bytes, is_final, root });
                let kept = settled.kept.and_then(|end| self.deposits.remove(&end));
                match kept {
                    Some(records) => line.records = records,
                    None => self.report.violate("unkept", || format!("{:?}", settled.entry.url())),
                }
            }
            Fact::Robots { origin, answer: RobotsAnswer::File { .. }, .. } => {
                let site = web.site(&origin.robots_url());
                self.hosts[site].read.get_or_insert(number);
            }
            Fact::Likened { url, twin, .. } => {
                line.twin = web.page_of(*url).map(|page| (page, *twin));
            }
            _ => {}
        }
        self.note_twin(&line);
        self.lines.push(line);
    }

    /// A page is told once that it has a twin, after it was fetched.
    fn note_twin(&mut self, line: &Line) {
        let Some((page, twin)) = line.twin else { return };
        if let Some(before) = self.twin(page) {
            self.report.violate("told", || format!("page {page} of {before:?}, then {twin:?}"));
        }
        if !self.finals.contains_key(&page) {
            self.report.violate("told", || format!("page {page} before it was fetched"));
        }
    }

    pub(super) fn written(&mut self) {
        self.written = self.lines.len();
    }

    pub(super) fn synced(&mut self) {
        self.written = self.lines.len();
        self.synced = self.lines.len();
    }

    /// The process ended, and with it its requests.
    pub(super) fn ended(&mut self, now: u64, is_power_cut: bool) {
        if is_power_cut {
            self.written = self.synced;
        }
        self.deposits.clear();
        for host in &mut self.hosts {
            if let Some((_, end)) = &mut host.last {
                *end = now.min(*end);
            }
        }
    }

    /// The crawl was opened, with the log up to here: what is behind it never happened.
    pub(super) fn reopened(&mut self, log_end: u64) {
        let survived = self.lines.partition_point(|line| line.end <= log_end);
        if survived < self.written {
            let (written, synced) = (self.written, self.synced);
            self.report.violate("lost", || {
                format!("{survived} lines are there of {written} written, {synced} synced")
            });
        }
        let lost = wide(self.lines.len() - survived);
        self.report.add(Count::LinesLost, lost);
        self.lines.truncate(survived);
        self.written = self.written.min(survived);
        self.synced = self.synced.min(survived);
        self.finals.retain(|_, line| *line < survived);
        for host in &mut self.hosts {
            // What nobody remembers cannot be asked for.
            if host.settled.is_none_or(|line| line >= survived) {
                host.owed = Span::ZERO;
            }
            host.read = host.read.filter(|line| *line < survived);
        }
    }

    /// The records that the log knows of, in their order.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().flat_map(|line| &line.records).map(Vec::as_slice)
    }

    /// Whether a seed moved.
    pub(super) fn has_root(&self) -> bool {
        self.lines.iter().any(|line| line.settled.is_some_and(|end| end.root))
    }

    /// The counts of the crawl are those of the log.
    pub(super) fn check_tally(&mut self, tally: &Tally) {
        let (mut bytes, mut fetched, mut redirects, mut missed) = (0, 0, 0, 0);
        for end in self.lines.iter().filter_map(|line| line.settled) {
            bytes += end.bytes;
            if end.page.is_none() || !end.is_final {
                continue;
            }
            match end.result {
                Settlement::Answered(status) if status < 400 => {
                    fetched += 1;
                    redirects += u64::from(status >= 300);
                }
                _ => missed += 1,
            }
        }
        let twins = self.lines.iter().filter_map(|line| line.twin);
        let near = twins.clone().filter(|(_, twin)| twin.how != Likeness::Same).count();
        let [twins, near] = [twins.count(), near].map(wide);
        let missed_is = tally.missed.values().sum();
        let is =
            [tally.bytes, tally.fetched, tally.redirects, missed_is, tally.duplicates, tally.near];
        let expect = [bytes, fetched, redirects, missed, twins, near];
        if is != expect {
            self.report.violate("tally", || format!("is {is:?}, should be {expect:?}"));
        }
    }

    /// The twin that a page has as far as the log tells.
    pub(super) fn twin(&self, page: usize) -> Option<Twin> {
        let twins = self.lines.iter().rev().filter_map(|line| line.twin);
        twins.filter(|(of, _)| *of == page).map(|(_, twin)| twin).next()
    }

    /// How a page ended, if it is settled for good.
    pub(super) fn result(&self, page: usize) -> Option<Settlement> {
        self.lines[*self.finals.get(&page)?].settled.map(|end| end.result)
    }
}

/// The gap that a host is owed after an exchange.
fn owed(reply: &Reply) -> Span {
    let by_load = reply.took.times(LOAD_TIMES);
    match &reply.finding {
        Finding::Answered(answer) if answer.pushback.is_some() => by_load.max(QUIET),
        _ => by_load,
    }
}
