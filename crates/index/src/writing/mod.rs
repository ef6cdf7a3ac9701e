//! The one writer of an index.
//!
//! Three things are kept beside each other: the words (tantivy), the texts of links (a table) and
//! the links themselves (a store that only grows). A commit syncs the last two first and then
//! commits the words, with the cursor and the length of the store of links in tantivy's own list:
//! so there is one moment at which everything becomes visible and durable. After a kill the store
//! is cut back to the commit; the table may be ahead of it and is such that this does no harm.

mod batch;
mod cells;
mod ranking;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::SharedDisk;
use rhumb_rank::{LinkStore, Said, Source};
use rhumb_web::{CanonUrl, HashKey, UrlKey};
use tantivy::directory::MmapDirectory;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::Term;
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, TantivyError};

use self::batch::{Batch, Change, Fresh};
use self::cells::cells;
use self::ranking::Ranking;
use crate::anchors::Anchors;
use crate::commitment::Commitment;
use crate::entry::{Entry, Kept, Queue};
use crate::lookup::Stores;
use crate::schema::{ANCHORS, Fields, LINKS, WORDS, builder, column, schema};
use crate::words::Analyser;
use crate::{Cursor, Document, IndexError, OutLink, lookup};

/// The least and the most that tantivy gathers before it writes a segment. Between them it is a
/// quarter of the memory, or this much if all of it is more: small segments are merged often.
const ARENA_BYTES: (usize, usize) = (15 << 20, 1 << 30);
const ARENA_BYTES_USUAL: usize = 64 << 20;
/// The least and the most that waits for tantivy's thread.
const QUEUE_BYTES: (usize, usize) = (1 << 20, 16 << 20);
/// Segments of about the same size that are merged into one.
const MERGED_MIN: usize = 8;
/// Segments with fewer documents count as being of the same size: about what a commit of a busy
/// crawl has. With more, what was merged is soon merged again with a few small ones.
const SMALL_SEGMENT: u32 = 2_000;
/// Segments with more documents are merged no further: that would take minutes.
const LARGE_SEGMENT: usize = 1_000_000;
/// A segment is written anew when this part of it is deleted.
const DELETED_MAX: f32 = 0.5;

/// How an index is opened for writing.
#[derive(Clone, Debug)]
pub struct IndexSettings {
    /// Where it lies.
    pub folder: PathBuf,
    /// About how much memory it may take, in bytes.
    pub memory: usize,
    /// The hash of the crawl, that makes its keys.
    pub hash: HashKey,
}

/// The one writer of an index.
pub struct Index {
    settings: IndexSettings,
    words: PathBuf,
    writer: IndexWriter<Entry>,
    reader: IndexReader,
    stores: Stores,
    fields: Fields,
    queue: Arc<Queue>,
    analyser: Analyser,
    anchors: Anchors,
    links: LinkStore,
    ranking: Ranking,
    batch: Batch,
    cursor: Cursor,
    /// The last page that [`Self::refresh`] looked at.
    refreshed: Option<UrlKey>,
}

impl Index {
    /// Opens the index in a folder, or makes it. What is newer than its last commit is cut off.
    pub fn open(settings: &IndexSettings) -> Result<Self, IndexError> {
        Self::open_all(settings).map_err(|error| error.at_opening(&settings.folder))
    }

    fn open_all(settings: &IndexSettings) -> Result<Self, IndexError> {
        let folder = &settings.folder;
        let words = folder.join(WORDS);
        let disk = rhumb_disk::real();
        let index = open_words(&disk, &words).map_err(IndexError::words("open", &words))?;
        let writer = open_writer(&index, settings.memory);
        let writer = writer.map_err(IndexError::words("write", &words))?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        let reader: IndexReader = reader.map_err(IndexError::words("read", &words))?;
        let stores = Stores::of(&reader.searcher()).map_err(IndexError::words("read", &words))?;
        let meta = index.load_metas().map_err(IndexError::words("read", &words))?;
        let committed = Commitment::read(folder, &meta)?;
        let other =
            |what: &str| IndexError::Other { folder: folder.clone(), what: what.to_owned() };
        if committed.is_some_and(|committed| !committed.is_of(settings.hash)) {
            return Err(other("is of another crawl"));
        }
        match (committed.is_some(), folder.join(ANCHORS).exists()) {
            (true, false) => return Err(other("has lost the texts of its links")),
            // They are of an index whose words were lost.
            (false, true) => remove_anchors(&folder.join(ANCHORS))?,
            _ => {}
        }
        let anchors = Anchors::open(&folder.join(ANCHORS), settings.memory / 8, settings.hash)?;
        let end = committed.map_or(0, |committed| committed.links);
        let links = LinkStore::open(&disk, &folder.join(LINKS), end)?;
        let ranking = Ranking::new(disk, folder.join(LINKS), settings.memory / 4)?;
        let queue = Queue::new((settings.memory / 16).clamp(QUEUE_BYTES.0, QUEUE_BYTES.1));
        let mut index = Self {
            settings: settings.clone(),
            words,
            writer,
            reader,
            stores,
            fields: schema().1,
            queue,
            analyser: Analyser::new(),
            anchors,
            links,
            ranking,
            batch: Batch::default(),
            cursor: committed.map(|committed| committed.cursor).unwrap_or_default(),
            refreshed: None,
        };
        if committed.is_none() {
            index.commit_words(Cursor::default())?;
        }
        Ok(index)
    }

