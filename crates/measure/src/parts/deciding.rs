//! From links to the next tickets, and to the log.

use std::hint::black_box;
use std::path::Path;

use rhumb_crawl::store::StoreError;
use rhumb_frontier::{Entry, Frontier, Manner};
use rhumb_rules::Robots;
use rhumb_seen::{Novelty, Seen, SeenSet};
use rhumb_web::{PartitionId, Span, Tick, UrlKey};

use super::keeping::PAGES_A_WRITE;
use super::reading::HASH;
use super::timing::{micros, plain, seconds};
use super::{Part, Sample};
use crate::Spread;
use crate::parts::desk::{Desk, LINKS, ROBOTS, candidate, mix};

/// Of so many candidates one is new, as in a crawl of the broad web.
const ONE_NEW_IN: u64 = 4;
/// Memory of the seen-set: nothing leaves it.
const SEEN_BYTES: usize = 64 << 20;
/// Sites of the frontier, and pages that each of them has waiting.
const SITES: u64 = 500;
const QUEUED: u64 = 4;
/// Pages whose facts are logged again and again.
const PAGES_LOGGED: u32 = 512;

pub(super) fn parts(sample: &Sample, folder: &Path) -> Result<[Part; 5], StoreError> {
    let rules = Robots::parse(ROBOTS.as_bytes()).for_agent("rhumb");
    let path = sample.exchange().url.path_and_query();
    let robots = Part {
        name: "robots",
        what: "a URL against a robots.txt of 40 lines",
        micros: plain(|| {
            black_box(rules.judge(path));
        }),
        per_page: 1.0,
        within: Some("decide"),
    };
    let seen = Part {
        name: "seen",
        what: "whether a link was met before",
        micros: seen(),
        per_page: super::timing::count(LINKS),
        within: Some("decide"),
    };
    let frontier = Part {
        name: "frontier",
        what: "queue a page, and find the next one due",
        micros: frontier(),
        per_page: 1.0,
        within: Some("decide"),
    };
    let mut desk = Desk::open(folder, sample.plain_bytes())?;
    let decide = Part {
        name: "decide",
        what: "settle it, meet its links, next ticket",
        micros: micros(|repeats| Ok::<_, StoreError>(desk.pages(repeats)))?,
        per_page: 1.0,
        within: None,
    };
    let log = Part {
        name: "log",
        what: "the facts of a page to the log",
        micros: logged(desk)?,
        per_page: 1.0,
        within: None,
    };
    Ok([decide, robots, seen, frontier, log])
}

fn seen() -> Spread {
    let mut set = SeenSet::new(SEEN_BYTES);
    let url = candidate(0).url;
    let (mut met, mut new) = (0_u64, 0_u64);
    plain(|| {
        met += 1;
        // The key is made of the URL each time, as in a crawl; which number it is given is ours.
        let salt = url.key(HASH).0;
        let number = if met % ONE_NEW_IN == 1 { new + 1 } else { mix(met) % new.max(1) + 1 };
        let key = UrlKey(mix(salt ^ number));
        if set.meet(key) == Novelty::New {
            set.insert(key);
            new += 1;
        }
    })
}

fn frontier() -> Spread {
    let mut frontier = Frontier::new(HASH, PartitionId(0));
    let mut made = 0;
    while made < SITES * QUEUED {
        frontier.admit(Entry::new(candidate(made)));
        made += 1;
    }
    let mut now = Tick(1);
    let Ok(spread) = micros(|repeats| -> Result<f64, std::convert::Infallible> {
        let next = (made..).take(usize::try_from(repeats).expect("a usize has 32 bits"));
        let entries: Vec<Entry> = next.map(|number| Entry::new(candidate(number))).collect();
        made += u64::from(repeats);
        let before = seconds();
        for entry in entries {
            frontier.admit(entry);
            now = now + Span(1);
            let Some(site) = frontier.next(now) else { continue };
            let entry = frontier.site(&site).and_then(|state| state.peek(now)).cloned();
            let Some(entry) = entry else { continue };
            frontier.issue(&entry);
            frontier.settle(&site, Manner::default(), None);
        }
        Ok((seconds() - before) / f64::from(repeats))
    });
    spread
}

/// Logs what a desk has said, as the one who writes does it.
fn logged(mut desk: Desk) -> Result<Spread, StoreError> {
    let facts = desk.said(PAGES_LOGGED);
    let mut store = desk.close();
    micros(|repeats| {
        let (mut done, before) = (0, seconds());
        while done < repeats {
            for (turn, (partition, at, facts)) in (0..).zip(&facts) {
                store.log(*partition, *at, facts)?;
                if turn % (2 * PAGES_A_WRITE) == 0 {
                    store.write()?;
                }
            }
            done += PAGES_LOGGED;
        }
        // A crawl does so every 200 ms.
        store.sync()?;
        Ok((seconds() - before) / f64::from(done))
    })
}
