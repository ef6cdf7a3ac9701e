//! Where crawls are run: the server on one core, the crawler on others, a fresh folder each time.

use std::cell::Cell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rhumb_measure::run::Cores;
use rhumb_testweb::{Expected, Served};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::contender::Contender;
use super::figures::{Figures, Samples};
use super::setting::Setting;
use crate::peers;

/// Longer than any crawl that is worth waiting for.
const CRAWL_MAX: Duration = Duration::from_mins(10);
/// How long the server's ceiling is looked for.
const CEILING_SECONDS: u32 = 3;
/// Below the folder that cargo builds in: a disk as a crawl would use, not one in memory.
const SCRATCH: &str = "target/bench/crawls";
/// What a program says when it fails is in its last lines.
const TALK_LINES: usize = 5;

/// The cores of the machine, shared out, and a folder for what crawls write.
pub struct Grounds {
    all: Cores,
    server: Cores,
    scratch: PathBuf,
    /// How many folders of crawls were made in it.
    folders: Cell<usize>,
    keep: bool,
}

/// What crawls wrote goes when all are over, unless it is to be kept: files that are removed
/// between two runs slow the next one down.
impl Drop for Grounds {
    fn drop(&mut self) {
        if self.keep {
            eprintln!("  kept in {}", self.scratch.display());
        } else {
            fs::remove_dir_all(&self.scratch).ok();
        }
    }
}

impl Grounds {
    /// Of this machine. Folders of crawls are kept if so wished.
    pub fn new(keep: bool) -> Result<Self, String> {
        let all = Cores::allowed().map_err(|e| format!("cannot see the cores: {e}"))?;
        raise_file_limit();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let scratch = PathBuf::from(format!("{SCRATCH}/{}", now.as_secs()));
        fs::create_dir_all(SCRATCH)
            .and_then(|()| fs::create_dir(&scratch))
            .map_err(|e| format!("cannot make {}: {e}", scratch.display()))?;
        Ok(Self { server: all.first(1), all, scratch, folders: Cell::new(0), keep })
    }

    /// Makes a folder that no other crawl has, whatever it is called.
    fn folder(&self, name: &str) -> Result<PathBuf, String> {
        self.folders.set(self.folders.get() + 1);
        let folder = self.scratch.join(format!("{}-{name}", self.folders.get()));
        fs::create_dir(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// The cores of the crawler, and whether the server is on one of them.
    fn crawler(&self, threads: usize) -> (Cores, bool) {
        let others = self.all.split(1).1;
        if self.all.numbers().len() > threads {
            (others.first(threads), false)
        } else {
            (self.all.first(threads), true)
        }
    }

    /// What is not as it should be with so many threads, for the reader of the table.
    pub fn caveat(&self, threads: usize) -> Option<String> {
        self.crawler(threads).1.then(|| {
            format!(
                "server and crawler share a core: the machine gives {}",
                self.all.numbers().len()
            )
        })
    }

    /// Makes a web on all cores and serves it on the first.
    pub fn serve(&self, setting: Setting) -> Result<Stand<'_>, String> {
        let spec = setting.spec()?;
        let pin = |cores: &Cores| cores.pin().map_err(|e| format!("cannot pin to a core: {e}"));
        pin(&self.all)?;
        let served = Served::start_on_thread(&spec);
        pin(&self.server)?;
        let served = served.map_err(|e| format!("cannot serve {}: {e}", setting.title()))?;
        Ok(Stand { expected: served.expected(), served, setting, grounds: self })
    }
}

/// A web that is being served to be crawled.
pub struct Stand<'a> {
    served: Served,
    expected: Expected,
    /// What is served.
    pub setting: Setting,
    grounds: &'a Grounds,
}

impl Stand<'_> {
    /// Answers a second that the server gives at most, to a client on the crawler's cores.
    pub fn ceiling(&self) -> Result<f64, String> {
        if self.setting.https || self.setting.latency_ms > 0 {
            return Err("not asked for with TLS or latency".to_owned());
        }
        let cores = self.grounds.crawler(self.setting.threads).0;
        cores.on(|| peers::wrk(&self.served, CEILING_SECONDS)).map_err(|e| e.to_string())?
    }

    /// Crawls it once.
    pub fn run(&self, contender: Contender) -> Result<(Figures, PathBuf), String> {
        let name = contender.name();
        let setting = &self.setting;
        let title = setting.title().replace([' ', ',', ':'], "-");
        let folder = self.grounds.folder(&format!("{title}-{name}"))?;
        let talk = folder.join("talk");
        let made = |e| format!("cannot make {}: {e}", talk.display());
        let mut command = contender.command(&self.served, &folder, setting)?;
        command.stderr(File::create(&talk).map_err(made)?);
        self.served.forget();
        // What others have written is not to be waited for by this one.
        rustix::fs::sync();
        let cores = self.grounds.crawler(setting.threads).0;
        let running = cores.start(&mut command).map_err(|e| {
            format!("cannot start {}: {e}", command.get_program().to_string_lossy())
        })?;
        let mut samples = Samples::default();
        let taken = running
            .watch(CRAWL_MAX, |at| samples.push(at, self.served.pages_answered()))
            .map_err(|e| format!("{name}: {e}"))?;
        // Peers end with an error for reasons of their own; what counts is what they fetched.
        if contender == Contender::Rhumb && !taken.status.success() {
            return Err(format!("rhumb ended with {}\n{}", taken.status, last_lines(&talk)));
        }
        let seen = self.served.witness();
        let figures = Figures::of(setting, &taken, &samples, &seen, &self.expected);
        if figures.pages < 1.0 {
            return Err(format!("{name} fetched nothing\n{}", last_lines(&talk)));
        }
        Ok((figures, folder))
    }
}

/// A host of the web takes a file, and a connection another.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where it cannot be raised, a web that is too large fails by name.
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
}

fn last_lines(talk: &Path) -> String {
    let text = fs::read(talk).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TALK_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawls_of_the_same_name_have_folders_of_their_own() {
        let scratch = tempfile::tempdir().unwrap();
        let all = Cores::allowed().unwrap();
        let grounds = Grounds {
            server: all.first(1),
            all,
            scratch: scratch.path().to_owned(),
            folders: Cell::new(0),
            keep: false,
        };
        let folders = ["broad-rhumb"; 2].map(|name| grounds.folder(name).unwrap());
        assert_ne!(folders[0], folders[1]);
        // One that is there already is not taken.
        fs::create_dir(scratch.path().join("3-broad-rhumb")).unwrap();
        assert!(grounds.folder("broad-rhumb").unwrap_err().contains("3-broad-rhumb"));
    }
}
