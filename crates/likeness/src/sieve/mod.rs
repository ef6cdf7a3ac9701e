//! The sieve: all originals that were ever met, in bounded memory.

mod forgetting;
mod freezing;
mod generation;
mod judging;
mod pass;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::SharedDisk;
use rhumb_web::UrlKey;

use crate::ledger::Ledger;
use crate::row::{Relation, Row};
use crate::rows::Reader;
use crate::run::Cursor;
use crate::{Document, Late, LikenessError, Verdict};
pub use freezing::{Frozen, Sealed};
pub(crate) use generation::CROWD_MAX;
use generation::{BYTES_A_ROW, Generation};
pub use pass::{Pass, Passed};

/// Of the memory that is granted a generation has three parts in eight: while one is passed, the
/// next one grows. The rest is for the pass and for checkpoints.
const GENERATION_PARTS: (usize, usize) = (3, 8);
/// A generation has at least so many rows, whatever is granted,
const ROWS_MIN: usize = 16;
/// and at most so many, so that their numbers and keys fit the table. Beyond its share it grows
/// only while a pass is under way: documents that are met then are those in flight.
const ROWS_MAX: usize = 1 << 26;

/// Finds the original of a document among all originals that were met: at once among those in
/// memory, late, by a [`Pass`], among those on disk. Only originals are kept.
pub struct Sieve {
    disk: SharedDisk,
    folder: PathBuf,
    /// Rows of a generation.
    share: usize,
    /// As the next checkpoint has it, without rows that none has yet.
    files: Ledger,
    present: Generation,
    /// Rows of it that a checkpoint has.
    saved: usize,
    /// The generation before, on its way to the disk; it still answers.
    passing: Option<Passing>,
    /// Files that the next checkpoint does not list any more.
    gone: Vec<String>,
}

struct Passing {
    generation: Arc<Generation>,
    saved: usize,
}

impl fmt::Debug for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sieve")
            .field("bytes", &self.bytes())
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// The best of the candidates so far.
#[derive(Clone, Copy)]
struct Best {
    /// Better ones first, then earlier ones.
    order: (u8, bool, usize),
    /// The candidate gives way to the document.
    yields: bool,
    /// The document as a twin of the candidate, or, where that yields, the other way round.
    late: Late,
}

/// What memory has to do with a document.
#[derive(Default)]
struct Findings {
    best: Option<Best>,
    /// There is a row of the same URL.
    is_met: bool,
    /// There is a row that is the same in everything.
    is_kept: bool,
}

impl Sieve {
    /// Opens the files that a checkpoint lists; none for a new sieve. It may use about so many
    /// bytes of memory.
    pub fn open(
        disk: &SharedDisk,
        folder: &Path,
        memory: usize,
        ledger: &Ledger,
    ) -> Result<Self, LikenessError> {
        let (part, parts) = GENERATION_PARTS;
        let share = (memory / parts * part / BYTES_A_ROW).clamp(ROWS_MIN, ROWS_MAX);
        let mut sieve = Self {
            disk: Arc::clone(disk),
            folder: folder.to_owned(),
            share,
            files: ledger.clone(),
            present: Generation::new(share),
            saved: 0,
            passing: None,
            gone: Vec::new(),
        };
        Reader::new(&**disk, folder, &ledger.rows).check()?;
        for run in &ledger.runs {
            Cursor::open(&**disk, folder, run)?;
        }
        let mut young = Reader::new(&**disk, folder, &ledger.young);
        for number in ledger.young.iter().flat_map(|info| info.first..info.first + info.count) {
            sieve.keep(young.read(number)?);
        }
        sieve.saved = sieve.present.len();
        Ok(sieve)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.generations().map(|(generation, _)| generation.bytes()).sum()
    }

    /// How many originals there are, about: those that changed since count twice until a pass.
    pub fn len(&self) -> u64 {
        let living = self.generations().map(|(generation, _)| generation.living().count());
        self.files.originals()
            + u64::try_from(living.sum::<usize>()).expect("a length fits 64 bits")
    }

    /// Whether it has no originals.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Judges a document by what is in memory, and keeps it if it is an original.
    ///
    /// A URL that is met again stands for itself from now on, as it is now.
    pub fn meet(&mut self, document: &Document) -> Verdict {
        self.judge(Row::of(document))
    }

    fn judge(&mut self, row: Row) -> Verdict {
        let findings = self.search(&row);
        if findings.is_kept {
            return Verdict::Original { replaces: None };
        }
        let replaces = match findings.best {
            Some(best) if !best.yields => {
                if findings.is_met {
                    self.remove(UrlKey(row.url));
                }
                return Verdict::Twin(best.late.twin);
            }
            best => best.map(|best| best.late),
        };
        if let Some(late) = replaces {
            self.remove(late.url);
        }
        if self.present.len() < ROWS_MAX {
            self.keep(row);
        }
        Verdict::Original { replaces }
    }

    /// Meets a document again that the log has as an original, and says who is none after all: more
    /// may be in memory than when it was met first.
    pub fn add(&mut self, document: &Document) -> Option<Late> {
        let row = Row::of(document);
        match self.judge(row.clone()) {
            Verdict::Twin(twin) => Some(row.late_of(twin)),
            Verdict::Original { replaces } => replaces,
        }
    }

