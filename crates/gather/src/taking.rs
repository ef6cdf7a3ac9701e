//! What captures mean is told to the index, one after the other.

use std::time::{Duration, Instant};

use rhumb_archive::Position;
use rhumb_crawl::ask::Contents;
use rhumb_index::{Document, Place};
use rhumb_web::{Directive, UrlKey};

use crate::error::GatherError;
use crate::gatherer::Gatherer;
use crate::pipeline::Batch;
use crate::reading::{Again, Finding, fetched_ms};
use crate::verdicts::Verdict;

/// Damages that are told one by one.
const FLAWS_MAX: usize = 100;
/// Places of payloads that are remembered.
const PLACES_MAX: usize = 4_096;
/// A page waits so long for each search there was since the one before it, and so long at most:
/// however many there are, the index goes on.
const PAUSE_A_SEARCH: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_millis(40);
/// Payloads without a page that are remembered.
const BARREN_MAX: usize = 1 << 16;
/// The longest block of an earlier capture that is read, as in a span of the archive.
const BLOCK_BYTES_MAX: usize = 64 << 20;

impl Gatherer {
    /// Takes a batch in, and commits where it must.
    pub(crate) fn take(
        &mut self,
        batch: Batch<(Finding, Duration)>,
        contents: Option<&Contents>,
    ) -> Result<(), GatherError> {
        for ((finding, reading), end) in batch.findings {
            let (began, before) = (Instant::now(), self.caught.pages);
            self.take_one(finding, end, contents)?;
            if self.caught.pages > before {
                self.took.note(reading + began.elapsed());
                self.give_way();
            }
            self.at = end;
            if self.index.wants_commit() {
                self.commit()?;
            }
        }
        let room = FLAWS_MAX.saturating_sub(self.caught.flaws.len());
        self.caught.flaws.extend(batch.damages.into_iter().take(room));
        Ok(())
    }

    /// Searches go first: for each there was, the index leaves the processor to others for about
    /// as long as one takes. What searches cost is taken from it, and not from the crawl.
    fn give_way(&mut self) {
        let searches = self.settings.searches.total();
        let since = searches - std::mem::replace(&mut self.given_way, searches);
        let pause = PAUSE_A_SEARCH.saturating_mul(u32::try_from(since).unwrap_or(u32::MAX));
        if !pause.is_zero() {
            std::thread::sleep(pause.min(PAUSE_MAX));
        }
    }

    fn take_one(
        &mut self,
        finding: Finding,
        end: Position,
        contents: Option<&Contents>,
    ) -> Result<(), GatherError> {
        match finding {
            Finding::Nothing => {}
            Finding::Unread => self.caught.unread += 1,
            Finding::Gone(url) => self.index.remove(self.reader.key(&url))?,
            Finding::Barren(url, sort) => {
                self.remember_barren(sort);
                self.index.remove(self.reader.key(&url))?;
            }
            Finding::Moved(from, to) => self.index.moved(&from, self.reader.key(&to))?,
            Finding::Page(document) => {
                let verdict = self.verdict_on(document.key, end, contents)?;
                self.put(*document, verdict)?;
            }
            Finding::Again(again) => {
                let key = self.reader.key(&again.url);
                let verdict = self.verdict_on(key, end, contents)?;
                self.put_again(&again, key, verdict)?;
            }
        }
        Ok(())
    }

    pub(crate) fn verdict_on(
        &self,
        key: UrlKey,
        end: Position,
        contents: Option<&Contents>,
    ) -> Result<Verdict, GatherError> {
        let Some(contents) = contents else { return Ok(self.verdicts.on(key, end)) };
        let (original, mark) = contents.told_of(key)?;
        Ok(Verdict { original, mark })
    }

    /// Takes a page in, unless it is not what its status says.
    fn put(&mut self, mut document: Document, verdict: Verdict) -> Result<(), GatherError> {
        if verdict.is_no_page() {
            return Ok(self.index.remove(document.key)?);
        }
        document.original = verdict.original.filter(|original| *original != document.key);
        document.sinks = verdict.sinks();
        self.caught.pages += 1;
        Ok(self.index.put(document)?)
    }

