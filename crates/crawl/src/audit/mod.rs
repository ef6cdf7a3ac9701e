//! What a crawl did to every site, proven from the records of its archive alone.
//!
//! [`audit`] reads the WARC files in their order and holds each request against the one before it
//! and against the robots.txt that was in force when it began (RFC 9309). It knows nothing of the
//! log, the tables or the queue: whoever does not trust those can still trust this. It fetches
//! nothing, writes nothing, and works while the crawl runs: what is not complete is left out.

mod files;
mod host;
mod moment;
mod records;
mod robots;
mod site;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rhumb_archive::Flaw;
use rhumb_rules::RobotsVerdict;
use rhumb_web::Site;
use thiserror::Error;

pub use host::{HostAudit, Kept, LISTED_MAX, Violation, ViolationKind};
pub use records::{Maker, Outcome, Purpose};

use moment::{Moment, minute_of};
use records::{Held, Trace};
use robots::{Origins, Standing};
use site::SiteBook;

/// What an archive proves.
#[derive(Debug, Default)]
pub struct Audit {
    /// Every site that was visited, by name.
    pub hosts: Vec<HostAudit>,
    /// All of them together.
    pub total: HostAudit,
    /// Files that were read.
    pub files: u64,
    /// Records in them.
    pub records: u64,
    /// Places that could not be read: what was done there is not known.
    pub unreadable: u64,
    /// The first of them, in words.
    pub first_flaw: Option<String>,
    /// Requests of which the archive does not say when they ended, or which gap the settings asked
    /// for: those of an earlier version.
    pub untold: u64,
    /// Who made the archive, by its newest file.
    pub maker: Maker,
    /// Pages whose robots.txt was taken out of the archive: what it said is not known.
    pub forgotten: u64,
    /// The names by which the crawl went: each request is judged by the one that it was sent under.
    pub agents: Vec<String>,
}

impl Audit {
    /// Whether everything could be read and nothing was done against the rules.
    pub fn is_clean(&self) -> bool {
        self.total.violations == 0 && self.unreadable == 0
    }
}

/// One request, and what it is judged by.
#[derive(Debug)]
pub struct RequestLine<'a> {
    /// The site that was asked.
    pub site: &'a Site,
    /// What for.
    pub url: &'a str,
    /// Milliseconds since 1970.
    pub time_ms: u64,
    /// What it was fetched for.
    pub purpose: Purpose,
    /// Whether it was sent under the headers of a browser.
    pub is_disguised: bool,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// How long it took; not known of one that was cut off with its process.
    pub took_ms: Option<u64>,
    /// Quiet time since the end of the one before it at this site.
    pub gap_ms: Option<u64>,
    /// Quiet time that was asked for.
    pub asked_ms: u64,
    /// The robots.txt in force and what it says; none for a robots.txt itself, or without one.
    pub robots: Option<InForce<'a>>,
    /// What is wrong with it.
    pub violations: &'a [Violation],
}

/// A robots.txt that was in force.
#[derive(Clone, Copy, Debug)]
pub struct InForce<'a> {
    /// The verdict, with its line and rule.
    pub verdict: RobotsVerdict<'a>,
    /// When the file was fetched, or found to be unchanged: milliseconds since 1970.
    pub fetched_ms: u64,
}

/// Why an archive could not be audited.
#[derive(Debug, Error)]
pub enum AuditError {
    /// The folder cannot be read.
    #[error("cannot list {}: {source}", path.display())]
    List {
        /// Which.
        path: PathBuf,
        /// What came of it.
        source: std::io::Error,
    },
    /// A file cannot be opened.
    #[error("cannot read {}: {source}", path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// What came of it.
        source: std::io::Error,
    },
    /// There is nothing to read.
    #[error("{} holds no WARC file", path.display())]
    Empty {
        /// Which folder.
        path: PathBuf,
    },
}

/// Reads the WARC files in `folder` and judges every request by what robots.txt says to the name
/// in its file; with `only`, those to that host or site. Tells of each as it comes.
pub fn audit(
    folder: &Path,
    only: Option<&str>,
    each: &mut dyn FnMut(&RequestLine<'_>),
) -> Result<Audit, AuditError> {
    let files = files::list(folder)?;
    let only = only.map(str::to_ascii_lowercase);
    let agents = records::tokens(&files)?;
    let mut auditor = Auditor {
        only: only.as_deref(),
        origins: Origins::new(&files, agents.clone()),
        sites: HashMap::new(),
        listed: 0,
        audit: Audit { agents, ..Audit::default() },
        each,
    };
    for (file, path) in files.iter().enumerate() {
        auditor.read(file, path)?;
    }
    Ok(auditor.end())
}

struct Auditor<'a> {
    only: Option<&'a str>,
    origins: Origins<'a>,
    sites: HashMap<Site, SiteBook>,
    /// Violations that are kept, over all sites.
    listed: usize,
    audit: Audit,
    each: &'a mut dyn FnMut(&RequestLine<'_>),
}

