//! Audits in the making: each reads the whole archive, so they are made one after the other beside
//! everything else, and kept for those who ask again.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rhumb_crawl::audit::{self, Audit, AuditError};

use super::report::Gathered;

/// Hosts that wait for their audit; whoever comes then is asked to come again.
const WAITING_MAX: usize = 16;
/// Audits that are kept; the oldest goes.
const KEPT_MAX: usize = 16;
/// An audit is shown for so long, even if there is more in the archive by now.
const FRESH_FOR: Duration = Duration::from_mins(1);

/// Makes audits, one at a time.
#[derive(Debug)]
pub(crate) struct Audits {
    archive: PathBuf,
    desk: Mutex<Desk>,
}

#[derive(Debug, Default)]
struct Desk {
    waiting: VecDeque<String>,
    at_work: Option<String>,
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    host: String,
    reach: Reach,
    made_at: Instant,
    found: Arc<Found>,
}

/// How far the archive goes: the lengths of its files.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reach(BTreeMap<FileId, u64>);

/// One file, whether it is still open or sealed by now; one that was written anew is another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FileId {
    name: String,
    inode: u64,
    began: Option<SystemTime>,
}

/// What an audit found.
#[derive(Debug)]
pub(super) enum Found {
    Requests(Box<Audit>, Gathered),
    NoRequest,
    Unreadable,
}

/// What can be told of a host's audit.
#[derive(Debug)]
pub(super) enum Standing {
    /// It is there; `is_old` if a newer one is being made.
    Made { found: Arc<Found>, is_old: bool },
    /// It is not, and so many go before it.
    InMaking { before: usize },
    /// Too many wait already.
    TooMany,
}

impl Audits {
    pub(crate) fn new(archive: PathBuf) -> Arc<Self> {
        Arc::new(Self { archive, desk: Mutex::new(Desk::default()) })
    }

    /// How the audit of a host stands; it is made if it is not there. Lists a folder, so that it
    /// may block for a moment.
    pub(super) fn of(self: &Arc<Self>, host: &str) -> Standing {
        let reach = Reach::of(&self.archive);
        let mut desk = self.desk();
        // What was taken out of the archive is shown no more, not even as something old.
        desk.kept.retain(|kept| reach.goes_on(&kept.reach));
        let kept = desk.kept.iter().find(|kept| kept.host == host);
        let found = kept.map(|kept| {
            let is_old = kept.reach != reach && kept.made_at.elapsed() > FRESH_FOR;
            (Arc::clone(&kept.found), is_old)
        });
        if let Some((found, false)) = found {
            return Standing::Made { found, is_old: false };
        }
        let before = self.enqueue(&mut desk, host);
        match (found, before) {
            (Some((found, _)), _) => Standing::Made { found, is_old: true },
            (None, Some(before)) => Standing::InMaking { before },
            (None, None) => Standing::TooMany,
        }
    }

    /// How many go before this host; none if there is no place for it.
    fn enqueue(self: &Arc<Self>, desk: &mut Desk, host: &str) -> Option<usize> {
        if desk.at_work.as_deref() == Some(host) {
            return Some(0);
        }
        if let Some(before) = desk.waiting.iter().position(|waiting| waiting == host) {
            return Some(before + 1);
        }
        if desk.waiting.len() >= WAITING_MAX {
            return None;
        }
        if desk.at_work.is_none() {
            let audits = Arc::clone(self);
            // A thread of its own: an archive takes minutes, and nobody waits for it at the end.
            let thread = std::thread::Builder::new().name("audit".to_owned());
            thread.spawn(move || audits.work()).ok()?;
            desk.at_work = Some(host.to_owned());
            return Some(0);
        }
        desk.waiting.push_back(host.to_owned());
        Some(desk.waiting.len())
    }

