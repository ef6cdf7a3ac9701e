//! What it costs a crawl at full speed to be asked: the same web is crawled in turns, left alone
//! and with `status --watch`, `why` and `pause` beside it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Spec};

use crate::seen::Outcome;

/// Rounds; each crawls the web once alone and once asked, in turns.
const ROUNDS: usize = 5;
/// One look, one question and one pause of no length a second.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Parts of a second in which the kernel counts processor time.
const KERNEL_HERTZ: f64 = 100.0;

/// One crawl.
struct Run {
    pages_per_second: f64,
    pages_per_cpu_second: f64,
}

/// Crawls a web of so many pages, alone and asked.
pub fn measure(pages: u64) -> Outcome {
    let mut spec = Spec::sized(3, 400, usize::try_from(pages)?);
    (spec.bad_hosts, spec.traps, spec.https) = (false, false, false);
    spec.body_bytes = 20_000;
    let served = Served::start_on_thread(&spec)?;
    let (mut alone, mut asked) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Who goes first changes: a machine grows warm.
        for is_asked in [round % 2 == 0, round % 2 == 1] {
            let run = crawl(&served, is_asked)?;
            println!(
                "{:<6} {:>7.0} pages/s {:>7.0} pages per CPU-second",
                if is_asked { "asked" } else { "alone" },
                run.pages_per_second,
                run.pages_per_cpu_second,
            );
            if is_asked { asked.push(run) } else { alone.push(run) }
        }
    }
    let median = |runs: &[Run], of: fn(&Run) -> f64| {
        let mut values: Vec<f64> = runs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let ratio = |of| median(&asked, of) / median(&alone, of);
    println!(
        "asked over alone: {:.3} in pages/s, {:.3} in pages per CPU-second of the crawl",
        ratio(|run| run.pages_per_second),
        ratio(|run| run.pages_per_cpu_second),
    );
    Ok(())
}

fn rhumb() -> Command {
    let path = std::env::var_os("RHUMB").unwrap_or_else(|| "target/release/rhumb".into());
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn crawl(served: &Served, is_asked: bool) -> Result<Run, Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("crawl");
    let mut command = rhumb();
    command.arg("crawl").args(served.seeds()).arg("-o").arg(&folder).args([
        "--scope",
        "any",
        "--contact",
        "bench@example.org",
        "--allow-private",
        "--delay",
        "0s",
        "--ip-delay",
        "0s",
        "--tries",
        "1",
        "-q",
        "--dns",
    ]);
    let from = Instant::now();
    let mut child = command.arg(served.dns().to_string()).spawn()?;
    let mut watch: Option<Child> = None;
    let (mut cpu, mut asked_at) = (0.0, Instant::now());
    while child.try_wait()?.is_none() {
        cpu = cpu_seconds(child.id()).unwrap_or(cpu);
        let is_there = folder.join("control.sock").exists();
        if is_asked && is_there && watch.is_none() {
            watch = Some(rhumb().arg("status").arg(&folder).args(["--watch", "--json"]).spawn()?);
        }
        if is_asked && is_there && asked_at.elapsed() >= ASK_EVERY {
            asked_at = Instant::now();
            let seed = served.seeds().remove(0);
            rhumb().arg("why").arg(&folder).args([&seed, "--json"]).status()?;
            rhumb().arg("pause").arg(&folder).status()?;
            rhumb().arg("resume").arg(&folder).status()?;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let seconds = from.elapsed().as_secs_f64();
    if let Some(mut watch) = watch {
        watch.wait()?;
    }
    let pages = fetched(&folder)?;
    Ok(Run { pages_per_second: pages / seconds, pages_per_cpu_second: pages / cpu })
}

/// What a crawl that has ended says it has fetched.
fn fetched(folder: &Path) -> Result<f64, Box<dyn std::error::Error>> {
    let told = rhumb().stdout(Stdio::piped()).arg("status").arg(folder).arg("--json").output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let count = told.split("\"pages\":").nth(1).and_then(|rest| rest.split(',').next());
    Ok(count.ok_or("a status without pages")?.parse()?)
}

fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = stat.rsplit_once(')')?.1;
    let ticks = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks: Option<Vec<u32>> = ticks.map(|text| text.parse().ok()).collect();
    Some(f64::from(ticks?.iter().sum::<u32>()) / KERNEL_HERTZ)
}