impl Auditor<'_> {
    fn read(&mut self, file: usize, path: &Path) -> Result<(), AuditError> {
        let Some((mut reader, path)) = files::open(path)? else { return Ok(()) };
        self.audit.files += 1;
        let mut held: Option<Held> = None;
        loop {
            let mut record = match reader.next() {
                None => break,
                Some(Ok(record)) => record,
                // The end of a file that grows is not written yet.
                Some(Err(fault)) if files::is_open(&path) && fault.flaw == Flaw::CutShort => {
                    return Ok(());
                }
                Some(Err(fault)) => {
                    self.flaw(|| format!("{}: {fault}", path.display()));
                    continue;
                }
            };
            self.audit.records += 1;
            match records::take(&mut record, file, &mut held) {
                records::Taken::Nothing => {}
                records::Taken::Maker(maker) => self.meet(maker),
                records::Taken::Traces(traces) => {
                    for trace in traces {
                        self.judge(&trace);
                    }
                }
                records::Taken::Unreadable => self.flaw(|| {
                    let offset = record.offset;
                    format!("{}: at byte {offset}: no request as it should be", path.display())
                }),
            }
        }
        // Half an exchange at the end of a file that grows will be whole at the next look.
        if let Some(trace) = held.filter(|_| !files::is_open(&path)).and_then(Held::alone) {
            self.judge(&trace);
        }
        Ok(())
    }

    fn flaw(&mut self, what: impl FnOnce() -> String) {
        self.audit.unreadable += 1;
        self.audit.first_flaw.get_or_insert_with(what);
    }

    fn meet(&mut self, maker: Maker) {
        self.origins.go_by(maker.token());
        self.audit.maker = maker;
    }

    fn is_wanted(&self, site: &Site) -> bool {
        self.only.is_none_or(|only| site.as_str() == only || site.host() == only)
    }

    fn judge(&mut self, trace: &Trace) {
        let site = trace.url.site();
        // What is forgotten was a request to somebody else.
        if self.is_wanted(&site) && trace.outcome != Outcome::Forgotten {
            self.judge_wanted(trace, &site);
        }
        if trace.purpose == Purpose::Robots {
            self.origins.hear(trace);
        }
    }

    fn judge_wanted(&mut self, trace: &Trace, site: &Site) {
        let origin = trace.url.origin();
        let began = trace.began;
        let by_robots = |ended: Moment, began: Moment| {
            let minutes = [minute_of(ended.wall_ms), minute_of(began.wall_ms)];
            self.origins.gap(site, began, minutes)
        };
        let book = self.sites.entry(site.clone()).or_insert_with(|| SiteBook::new(site));
        if book.knows(trace) {
            return;
        }
        let timing = book.note(trace, by_robots);
        let is_told = trace.delay_ms.is_some() && trace.is_ended();
        let is_untold = !is_told && trace.outcome != Outcome::Interrupted;
        self.audit.untold += u64::from(is_untold);

        let mut found: Vec<(ViolationKind, String)> = timing.violations(trace.connections);
        let standing = match trace.purpose {
            Purpose::Robots => None,
            Purpose::Page | Purpose::Sitemap => Some(self.origins.standing(&origin, began)),
        };
        let mut robots = None;
        match &standing {
            None => {}
            Some(Standing::Forgotten) => self.audit.forgotten += 1,
            Some(Standing::Unknown(why)) => found.push((ViolationKind::NoRobots, why.clone())),
            Some(Standing::Known { rules, fetched_ms }) => {
                let rules = self.origins.to_us(rules);
                let verdict = rules.judge(trace.url.path_and_query());
                robots = Some(InForce { verdict, fetched_ms: *fetched_ms });
                if !verdict.allowed {
                    let (line, rule) =
                        (verdict.line.unwrap_or(0), verdict.rule.unwrap_or_default());
                    let what = format!("line {line} of robots.txt forbids it: {rule}");
                    found.push((ViolationKind::Robots, what));
                }
                if moment::is_closed(rules, began.wall_ms) {
                    let what = "outside the visit-time of robots.txt".to_owned();
                    found.push((ViolationKind::Hours, what));
                }
            }
        }
        let url = trace.url.as_str();
        let violation =
            |(kind, what)| Violation { kind, time_ms: began.wall_ms, url: url.to_owned(), what };
        let violations: Vec<Violation> = found.into_iter().map(violation).collect();
        book.audit.blame(&violations, &mut self.listed);
        (self.each)(&RequestLine {
            site,
            url,
            time_ms: began.wall_ms,
            purpose: trace.purpose,
            is_disguised: trace.is_disguised,
            outcome: &trace.outcome,
            took_ms: trace.took_ms,
            gap_ms: timing.gap_ms,
            asked_ms: timing.asked_ms,
            robots,
            violations: &violations,
        });
    }

    fn end(self) -> Audit {
        let mut audit = self.audit;
        audit.hosts = self.sites.into_values().map(|book| book.audit).collect();
        audit.hosts.sort_by(|a, b| a.host.cmp(&b.host));
        for host in &audit.hosts {
            audit.total.add(host);
        }
        audit
    }
}
