//! How quickly an index is made: of a crawl at rest, on one core; and of one that runs, on all.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rhumb_index::Searcher;
use rhumb_measure::run::{Cores, Taken};
use rhumb_testweb::{Served, Spec};

use crate::crawl::program;
use crate::seen::{self, Outcome};

/// What follows the name of this benchmark.
pub const USAGE: &str = "index [--pages N]";
const PAGES: u64 = 10_000;
const HOSTS: usize = 500;
const RUNS: usize = 3;
const PATIENCE: Duration = Duration::from_mins(20);
/// Pages of 21 KB a second of processor time, at rest.
const RATE_MIN: f64 = 1_500.0;
/// What of its rate a crawl keeps that indexes as it goes.
const KEPT_MIN: f64 = 0.5;

/// Crawls a web with and without an index in turns, and indexes what was crawled without.
pub fn measure(words: &[&str]) -> Outcome {
    let pages = match words {
        [] => PAGES,
        ["--pages", count] => seen::count(count)?,
        _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
    };
    let served = Served::start_on_thread(&Spec::bench(HOSTS, usize::try_from(pages)?))?;
    let cores = Cores::allowed()?;
    let last = cores.split(cores.numbers().len() - 1).1;
    println!("what              seconds   CPU-s   pages/s   pages/CPU-s   peak MB");
    let (mut plain, mut indexed, mut at_rest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let folder = tempfile::tempdir_in("target")?;
        let (one, other) = (folder.path().join("plain"), folder.path().join("indexed"));
        let taken = run(&cores, &mut crawl(&served, &one))?;
        plain.push(tell("crawl", pages, &taken).0);
        let taken = run(&cores, crawl(&served, &other).arg("--index"))?;
        indexed.push(tell("crawl --index", pages, &taken).0);
        let taken = run(&last, Command::new(program()).arg("index").arg(&one))?;
        at_rest.push(tell("index, one core", pages, &taken).1);
        for crawl in [&one, &other] {
            let held = Searcher::open(&crawl.join("index"))?.documents();
            if held < pages {
                return Err(format!("{held} of {pages} pages are in the index").into());
            }
        }
    }
    let (rate, kept) = (median(&mut at_rest), median(&mut indexed) / median(&mut plain));
    println!("{rate:.0} pages a CPU-second at rest; a crawl keeps {kept:.2} of its rate (medians)");
    if rate < RATE_MIN || kept < KEPT_MIN {
        return Err(format!("below {RATE_MIN} pages a CPU-second, or {KEPT_MIN} kept").into());
    }
    Ok(())
}

fn crawl(served: &Served, folder: &Path) -> Command {
    served.forget();
    let mut command = Command::new(program());
    command.arg("crawl").args(served.seeds()).arg("-o").arg(folder);
    command.args(["--scope", "any", "--contact", "bench@example.org", "--allow-private"]);
    command.arg("--dns").arg(served.dns().to_string());
    command.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "-q"]);
    command
}

fn run(cores: &Cores, command: &mut Command) -> Result<Taken, String> {
    rustix::fs::sync();
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let running = cores.start(command).map_err(|e| format!("cannot start rhumb: {e}"))?;
    let taken = running.watch(PATIENCE, |_| {}).map_err(|e| e.to_string())?;
    if taken.status.success() {
        Ok(taken)
    } else {
        Err(format!("{command:?} ended with {}", taken.status))
    }
}

/// Prints a line; pages a second, and a second of processor time.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn tell(what: &str, pages: u64, taken: &Taken) -> (f64, f64) {
    let (seconds, cpu) = (taken.wall.as_secs_f64(), taken.cpu.as_secs_f64());
    let (rate, per_cpu) = (pages as f64 / seconds, pages as f64 / cpu);
    let peak = taken.peak_bytes / 1_000_000;
    println!("{what:<16} {seconds:>8.2} {cpu:>7.2} {rate:>9.0} {per_cpu:>13.0} {peak:>9}");
    (rate, per_cpu)
}

fn median(rates: &mut [f64]) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
