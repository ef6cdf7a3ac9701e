//! Whatever happens to the process or to its files: nothing is lost, and nothing is kept twice.
//!
//! The server lives here; the crawler is the real binary, killed with signal 9. What a run told
//! on stdout before it died is what it had settled; what the server was asked for beyond that was
//! in flight, and only that may be asked for again.

mod cuts;
mod damage;
mod ending;
mod indexed;
mod kept;
mod kills;
mod room;
mod witnessed;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rhumb_testweb::{Expected, Served, Spec};
use serde_json::Value;

use crate::run::{command, crawl_command};
use witnessed::Judge;

/// A run that says nothing for so long hangs.
const SILENCE_MAX: Duration = Duration::from_mins(2);

/// Seeded chance: splitmix64.
struct Dice(u64);

impl Dice {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// A crawl that is run again and again.
struct Trial {
    served: Served,
    expected: Expected,
    folder: tempfile::TempDir,
    flags: Vec<&'static str>,
    delay: Duration,
    /// URLs that runs told the end of, and when.
    told: BTreeMap<String, Instant>,
    /// How many of them are pages of the web.
    pages_told: usize,
    judge: Judge,
}

/// A run under way.
struct Going {
    child: Child,
    /// What it tells, and when.
    lines: Receiver<(Instant, String)>,
    stderr: JoinHandle<String>,
}

/// A run that has ended.
struct Gone {
    status: ExitStatus,
    stderr: String,
}

impl Going {
    fn start(mut command: Command) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the binary starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        let stderr = child.stderr.take().expect("it was piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // The last line of a killed process may be torn: without its end it was not told.
            let mut line = String::new();
            while stdout.read_line(&mut line).is_ok_and(|_| line.ends_with('\n')) {
                drop(sender.send((Instant::now(), std::mem::take(&mut line))));
            }
        });
        let read = move || std::io::read_to_string(stderr).unwrap_or_default();
        Self { child, lines, stderr: std::thread::spawn(read) }
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for its end; the lines that nobody has heard yet come with it.
    fn end(mut self) -> (Gone, Vec<(Instant, String)>) {
        let mut lines = Vec::new();
        let silence = loop {
            match self.lines.recv_timeout(SILENCE_MAX) {
                Ok(line) => lines.push(line),
                Err(silence) => break silence,
            }
        };
        let hangs = silence == RecvTimeoutError::Timeout;
        if hangs {
            self.child.kill().expect("it is ours");
        }
        let status = self.child.wait().expect("it can be waited for");
        let stderr = self.stderr.join().expect("it was read");
        assert!(!hangs, "it hangs: {stderr}");
        (Gone { status, stderr }, lines)
    }
}

impl Trial {
    fn new(spec: &Spec, flags: &[&'static str], delay: Duration) -> Self {
        let served = Served::start_on_thread(spec).expect("the web is served");
        Self {
            expected: served.expected(),
            judge: Judge::new(&served),
            served,
            folder: tempfile::tempdir().expect("a folder"),
            flags: flags.to_vec(),
            delay,
            told: BTreeMap::new(),
            pages_told: 0,
        }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("crawl")
    }

    /// The command of the crawl; once there is one, the folder knows all the rest.
    fn command(&self) -> Command {
        if !self.dir().join("crawl.toml").exists() {
            return crawl_command(&self.served, self.folder.path(), &self.flags);
        }
        let mut resume = command(self.folder.path());
        resume.env("SSL_CERT_FILE", self.folder.path().join("ca.pem"));
        resume.args(["crawl", "-o", "crawl", "--json"]);
        resume
    }

    fn hear(&mut self, (at, line): &(Instant, String)) {
        let event: Value = serde_json::from_str(line).expect("stdout is JSON lines");
        if event["event"] == "summary" || event["event"] == "refused" {
            return;
        }
        let url = event["url"].as_str().expect("a URL").to_owned();
        let is_page = self.expected.pages.contains_key(&url);
        let is_new = self.told.insert(url, *at).is_none();
        self.pages_told += usize::from(is_page && is_new);
    }

    /// Starts a run and hears it until so many pages of the web are told.
    #[expect(clippy::panic, reason = "a run that ends too early is a failed test")]
    fn run_until(&mut self, pages: usize) -> Going {
        let going = Going::start(self.command());
        while self.pages_told < pages {
            let Ok(line) = going.lines.recv_timeout(SILENCE_MAX) else {
                let (gone, _) = going.end();
                panic!("it ended with {:?}: {}", gone.status, gone.stderr);
            };
            self.hear(&line);
        }
        going
    }

    /// Kills a run after a while, whatever it is about to do.
    fn kill(&mut self, mut going: Going, after: Duration) -> Gone {
        // Nothing is waited for: the moment is the subject.
        std::thread::sleep(after);
        going.child.kill().expect("it is ours");
        self.follow(going)
    }

    /// Runs to the end.
    fn finish(&mut self) -> Gone {
        let going = Going::start(self.command());
        self.follow(going)
    }

    /// Hears a run to its end, and judges what the server saw of it.
    fn follow(&mut self, going: Going) -> Gone {
        let (gone, lines) = going.end();
        let ended = Instant::now();
        for line in &lines {
            self.hear(line);
        }
        self.judge.run_ended(&witnessed::settled(&self.served), &mut self.told, ended);
        let is_page = |url: &&String| self.expected.pages.contains_key(*url);
        self.pages_told = self.told.keys().filter(is_page).count();
        gone
    }

    /// Every page was fetched, politely and by the rules, and archived exactly once.
    fn check(&self) {
        let witness = self.served.witness();
        let missing = self.expected.missing(&witness);
        let extra = self.expected.extra(&witness);
        assert!(missing.is_empty(), "{} not fetched, as {:?}", missing.len(), missing.first());
        assert!(extra.is_empty(), "{} without reason, as {:?}", extra.len(), extra.first());
        assert_eq!(witness.robots_violations, Vec::new(), "against robots.txt");
        assert_eq!(witness.decoys, Vec::<String>::new(), "not links");
        assert_eq!(witness.unknown, Vec::<String>::new(), "made up");
        let mut hurried = witness.hurried(self.delay);
        // A crawl-delay is not known before robots.txt is read; where that was in flight at an
        // end, and is asked for again, the usual gap holds.
        let is_new = |host: &str| witness.hosts[host].robots_requests > 1;
        hurried.retain(|(host, gap)| !is_new(host) || *gap < self.delay);
        assert_eq!(hurried, Vec::new(), "visited too early");
        assert_eq!(witness.crowded(), Vec::<String>::new(), "two at once");
        kept::check(&self.dir(), &self.expected);
    }

    /// The shortest gap at any host, over all runs.
    fn shortest_gap(&self) -> Duration {
        let witness = self.served.witness();
        witness.hosts.values().filter_map(|host| host.min_gap).min().expect("gaps")
    }
}

/// The names in a folder of the crawl; none where there is no such folder yet.
fn names(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeSet::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect()
}

/// Whether a name ends in a dot and this.
fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == ending)
}

/// Every file below a folder with its bytes; the lock and the socket of a killed crawl aside.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() && path.file_name().is_some_and(|name| name != "LOCK") {
                found.insert(path.clone(), std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
