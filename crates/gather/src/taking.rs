//! What captures mean is told to the index, one after the other.

use rhumb_archive::{Position, WarcReader};
use rhumb_crawl::ask::Contents;
use rhumb_index::{Document, Place};
use rhumb_web::UrlKey;

use crate::error::GatherError;
use crate::gatherer::Gatherer;
use crate::pipeline::Batch;
use crate::reading::{Again, Finding, fetched_ms};
use crate::verdicts::Verdict;

/// Damages that are told one by one.
const FLAWS_MAX: usize = 100;
/// Places of payloads that are remembered.
const PLACES_MAX: usize = 4_096;
/// The longest block of an earlier capture that is read, as in a span of the archive.
const BLOCK_BYTES_MAX: usize = 64 << 20;

impl Gatherer {
    /// Takes a batch in, and commits where it must.
    pub(crate) fn take(&mut self, batch: Batch) -> Result<(), GatherError> {
        for (finding, end) in batch.findings {
            self.take_one(finding, end)?;
            self.at = end;
            if self.index.wants_commit() {
                self.commit()?;
            }
        }
        let room = FLAWS_MAX.saturating_sub(self.caught.flaws.len());
        self.caught.flaws.extend(batch.damages.into_iter().take(room));
        Ok(())
    }

    fn take_one(&mut self, finding: Finding, end: Position) -> Result<(), GatherError> {
        match finding {
            Finding::Nothing => {}
            Finding::Gone(url) => self.index.remove(self.reader.key(&url))?,
            Finding::Moved(from, to) => self.index.moved(&from, self.reader.key(&to))?,
            Finding::Page(document) => {
                let verdict = self.verdicts.on(document.key, end);
                self.put(*document, verdict)?;
            }
            Finding::Again(again) => {
                let key = self.reader.key(&again.url);
                let verdict = self.verdicts.on(key, end);
                self.put_again(&again, key, verdict)?;
            }
        }
        Ok(())
    }

    /// Takes a page in, unless it is not what its status says.
    fn put(&mut self, mut document: Document, verdict: Verdict) -> Result<(), GatherError> {
        if verdict.mark.is_some() {
            return Ok(self.index.remove(document.key)?);
        }
        document.original = verdict.original.filter(|original| *original != document.key);
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
        match held {
            // The page is as it was.
            Some(_) if of == key && verdict.mark.is_none() => {
                Ok(self.index.liken(key, verdict.original)?)
            }
            Some(held) => {
                let place = again.kept.place;
                let copy = Document {
                    key,
                    url: again.url.clone(),
                    fetched_ms: fetched_ms(&again.kept.head),
                    place: Place { serial: place.serial, offset: place.end },
                    links: Vec::new(),
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
        match self.earlier(&again.digest)?.map(|block| self.reader.read_again(again, &block)) {
            Some(Finding::Page(document)) => self.put(*document, verdict),
            Some(_) => Ok(self.index.remove(key)?),
            None => {
                self.caught.missing += 1;
                Ok(())
            }
        }
    }

    /// The block of the capture that has this payload.
    fn earlier(&mut self, digest: &str) -> Result<Option<Vec<u8>>, GatherError> {
        let known = self.places.get(digest).copied();
        let place = if let Some(place) = known {
            place
        } else {
            let found = rhumb_archive::payload_place(&self.archive, digest);
            let found = found.map_err(GatherError::archive(&self.archive))?;
            if self.places.len() == PLACES_MAX {
                self.places.clear();
            }
            self.places.insert(digest.to_owned(), found);
            found
        };
        let failed = GatherError::archive(&self.archive);
        let Some(place) = place else { return Ok(None) };
        let Some(file) = rhumb_archive::file_of(&self.archive, place).map_err(failed)? else {
            return Ok(None);
        };
        let opened = WarcReader::open_at(&file, place.end);
        let mut reader = opened.map_err(GatherError::archive(&self.archive))?;
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

    /// A verdict on a page that may have been read before it was known.
    pub(crate) fn correct(&mut self, key: UrlKey, verdict: Verdict) -> Result<(), GatherError> {
        if verdict.mark.is_none() {
            return Ok(self.index.liken(key, verdict.original)?);
        }
        if self.index.copy_of(key)?.is_some() {
            self.index.remove(key)?;
        }
        Ok(())
    }
}
