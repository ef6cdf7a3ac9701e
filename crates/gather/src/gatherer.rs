//! Reads a crawl, and tells the index.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_archive::{Damage, Kept, Position};
use rhumb_crawl::ask::Contents;
use rhumb_crawl::shell::Stopwatch;
use rhumb_formats::BlockingFormats;
use rhumb_index::{Cursor, Index, IndexSettings, Searcher};

use crate::error::GatherError;
use crate::reading::Reader;
use crate::settings::GatherSettings;
use crate::verdicts::Verdicts;
use crate::{ARCHIVE, is_read, pipeline, position, standing};

/// What is told of progress, at most so often.
const TELL_EVERY: Duration = Duration::from_millis(200);
/// Bytes of the archive beyond which it takes less time to read all verdicts of a crawl than to ask
/// for that on each page.
const STEP_BYTES_MAX: u64 = 64 << 20;

/// Bytes of the archive beyond which links are read before all else: a page that is taken in with
/// all texts of links to it need not be taken in again.
const LINKS_FIRST_BYTES: u64 = 1 << 20;

/// How far reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pages that were taken in.
    pub pages: u64,
    /// Bytes of the archive that were read.
    pub bytes_read: u64,
    /// Bytes that there were to read.
    pub bytes_all: u64,
}

/// What catching up came to.
#[derive(Debug, Default)]
pub struct Caught {
    /// Pages in the index now.
    pub documents: u64,
    /// Pages that were taken in.
    pub pages: u64,
    /// Pages that were left out, because the payload they have from an earlier capture is not in
    /// the archive.
    pub missing: u64,
    /// Captures that we could not read, which is no fault of theirs; what the index had of their
    /// pages stays.
    pub unread: u64,
    /// What could not be read of the archive; the first of it.
    pub flaws: Vec<Damage>,
}

/// Reads a crawl for its index, whose only writer it is.
#[derive(Debug)]
pub struct Gatherer {
    pub(crate) settings: GatherSettings,
    pub(crate) archive: PathBuf,
    pub(crate) index: Index,
    pub(crate) reader: Arc<Reader>,
    /// How far the archive was read.
    pub(crate) at: Position,
    /// Whether all verdicts of the crawl up to there are in the index.
    pub(crate) is_settled: bool,
    pub(crate) verdicts: Verdicts,
    /// Where payloads lie that were looked for.
    pub(crate) places: HashMap<String, Position>,
    /// Payloads that have no page in them.
    pub(crate) barren: HashSet<u64>,
    pub(crate) caught: Caught,
    /// What a running crawl hears of the time that pages take.
    pub(crate) took: Stopwatch,
    /// Searches that it has given way to.
    pub(crate) given_way: u64,
}

impl Gatherer {
    /// Opens the index of a crawl, or makes it.
    pub fn open(settings: GatherSettings) -> Result<Self, GatherError> {
        let (folder, memory, hash) = (settings.index.clone(), settings.memory, settings.hash);
        let index = Index::open(&IndexSettings { folder, memory, hash })?;
        let archive = settings.folder.join(ARCHIVE);
        let at = position(index.cursor());
        let file = rhumb_archive::file_of(&archive, at).map_err(GatherError::archive(&archive))?;
        if at.serial > 0 && file.is_none() {
            return Err(GatherError::Ahead { folder: archive });
        }
        let end = rhumb_archive::reach(&archive).map_err(GatherError::archive(&archive))?;
        let formats = settings.formats.clone().map(BlockingFormats::new);
        let reader = Arc::new(Reader {
            hash: settings.hash,
            canon: settings.canon,
            agent: settings.agent.clone(),
            formats: formats.transpose().map_err(GatherError::Documents)?,
        });
        // Of a crawl that has not begun everything is known.
        let is_settled = end == Position::default() || is_read(&settings.folder, index.cursor())?;
        Ok(Self {
            settings,
            archive,
            index,
            reader,
            at,
            is_settled,
            verdicts: Verdicts::default(),
            places: HashMap::new(),
            barren: HashSet::new(),
            caught: Caught::default(),
            took: Stopwatch::default(),
            given_way: 0,
        })
    }

