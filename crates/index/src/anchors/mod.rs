//! The texts of links to each page, in a table of their own: tantivy cannot change a part of a
//! document, so a page is added again with more of them now and then.
//!
//! One domain has one vote for a text. The table is synced before each commit of the words, and
//! may be ahead of them: see [`row`]. Pages that have to be looked at again are marked in the
//! table, and the mark goes only after the commit that added them.

mod keyed;
mod row;
mod table;

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::path::Path;

use rhumb_web::{HashKey, UrlKey};

pub(crate) use self::keyed::{KeyedMap, KeyedSet};
use self::row::{Row, Text};
use self::table::AnchorTable;
use crate::IndexError;

/// Texts of links by which a page is found: the best ones.
const TEXTS_MAX: usize = 64;
/// What counts of a text.
const TEXT_BYTES: usize = 200;
/// How far redirects and copies are followed.
const HOPS_MAX: usize = 8;
/// Rows that are read to gather the texts of one page and of those that lead to it.
const ROWS_MAX: usize = 32;
/// The least and the most links that are remembered because they say nothing new: 8 bytes each.
const SEEN: (usize, usize) = (1 << 14, 1 << 24);

/// Votes for a text beyond this many change nothing.
const VOTES_MAX: usize = 16;
/// A page has grown when it has twice the texts that it was added with, and this many at least.
const GROWN_MIN: usize = 3;

/// About what a row in memory takes beside its texts, a text beside its letters, and a mark.
const ROW_EXTRA: usize = 160;
const TEXT_EXTRA: usize = 64;
const MARK_EXTRA: usize = 48;

/// A text of links to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    pub(crate) text: String,
    hash: u64,
    /// How often it counts: grows with the logarithm of its votes.
    pub(crate) times: u32,
}

impl From<Text> for Anchor {
    fn from(text: Text) -> Self {
        let votes = text.domains.len().clamp(1, VOTES_MAX);
        Self { text: text.words, hash: text.hash, times: 1 + votes.ilog2() }
    }
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
    /// Rows that were read lately, changed or not.
    loaded: KeyedMap<UrlKey, Loaded>,
    /// Pages to be looked at again, of this commit.
    marked: KeyedSet<UrlKey>,
    /// Those of them that lead elsewhere than before.
    turned: KeyedSet<UrlKey>,
    /// Pages that were looked at, whose marks go after the commit.
    done: KeyedSet<UrlKey>,
    /// About what the rows and the marks take.
    bytes: usize,
    /// What of it was there at the last commit already.
    idle: usize,
    idle_max: usize,
}

impl Anchors {
    pub(crate) fn open(folder: &Path, memory: usize, hash: HashKey) -> Result<Self, IndexError> {
        Ok(Self {
            table: AnchorTable::open(folder, memory / 4)?,
            hash,
            seen: vec![0; (memory / 4 / size_of::<u64>()).clamp(SEEN.0, SEEN.1)].into(),
            loaded: KeyedMap::default(),
            marked: KeyedSet::default(),
            turned: KeyedSet::default(),
            done: KeyedSet::default(),
            bytes: 0,
            idle: 0,
            idle_max: memory / 2,
        })
    }

