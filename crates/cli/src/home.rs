//! The folder of a crawl: its settings file, and the lock that keeps it to one process.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rhumb_crawl::control::SOCKET_NAME;

use crate::fault::Fault;
use crate::settings::{FILE_NAME, Settings};

/// The file whose lock says that a process works on the folder; it holds that process's number.
const LOCK_NAME: &str = "LOCK";
/// A settings file that is being written; at any other time it is of no use.
const NEW_NAME: &str = "crawl.toml.new";
/// Nobody looks longer who works there.
const LOOK_MAX: Duration = Duration::from_millis(500);
/// Who reads a crawl at rest is waited for so long.
const READ_MAX: Duration = Duration::from_secs(2);
/// No number of a process is longer.
const PID_BYTES_MAX: u64 = 20;

/// The folder of a crawl, ours alone as long as this lives.
#[derive(Debug)]
pub(crate) struct Home {
    folder: PathBuf,
    _lock: File,
}

impl Home {
    /// The crawl that is in the folder, and its settings; none where there is room for one.
    pub(crate) fn open(folder: &Path) -> Result<Option<(Self, Settings)>, Fault> {
        let path = folder.join(FILE_NAME);
        match path.try_exists() {
            Ok(true) => {}
            Err(error) if folder.is_dir() => {
                return Err(Fault::file("look into", folder.display(), &error));
            }
            Ok(false) | Err(_) => {
                check_vacant(folder)?;
                return Ok(None);
            }
        }
        let home = Self::locked(folder)?;
        let settings = Settings::read(&path)?;
        Ok(Some((home, settings)))
    }

    /// Makes the folder of a new crawl, with its settings in it: both are on disk afterwards.
    pub(crate) fn create(folder: &Path, settings: &Settings) -> Result<Self, Fault> {
        check_vacant(folder)?;
        let fault = |error| Fault::file("create the crawl's folder", folder.display(), &error);
        let new: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
        let clear = || {
            // Half a crawl would be in the way of the next try.
            for path in &new {
                drop(std::fs::remove_dir(path));
            }
        };
        std::fs::create_dir_all(folder).map_err(|error| {
            clear();
            fault(error)
        })?;
        let home = Self::locked(folder).inspect_err(|_| clear())?;
        // Somebody may have been faster.
        check_vacant(folder)?;
        let made = write(folder, settings).and_then(|()| {
            let disk = rhumb_disk::real();
            new.iter().try_for_each(|path| disk.sync_folder(parent(path)))
        });
        made.map_err(|error| {
            drop(std::fs::remove_file(folder.join(FILE_NAME)));
            drop(std::fs::remove_file(folder.join(LOCK_NAME)));
            clear();
            fault(error)
        })?;
        Ok(home)
    }

    /// Settings that hold from now on: the file has the old ones or these, whatever happens.
    pub(crate) fn save(&self, settings: &Settings) -> Result<(), Fault> {
        let path = self.folder.join(FILE_NAME);
        write(&self.folder, settings).map_err(|error| Fault::file("write", path.display(), &error))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn locked(folder: &Path) -> Result<Self, Fault> {
        let path = folder.join(LOCK_NAME);
        let fault = |error: &io::Error| Fault::file("lock", path.display(), error);
        let opened =
            File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut lock = opened.map_err(|error| fault(&error))?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if is_free_soon(folder, &lock, began.elapsed()) => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => return Err(taken(folder, &lock)),
                Err(TryLockError::Error(error)) => return Err(fault(&error)),
            }
        }
        let pid = std::process::id().to_string();
        let written = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(pid.as_bytes()));
        written.map_err(|error| fault(&error))?;
        Ok(Self { folder: folder.to_owned(), _lock: lock })
    }
}

/// Whether who has the lock of a folder may be waited for, after so long: who crawls listens, and
/// all others are done soon.
fn is_free_soon(folder: &Path, lock: &File, waited: Duration) -> bool {
    let reads = || !folder.join(SOCKET_NAME).exists();
    waited < LOOK_MAX && is_only_looked_at(lock) || waited < READ_MAX && reads()
}

/// Whether those who have the lock only ask who works there: they share it, for a moment.
fn is_only_looked_at(lock: &File) -> bool {
    lock.try_lock_shared().is_ok_and(|()| lock.unlock().is_ok())
}

/// The settings of the crawl in a folder, whoever works on it.
pub(crate) fn settings(folder: &Path) -> Result<Settings, Fault> {
    is_there(folder)?;
    Settings::read(&folder.join(FILE_NAME))
}

/// Whether there is a crawl in a folder, whatever is in its settings.
pub(crate) fn is_there(folder: &Path) -> Result<(), Fault> {
    match folder.join(FILE_NAME).try_exists() {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(Fault::file("look into", folder.display(), &error))
        }
        Ok(false) | Err(_) => Err(no_crawl(folder)),
    }
}

pub(crate) fn no_crawl(folder: &Path) -> Fault {
    Fault::usage(
        format!("{} holds no crawl", folder.display()),
        "the folder that `rhumb crawl -o DIR` was given",
    )
}

/// Who works on a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Nobody.
    Nobody,
    /// A process, by its number if that is known.
    Process(Option<u32>),
}

