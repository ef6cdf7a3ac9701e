//! Crashes: a third, small shell drives real partitions and the real store on a disk that
//! forgets, and ends at any moment, again and again, until the web is crawled.
//!
//! A life of the process ends by kill (what was written stays) or by power cut (what was not
//! synced is lost, torn or reordered), at any step, at any operation of the disk, in the commit
//! of a checkpoint, or while the crawl is being opened. A witness hears every fact and every
//! request, and holds them against what the next life finds. It knows nothing of the crawler but
//! what it says.

mod committer;
mod contents;
mod inspection;
mod likening;
mod process;
mod report;
mod twins;
mod web;
mod witness;

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_archive::{About, ArchiveSettings, CrawlId, Encoder};
use rhumb_crawl::partition::Tally;
use rhumb_crawl::store::{Identity, StoreError, StoreSettings};
use rhumb_crawl::tables::{MemoryTables, Tables};
use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_web::HashKey;

use crate::chance::Chance;
use process::Process;
pub use report::{Count, CrashReport};
use web::Web;
use witness::Witness;

const PARTITIONS: u16 = 4;
/// The crawl's creation, some time in 2023.
const BORN_MS: u64 = 1_700_000_000_000;
/// What every error says that the simulation itself has caused.
const OUR_DOING: &str = "simulat";

/// How a life ends, unless the crawl is over before that.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// After so many steps.
    Steps(u64),
    /// At an operation of the disk: that one and all after it fail.
    Operations(u64),
    /// In the commit of a checkpoint, after so many others; and whether that still happens.
    Commit(u64, bool),
    /// After so many steps, with a checkpoint.
    Clean(u64),
    /// Only when the crawl is over.
    Natural,
}

/// What outlives the process.
struct World {
    chance: Chance,
    disk: SimulatedDisk,
    tables: MemoryTables,
    settings: StoreSettings,
    web: Web,
    witness: Witness,
    encoder: Encoder,
    partition_memory: usize,
    /// What was written reaches the disk within so many milliseconds.
    durability: u64,
    /// The counts as the last opening found them.
    tally: Tally,
    /// Milliseconds since 1970, as they really pass.
    now: u64,
    /// How far the wall clock was set back.
    set_back: u64,
    fate: Fate,
    /// Whether the last opening found a clean end.
    opened_clean: bool,
    /// Whether the last life ended with a checkpoint and nothing under way, after such an opening.
    was_clean: bool,
    /// Something happened that no further life can repair.
    is_broken: bool,
}

/// Crawls a web with many ends, and says what they cost.
pub fn run(seed: u64) -> CrashReport {
    let mut world = World::new(seed);
    let ends = world.chance.between(3, 30);
    let mut is_over = false;
    while !is_over && !world.is_broken && world.witness.report.ends < ends {
        world.fate = Fate::draw(&mut world.chance);
        is_over = world.live();
    }
    // The last one has time to crawl all that is left; one more must find nothing to do.
    world.fate = Fate::Natural;
    for _ in 0..2 {
        is_over = !world.is_broken && world.live();
    }
    if is_over {
        world.check_end();
        world.check_twins();
    }
    world.witness.report
}

impl Fate {
    fn draw(chance: &mut Chance) -> Self {
        // A short life is one that has hardly said that it began.
        let steps = if chance.per_myriad(5_000) { chance.skewed(1_500) } else { chance.below(60) };
        match chance.below(10) {
            0..4 => Self::Steps(steps),
            4..7 => Self::Operations(chance.skewed(500)),
            7 => Self::Commit(chance.skewed(6), chance.per_myriad(5_000)),
            _ => Self::Clean(steps),
        }
    }
}