    /// This URL is no original any more: it has one, or is met again and has one now.
    pub fn remove(&mut self, url: UrlKey) {
        let is_met = || self.generations().any(|(it, _)| it.find_url(url.0).is_some());
        if !self.files.runs.is_empty() || is_met() {
            self.keep(Row::nothing(url));
        }
    }

    /// A row stands for its URL from now on.
    fn keep(&mut self, row: Row) {
        if let Some(earlier) = self.present.find_url(row.url) {
            self.present.bury(earlier);
        }
        self.present.push(row);
    }

    fn search(&self, row: &Row) -> Findings {
        let mut findings = Findings::default();
        let mut numbers = Vec::new();
        for (generation, is_present) in self.generations() {
            numbers.clear();
            row.questions(|key| generation.find(key, |number| numbers.push(number)));
            numbers.sort_unstable();
            numbers.dedup();
            for number in numbers.iter().copied() {
                let other = generation.row(number);
                let Some(relation) = row.relation(other) else { continue };
                if !is_present && self.present.find_url(other.url).is_some() {
                    continue;
                }
                match relation {
                    Relation::Earlier => {
                        findings.is_met = true;
                        findings.is_kept |= row == other;
                    }
                    Relation::Alike { how, rank, yields } => {
                        let order = (rank, is_present, number);
                        if findings.best.is_none_or(|best| order < best.order) {
                            let (twin, original) = if yields { (other, row) } else { (row, other) };
                            let late = twin.late(original, how);
                            findings.best = Some(Best { order, yields, late });
                        }
                    }
                }
            }
        }
        findings
    }

    /// The earlier one first, and whether it is the present one.
    fn generations(&self) -> impl Iterator<Item = (&Generation, bool)> {
        let passing = self.passing.as_ref().map(|passing| (&*passing.generation, false));
        passing.into_iter().chain([(&self.present, true)])
    }

    /// Whether what is in memory should go to the disk now.
    pub fn wants_pass(&self) -> bool {
        self.present.len() >= self.share
    }

    /// Whether something in memory was not compared with all that is on disk.
    pub fn needs_pass(&self) -> bool {
        let is_alone = self.files.runs.is_empty() || self.present.len() == 0;
        self.passing.is_some() || !is_alone
    }

    /// Takes what is in memory out, to be compared with what is on disk and to go there, on another
    /// thread; none while there is another pass.
    ///
    /// It answers until [`install`](Self::install) takes in what the pass found.
    pub fn pass(&mut self) -> Option<Pass> {
        if self.passing.is_some() || self.present.len() == 0 {
            return None;
        }
        let generation = std::mem::replace(&mut self.present, Generation::new(self.share));
        let generation = Arc::new(generation);
        let saved = std::mem::take(&mut self.saved);
        self.passing = Some(Passing { generation: Arc::clone(&generation), saved });
        let files = self.files.clone();
        self.files.generation += 1;
        Some(Pass::new(Arc::clone(&self.disk), self.folder.clone(), generation, files))
    }

    /// Takes in what a pass found: documents that were originals so far, and are none. The files
    /// of the pass count from the next checkpoint on.
    pub fn install(&mut self, passed: Passed) -> Vec<Late> {
        self.passing = None;
        self.gone.extend(passed.replaced);
        self.files.rows.extend(passed.rows);
        self.files.runs = passed.runs;
        self.files.next_row = passed.next_row;
        let generation = self.files.generation;
        let (young, gone) = self.files.young.drain(..).partition(|it| it.generation >= generation);
        self.files.young = young;
        self.gone.extend(gone.into_iter().map(|it| it.name));
        let mut late = passed.late;
        // What was met again since is something else now.
        late.retain(|late| self.present.find_url(late.url.0).is_none());
        late
    }

    /// What a checkpoint has to write, between two documents.
    pub fn freeze(&mut self) -> Frozen {
        let mut ledger = self.files.clone();
        let mut rows = Vec::new();
        if let Some(passing) = &mut self.passing {
            let first = std::mem::replace(&mut passing.saved, passing.generation.len());
            rows.push((ledger.generation - 1, passing.generation.since(first).to_vec()));
        }
        let first = std::mem::replace(&mut self.saved, self.present.len());
        rows.push((ledger.generation, self.present.since(first).to_vec()));
        rows.retain(|(_, rows)| !rows.is_empty());
        ledger.next_young += u64::try_from(rows.len()).expect("a length fits 64 bits");
        self.files.next_young = ledger.next_young;
        Frozen::new(ledger, rows, std::mem::take(&mut self.gone))
    }

    /// After the checkpoint that lists them is durable: these files are there.
    pub fn seal(&mut self, sealed: Sealed) {
        let oldest = self.files.generation - u64::from(self.passing.is_some());
        for info in sealed.young {
            if info.generation >= oldest {
                self.files.young.push(info);
            } else {
                self.gone.push(info.name);
            }
        }
    }
}