/// Who works on a folder at this moment.
pub(crate) fn holder(folder: &Path) -> io::Result<Holder> {
    let lock = match File::open(folder.join(LOCK_NAME)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Holder::Nobody),
        opened => opened?,
    };
    // Shared, so that two who look do not see each other.
    match lock.try_lock_shared() {
        Ok(()) => Ok(Holder::Nobody),
        Err(TryLockError::WouldBlock) => Ok(Holder::Process(pid(&lock))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The number of the process that wrote it; without its number it is still there.
fn pid(lock: &File) -> Option<u32> {
    let mut pid = String::new();
    drop(lock.take(PID_BYTES_MAX).read_to_string(&mut pid));
    pid.trim().parse().ok()
}

/// A folder that another process works on.
fn taken(folder: &Path, lock: &File) -> Fault {
    let (who, how) = match pid(lock) {
        Some(pid) => {
            (format!("another rhumb (pid {pid})"), format!("kill {pid}, which ends it cleanly"))
        }
        None => ("another rhumb".to_owned(), "wait for its end".to_owned()),
    };
    Fault::usage(
        format!("{who} works on {}", folder.display()),
        format!("{how}, or another folder with -o DIR"),
    )
}

/// A folder for a new crawl is not there yet, or holds nothing but what a failed start left.
fn check_vacant(folder: &Path) -> Result<(), Fault> {
    let shown = folder.display();
    let fault = |error| Fault::file("create the crawl's folder", &shown, &error);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(fault)?,
    };
    for entry in entries {
        let name = entry.map_err(fault)?.file_name();
        if name == FILE_NAME {
            return Err(Fault::usage(
                format!("{shown} holds a crawl already"),
                format!("{}, or another folder with -o DIR", crate::word::resume(folder)),
            ));
        }
        if name != LOCK_NAME && name != NEW_NAME {
            return Err(Fault::usage(
                format!("{shown} holds something else, or a crawl without its crawl.toml"),
                "an empty or new folder with -o DIR, or put the crawl.toml back",
            ));
        }
    }
    Ok(())
}

/// Puts the settings in the place of those that were there, as a whole or not at all.
fn write(folder: &Path, settings: &Settings) -> io::Result<()> {
    let disk = rhumb_disk::real();
    let (new, path) = (folder.join(NEW_NAME), folder.join(FILE_NAME));
    if disk.exists(&new)? {
        disk.remove(&new)?;
    }
    let mut file = disk.create(&new)?;
    let written = file.append(settings.text().as_bytes()).and_then(|()| file.sync());
    let placed = written.and_then(|()| disk.rename(&new, &path));
    if placed.is_err() {
        drop(disk.remove(&new));
    }
    placed?;
    disk.sync_folder(folder)
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn settings(tries: u8) -> Settings {
        let seeds = vec!["https://example.org/".to_owned()];
        Settings { seeds, tries: Some(tries), ..Settings::default() }
    }

    #[track_caller]
    fn check_refused<T: std::fmt::Debug>(result: Result<T, Fault>, code: u8, what: &str) {
        let Err(Fault::Loud { what: told, code: given, .. }) = result else {
            panic!("{result:?} is no refusal")
        };
        assert!(told.contains(what), "{told}");
        assert_eq!(given, code, "{told}");
    }

    #[test]
    fn a_crawl_is_found_again_with_its_last_settings() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("a/b");
        assert!(Home::open(&folder).expect("vacant").is_none());
        assert!(!folder.exists(), "looking makes nothing");
        drop(Home::create(&folder, &settings(2)).expect("created"));
        let (home, found) = Home::open(&folder).expect("opened").expect("there is one");
        assert_eq!(found, settings(2));
        home.save(&settings(5)).expect("saved");
        drop(home);
        let (_, found) = Home::open(&folder).expect("opened").expect("there is one");
        assert_eq!(found, settings(5));
        check_refused(Home::create(&folder, &settings(1)), 2, "holds a crawl already");
        let mut names: Vec<_> = std::fs::read_dir(&folder)
            .expect("it is there")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, [LOCK_NAME, FILE_NAME]);
    }

    #[test]
    fn a_folder_belongs_to_one_at_a_time_and_the_other_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Home::create(folder.path(), &settings(2)).expect("created");
        let named = format!("another rhumb (pid {}) works on", std::process::id());
        check_refused(Home::open(folder.path()), 2, &named);
        let process = Holder::Process(Some(std::process::id()));
        assert_eq!(holder(folder.path()).expect("looked"), process);
        drop(home);
        assert_eq!(holder(folder.path()).expect("looked"), Holder::Nobody);
        assert!(Home::open(folder.path()).expect("free again").is_some());
    }

    #[test]
    fn who_only_looks_is_in_nobodys_way() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Home::create(folder.path(), &settings(2)).expect("created"));
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    holder(folder.path()).expect("looked");
                }
            });
            let opened: Vec<bool> = (0..200)
                .map(|_| Home::open(folder.path()).is_ok_and(|home| home.is_some()))
                .collect();
            is_over.store(true, Ordering::Relaxed);
            assert!(opened.iter().all(|is| *is), "{opened:?}");
        });
    }

    #[test]
    fn what_a_start_without_end_left_is_no_crawl_and_in_nobodys_way() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(LOCK_NAME), "1").expect("written");
        std::fs::write(folder.path().join(NEW_NAME), "tri").expect("written");
        assert!(Home::open(folder.path()).expect("vacant").is_none());
        drop(Home::create(folder.path(), &settings(2)).expect("created"));
        std::fs::write(folder.path().join(NEW_NAME), "tri").expect("written");
        let (home, found) = Home::open(folder.path()).expect("opened").expect("there is one");
        assert_eq!(found, settings(2));
        home.save(&settings(3)).expect("saved");
        assert!(!folder.path().join(NEW_NAME).exists());
    }
}
