//! What likely changed since earlier crawls goes first.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::content::{page, prose};
use crate::raw::{RawServer, missing};
use crate::run::{Run, collect, command, finish};
use crate::usage::check_refused;

const PAGES: u64 = 16;
/// Pages of them whose words are others at each round.
const BUSY: [u64; 3] = [4, 9, 14];
/// A page that has another date and another token at each round, and the same words.
const DATED: u64 = 7;
/// Pages that are there from the third round on.
const NEW: [u64; 2] = [100, 101];

/// A site that changes from round to round.
struct Site {
    server: RawServer,
    round: Arc<AtomicU64>,
}

impl Site {
    fn start() -> Self {
        let round = Arc::new(AtomicU64::new(1));
        let now = Arc::clone(&round);
        let server = RawServer::start(move |target| {
            let round = now.load(Ordering::SeqCst);
            if target == "/" {
                let new = NEW.into_iter().filter(|_| round > 2);
                let pages: Vec<String> = (0..PAGES).chain(new).map(|n| format!("/{n}")).collect();
                return page("Home", &prose(999, 60), &pages);
            }
            let Ok(number) = target.trim_start_matches('/').parse::<u64>() else {
                return missing();
            };
            let said = if BUSY.contains(&number) { number + 1_000 * round } else { number };
            let mut text = prose(said, 60);
            if number == DATED {
                write!(text, "<i title=\"t{round}\">{round} of 2026</i>").expect("text");
            }
            page("A page", &text, &[])
        });
        Self { server, round }
    }

    /// A crawl of it in this round, in the order of its links but for what is known.
    fn crawl(&self, folder: &Path, round: u64, words: &[&str]) -> Command {
        self.round.store(round, Ordering::SeqCst);
        let mut crawl = command(folder);
        crawl.args(["crawl", &self.server.url("/"), "--json", "--allow-private", "--order", "bfs"]);
        crawl.args(["--delay", "0s", "--ip-delay", "0s"]).args(words);
        crawl
    }

    /// The folder of two crawls of its first rounds, `one` and `two`, of which the first is two
    /// days old and the second one.
    fn two_crawls(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (round, name) in [(1, "one"), (2, "two")] {
            let run = finish(self.crawl(folder.path(), round, &["-o", name]), "");
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            date(&folder.path().join(name), 3 - round);
        }
        folder
    }

    /// The numbers of the pages that were asked for since this many requests.
    fn asked_since(&self, before: usize) -> Vec<u64> {
        let asked = self.server.asked().into_iter().skip(before);
        asked.filter_map(|target| target.trim_start_matches('/').parse().ok()).collect()
    }
}

/// Dates a crawl back to so many days ago, as far as its indexes tell.
fn date(folder: &Path, days: u64) {
    let then = SystemTime::now() - Duration::from_secs(days * 86_400);
    let text = humantime::format_rfc3339_seconds(then).to_string();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    for entry in std::fs::read_dir(folder.join("archive")).expect("there is an archive") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "cdxj") {
            let lines = std::fs::read_to_string(&path).expect("an index is text");
            let dated = lines.lines().map(|line| {
                let (key, rest) = line.split_once(' ').expect("a key");
                let (_, rest) = rest.split_once(' ').expect("a moment");
                format!("{key} {digits} {rest}\n")
            });
            std::fs::write(&path, dated.collect::<String>()).expect("written");
        }
    }
}

/// Busy pages first, then the new ones, then all that never changed; each in the order of links.
fn expected() -> Vec<u64> {
    let still = (0..PAGES).filter(|page| !BUSY.contains(page));
    BUSY.into_iter().chain(NEW).chain(still).collect()
}

