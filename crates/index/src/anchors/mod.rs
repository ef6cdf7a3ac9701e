//! The texts of links to each page, in a table of their own: tantivy cannot change a part of a
//! document, so a page is added again with more of them now and then.
//!
//! One domain has one vote for a text. The table is synced before each commit of the words, and
//! may be ahead of them: see [`row`]. Pages that have to be looked at again are marked in the
//! table, and the mark goes only after the commit that added them.

mod row;
mod table;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use rhumb_web::{HashKey, UrlKey};

use self::row::Row;
use self::table::AnchorTable;
use crate::IndexError;

/// Texts of links by which a page is found: the best ones.
const TEXTS_MAX: usize = 64;
/// What counts of a text.
const TEXT_BYTES: usize = 200;
/// How far redirects and copies are followed.
pub(crate) const HOPS_MAX: usize = 8;
/// Rows that are read to gather the texts of one page and of those that lead to it.
const ROWS_MAX: usize = 32;
/// Links that were seen lately and say nothing new: 8 bytes each.
const SEEN: usize = 1 << 18;

/// About what a row in memory takes beside its texts, and a text beside its letters.
const ROW_EXTRA: usize = 160;
const TEXT_EXTRA: usize = 64;

/// A text of links to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) text: String,
    hash: u64,
    /// How often it counts: grows with the logarithm of its votes.
    pub(crate) times: u32,
}

/// All that links say of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The best texts.
    pub(crate) anchors: Vec<Anchor>,
    /// Changes when they change.
    pub(crate) fingerprint: u64,
}

/// A row in memory.
#[derive(Debug)]
struct Loaded {
    row: Row,
    is_changed: bool,
}

/// The texts of links, with what changed since the last commit in memory.
#[derive(Debug)]
pub(crate) struct Anchors {
    table: AnchorTable,
    hash: HashKey,
    seen: Box<[u64]>,
    /// Rows that were read since the last commit, changed or not.
    loaded: HashMap<UrlKey, Loaded>,
    /// Pages to be looked at again, of this commit.
    marked: HashSet<UrlKey>,
    /// Those of them that became a copy or a redirect, or ceased to be one.
    turned: HashSet<UrlKey>,
    /// Pages that were looked at, whose marks go after the commit.
    done: Vec<UrlKey>,
    bytes: usize,
}

impl Anchors {
    pub(crate) fn open(folder: &Path, memory: usize, hash: HashKey) -> Result<Self, IndexError> {
        Ok(Self {
            table: AnchorTable::open(folder, memory)?,
            hash,
            seen: vec![0; SEEN].into(),
            loaded: HashMap::new(),
            marked: HashSet::new(),
            turned: HashSet::new(),
            done: Vec::new(),
            bytes: 0,
        })
    }

    /// About how much memory the changes take.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether anything changed since the last commit.
    pub(crate) fn has_news(&self) -> bool {
        !self.marked.is_empty() || self.loaded.values().any(|loaded| loaded.is_changed)
    }

    /// A page of this domain links to `to` with this text.
    pub(crate) fn link(&mut self, to: UrlKey, text: &str, domain: u64) -> Result<(), IndexError> {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
        let raw = self.hash.hash(text.as_bytes());
        let print = raw ^ to.0.rotate_left(17) ^ domain.rotate_left(41) | 1;
        let slot = usize::try_from(print >> 8).unwrap_or(0) % SEEN;
        if self.seen[slot] == print {
            return Ok(());
        }
        self.seen[slot] = print;
        let text = plain(text);
        if text.is_empty() {
            return Ok(());
        }
        let domain = u32::try_from(domain >> 32).expect("half of 64 bits");
        let hash = self.hash.hash(text.as_bytes());
        if self.change(to, |row| row.add(hash, &text, domain))? {
            self.bytes += text.len() + TEXT_EXTRA;
            let target = self.resolve(to)?;
            self.mark(target)?;
        }
        Ok(())
    }

    /// What leads where: `from` is a redirect or a copy, or a page of its own again.
    /// Whether this is news.
    pub(crate) fn alias(&mut self, from: UrlKey, to: Option<UrlKey>) -> Result<bool, IndexError> {
        let to = to.filter(|to| *to != from);
        let before = self.alias_of(from)?;
        if before == to {
            return Ok(false);
        }
        self.change(from, |row| {
            row.alias = to;
            true
        })?;
        self.marked.insert(from);
        self.turned.insert(from);
        for key in [before, to].into_iter().flatten() {
            if to == Some(key) {
                self.change(key, |row| row.add_from(from))?;
            }
            let target = self.resolve(key)?;
            self.mark(target)?;
        }
        Ok(true)
    }

    /// What a URL is a redirect to or a copy of.
    pub(crate) fn alias_of(&mut self, key: UrlKey) -> Result<Option<UrlKey>, IndexError> {
        self.look(key, |row| row.alias)
    }

    /// Where a URL leads in the end: itself, unless it is a redirect or a copy.
    pub(crate) fn resolve(&mut self, key: UrlKey) -> Result<UrlKey, IndexError> {
        let mut at = key;
        for _ in 0..HOPS_MAX {
            match self.alias_of(at)? {
                Some(next) if next != key => at = next,
                // In a ring each one stands for itself.
                Some(_) => return Ok(key),
                None => return Ok(at),
            }
        }
        Ok(at)
    }

