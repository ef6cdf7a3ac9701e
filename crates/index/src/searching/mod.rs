//! Answers to queries, from the last commit that was seen.
//!
//! Time is bounded: a query's words choose at most a thousand candidates by tantivy's own
//! block-max score, with the best by title and by texts of links alone; only those are scored in
//! full. If few pages have all words, pages with some of them are candidates too.

mod candidates;
mod excluded;
mod matches;
mod plan;
mod query;
mod score;
mod wanted;
mod weights;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rhumb_disk::SharedDisk;
use rhumb_rank::{Graph, Neighbours, Ranks, links_from, links_to};
use rhumb_web::{CanonUrl, UrlKey};
use tantivy::directory::MmapDirectory;
use tantivy::{DocAddress, IndexReader, ReloadPolicy, TantivyError};

pub use self::weights::Weights;
use crate::commitment::Commitment;
use crate::entry::Kept;
use crate::lookup::Stores;
use crate::schema::{Fields, LINKS, WORDS, column, schema, tokenizers};
use crate::words::Analyser;
use crate::{Cursor, Document, Held, IndexError, Neighbour, lookup};

/// Languages whose stems a query is looked up by in all pages.
const LANGUAGES_MAX: usize = 4;
/// A language with a smaller part of the pages, one in so many, is not among them.
const LANGUAGE_SHARE: u64 = 50;

/// Answers queries: in any process, beside the writer, and from several threads.
pub struct Searcher {
    folder: PathBuf,
    disk: SharedDisk,
    index: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
    seen: Mutex<Arc<Seen>>,
    analysers: Mutex<Vec<Analyser>>,
}

/// The index as of one commit.
struct Seen {
    searcher: tantivy::Searcher,
    stores: Stores,
    commitment: Commitment,
    ranks: Option<Arc<Ranks>>,
    languages: Languages,
    newest_ms: u64,
}

/// The languages of pages that are stemmed in a way of their own.
struct Languages {
    /// Those of most pages.
    most: Vec<String>,
    /// The others, with how many pages are in them.
    few: Vec<(String, u64)>,
}