    /// Where the reader of the last commit was.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Takes a page in, in place of what it had of it.
    pub fn put(&mut self, document: Document) -> Result<(), IndexError> {
        let source = self.source(document.key, &document.url);
        self.note(&document.links, source.domain)?;
        let targets: Vec<UrlKey> = document.links.iter().map(|link| link.key).collect();
        let kept = Kept::new(document);
        self.lead(kept.key, kept.original)?;
        match kept.original {
            Some(original) => self.links.append(source, &Said::Moved(original))?,
            None => self.links.append(source, &Said::Links(&targets))?,
        }
        self.add(&kept)
    }

    /// Notes the texts of the links of a page that is put later: if those of many pages are noted
    /// before they are put, none of them has to be added again. It does no harm if it never is.
    pub fn link(&mut self, from: &CanonUrl, links: &[OutLink]) -> Result<(), IndexError> {
        self.note(links, self.source(from.key(self.settings.hash), from).domain)
    }

    /// A page is gone, or must not be found.
    pub fn remove(&mut self, key: UrlKey) -> Result<(), IndexError> {
        self.lead(key, None)?;
        self.links.append(Source { key, site: 0, domain: 0 }, &Said::Gone)?;
        self.take_out(key)
    }

    /// A URL leads to another one: it is no page itself, and links to it count for the other.
    pub fn moved(&mut self, from: &CanonUrl, to: UrlKey) -> Result<(), IndexError> {
        let source = self.source(from.key(self.settings.hash), from);
        self.lead(source.key, Some(to))?;
        self.links.append(source, &Said::Moved(to))?;
        self.take_out(source.key)
    }

    /// A page turned out to be a copy of another one, or of none. One that is not in the index
    /// stays out of it. The links of a copy that is none are missed until it is fetched again.
    pub fn liken(&mut self, key: UrlKey, original: Option<UrlKey>) -> Result<(), IndexError> {
        let original = original.filter(|original| *original != key);
        if self.anchors.alias_of(key)? == original || self.held(key)?.is_none() {
            return Ok(());
        }
        self.lead(key, original)?;
        self.look_again(key)
    }

    /// The score of a page sinks from now on. One that is not in the index stays out of it.
    pub fn sink(&mut self, key: UrlKey) -> Result<(), IndexError> {
        self.look_again(key)?;
        let Some(fresh) = self.held(key)? else { return Ok(()) };
        let kept = self.unpack(&fresh.bytes)?;
        if kept.sinks { Ok(()) } else { self.add(&Kept { sinks: true, ..kept }) }
    }

    /// What the index has of a page, also what is not committed yet; without its links.
    pub fn copy_of(&mut self, key: UrlKey) -> Result<Option<Document>, IndexError> {
        let Some(fresh) = self.held(key)? else { return Ok(None) };
        self.unpack(&fresh.bytes).map(|kept| Some(kept.into_document()))
    }

    /// Whether so much waits for a commit that it should be made soon.
    pub fn wants_commit(&self) -> bool {
        self.waiting() > self.settings.memory / 2
    }

    /// About how much memory is taken by what waits for a commit.
    fn waiting(&self) -> usize {
        self.batch.bytes() + self.anchors.bytes()
    }

    /// Makes all that was taken in visible and durable, and the cursor with it.
    pub fn commit(&mut self, cursor: Cursor) -> Result<(), IndexError> {
        self.look_at_turned()?;
        if self.batch.is_empty() && !self.anchors.has_news() && cursor == self.cursor {
            return Ok(());
        }
        self.commit_words(cursor)
    }