    /// About how much memory is taken by what came since the last commit.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes - self.idle
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
        let slot = usize::try_from(print >> 8).unwrap_or(0) % self.seen.len();
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
            self.mark_all(to)?;
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
        self.turn(from);
        for key in [before, to].into_iter().flatten() {
            if to == Some(key) {
                self.change(key, |row| row.add_from(from))?;
            }
            self.mark_all(key)?;
        }
        Ok(true)
    }

    /// What a URL is a redirect to or a copy of.
    pub(crate) fn alias_of(&mut self, key: UrlKey) -> Result<Option<UrlKey>, IndexError> {
        self.look(key, |row| row.alias)
    }

    /// Where a URL leads in the end: itself, unless it is a redirect or a copy. Those that lead in
    /// a ring stand for themselves.
    pub(crate) fn resolve(&mut self, key: UrlKey) -> Result<UrlKey, IndexError> {
        let mut at = key;
        for _ in 0..=HOPS_MAX {
            match self.alias_of(at)? {
                Some(next) => at = next,
                None => return Ok(at),
            }
        }
        Ok(key)
    }

    /// A page and URLs that lead to it.
    pub(crate) fn leading_to(&mut self, key: UrlKey) -> Result<Vec<UrlKey>, IndexError> {
        let mut keys = vec![key];
        let mut read = 0;
        while read < keys.len().min(ROWS_MAX) {
            let at = keys[read];
            read += 1;
            for from in self.look(at, |row| row.froms.clone())? {
                if !keys.contains(&from) && self.alias_of(from)? == Some(at) {
                    keys.push(from);
                }
            }
        }
        Ok(keys)
    }

    /// What links say of a page, and of those that lead to it.
    pub(crate) fn said(&mut self, key: UrlKey) -> Result<Said, IndexError> {
        let mut texts: Vec<Text> = Vec::new();
        let mut keys = vec![(key, None)];
        let mut read = 0;
        while read < keys.len().min(ROWS_MAX) {
            let (at, leads_to) = keys[read];
            read += 1;
            self.look(at, |row| {
                if leads_to.is_some() && row.alias != leads_to {
                    return;
                }
                texts.extend_from_slice(&row.texts);
                for from in &row.froms {
                    if keys.iter().all(|(key, _)| key != from) {
                        keys.push((*from, Some(at)));
                    }
                }
            })?;
        }
        if read > 1 {
            unite(&mut texts);
        }
        texts.sort_unstable_by_key(|it| (Reverse(it.domains.len()), it.hash));
        texts.truncate(TEXTS_MAX);
        let mut anchors: Vec<Anchor> = texts.into_iter().map(Anchor::from).collect();
        anchors.sort_unstable_by_key(|it| (Reverse(it.times), it.hash));
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
        let mut was_held = false;
        self.change(key, |row| {
            was_held = row.is_held;
            let is_news = !row.is_held || row.added != texts;
            (row.is_held, row.added) = (true, texts);
            is_news
        })?;
        // It has all that is known by now. Of others there is no mark.
        if was_held || self.marked.contains(&key) {
            self.done(key);
        }
        Ok(())
    }

    /// The words have this page no longer.
    pub(crate) fn removed(&mut self, key: UrlKey) -> Result<(), IndexError> {
        self.change(key, |row| std::mem::take(&mut row.is_held))?;
        Ok(())
    }

    /// Pages that lead elsewhere than before and were not looked at yet.
    pub(crate) fn turned(&self) -> Vec<UrlKey> {
        let mut turned: Vec<UrlKey> = self.turned.iter().copied().collect();
        turned.sort_unstable();
        turned
    }

    /// Whether a page has many more texts than when it was added.
    pub(crate) fn has_grown(&mut self, key: UrlKey) -> Result<bool, IndexError> {
        let (added, own, is_alone) =
            self.look(key, |row| (row.added, row.texts.len(), row.froms.is_empty()))?;
        let before = usize::try_from(added).unwrap_or(usize::MAX);
        let now = if is_alone { own.min(TEXTS_MAX) } else { self.said(key)?.anchors.len() };
        Ok(now >= before.saturating_mul(2).max(GROWN_MIN))
    }

    /// A page leads elsewhere, or the one that it is a copy of does.
    pub(crate) fn turn(&mut self, key: UrlKey) {
        self.turned.insert(key);
        self.insert_mark(key);
    }

    /// A page was looked at: its mark may go after the next commit of the words.
    pub(crate) fn done(&mut self, key: UrlKey) {
        self.turned.remove(&key);
        self.done.insert(key);
    }

    /// Brings everything to the disk, before the words are committed.
    pub(crate) fn sync(&mut self) -> Result<(), IndexError> {
        let changed = self.loaded.iter().filter(|(_, loaded)| loaded.is_changed);
        let changed = changed.map(|(key, loaded)| (*key, &loaded.row)).collect();
        self.table.write(changed, &self.marked)?;
        self.bytes -= self.marked.len() * MARK_EXTRA;
        self.marked.clear();
        self.turned.clear();
        if self.bytes > self.idle_max {
            self.loaded.clear();
            self.bytes = 0;
        }
        for loaded in self.loaded.values_mut() {
            loaded.is_changed = false;
        }
        self.idle = self.bytes;
        Ok(())
    }

    /// The words were committed: the marks of what was done go.
    pub(crate) fn committed(&mut self) -> Result<(), IndexError> {
        let mut done: Vec<UrlKey> = self.done.drain().collect();
        done.sort_unstable();
        self.table.unmark(&done)
    }

    /// Some pages that are marked on disk, after `after`, in their order.
    pub(crate) fn marked(&self, after: Option<UrlKey>) -> Result<Vec<UrlKey>, IndexError> {
        self.table.marked(after)
    }

    /// Marks a page and those that it leads to: what is said of it is said of each of them.
    fn mark_all(&mut self, key: UrlKey) -> Result<(), IndexError> {
        let mut at = Some(key);
        for _ in 0..=HOPS_MAX {
            let Some(key) = at else { break };
            let (is_held, alias) = self.look(key, |row| (row.is_held, row.alias))?;
            if is_held {
                self.insert_mark(key);
            }
            at = alias;
        }
        Ok(())
    }

    fn insert_mark(&mut self, key: UrlKey) {
        self.done.remove(&key);
        if self.marked.insert(key) {
            self.bytes += MARK_EXTRA;
        }
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

/// Makes one of those that are the same, with the votes of all.
fn unite(texts: &mut Vec<Text>) {
    texts.sort_unstable_by_key(|text| text.hash);
    texts.dedup_by(|next, kept| {
        let is_same = next.hash == kept.hash;
        if is_same {
            kept.domains.append(&mut next.domains);
            kept.domains.sort_unstable();
            kept.domains.dedup();
        }
        is_same
    });
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
