//! Reads a crawl, and tells the index.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_archive::{Damage, Position};
use rhumb_crawl::ask::Contents;
use rhumb_formats::BlockingFormats;
use rhumb_index::{Cursor, Index, IndexSettings, Searcher};

use crate::error::GatherError;
use crate::reading::Reader;
use crate::settings::GatherSettings;
use crate::verdicts::Verdicts;
use crate::{pipeline, position};

/// The folder of the archive in a crawl's folder.
const ARCHIVE: &str = "archive";
/// What is told of progress, at most so often.
const TELL_EVERY: Duration = Duration::from_millis(200);

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
    pub(crate) places: HashMap<String, Option<Position>>,
    pub(crate) caught: Caught,
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
        let is_settled = index.cursor().is_settled || end == Position::default();
        let (verdicts, places, caught) = (Verdicts::default(), HashMap::new(), Caught::default());
        Ok(Self { settings, archive, index, reader, at, is_settled, verdicts, places, caught })
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
        if to > self.at || !self.is_settled {
            self.verdicts = contents.map(Verdicts::of).transpose()?.unwrap_or_default();
            self.read_to(to, tell)?;
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
        self.index.commit(self.cursor(false))?;
        self.index.settle()?;
        self.index.commit(self.cursor(is_settled))?;
        self.is_settled = is_settled;
        Ok(())
    }

    /// Commits what was read so far.
    pub(crate) fn commit(&mut self) -> Result<(), GatherError> {
        Ok(self.index.commit(self.cursor(false))?)
    }

    fn cursor(&self, is_settled: bool) -> Cursor {
        Cursor { serial: self.at.serial, end: self.at.end, is_settled }
    }

    /// Reads the archive on to a place.
    pub(crate) fn read_to(
        &mut self,
        to: Position,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<(), GatherError> {
        let (reader, archive) = (Arc::clone(&self.reader), self.archive.clone());
        let (threads, from) = (self.settings.threads, self.at);
        let all = rhumb_archive::distance(&archive, from, to);
        let bytes_all = all.map_err(GatherError::archive(&archive))?;
        let mut told = Instant::now();
        let done = pipeline::read(&reader, &archive, (from, to), threads, |batches| {
            for batch in batches {
                let batch = batch.map_err(GatherError::archive(&archive))?;
                self.take(batch)?;
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
