//! Whether a page costs the same when millions of URLs are known: an endless web is crawled with
//! budgets and cash, and what its pages took is told for each million of known URLs.

mod endless;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use endless::Endless;

use crate::crawl::program;
use crate::seen::{self, Outcome};

/// What follows the name of this benchmark.
pub const USAGE: &str = "growth [--urls N] [--memory SIZE]";
const URLS: u64 = 10_000_000;
/// Ten lines and more are told.
const STEPS: u64 = 10;
/// A page at the end may cost so much of one at the beginning.
const GROWTH_MAX: f64 = 1.2;
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A step that takes longer has failed.
const STEP_MAX: Duration = Duration::from_mins(10);

/// What a process has taken so far.
#[derive(Clone, Copy, Default)]
struct Taken {
    pages: u64,
    known: u64,
    cpu: f64,
    written: u64,
}

/// What a page took in one step.
struct Step {
    cpu_us: f64,
    written_bytes: f64,
}

/// Crawls until so many URLs are known.
pub fn measure(words: &[&str]) -> Outcome {
    let (mut urls, mut memory) = (URLS, "1GB");
    for pair in words.chunks(2) {
        match pair {
            ["--urls", count] => urls = seen::count(count)?,
            ["--memory", size] => memory = size,
            _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
        }
    }
    let web = Endless::start()?;
    let folder = tempfile::tempdir_in("target")?;
    let mut child = start(&web, folder.path(), memory)?;
    let measured = steps(&web, &mut child, urls, folder.path());
    drop(child.kill());
    drop(child.wait());
    let steps = measured?;
    // The first one warms up: the crawl begins at a few pages. Files are merged by eights, so a
    // single step says little.
    let (first, last) = (mean(&steps[1..4]), mean(&steps[steps.len() - 3..]));
    let (cpu, written) = (last.0 / first.0, last.1 / first.1);
    println!(
        "the last three steps for the second to the fourth: {cpu:.2} of the CPU a page, {written:.2} of the disk"
    );
    if cpu > GROWTH_MAX || written > GROWTH_MAX {
        return Err(format!("more than {GROWTH_MAX} of what a page took at first").into());
    }
    Ok(())
}

/// What a page took in some steps: processor time, and bytes written.
#[expect(clippy::cast_precision_loss, reason = "a few steps")]
fn mean(steps: &[Step]) -> (f64, f64) {
    let sum = |of: fn(&Step) -> f64| steps.iter().map(of).sum::<f64>() / steps.len() as f64;
    (sum(|step| step.cpu_us), sum(|step| step.written_bytes))
}

fn start(web: &Endless, folder: &Path, memory: &str) -> Result<Child, Box<dyn Error>> {
    let mut crawl = Command::new("taskset");
    crawl.args(["-c", "1"]).arg(program()).arg("crawl").args(web.seeds());
    crawl.arg("-o").arg(folder.join("crawl"));
    crawl.args(["--scope", "any", "--contact", "bench@example.test", "--allow-private"]);
    crawl.args(["--dns", &web.dns().to_string(), "--delay", "0s", "--ip-delay", "0s"]);
    crawl.args(["--memory", memory, "-q"]).stdout(Stdio::null());
    Ok(crawl.spawn()?)
}

#[expect(clippy::cast_precision_loss, reason = "means of one run")]
fn steps(
    web: &Endless,
    child: &mut Child,
    urls: u64,
    folder: &Path,
) -> Result<Vec<Step>, Box<dyn Error>> {
    let mut steps = Vec::new();
    let mut before = Taken::default();
    println!(
        "{:>12} {:>10} {:>12} {:>16} {:>10} {:>10}",
        "known URLs", "pages", "CPU µs/page", "written B/page", "folder MB", "memory MB"
    );
    while before.known < urls {
        let wanted = before.known + urls / STEPS;
        let mut left = STEP_MAX;
        while web.known() < wanted {
            if child.try_wait()?.is_some() {
                return Err("the crawl has ended".into());
            }
            std::thread::sleep(LOOK_EVERY);
            left = left.checked_sub(LOOK_EVERY).ok_or("a step does not end")?;
        }
        let now = taken(web, child.id())?;
        let pages = (now.pages - before.pages) as f64;
        let step = Step {
            cpu_us: (now.cpu - before.cpu) * 1e6 / pages,
            written_bytes: (now.written - before.written) as f64 / pages,
        };
        println!(
            "{:>12} {:>10} {:>12.0} {:>16.0} {:>10} {:>10}",
            now.known,
            now.pages,
            step.cpu_us,
            step.written_bytes,
            crate::discover::folder_bytes(folder)? / 1_000_000,
            resident(child.id())? / 1_000_000,
        );
        steps.push(step);
        before = now;
    }
    Ok(steps)
}

/// What `/proc` says of a process; a tick is a hundredth of a second.
fn taken(web: &Endless, id: u32) -> Result<Taken, Box<dyn Error>> {
    let (pages, known) = (web.pages(), web.known());
    let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
    let fields = stat.rsplit(')').next().ok_or("no fields")?.split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).map(str::parse::<u32>).sum::<Result<_, _>>()?;
    let io = fs::read_to_string(format!("/proc/{id}/io"))?;
    let written = io.lines().find_map(|line| line.strip_prefix("wchar: "));
    let written = written.ok_or("no bytes")?.parse()?;
    Ok(Taken { pages, known, cpu: f64::from(ticks) / 100.0, written })
}

fn resident(id: u32) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1_024)
}