    /// Takes a page in whose payload lies elsewhere.
    fn put_again(
        &mut self,
        again: &Again,
        key: UrlKey,
        mut verdict: Verdict,
    ) -> Result<(), GatherError> {
        let of = self.reader.key(&again.of);
        let held = self.index.copy_of(of)?;
        let held = held.filter(|held| held.digest.as_deref() == Some(&again.digest));
        if of != key {
            verdict.original = verdict.original.or(Some(of));
        }
        let no_snippet = again.directives.has(Directive::NoSnippet);
        let no_archive = again.directives.has(Directive::NoArchive);
        let is_obeyed =
            |held: &Document| (held.no_snippet || !no_snippet) && (held.no_archive || !no_archive);
        let is_judged = |held: &Document| !verdict.is_no_page() && held.sinks == verdict.sinks();
        match held {
            // The page is as it was.
            Some(held) if of == key && is_judged(&held) && is_obeyed(&held) => {
                Ok(self.index.liken(key, verdict.original)?)
            }
            // Its links are not held.
            Some(_) if of == key => self.put_from_archive(again, key, verdict),
            Some(held) => {
                let place = again.kept.place;
                let copy = Document {
                    key,
                    url: again.url.clone(),
                    fetched_ms: fetched_ms(&again.kept.head),
                    place: Place { serial: place.serial, offset: place.end },
                    links: Vec::new(),
                    no_snippet: held.no_snippet || no_snippet,
                    no_archive: held.no_archive || no_archive,
                    ..held
                };
                self.put(copy, verdict)
            }
            None => self.put_from_archive(again, key, verdict),
        }
    }

    /// Takes a page in whose payload the index does not hold: it is read where it lies.
    fn put_from_archive(
        &mut self,
        again: &Again,
        key: UrlKey,
        verdict: Verdict,
    ) -> Result<(), GatherError> {
        // What is not what its status says is not read for that.
        if verdict.is_no_page() || self.barren.contains(&again.sort) {
            return Ok(self.index.remove(key)?);
        }
        match self.earlier(again)?.map(|block| self.reader.read_again(again, &block)) {
            Some(Finding::Page(document)) => return self.put(*document, verdict),
            Some(Finding::Unread) => self.caught.unread += 1,
            Some(_) => {
                self.remember_barren(again.sort);
                self.index.remove(key)?;
            }
            None => self.caught.missing += 1,
        }
        Ok(())
    }

    fn remember_barren(&mut self, sort: u64) {
        if self.barren.len() == BARREN_MAX {
            self.barren.clear();
        }
        self.barren.insert(sort);
    }

    /// The block of the capture that has this payload.
    fn earlier(&mut self, again: &Again) -> Result<Option<Vec<u8>>, GatherError> {
        let place = if let Some(place) = self.places.get(&again.digest) {
            *place
        } else {
            let of = again.of.as_str();
            let found = rhumb_archive::payload_place(&self.archive, of, &again.digest);
            let found = found.map_err(GatherError::archive(&self.archive))?;
            let Some(place) = found else { return Ok(None) };
            if self.places.len() == PLACES_MAX {
                self.places.clear();
            }
            self.places.insert(again.digest.clone(), place);
            place
        };
        let opened = rhumb_archive::record_at(&self.archive, place);
        let opened = opened.map_err(GatherError::archive(&self.archive))?;
        let Some(mut reader) = opened else { return Ok(None) };
        // What is damaged is not there.
        let Some(Ok(mut record)) = reader.next() else { return Ok(None) };
        Ok(record.block(BLOCK_BYTES_MAX).ok())
    }

    /// Compares all verdicts of a crawl at rest with the index.
    pub(crate) fn judge(&mut self, contents: &Contents) -> Result<(), GatherError> {
        let mut done = Ok(());
        contents.each_told(|key, original, mark| {
            if done.is_ok() {
                done = self.correct(key, Verdict { original, mark });
            }
        })?;
        done
    }

    /// A verdict on a page that may have been read before it was known; commits where it must.
    pub(crate) fn correct(&mut self, key: UrlKey, verdict: Verdict) -> Result<(), GatherError> {
        if !verdict.is_no_page() {
            self.index.liken(key, verdict.original)?;
            if verdict.sinks() {
                self.index.sink(key)?;
            }
        } else if self.index.copy_of(key)?.is_some() {
            self.index.remove(key)?;
        }
        if self.index.wants_commit() {
            self.commit()?;
        }
        Ok(())
    }
}
