//! The crawl of the test, as a user types it, watched from outside.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rhumb_crawl::control::{Question, Reply, ask};
use rhumb_measure::run::{Cores, Taken};
use rhumb_testweb::Served;
use rustix::process::{Pid, Signal, kill_process};

use super::looks::{Look, full_speed};
use super::number;
use super::steps::{Steps, Stop};
use crate::fault::Fault;
use crate::quantity::{counted, grouped};

/// A crawl that takes longer ends: what it has done by then is as good to measure.
const TIME_MAX: &str = "10s";
/// And one that does not end is killed.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often it is asked what holds it back.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// What came of the crawl.
#[derive(Debug)]
pub(super) struct Crawled {
    /// Pages that were asked for, of how many.
    pub(super) pages: u64,
    pub(super) of: u64,
    /// Pages that were asked for more than once.
    pub(super) repeats: u64,
    pub(super) taken: Taken,
    /// Pages a second at full speed, or of the whole run if that was short.
    pub(super) pages_per_s: f64,
    pub(super) is_short: bool,
    /// Cores that the crawl had, and how much of them it used at full speed.
    pub(super) cores: usize,
    pub(super) busy: f64,
    /// How much of them programs used that are no part of the test.
    pub(super) others_busy: f64,
    /// How much of its core the server used at full speed.
    pub(super) server_busy: f64,
    /// Server and crawl had the same core.
    pub(super) is_shared: bool,
    /// What held it back, as it said itself: the disk or memory, or nothing of the two.
    pub(super) held_back_by: Option<String>,
}

/// Crawls the web on these cores, or on the one that the server has too.
pub(super) fn run(
    served: &Served,
    folder: &Path,
    cores: &Cores,
    is_shared: bool,
    steps: &mut Steps<'_>,
) -> Result<Crawled, Fault> {
    let count = |length: usize| u64::try_from(length).expect("a length fits 64 bits");
    let of = count(served.web().pages.len());
    steps.next(&format!("crawling {}", counted(of, "page")))?;
    let home = folder.join("crawl");
    let mut command = command(served, &home)?;
    let started = steps.stop.start(|| cores.start(&mut command));
    let mut running = started.map_err(|error| failed(&error))?;
    let (pid, stderr) = (running.pid(), running.child().stderr.take());
    let mut looks = vec![Look::now(Duration::ZERO, 0, pid, cores)];
    let mut asked = Asked::default();
    let taken = running.watch(PATIENCE, |at| {
        end_if_asked(steps.stop, pid);
        let pages = served.pages_answered();
        looks.push(Look::now(at, pages, pid, cores));
        steps.show(&format!("crawling: {} of {}", grouped(pages), counted(of, "page")));
        asked.look(at, || held_back(&home));
    });
    steps.stop.check()?;
    let taken = taken.map_err(|error| failed(&error))?;
    if !taken.status.success() {
        let said = stderr.and_then(|said| std::io::read_to_string(said).ok()).unwrap_or_default();
        let why = said.lines().find_map(|line| line.strip_prefix("error: "));
        let why = why.unwrap_or("it does not say why");
        let what = format!("the crawl of the test failed: {why}");
        return Err(Fault::failed(what, "rhumb demo, which crawls a smaller web"));
    }
    let witness = served.witness();
    let pages = count(witness.pages.len());
    let stretch = full_speed(&looks);
    let whole = Look { pages, at: taken.wall, crawl: taken.cpu, ..Look::default() };
    let full = stretch.unwrap_or(whole);
    let seconds = full.at.as_secs_f64().max(1e-3);
    let cores_count = cores.numbers().len();
    let share = |time: Duration, cores: usize| {
        (time.as_secs_f64() / seconds / number(count(cores))).min(1.0)
    };
    let ours = if is_shared { full.crawl + full.server } else { full.crawl };
    Ok(Crawled {
        pages,
        of,
        repeats: count(witness.repeats.len()),
        taken,
        pages_per_s: number(full.pages) / seconds,
        is_short: stretch.is_none(),
        cores: cores_count,
        busy: share(full.crawl, cores_count),
        others_busy: share(full.cores.saturating_sub(ours), cores_count),
        server_busy: share(full.server, 1),
        is_shared,
        held_back_by: asked.held_back_by,
    })
}

fn command(served: &Served, home: &Path) -> Result<Command, Fault> {
    let this = std::env::current_exe().map_err(|error| failed(&error))?;
    let mut command = Command::new(this);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.arg("crawl").args(served.seeds()).arg("-o").arg(home);
    command.args(["--scope", "any", "--contact", "https://rhumb.example/bench", "--allow-private"]);
    command.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--max-time", TIME_MAX]);
    command.arg("-q").arg("--dns").arg(served.dns().to_string());
    Ok(command)
}

fn failed(error: &std::io::Error) -> Fault {
    Fault::failed(format!("cannot run the crawl of the test: {error}"), "rhumb demo")
}

/// The crawl of a test is not worth an end in good order.
fn end_if_asked(stop: &Stop, pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid.filter(|_| stop.is_asked()) {
        // It is not reaped yet, so the number is still its own.
        kill_process(pid, Signal::KILL).ok();
    }
}

/// What a crawl has said while it ran.
#[derive(Default)]
struct Asked {
    last: Duration,
    held_back_by: Option<String>,
}

impl Asked {
    /// Asks if it is time to. The processor is watched from outside, and near its end a crawl only
    /// waits for the last pages: an answer that names neither disk nor memory changes nothing.
    fn look(&mut self, at: Duration, ask: impl FnOnce() -> Option<String>) {
        if at.saturating_sub(self.last) < ASK_EVERY {
            return;
        }
        self.last = at;
        if let Some(word) = ask().filter(|word| ["disk", "memory"].contains(&word.as_str())) {
            self.held_back_by = Some(word);
        }
    }
}

/// What a running crawl says of itself; one that does not answer says nothing.
fn held_back(home: &Path) -> Option<String> {
    match ask(home, &Question::Status).ok()?? {
        Reply::Status(status) => Some(status.held_back_by),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answer_that_names_disk_or_memory_counts() {
        let mut asked = Asked::default();
        let mut check = |ms, answer: Option<&str>, expect: Option<&str>| {
            asked.look(Duration::from_millis(ms), || answer.map(str::to_owned));
            assert_eq!(asked.held_back_by.as_deref(), expect, "at {ms} ms");
        };
        check(20, Some("disk"), None);
        check(1_000, Some("cpu"), None);
        check(1_980, Some("disk"), None);
        check(2_000, Some("disk"), Some("disk"));
        check(3_020, Some("memory"), Some("memory"));
        check(4_020, Some("nothing"), Some("memory"));
        check(5_020, None, Some("memory"));
    }
}