    /// Adds some of the pages again that have many more texts of links by the last commit than they
    /// are found by, for when there is nothing else to do. Gives back how many; the next commit
    /// makes them visible.
    pub fn refresh(&mut self, pages_max: usize) -> Result<usize, IndexError> {
        let mut added = 0;
        for key in self.anchors.marked(self.refreshed)? {
            if added == pages_max || self.wants_commit() {
                return Ok(added);
            }
            self.refreshed = Some(key);
            if self.anchors.has_grown(key)? {
                self.look_again(key)?;
                self.anchors.done(key);
                added += 1;
            }
        }
        if self.anchors.marked(self.refreshed)?.is_empty() {
            self.refreshed = None;
        }
        Ok(added)
    }

    /// Brings the index to the state that depends on nothing but what was read: pages that have
    /// more texts of links than they are found by are added again. Commits, and builds the graph
    /// and the ranks if links have come since.
    pub fn settle(&mut self) -> Result<(), IndexError> {
        self.commit(self.cursor)?;
        // Those that are looked at may mark others, also some that come before them.
        while !self.anchors.marked(None)?.is_empty() {
            let mut after = None;
            loop {
                let marked = self.anchors.marked(after)?;
                let Some(last) = marked.last() else { break };
                after = Some(*last);
                for key in marked {
                    self.look_again(key)?;
                    self.anchors.done(key);
                    if self.wants_commit() {
                        self.commit_words(self.cursor)?;
                    }
                }
            }
            self.commit_words(self.cursor)?;
        }
        self.commit_words(self.cursor)?;
        self.ranking.finish(self.links.end())
    }

    /// Builds the graph and the ranks in the background when links have grown by half.
    pub fn rank(&mut self) -> Result<(), IndexError> {
        self.ranking.begin(self.links.end())
    }

    fn note(&mut self, links: &[OutLink], domain: u64) -> Result<(), IndexError> {
        for link in links {
            self.anchors.link(link.key, &link.text, domain)?;
        }
        Ok(())
    }

    fn source(&self, key: UrlKey, url: &CanonUrl) -> Source {
        let hash = |text: &str| self.settings.hash.hash(text.as_bytes());
        Source { key, site: hash(url.authority()), domain: hash(url.pld().as_str()) }
    }

    /// Adds a page with what links say of it by now.
    fn add(&mut self, kept: &Kept) -> Result<(), IndexError> {
        let key = kept.key;
        let said = self.anchors.said(key)?;
        let group = self.anchors.resolve(key)?;
        let bytes = kept.to_bytes();
        let fresh = Fresh { bytes: Arc::clone(&bytes), anchored: said.fingerprint, group };
        let cells = cells(&mut self.analyser, &self.fields, kept, &said, group, bytes);
        if !self.anchors.meet(key)? {
            self.writer.delete_term(Term::from_field_u64(self.fields.key, key.0));
        }
        let entry = Entry::new(cells, Arc::clone(&self.queue));
        self.writer.add_document(entry).map_err(self.failed("add to"))?;
        self.batch.add(key, kept.original, fresh);
        self.anchors.added(key, said.anchors.len())
    }

    fn take_out(&mut self, key: UrlKey) -> Result<(), IndexError> {
        self.writer.delete_term(Term::from_field_u64(self.fields.key, key.0));
        self.batch.remove(key);
        self.anchors.removed(key)
    }

    /// A page leads to another one or to none: its copies have to be looked at again if that is news.
    fn lead(&mut self, key: UrlKey, to: Option<UrlKey>) -> Result<(), IndexError> {
        if self.anchors.alias(key, to)? { self.turn_copies(key) } else { Ok(()) }
    }

    fn turn_copies(&mut self, key: UrlKey) -> Result<(), IndexError> {
        // A copy may be one of a redirect to this page.
        for original in self.anchors.leading_to(key)? {
            for copy in self.copies(original)? {
                self.anchors.turn(copy);
            }
        }
        Ok(())
    }

    /// Looks at pages that lead elsewhere, as far as there is memory for it; the rest stays marked.
    fn look_at_turned(&mut self) -> Result<(), IndexError> {
        let most = self.settings.memory / 2 + self.settings.memory / 8;
        let mut turned = self.anchors.turned();
        while !turned.is_empty() {
            for key in turned {
                if self.waiting() > most {
                    return Ok(());
                }
                self.look_again(key)?;
                self.anchors.done(key);
            }
            turned = self.anchors.turned();
        }
        Ok(())
    }