    /// What links say of a page, and of those that lead to it.
    pub(crate) fn said(&mut self, key: UrlKey) -> Result<Said, IndexError> {
        let mut votes: HashMap<u64, (String, Vec<u32>)> = HashMap::new();
        let mut keys = vec![(key, None)];
        let mut read = 0;
        while read < keys.len().min(ROWS_MAX) {
            let (at, leads_to) = keys[read];
            read += 1;
            self.look(at, |row| {
                if leads_to.is_some() && row.alias != leads_to {
                    return;
                }
                for text in &row.texts {
                    let vote = votes.entry(text.hash);
                    let (_, domains) = vote.or_insert_with(|| (text.words.clone(), Vec::new()));
                    domains.extend(&text.domains);
                }
                for from in &row.froms {
                    if keys.iter().all(|(key, _)| key != from) {
                        keys.push((*from, Some(at)));
                    }
                }
            })?;
        }
        let mut anchors: Vec<_> = votes
            .into_iter()
            .map(|(hash, (text, mut domains))| {
                domains.sort_unstable();
                domains.dedup();
                let votes = domains.len().clamp(1, row::DOMAINS_KEPT);
                Anchor { text, hash, times: 1 + votes.ilog2() }
            })
            .collect();
        anchors.sort_unstable_by(|a, b| b.times.cmp(&a.times).then(a.hash.cmp(&b.hash)));
        anchors.truncate(TEXTS_MAX);
        let print = anchors.iter().fold(0_u64, |print, anchor| {
            (print.rotate_left(7) ^ anchor.hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ u64::from(anchor.times)
        });
        Ok(Said { anchors, fingerprint: print })
    }

    /// A page is about to be added: whether it never was before, so that there is nothing to delete.
    pub(crate) fn meet(&mut self, key: UrlKey) -> Result<bool, IndexError> {
        self.change(key, |row| !std::mem::replace(&mut row.is_met, true))
    }

    /// The words have this page now, with this many texts.
    pub(crate) fn added(&mut self, key: UrlKey, texts: usize) -> Result<(), IndexError> {
        let texts = u32::try_from(texts).unwrap_or(u32::MAX);
        self.change(key, |row| {
            let is_news = !row.is_held || row.added != texts;
            (row.is_held, row.added) = (true, texts);
            is_news
        })?;
        Ok(())
    }

    /// The words have this page no longer.
    pub(crate) fn removed(&mut self, key: UrlKey) -> Result<(), IndexError> {
        self.change(key, |row| std::mem::take(&mut row.is_held))?;
        Ok(())
    }

    /// Pages that should be looked at before this commit: those that have twice as many texts as
    /// when they were added, and those that became a copy or ceased to be one.
    pub(crate) fn urgent(&mut self) -> Result<Vec<UrlKey>, IndexError> {
        let mut urgent = Vec::new();
        let marked: Vec<UrlKey> = self.marked.iter().copied().collect();
        for key in marked {
            if self.turned.contains(&key) || self.has_doubled(key)? {
                urgent.push(key);
            }
        }
        urgent.sort_unstable();
        Ok(urgent)
    }

    fn has_doubled(&mut self, key: UrlKey) -> Result<bool, IndexError> {
        let added = self.look(key, |row| row.added)?;
        let before = usize::try_from(added).unwrap_or(usize::MAX).max(1);
        Ok(self.said(key)?.anchors.len() / 2 >= before)
    }

    /// A page was looked at: its mark may go after the next commit of the words.
    pub(crate) fn done(&mut self, key: UrlKey) {
        self.done.push(key);
    }

    /// Brings everything to the disk, before the words are committed.
    pub(crate) fn sync(&mut self) -> Result<(), IndexError> {
        let loaded = self.loaded.drain().filter(|(_, loaded)| loaded.is_changed);
        let changed = loaded.map(|(key, loaded)| (key, loaded.row)).collect();
        self.table.write(&changed, &self.marked)?;
        self.marked.clear();
        self.turned.clear();
        self.bytes = 0;
        Ok(())
    }

    /// The words were committed: the marks of what was done go.
    pub(crate) fn committed(&mut self) -> Result<(), IndexError> {
        let done = std::mem::take(&mut self.done);
        self.table.unmark(&done)
    }

    /// Some pages that are marked on disk, after `after`, in their order.
    pub(crate) fn marked(&self, after: Option<UrlKey>) -> Result<Vec<UrlKey>, IndexError> {
        self.table.marked(after)
    }

    fn mark(&mut self, key: UrlKey) -> Result<(), IndexError> {
        if self.look(key, |row| row.is_held)? {
            self.marked.insert(key);
        }
        Ok(())
    }

    fn look<T>(&mut self, key: UrlKey, look: impl FnOnce(&Row) -> T) -> Result<T, IndexError> {
        self.load(key).map(|loaded| look(&loaded.row))
    }

    fn change(
        &mut self,
        key: UrlKey,
        change: impl FnOnce(&mut Row) -> bool,
    ) -> Result<bool, IndexError> {
        let loaded = self.load(key)?;
        let is_news = change(&mut loaded.row);
        loaded.is_changed |= is_news;
        Ok(is_news)
    }

    fn load(&mut self, key: UrlKey) -> Result<&mut Loaded, IndexError> {
        match self.loaded.entry(key) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let row = self.table.get(key)?.unwrap_or_default();
                let texts: usize = row.texts.iter().map(|it| it.words.len() + TEXT_EXTRA).sum();
                self.bytes += ROW_EXTRA + texts;
                Ok(place.insert(Loaded { row, is_changed: false }))
            }
        }
    }
}

/// A text in lower case, with single spaces.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split(|it: char| it.is_whitespace() || it.is_control()) {
        if !word.is_empty() {
            if !plain.is_empty() {
                plain.push(' ');
            }
            plain.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    plain
}