    /// Makes audits until none is wanted.
    fn work(&self) {
        let next = || self.desk().at_work.clone();
        while let Some(host) = next() {
            // What is written meanwhile may not be in it.
            let reach = Reach::of(&self.archive);
            let make = || make(&self.archive, &host);
            let found = catch_unwind(AssertUnwindSafe(make)).unwrap_or(Found::Unreadable);
            let mut desk = self.desk();
            desk.kept.retain(|kept| kept.host != host);
            desk.kept.truncate(KEPT_MAX - 1);
            let (made_at, found) = (Instant::now(), Arc::new(found));
            desk.kept.push_front(Kept { host, reach, made_at, found });
            desk.at_work = desk.waiting.pop_front();
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reach {
    fn of(archive: &Path) -> Self {
        let Ok(entries) = fs::read_dir(archive) else { return Self::default() };
        let files = entries.flatten().filter_map(|entry| {
            let name = entry.file_name();
            let (name, _) = name.to_str()?.split_once(".warc.gz")?;
            let about = entry.metadata().ok()?;
            let (inode, began) = (about.ino(), about.created().ok());
            Some((FileId { name: name.to_owned(), inode, began }, about.len()))
        });
        Self(files.collect())
    }

    /// Whether everything is still there that was there then.
    fn goes_on(&self, then: &Self) -> bool {
        let is_there = |(file, length): (&FileId, &u64)| self.0.get(file) >= Some(length);
        then.0.iter().all(is_there)
    }
}

fn make(archive: &Path, host: &str) -> Found {
    let mut gathered = Gathered::default();
    match audit::audit(archive, Some(host), &mut |request| gathered.gather(request)) {
        Ok(audit) if audit.hosts.is_empty() => Found::NoRequest,
        Ok(audit) => Found::Requests(Box::new(audit), gathered),
        Err(AuditError::Empty { .. }) => Found::NoRequest,
        Err(AuditError::List { .. } | AuditError::Open { .. }) => Found::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits until nobody works any more; the audits of an empty folder take no time.
    fn settle(audits: &Arc<Audits>) {
        while audits.desk().at_work.is_some() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_audit_is_made_once_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let audits = Audits::new(folder.path().to_owned());
        assert!(matches!(audits.of("a.example"), Standing::InMaking { before: 0 }));
        settle(&audits);
        for _ in 0..3 {
            let Standing::Made { found, is_old: false } = audits.of("a.example") else {
                panic!("it is kept");
            };
            assert!(matches!(*found, Found::NoRequest));
        }
    }

    #[test]
    fn nothing_is_shown_of_what_was_taken_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, new] = ["rhumb-1.warc.gz", "new"].map(|name| folder.path().join(name));
        let audits = Audits::new(folder.path().to_owned());
        let check = |change: &dyn Fn(), is_kept: bool| {
            fs::write(&one, "0123456789").expect("written");
            audits.desk().kept.clear();
            audits.of("a.example");
            settle(&audits);
            change();
            assert_eq!(matches!(audits.of("a.example"), Standing::Made { .. }), is_kept);
            settle(&audits);
        };
        check(&|| (), true);
        check(&|| fs::write(&one, "0123456789 and more").expect("written"), true);
        check(&|| fs::write(&one, "01234").expect("written"), false);
        let renew = || {
            fs::write(&new, "0123456789").expect("written");
            fs::rename(&new, &one).expect("renamed");
        };
        check(&renew, false);
        check(&|| fs::remove_file(&one).expect("removed"), false);
        let open = folder.path().join("rhumb-1.warc.gz.open");
        check(&|| fs::rename(&one, &open).expect("renamed"), true);
    }

    #[test]
    fn no_more_wait_and_no_more_are_kept_than_may() {
        let folder = tempfile::tempdir().expect("a folder");
        let audits = Audits::new(folder.path().to_owned());
        // Somebody works for ever.
        audits.desk().at_work = Some("slow.example".to_owned());
        for n in 1..=WAITING_MAX {
            let standing = audits.of(&format!("{n}.example"));
            assert!(matches!(standing, Standing::InMaking { before } if before == n));
        }
        assert!(matches!(audits.of("more.example"), Standing::TooMany));
        assert!(matches!(audits.of("2.example"), Standing::InMaking { before: 2 }));
        audits.work();
        assert!(audits.desk().at_work.is_none() && audits.desk().waiting.is_empty());
        assert_eq!(audits.desk().kept.len(), KEPT_MAX);
        assert!(matches!(audits.of("16.example"), Standing::Made { is_old: false, .. }));
    }
}