    /// Adds a page again if links say more of it than it has, or if it is a copy of another page
    /// than it was; in that case its copies have to be looked at too.
    fn look_again(&mut self, key: UrlKey) -> Result<(), IndexError> {
        let Some(fresh) = self.held(key)? else { return Ok(()) };
        let mut kept = self.unpack(&fresh.bytes)?;
        let original = self.anchors.alias_of(key)?;
        let is_turned = self.anchors.resolve(key)? != fresh.group;
        if kept.original != original {
            kept.original = original;
            // The table may be ahead of the links after a kill: they are told again.
            if let Some(original) = original {
                self.links.append(self.source(key, &kept.url), &Said::Moved(original))?;
            }
        } else if !is_turned && self.anchors.said(key)?.fingerprint == fresh.anchored {
            return Ok(());
        }
        self.add(&kept)?;
        if is_turned { self.turn_copies(key) } else { Ok(()) }
    }

    /// Pages that may be copies of this one.
    fn copies(&self, original: UrlKey) -> Result<Vec<UrlKey>, IndexError> {
        let searcher = self.reader.searcher();
        let mut copies = self.batch.copies(original);
        let found = lookup::having(&searcher, self.fields.original, original.0);
        for address in found.map_err(self.failed("search"))? {
            let reader = searcher.segment_reader(address.segment_ord);
            let keys = reader.fast_fields().u64(column::KEY).map_err(self.failed("read"))?;
            copies.extend(keys.first(address.doc_id).map(UrlKey));
        }
        copies.sort_unstable();
        copies.dedup();
        Ok(copies)
    }

    /// A page as the index has it, committed or not.
    fn held(&self, key: UrlKey) -> Result<Option<Fresh>, IndexError> {
        match self.batch.get(key) {
            Some(Change::Added(fresh)) => Ok(Some(fresh.clone())),
            Some(Change::Removed) => Ok(None),
            None => self.committed(key).map_err(self.failed("read")),
        }
    }

    fn committed(&self, key: UrlKey) -> Result<Option<Fresh>, TantivyError> {
        let searcher = self.reader.searcher();
        let Some(address) = lookup::having(&searcher, self.fields.key, key.0)?.pop() else {
            return Ok(None);
        };
        let columns = searcher.segment_reader(address.segment_ord).fast_fields();
        let number = |name| Ok::<_, TantivyError>(columns.u64(name)?.first(address.doc_id));
        Ok(Some(Fresh {
            bytes: self.stores.kept_bytes(address)?.into(),
            anchored: number(column::ANCHORED)?.unwrap_or_default(),
            group: number(column::GROUP)?.map_or(key, UrlKey),
        }))
    }

    fn unpack(&self, bytes: &[u8]) -> Result<Kept, IndexError> {
        lookup::unpack(bytes).map_err(self.failed("read"))
    }

    fn commit_words(&mut self, cursor: Cursor) -> Result<(), IndexError> {
        self.anchors.sync()?;
        let commitment = Commitment::new(self.settings.hash, cursor, self.links.sync()?);
        let committed = self.writer.prepare_commit().and_then(|mut prepared| {
            prepared.set_payload(&commitment.write());
            prepared.commit()
        });
        committed.map_err(self.failed("commit"))?;
        self.reader.reload().map_err(self.failed("read"))?;
        self.stores = Stores::of(&self.reader.searcher()).map_err(self.failed("read"))?;
        self.batch.clear();
        self.cursor = cursor;
        self.anchors.committed()
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(TantivyError) -> IndexError {
        IndexError::words(doing, &self.words)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.settings.folder)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

fn remove_anchors(folder: &Path) -> Result<(), IndexError> {
    fs::remove_dir_all(folder).map_err(|error| IndexError::Anchors {
        doing: "remove",
        folder: folder.to_owned(),
        reason: error.to_string(),
    })
}

fn open_words(disk: &SharedDisk, folder: &Path) -> Result<tantivy::Index, TantivyError> {
    disk.create_folder(folder)?;
    builder(schema().0).open_or_create(MmapDirectory::open(folder)?)
}

fn open_writer(index: &tantivy::Index, memory: usize) -> Result<IndexWriter<Entry>, TantivyError> {
    let arena = (memory / 4).max(memory.min(ARENA_BYTES_USUAL));
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(arena.clamp(ARENA_BYTES.0, ARENA_BYTES.1))
        .build();
    let writer = index.writer_with_options(options)?;
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_MIN);
    policy.set_min_layer_size(SMALL_SEGMENT);
    policy.set_max_docs_before_merge(LARGE_SEGMENT);
    policy.set_del_docs_ratio_before_merge(DELETED_MAX);
    writer.set_merge_policy(Box::new(policy));
    Ok(writer)
}