    /// Reads a crawl that does not run to its end, as far as what it knows of its pages speaks of
    /// the archive; without that to the end of its files.
    pub fn catch_up(
        &mut self,
        contents: Option<&Contents>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<Caught, GatherError> {
        let to = if let Some(contents) = contents {
            contents.archive_end()
        } else {
            let reach = rhumb_archive::reach(&self.archive);
            reach.map_err(GatherError::archive(&self.archive))?
        };
        if to < self.at {
            return Err(GatherError::Ahead { folder: self.archive.clone() });
        }
        let is_read = self.is_settled && is_read(&self.settings.folder, self.index.cursor())?;
        if to > self.at || !is_read {
            let step = rhumb_archive::distance(&self.archive, self.at, to);
            let step = step.map_err(GatherError::archive(&self.archive))?;
            let is_step = step <= STEP_BYTES_MAX;
            if let Some(contents) = contents.filter(|_| !is_step) {
                self.verdicts = Verdicts::of(contents)?;
            }
            let asked = contents.filter(|_| is_step);
            self.note_links(to, asked)?;
            self.read_to(to, asked, tell)?;
            self.verdicts = Verdicts::default();
            if let Some(contents) = contents {
                self.judge(contents)?;
            }
            self.finish(true)?;
        }
        let documents = Searcher::open(&self.settings.index)?.documents();
        Ok(Caught { documents, ..std::mem::take(&mut self.caught) })
    }

    /// Ends a reading: what depends on all of it is put in order.
    pub(crate) fn finish(&mut self, is_settled: bool) -> Result<(), GatherError> {
        self.commit()?;
        self.index.settle()?;
        if is_settled {
            let (reach, log_end) = standing(&self.settings.folder)?;
            self.index.commit(Cursor { is_settled, reach, log_end, ..self.cursor() })?;
        }
        self.is_settled = is_settled;
        Ok(())
    }

    /// Commits what was read so far.
    pub(crate) fn commit(&mut self) -> Result<(), GatherError> {
        Ok(self.index.commit(self.cursor())?)
    }

    fn cursor(&self) -> Cursor {
        Cursor { serial: self.at.serial, end: self.at.end, ..Cursor::default() }
    }

    /// Notes the texts of all links up to a place that is far, and reads nothing else.
    pub(crate) fn note_links(
        &mut self,
        to: Position,
        contents: Option<&Contents>,
    ) -> Result<(), GatherError> {
        let (reader, archive) = (Arc::clone(&self.reader), self.archive.clone());
        let (threads, from) = (self.settings.threads, self.at);
        let distance = rhumb_archive::distance(&archive, from, to);
        if distance.map_err(GatherError::archive(&archive))? <= LINKS_FIRST_BYTES {
            return Ok(());
        }
        let read = |kept: Kept| reader.read_links(&kept);
        pipeline::read(read, &archive, (from, to), threads, |batches| {
            for batch in batches {
                let batch = batch.map_err(GatherError::archive(&archive))?;
                for (found, end) in batch.findings {
                    let Some((url, links)) = found else { continue };
                    let key = self.reader.key(&url);
                    if !self.verdict_on(key, end, contents)?.is_no_page() {
                        self.index.link(&url, &links)?;
                    }
                }
                if self.index.wants_commit() {
                    self.commit()?;
                }
            }
            Ok(())
        })
    }

    /// Reads the archive on to a place. Verdicts that are not known yet can be asked for.
    pub(crate) fn read_to(
        &mut self,
        to: Position,
        contents: Option<&Contents>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<(), GatherError> {
        let (reader, archive) = (Arc::clone(&self.reader), self.archive.clone());
        let (threads, from) = (self.settings.threads, self.at);
        let all = rhumb_archive::distance(&archive, from, to);
        let bytes_all = all.map_err(GatherError::archive(&archive))?;
        let mut told = Instant::now();
        let read = |kept| {
            let began = Instant::now();
            (reader.read(kept), began.elapsed())
        };
        let done = pipeline::read(read, &archive, (from, to), threads, |batches| {
            for batch in batches {
                let batch = batch.map_err(GatherError::archive(&archive))?;
                self.take(batch, contents)?;
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let read = rhumb_archive::distance(&archive, from, self.at);
                    let bytes_read = read.map_err(GatherError::archive(&archive))?;
                    tell(&Progress { pages: self.caught.pages, bytes_read, bytes_all });
                }
            }
            Ok::<_, GatherError>(())
        });
        done?;
        self.at = self.at.max(to);
        self.verdicts.passed(self.at);
        Ok(())
    }
}
