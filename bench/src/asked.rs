//! What it costs a crawl to be asked: first in its own CPU time, question by question, while it is
//! paused and does nothing else; then at full speed, where `status` and `why` come in every other
//! second, and seconds are compared within one crawl.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Spec};

use crate::seen::Outcome;

/// Crawls of the web.
const ROUNDS: usize = 6;
/// One look and one question a second.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Questions of a kind that are put to a paused crawl.
const QUESTIONS: u32 = 200;
/// Parts of a second in which the kernel counts processor time.
const KERNEL_HERTZ: f64 = 100.0;

/// One second of a crawl.
struct Second {
    is_asked: bool,
    length: f64,
    cpu: f64,
    written: f64,
}

/// Crawls a web of so many pages, asked in every other second.
pub fn measure(pages: u64) -> Outcome {
    let mut spec = Spec::sized(3, 400, usize::try_from(pages)?);
    (spec.bad_hosts, spec.traps, spec.https) = (false, false, false);
    spec.body_bytes = 20_000;
    let served = Served::start_on_thread(&spec)?;
    by_question(&served)?;
    let mut seconds = Vec::new();
    for round in 0..ROUNDS {
        crawl(&served, round % 2 == 0, &mut seconds)?;
    }
    let sum = |is_asked: bool, of: fn(&Second) -> f64| -> f64 {
        seconds.iter().filter(|it| it.is_asked == is_asked).map(of).sum()
    };
    let count = |is_asked| seconds.iter().filter(|it| it.is_asked == is_asked).count();
    let rate = |is_asked| sum(is_asked, |it| it.written) / sum(is_asked, |it| it.length);
    let per_cpu = |is_asked| sum(is_asked, |it| it.written) / sum(is_asked, |it| it.cpu);
    println!(
        "{} seconds asked, {} alone: {:.3} of the bytes a second, {:.3} of the bytes a CPU-second",
        count(true),
        count(false),
        rate(true) / rate(false),
        per_cpu(true) / per_cpu(false),
    );
    Ok(())
}

fn rhumb() -> Command {
    let path = std::env::var_os("RHUMB").unwrap_or_else(|| "target/release/rhumb".into());
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The CPU time of the crawl that one question takes.
fn by_question(served: &Served) -> Outcome {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("crawl");
    let mut child = start(served, &folder)?;
    while !folder.join("control.sock").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_secs(2));
    rhumb().arg("pause").arg(&folder).status()?;
    // What was under way ends.
    std::thread::sleep(Duration::from_secs(2));
    let seed = served.seeds().remove(0);
    let ask = |words: &[&str]| rhumb().arg(words[0]).arg(&folder).args(&words[1..]).status();
    let still = Instant::now();
    let before = cpu_seconds(child.id()).ok_or("it has ended")?;
    std::thread::sleep(Duration::from_secs(4));
    let after = cpu_seconds(child.id()).ok_or("it has ended")?;
    let idle = (after - before) / still.elapsed().as_secs_f64();
    for words in [&["status", "--json"][..], &["why", &seed, "--json"], &["pause"]] {
        let from = Instant::now();
        let before = cpu_seconds(child.id()).ok_or("it has ended")?;
        for _ in 0..QUESTIONS {
            ask(words)?;
        }
        let after = cpu_seconds(child.id()).ok_or("it has ended")?;
        let took = after - before - idle * from.elapsed().as_secs_f64();
        let each = took.max(0.0) * 1e3 / f64::from(QUESTIONS);
        println!("{:<7} {each:.2} ms of the crawl's CPU time each", words[0]);
    }
    ask(&["stop"])?;
    child.wait()?;
    Ok(())
}

fn crawl(served: &Served, mut is_asked: bool, seconds: &mut Vec<Second>) -> Outcome {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("crawl");
    let mut child = start(served, &folder)?;
    // The beginning is no full speed.
    std::thread::sleep(Duration::from_secs(2));
    let seed = served.seeds().remove(0);
    let mut here: Vec<Second> = Vec::new();
    while let (Some(cpu), Some(written)) = (cpu_seconds(child.id()), written(child.id())) {
        let from = Instant::now();
        if is_asked {
            rhumb().arg("status").arg(&folder).arg("--json").status()?;
            rhumb().arg("why").arg(&folder).args([&seed, "--json"]).status()?;
        }
        std::thread::sleep(ASK_EVERY.saturating_sub(from.elapsed()));
        let Some((cpu_now, written_now)) = cpu_seconds(child.id()).zip(self::written(child.id()))
        else {
            break;
        };
        if child.try_wait()?.is_some() {
            break;
        }
        let length = from.elapsed().as_secs_f64();
        let (cpu, written) = (cpu_now - cpu, written_now - written);
        here.push(Second { is_asked, length, cpu, written });
        is_asked = !is_asked;
    }
    child.wait()?;
    // Nor is the end.
    here.truncate(here.len().saturating_sub(2) / 2 * 2);
    seconds.append(&mut here);
    Ok(())
}

/// What a process has written so far: pages, their facts and little else.
fn written(pid: u32) -> Option<f64> {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}

fn start(served: &Served, folder: &Path) -> std::io::Result<Child> {
    let mut command = rhumb();
    command.arg("crawl").args(served.seeds()).arg("-o").arg(folder).args([
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
    command.arg(served.dns().to_string()).spawn()
}

fn cpu_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = stat.rsplit_once(')')?.1;
    let ticks = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks: Option<Vec<u32>> = ticks.map(|text| text.parse().ok()).collect();
    Some(f64::from(ticks?.iter().sum::<u32>()) / KERNEL_HERTZ)
}
