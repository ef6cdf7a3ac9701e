//! A caller that keeps the rules of the sieve, and knows of every document what it says.
//!
//! Texts come in families that have nothing in common; members of a family are alike.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use rhumb_disk::{Disk, SharedDisk, SimulatedDisk};
use rhumb_likeness::{Document, Frozen, Late, Ledger, Pass, Sieve, Sketch, Twin, Verdict};
use rhumb_web::{PartitionId, UrlKey};

const FOLDER: &str = "likeness";
/// Families below this number have texts of a few words, and no two members that differ; those of
/// the next such number have a payload and no text.
const FEW: u64 = 4;

/// What the log has of originals.
enum Fact {
    Met(Document),
    Late(UrlKey),
}

pub(crate) struct Caller {
    memory: usize,
    disk: SimulatedDisk,
    pub(crate) sieve: Sieve,
    passing: Option<Pass>,
    freezing: Option<(Frozen, usize)>,
    checkpoint: Ledger,
    log: Vec<Fact>,
    /// The family of each URL, as it was met last.
    families: BTreeMap<UrlKey, u64>,
    /// Families that a URL ever had.
    ever: HashSet<(UrlKey, u64)>,
    twins: BTreeMap<UrlKey, UrlKey>,
    pub(crate) found_now: usize,
    pub(crate) found_late: usize,
    pub(crate) replaced: usize,
    pub(crate) files: usize,
}

/// A document: which URL, of which family and as which member, and what it calls its own URL.
pub(crate) fn document(url: u64, family: u64, member: u64, canonical: Option<u64>) -> Document {
    let has_text = !(FEW..2 * FEW).contains(&family);
    let length = if family < FEW { 6 } else { 300 };
    let member = if family < 2 * FEW { 0 } else { member };
    let text: String =
        (0..length).map(|at| word(family, if at == 150 { member } else { at })).collect();
    let key = |url: u64| UrlKey((url + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Document {
        url: key(url),
        partition: PartitionId(7),
        site: url % 5,
        path: 3,
        payload: (member == 0).then_some(family),
        canonical: canonical.map(key),
        sketch: has_text.then(|| Sketch::of(&text).unwrap()),
    }
}

/// A word of letters only, different for each pair.
fn word(family: u64, at: u64) -> String {
    let digits = format!("{family}x{at} ");
    digits
        .chars()
        .map(|it| it.to_digit(10).map_or(it, |it| char::from(b"abcdefghij"[it as usize])))
        .collect()
}

impl Caller {
    pub(crate) fn new(memory: usize) -> Self {
        let disk = SimulatedDisk::new(9);
        disk.create_folder(Path::new(FOLDER)).unwrap();
        let shared: SharedDisk = Arc::new(disk.clone());
        let checkpoint = Ledger::default();
        let sieve = Sieve::open(&shared, Path::new(FOLDER), memory, &checkpoint).unwrap();
        Self {
            memory,
            disk,
            sieve,
            passing: None,
            freezing: None,
            checkpoint,
            log: Vec::new(),
            families: BTreeMap::new(),
            ever: HashSet::new(),
            twins: BTreeMap::new(),
            found_now: 0,
            found_late: 0,
            replaced: 0,
            files: 0,
        }
    }

    pub(crate) fn meet(&mut self, document: &Document, family: u64) {
        if self.sieve.wants_pass() {
            self.end_pass();
            self.begin_pass();
        }
        let is_revisit = self.families.insert(document.url, family).is_some();
        self.ever.insert((document.url, family));
        self.twins.remove(&document.url);
        match self.sieve.meet(document) {
            Verdict::Twin(twin) => {
                self.found_now += 1;
                self.mark(document.url, &twin);
                if is_revisit {
                    self.sieve.remove(document.url);
                    self.log.push(Fact::Late(document.url));
                }
            }
            Verdict::Original { replaces } => {
                self.log.push(Fact::Met(document.clone()));
                self.replaced += usize::from(replaces.is_some());
                self.told(replaces);
            }
        }
    }

    fn told(&mut self, late: impl IntoIterator<Item = Late>) {
        for late in late {
            assert_eq!(late.partition, PartitionId(7));
            self.mark(late.url, &late.twin);
            self.log.push(Fact::Late(late.url));
        }
    }

    fn mark(&mut self, url: UrlKey, twin: &Twin) {
        assert_ne!(url, twin.of, "nobody is its own twin");
        let family = self.families[&url];
        assert!(self.ever.contains(&(twin.of, family)), "{url} has nothing of {}", twin.of);
        self.twins.insert(url, twin.of);
    }

    pub(crate) fn begin_pass(&mut self) {
        if self.passing.is_none() {
            self.passing = self.sieve.pass();
        }
    }

    pub(crate) fn end_pass(&mut self) {
        let Some(pass) = self.passing.take() else { return };
        let late = self.sieve.install(pass.run().unwrap());
        self.found_late += late.len();
        self.told(late);
    }

    pub(crate) fn begin_checkpoint(&mut self) {
        if self.freezing.is_none() {
            self.freezing = Some((self.sieve.freeze(), self.log.len()));
        }
    }

    pub(crate) fn end_checkpoint(&mut self) {
        let Some((frozen, logged)) = self.freezing.take() else { return };
        let folder = Path::new(FOLDER);
        let (ledger, sealed) = frozen.write(&self.disk, folder).unwrap();
        self.disk.sync_folder(folder).unwrap();
        self.checkpoint = ledger;
        self.log.drain(..logged);
        let listed: BTreeSet<&str> = self.checkpoint.files().collect();
        for name in sealed.gone() {
            assert!(!listed.contains(name.as_str()), "{name} is listed and gone");
            self.disk.remove(&folder.join(name)).unwrap();
        }
        self.files = self.files.max(listed.len());
        self.sieve.seal(sealed);
    }

    /// The power fails; the rest comes from the checkpoint and the log.
    pub(crate) fn reopen(&mut self) {
        (self.passing, self.freezing) = (None, None);
        self.disk.crash();
        let (disk, folder): (SharedDisk, _) = (Arc::new(self.disk.clone()), Path::new(FOLDER));
        let listed: BTreeSet<&str> = self.checkpoint.files().collect();
        for name in disk.list(folder).unwrap() {
            if !listed.contains(name.as_str()) {
                disk.remove(&folder.join(name)).unwrap();
            }
        }
        self.sieve = Sieve::open(&disk, folder, self.memory, &self.checkpoint).unwrap();
        // What stays of the log is judged at its end, in its order.
        let mut originals: Vec<&Document> = Vec::new();
        for fact in &self.log {
            let url = match fact {
                Fact::Met(document) => document.url,
                Fact::Late(url) => *url,
            };
            originals.retain(|it| it.url != url);
            match fact {
                Fact::Met(document) => originals.push(document),
                Fact::Late(url) => self.sieve.remove(*url),
            }
        }
        let late: Vec<Late> = originals.iter().filter_map(|it| self.sieve.add(it)).collect();
        self.told(late);
    }

    /// Compares all with all; then each family has at most one original.
    pub(crate) fn finish(&mut self) {
        self.end_pass();
        while self.sieve.needs_pass() {
            self.begin_pass();
            self.end_pass();
        }
        let mut originals = BTreeMap::new();
        for (url, family) in &self.families {
            if !self.twins.contains_key(url) {
                let other = originals.insert(family, url);
                assert_eq!(other, None, "it is an original of family {family}, and {url} as well");
            }
        }
    }
}