impl Searcher {
    /// Opens the index in a folder.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let words = folder.join(WORDS);
        if !words.join("meta.json").is_file() {
            return Err(IndexError::NoIndex { folder: folder.to_owned() });
        }
        let open = || {
            let mut index = tantivy::Index::open(MmapDirectory::open(&words)?)?;
            index.set_tokenizers(tokenizers());
            let builder = index.reader_builder().reload_policy(ReloadPolicy::Manual);
            let reader = builder.doc_store_cache_num_blocks(1).try_into()?;
            Ok::<_, TantivyError>((index, reader))
        };
        let (index, reader) = open().map_err(IndexError::words("open", &words))?;
        let disk = rhumb_disk::real();
        let seen = see(folder, &disk, &index, &reader, None)?;
        let (known, fields) = schema();
        if index.schema() != known {
            let what = "has other fields than this version".to_owned();
            return Err(IndexError::Other { folder: folder.to_owned(), what });
        }
        Ok(Self {
            folder: folder.to_owned(),
            disk,
            index,
            reader,
            fields,
            seen: Mutex::new(Arc::new(seen)),
            analysers: Mutex::new(Vec::new()),
        })
    }

    /// How far the last commit of the index in a folder had read its crawl; nothing else is
    /// opened.
    pub fn cursor_in(folder: &Path) -> Result<Cursor, IndexError> {
        let words = folder.join(WORDS);
        let none = || IndexError::NoIndex { folder: folder.to_owned() };
        if !words.join("meta.json").is_file() {
            return Err(none());
        }
        let read = || tantivy::Index::open(MmapDirectory::open(&words)?)?.load_metas();
        let meta = read().map_err(IndexError::words("open", &words))?;
        Ok(Commitment::read(folder, &meta)?.ok_or_else(none)?.cursor)
    }

    /// Sees the last commit, and the ranks that were built last.
    pub fn reload(&self) -> Result<(), IndexError> {
        self.reader.reload().map_err(IndexError::words("read", &self.folder.join(WORDS)))?;
        let ranks = self.seen().ranks.clone();
        let seen = see(&self.folder, &self.disk, &self.index, &self.reader, ranks)?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(seen);
        Ok(())
    }

    /// How many pages it holds.
    pub fn documents(&self) -> u64 {
        self.seen().searcher.num_docs()
    }

    /// How far the commit that is seen had read its crawl.
    pub fn cursor(&self) -> Cursor {
        self.seen().commitment.cursor
    }

    /// The key that a URL has in this crawl.
    pub fn key(&self, url: &CanonUrl) -> UrlKey {
        url.key(self.seen().commitment.hash)
    }

    /// What is held of a page; without its links.
    pub fn page(&self, key: UrlKey) -> Result<Option<Document>, IndexError> {
        let kept = self.kept(&self.seen(), key).map_err(self.failed("read"))?;
        Ok(kept.map(Kept::into_document))
    }

    /// Where a page is, if it is held.
    pub fn url_of(&self, key: UrlKey) -> Result<Option<CanonUrl>, IndexError> {
        Ok(self.page(key)?.map(|page| page.url))
    }

    /// Pages that link to a page, and how many there are.
    pub fn in_links(&self, key: UrlKey, limit: usize) -> Result<(Vec<Neighbour>, u64), IndexError> {
        let (graph, end) = self.graph()?;
        let folder = self.folder.join(LINKS);
        self.named(links_to(&self.disk, &folder, graph.as_ref(), end, key, limit)?)
    }

    /// Pages that a page links to, and how many there are.
    pub fn out_links(
        &self,
        key: UrlKey,
        limit: usize,
    ) -> Result<(Vec<Neighbour>, u64), IndexError> {
        let (graph, end) = self.graph()?;
        let folder = self.folder.join(LINKS);
        self.named(links_from(&self.disk, &folder, graph.as_ref(), end, key, limit)?)
    }

    /// Hands over all pages that it holds, in no order.
    pub fn each(&self, mut f: impl FnMut(Held)) -> Result<(), IndexError> {
        let seen = self.seen();
        let mut visit = || {
            for (segment, reader) in (0..).zip(seen.searcher.segment_readers()) {
                let columns = reader.fast_fields();
                let groups = columns.u64(column::GROUP)?;
                let anchored = columns.u64(column::ANCHORED)?;
                for doc in reader.doc_ids_alive() {
                    let address = DocAddress::new(segment, doc);
                    let kept = seen.stores.kept(address)?;
                    f(Held {
                        key: kept.key,
                        url: kept.url,
                        title: kept.title,
                        digest: kept.digest,
                        place: kept.place,
                        original: kept.original,
                        sinks: kept.sinks,
                        group: groups.first(doc).map_or(kept.key, UrlKey),
                        anchored: anchored.first(doc).unwrap_or_default(),
                    });
                }
            }
            Ok(())
        };
        visit().map_err(self.failed("read"))
    }

    fn graph(&self) -> Result<(Option<Graph>, u64), IndexError> {
        let graph = Graph::open(&self.disk, &self.folder.join(LINKS))?;
        Ok((graph, self.seen().commitment.links))
    }

    fn named(&self, neighbours: Neighbours) -> Result<(Vec<Neighbour>, u64), IndexError> {
        let seen = self.seen();
        let named = neighbours.keys.into_iter().map(|key| {
            let kept = self.kept(&seen, key)?;
            let (url, title) = kept.map(|kept| (kept.url, kept.title)).unzip();
            Ok(Neighbour { key, url, title: title.flatten() })
        });
        let named = named.collect::<Result<_, _>>().map_err(self.failed("read"))?;
        Ok((named, neighbours.total))
    }

    fn kept(&self, seen: &Seen, key: UrlKey) -> Result<Option<Kept>, TantivyError> {
        let found = lookup::having(&seen.searcher, self.fields.key, key.0)?;
        found.first().map(|it| seen.stores.kept(*it)).transpose()
    }

    fn seen(&self) -> Arc<Seen> {
        Arc::clone(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(TantivyError) -> IndexError {
        IndexError::words(doing, &self.folder)
    }

    /// Lends an analyser: each remembers stems, so they are kept.
    fn with_analyser<T>(&self, f: impl FnOnce(&mut Analyser) -> T) -> T {
        let lock = || self.analysers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut analyser = lock().pop().unwrap_or_default();
        let result = f(&mut analyser);
        lock().push(analyser);
        result
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn see(
    folder: &Path,
    disk: &SharedDisk,
    index: &tantivy::Index,
    reader: &IndexReader,
    ranks: Option<Arc<Ranks>>,
) -> Result<Seen, IndexError> {
    let searcher = reader.searcher();
    let meta = index.load_metas().map_err(IndexError::words("read", folder))?;
    let commitment = Commitment::read(folder, &meta)?;
    let commitment = commitment.ok_or_else(|| IndexError::NoIndex { folder: folder.to_owned() })?;
    let links = folder.join(LINKS);
    // Ranks that cannot be read are built again some day: until then it goes without.
    let newest = Ranks::newest(disk, &links).ok().flatten();
    let ranks = match ranks {
        Some(ranks) if newest == Some(ranks.generation()) => Some(ranks),
        _ => Ranks::open(disk, &links).ok().flatten().map(Arc::new),
    };
    let languages = languages(&searcher).map_err(IndexError::words("read", folder))?;
    let newest_ms = newest_ms(&searcher).map_err(IndexError::words("read", folder))?;
    let stores = Stores::of(&searcher).map_err(IndexError::words("read", folder))?;
    Ok(Seen { searcher, stores, commitment, ranks, languages, newest_ms })
}

fn languages(searcher: &tantivy::Searcher) -> Result<Languages, TantivyError> {
    let field = schema().1.language;
    let mut counts: HashMap<String, u64> = HashMap::new();
    for reader in searcher.segment_readers() {
        let terms = reader.inverted_index(field)?;
        let mut stream = terms.terms().stream()?;
        while stream.advance() {
            let tag = str::from_utf8(stream.key()).unwrap_or_default();
            if Analyser::has_stems(tag) {
                *counts.entry(tag.to_owned()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
    }
    let pages = searcher.num_docs();
    let mut few: Vec<_> = counts.into_iter().collect();
    few.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let most = few.iter().take(LANGUAGES_MAX);
    let most = most.take_while(|(_, count)| *count >= pages / LANGUAGE_SHARE).count();
    let most = few.drain(..most).map(|(tag, _)| tag).collect();
    Ok(Languages { most, few })
}

/// When the newest page was fetched.
fn newest_ms(searcher: &tantivy::Searcher) -> Result<u64, TantivyError> {
    let mut newest = 0;
    for reader in searcher.segment_readers() {
        newest = newest.max(reader.fast_fields().u64(column::FETCHED)?.max_value());
    }
    Ok(newest)
}