#[test]
fn pages_that_changed_between_earlier_crawls_go_first_and_those_that_never_did_last() {
    let site = Site::start();
    let folder = site.two_crawls();
    let before = site.server.asked().len();
    let earlier = ["-o", "new", "--earlier", "one", "--earlier", "two", "--earlier", "./one"];
    let run = finish(site.crawl(folder.path(), 3, &earlier), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(site.asked_since(before), expected());
    let told = format!("earlier: 17 pages of 2 crawls, {} likely changed\n", BUSY.len());
    assert!(run.stderr.contains(&told), "{}", run.stderr);
}

#[test]
fn a_settings_file_can_name_earlier_crawls_as_well() {
    let site = Site::start();
    let folder = site.two_crawls();
    let file = folder.path().join("mine.toml");
    std::fs::write(file, "earlier = [\"one\", \"two\"]\n").expect("written");
    let before = site.server.asked().len();
    let run = finish(site.crawl(folder.path(), 3, &["-o", "new", "--config", "mine.toml"]), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(site.asked_since(before), expected());
}

#[test]
fn with_one_earlier_crawl_and_with_none_the_order_is_that_of_the_crawl() {
    let site = Site::start();
    let folder = site.two_crawls();
    let in_order: Vec<u64> = (0..PAGES).chain(NEW).collect();
    for (name, earlier) in [("alone", &["--earlier", "one"][..]), ("none", &[])] {
        let before = site.server.asked().len();
        let run = finish(site.crawl(folder.path(), 3, &[&["-o", name], earlier].concat()), "");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(site.asked_since(before), in_order, "{name}");
        let told = run.stderr.contains("earlier: 17 pages of 1 crawl, 0 likely changed\n");
        assert_eq!(told, name == "alone", "{}", run.stderr);
    }
}

#[test]
fn what_goes_first_still_does_after_a_kill_and_from_another_folder() {
    let site = Site::start();
    let folder = site.two_crawls();
    let before = site.server.asked().len();
    let words = ["-o", "new", "--earlier", "one", "--earlier", "two", "--max-pages", "3"];
    let run = finish(site.crawl(folder.path(), 3, &words), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(site.asked_since(before), BUSY[..2]);
    // Killed as soon as it has fetched one more page.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let again = |pages: &str| {
        let mut again = command(elsewhere.path());
        let new = folder.path().join("new");
        again.args(["crawl", "--json", "--max-pages", pages, "-o"]).arg(new);
        again
    };
    let mut child = again("99")
        .args(["--delay", "200ms"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut event = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().expect("it was piped"));
    std::io::BufRead::read_line(&mut out, &mut event).expect("an event");
    child.kill().expect("it runs");
    collect(child);
    let run = finish(again("99"), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // What was under way at the kill may be asked for once more.
    let mut asked = site.asked_since(before);
    asked.dedup();
    assert_eq!(asked, expected());
}

#[track_caller]
fn check_told(run: &Run, what: &str) {
    check_refused(run, 2, what);
    assert!(run.stderr.contains("--earlier none"), "{}", run.stderr);
}

#[test]
fn a_folder_that_is_of_no_use_is_refused_before_anything_is_requested() {
    let site = Site::start();
    let folder = site.two_crawls();
    let before = site.server.asked().len();
    std::fs::create_dir(folder.path().join("empty")).expect("made");
    std::fs::create_dir(folder.path().join("broken")).expect("made");
    let settings = std::fs::read(folder.path().join("one/crawl.toml")).expect("it is there");
    std::fs::write(folder.path().join("broken/crawl.toml"), settings).expect("written");
    std::fs::write(folder.path().join("broken/archive"), "no folder").expect("written");
    let run = |words: &[&str]| finish(site.crawl(folder.path(), 3, words), "");
    let new = |words: &[&str]| {
        let run = run(&[&["-o", "new"], words].concat());
        assert!(!folder.path().join("new").exists(), "nothing is made of it");
        run
    };
    check_told(&new(&["--earlier", "nowhere"]), "nowhere: there is no such folder");
    check_told(&new(&["--earlier", "one", "--earlier", "empty"]), "empty: it holds no crawl");
    check_told(&new(&["--earlier", "broken"]), "broken/archive: ");
    check_told(&new(&["--earlier", "none", "--earlier", "one"]), "none goes alone");
    check_told(&run(&["-o", "one", "--earlier", "./two/../one"]), "that is this crawl itself");
    assert_eq!(site.server.asked().len(), before);
}

#[test]
fn a_folder_that_vanished_is_told_with_how_to_go_on_without_it() {
    let site = Site::start();
    let folder = site.two_crawls();
    let before = site.server.asked().len();
    let earlier = ["-o", "new", "--earlier", "one", "--earlier", "two", "--max-pages", "3"];
    let run = finish(site.crawl(folder.path(), 3, &earlier), "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    std::fs::rename(folder.path().join("one"), folder.path().join("moved")).expect("moved");
    let on = |words: &[&str]| {
        let mut on = command(folder.path());
        on.args(["crawl", "-o", "new", "--max-pages", "99"]).args(words);
        finish(on, "")
    };
    check_told(&on(&[]), "one: there is no such folder");
    // Whoever only asks needs it not.
    let mut status = command(folder.path());
    status.args(["status", "new"]);
    assert_eq!(finish(status, "").code, Some(0));
    let run = on(&["--earlier", "none"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("earlier: "), "{}", run.stderr);
    let rest = (0..PAGES).chain(NEW).filter(|page| !BUSY[..2].contains(page));
    let all: Vec<u64> = BUSY[..2].iter().copied().chain(rest).collect();
    assert_eq!(site.asked_since(before), all);
    let text = std::fs::read_to_string(folder.path().join("new/crawl.toml")).expect("it is there");
    assert!(text.contains("earlier = [\"none\"]"), "{text}");
}