impl World {
    fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed, 20);
        let hash = HashKey(chance.next(), chance.next());
        let web = Web::grow(seed, hash, PARTITIONS);
        let crawl = CrawlId([7; 16]);
        let archive = ArchiveSettings {
            prefix: "rhumb".to_owned(),
            rotate_bytes: chance.between(4_000, 40_000),
            crawl,
            about: About::default(),
        };
        let settings = StoreSettings {
            folder: PathBuf::from("crawl"),
            archive,
            identity: Identity::new(PARTITIONS, hash, BORN_MS),
            agent: "rhumb".to_owned(),
            seen_memory: small(chance.between(1_000, 16_000)),
            likeness_memory: small(chance.between(4_000, 32_000)),
        };
        let mut witness = Witness::new(seed, web.site_count());
        witness.report.pages = u64::try_from(web.reachable().len()).expect("small");
        Self {
            disk: SimulatedDisk::new(chance.next()),
            tables: MemoryTables::default(),
            settings,
            web,
            witness,
            encoder: Encoder::new(crawl),
            partition_memory: small(chance.between(2_000, 9_000)),
            durability: 30 + chance.skewed(2_000),
            tally: Tally::default(),
            now: BORN_MS,
            set_back: 0,
            fate: Fate::Natural,
            opened_clean: false,
            was_clean: false,
            is_broken: false,
            chance,
        }
    }

    fn shared_disk(&self) -> SharedDisk {
        Arc::new(self.disk.clone())
    }

    /// What the wall clock shows.
    fn wall(&self) -> u64 {
        self.now.saturating_sub(self.set_back)
    }

    /// A checkpoint is about to be committed.
    fn arm_commit(&mut self) {
        match &mut self.fate {
            Fate::Commit(0, happens) => self.tables.kill_in_commit(*happens),
            Fate::Commit(others, _) => *others -= 1,
            _ => {}
        }
    }

    /// One life of the process, and its end; says whether the crawl is over.
    fn live(&mut self) -> bool {
        let is_new = self.tables.offset().is_ok_and(|offset| offset.is_none());
        if let Fate::Operations(count) = self.fate {
            self.disk.fail_after(count);
        }
        if is_new {
            // A new crawl commits who it is.
            self.arm_commit();
        }
        let mut is_open = false;
        let lived = self.live_until_fate(&mut is_open);
        let is_over = match &lived {
            Ok(is_over) => *is_over,
            Err(error) => {
                self.note_failure(error, is_open);
                false
            }
        };
        self.end(lived.is_ok() && matches!(self.fate, Fate::Clean(_)) || is_over);
        is_over
    }

    fn live_until_fate(&mut self, is_open: &mut bool) -> Result<bool, StoreError> {
        let fate = self.fate;
        let mut process = Process::begin(self)?;
        *is_open = true;
        let steps = match fate {
            Fate::Steps(steps) | Fate::Clean(steps) => Some(steps),
            Fate::Operations(_) | Fate::Commit(..) | Fate::Natural => None,
        };
        let is_over = process.live(steps)?;
        if is_over || matches!(fate, Fate::Clean(_)) {
            self.was_clean = process.finish()? && self.opened_clean;
        }
        Ok(is_over)
    }

    /// What the process ended by, if it was not its fate.
    fn note_failure(&mut self, error: &StoreError, is_open: bool) {
        let words = chain(error);
        let report = &mut self.witness.report;
        if !words.contains(OUR_DOING) {
            report.violate("error", || words);
            self.is_broken = true;
            return;
        }
        report.count(match self.fate {
            _ if !is_open => Count::EndsInOpening,
            Fate::Commit(..) => Count::EndsInCommit,
            _ => Count::EndsOfDisk,
        });
    }

    /// The process is gone; some time passes.
    fn end(&mut self, is_asked: bool) {
        let is_power_cut = self.chance.per_myriad(5_000);
        self.witness.ended(self.now, is_power_cut);
        self.witness.report.ends += 1;
        if is_asked {
            self.witness.report.count(Count::CleanEnds);
        } else {
            self.was_clean = false;
        }
        if is_power_cut {
            self.disk.crash();
            self.witness.report.count(Count::PowerCuts);
        } else {
            self.disk.kill();
            self.witness.report.count(Count::Kills);
        }
        self.now += self.chance.skewed(3_000);
        if self.chance.per_myriad(1_000) {
            self.now += self.chance.below(3_600_000);
        }
        if self.chance.per_myriad(1_000) {
            self.set_back += self.chance.below(3_600_000);
        }
    }
}

/// An error and what caused it, in words.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        words = format!("{words}: {inner}");
        source = inner.source();
    }
    words
}

fn small(number: u64) -> usize {
    usize::try_from(number).expect("it was drawn small")
}
