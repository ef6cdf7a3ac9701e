//! What must hold when a crawl is opened, and at its end: the files are read as a stranger would.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Cursor;
use std::path::PathBuf;

use rhumb_archive::{Kind as RecordKind, WarcReader};
use rhumb_crawl::partition::{Settlement, Tally};
use rhumb_crawl::store::Opened;
use rhumb_disk::{Disk, SimulatedDisk};
use rhumb_rules::Reason;
use rhumb_web::Failure;

use super::World;
use super::web::Kind;

const ARCHIVE: &str = "crawl/archive";
const WARC: &str = ".warc.gz";
const CDXJ: &str = ".cdxj";
/// The index of all files.
const INDEX: &str = "index.cdxj";

impl World {
    /// What was promised is there, and nothing else.
    pub(super) fn check_opened(&mut self, opened: &Opened) {
        self.witness.reopened(opened.store.log_end().0);
        let mut tally = Tally::default();
        opened.states.iter().for_each(|state| tally.add(state.tally()));
        self.witness.check_tally(&tally);
        if let Some(flaw) = self.archive_flaw() {
            self.witness.report.violate("archive", || flaw);
        }
        if self.witness.has_root() == opened.holdings.roots().next().is_none() {
            self.witness.report.violate("root", || "a seed moved, or did not".to_owned());
        }
        if self.was_clean && !opened.is_clean {
            self.witness.report.violate("unclean", || "after a clean end".to_owned());
        }
        self.opened_clean = opened.is_clean;
        self.tally = tally;
    }

    /// Where the files differ from what the log knows.
    fn archive_flaw(&self) -> Option<String> {
        let names = self.disk.list(&PathBuf::from(ARCHIVE)).unwrap_or_default();
        if let Some(odd) = names.iter().find(|it| !it.ends_with(WARC) && !it.ends_with(CDXJ)) {
            return Some(format!("{odd} is left over"));
        }
        let mut records = self.witness.records();
        for name in warcs(&names) {
            let bytes = read(&self.disk, name);
            let mut reader = WarcReader::new(Cursor::new(&bytes));
            let first = reader
                .next()
                .and_then(Result::ok)
                .filter(|first| first.head.kind == RecordKind::Warcinfo);
            let Some(Ok(end)) = first.map(rhumb_archive::Record::finish) else {
                return Some(format!("{name} does not say what it is"));
            };
            let mut at = usize::try_from(end).expect("it is in memory");
            while at < bytes.len() {
                match records.next() {
                    Some(record) if bytes[at..].starts_with(record) => at += record.len(),
                    Some(_) => return Some(format!("{name} has something else at {at}")),
                    None => return Some(format!("{name} has more than the log knows, at {at}")),
                }
            }
        }
        let lacking = records.count();
        if lacking > 0 {
            return Some(format!("{lacking} records are not there"));
        }
        self.index_flaw(&names)
    }

    /// What the index of all files names, and the index of no file.
    fn index_flaw(&self, names: &[String]) -> Option<String> {
        if !names.iter().any(|name| name == INDEX) {
            return None;
        }
        let indexes = names.iter().filter(|name| name.ends_with(CDXJ) && *name != INDEX);
        let known: Vec<String> = indexes.flat_map(|name| lines(&self.disk, name)).collect();
        let known: HashSet<&String> = known.iter().collect();
        let stale = lines(&self.disk, INDEX).into_iter().find(|line| !known.contains(line))?;
        Some(format!("the index names what is not there: {stale}"))
    }

    /// Every page was found, kept once, and counted once.
    pub(super) fn check_end(&mut self) {
        let reachable = self.web.reachable();
        let mut kept = self.responses();
        let mut refused = 0;
        for number in &reachable {
            let page = &self.web.pages[*number];
            let (expect, status) = match page.kind {
                Kind::Plain | Kind::Flaky | Kind::Busy => (Some(Settlement::Answered(200)), "200"),
                Kind::Missing => (Some(Settlement::Answered(404)), "404"),
                Kind::Moved(_) => (Some(Settlement::Answered(301)), "301"),
                Kind::Dead => (Some(Settlement::Failed(Failure::Connect)), ""),
                Kind::Forbidden => (None, ""),
            };
            refused += u64::from(page.kind == Kind::Forbidden);
            let is = self.witness.result(*number);
            if is != expect {
                let words = || format!("page {number} ended as {is:?}, not {expect:?}");
                self.witness.report.violate("missing", words);
            }
            let times = kept.remove(&(page.url.as_str().to_owned(), status.to_owned()));
            if times.unwrap_or(0) != u64::from(!status.is_empty()) {
                let words = || format!("page {number} is {times:?} times in the archive");
                self.witness.report.violate("not once", words);
            }
        }
        let is_refused = self.tally.refused.get(&Reason::Robots).copied().unwrap_or(0);
        if is_refused != refused {
            self.witness.report.violate("refused", || format!("{is_refused}, not {refused}"));
        }
    }

    /// How often each URL is in the archive, by status.
    fn responses(&mut self) -> HashMap<(String, String), u64> {
        let mut found = HashMap::new();
        let mut kinds: BTreeMap<bool, usize> = BTreeMap::new();
        let names = self.disk.list(&PathBuf::from(ARCHIVE)).unwrap_or_default();
        for name in warcs(&names) {
            let bytes = read(&self.disk, name);
            let mut reader = WarcReader::new(Cursor::new(&bytes));
            while let Some(record) = reader.next() {
                let Ok(mut record) = record else {
                    self.witness.report.violate("warc", || name.to_owned());
                    break;
                };
                let is_indexed =
                    matches!(record.head.kind, RecordKind::Response | RecordKind::Resource);
                *kinds.entry(is_indexed).or_default() += 1;
                if record.head.kind != RecordKind::Response {
                    continue;
                }
                let url = record.head.url().unwrap_or_default().to_owned();
                let block = record.block(12).unwrap_or_default();
                let status = String::from_utf8_lossy(&block).replace("HTTP/1.1 ", "");
                *found.entry((url, status)).or_default() += 1;
            }
        }
        let index = lines(&self.disk, INDEX).len();
        if kinds.get(&true).copied().unwrap_or(0) != index {
            let words = || format!("{index} lines for {kinds:?} records");
            self.witness.report.violate("index", words);
        }
        found
    }
}

/// The files of records, in their order.
fn warcs(names: &[String]) -> Vec<&str> {
    let mut warcs: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| name.ends_with(WARC)).collect();
    warcs.sort_by_key(|name| name.rsplit('-').next().map(str::to_owned));
    warcs
}

fn lines(disk: &SimulatedDisk, name: &str) -> Vec<String> {
    String::from_utf8_lossy(&read(disk, name)).lines().map(str::to_owned).collect()
}

fn read(disk: &SimulatedDisk, name: &str) -> Vec<u8> {
    let Ok(file) = disk.open(&PathBuf::from(ARCHIVE).join(name)) else { return Vec::new() };
    let length = file.length().unwrap_or(0);
    let mut bytes = vec![0; usize::try_from(length).expect("it is in memory")];
    let count = file.read_at(0, &mut bytes).unwrap_or(0);
    bytes.truncate(count);
    bytes
}
