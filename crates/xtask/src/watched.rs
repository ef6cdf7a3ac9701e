//! A command that writes to a log, ends within a limit and leaves nothing running.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Every process below a watched command inherits this variable; that is how strays are found.
const MARK: &str = "RHUMB_RUN";

/// How often the command is asked whether it has ended.
const POLL: Duration = Duration::from_millis(10);

/// How a watched command ended.
pub(crate) struct Watched {
    /// It exited with 0, in time.
    pub(crate) success: bool,
    /// It was stopped because its time was over.
    pub(crate) timed_out: bool,
    /// Processes that it left running; they are stopped by now.
    pub(crate) strays: Vec<String>,
    /// All that it printed.
    pub(crate) log: String,
}

/// Runs `command` for at most `patience`, with both of its outputs in the file `log`.
///
/// A file and not a pipe: a stray that holds a pipe open would keep us reading for ever.
pub(crate) fn run(
    command: &mut Command,
    log: &Path,
    patience: Duration,
) -> Result<Watched, String> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let mark = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let told = |e: std::io::Error| format!("cannot run {command:?} into {}: {e}", log.display());

    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    let output = File::create(log).map_err(told)?;
    let errors = output.try_clone().map_err(told)?;
    let start = Instant::now();
    let mut child = command
        .env(MARK, &mark)
        .stdin(std::process::Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))?;
    let waited = |e: std::io::Error| format!("cannot wait for a child: {e}");
    let status = loop {
        if let Some(status) = child.try_wait().map_err(waited)? {
            break Some(status);
        }
        if start.elapsed() > patience {
            child.kill().map_err(waited)?;
            child.wait().map_err(waited)?;
            break None;
        }
        sleep(POLL);
    };
    let strays = stop_strays(&format!("{MARK}={mark}"));
    let log = fs::read(log).map_err(|e| format!("cannot read {}: {e}", log.display()))?;
    Ok(Watched {
        success: status.is_some_and(|status| status.success()),
        timed_out: status.is_none(),
        strays: if status.is_some() { strays } else { Vec::new() },
        log: String::from_utf8_lossy(&log).into_owned(),
    })
}

/// Stops every process that carries the mark, and names each.
fn stop_strays(mark: &str) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut strays = Vec::new();
    for process in processes.flatten() {
        let id = process.file_name().to_string_lossy().into_owned();
        if !id.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        if !environment.split(|&b| b == 0).any(|entry| entry == mark.as_bytes()) {
            continue;
        }
        let name = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
        strays.push(format!("{} (process {id})", name.trim()));
        // The shell's own kill: a minimal Debian has no such program.
        if let Err(e) = Command::new("sh").arg("-c").arg(format!("kill -9 {id}")).status() {
            eprintln!("cannot stop process {id}: {e}");
        }
    }
    strays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, patience: Duration) -> Watched {
        let name = script.split_whitespace().collect::<String>().replace('/', "");
        let log = crate::workspace::target().join("x/watched").join(name);
        run(Command::new("sh").arg("-c").arg(script), &log, patience).unwrap()
    }

    #[test]
    fn both_outputs_are_logged() {
        let seen = check("echo out; echo err >&2; exit 3", Duration::from_mins(1));
        assert!(!seen.success && !seen.timed_out && seen.strays.is_empty());
        assert_eq!(seen.log, "out\nerr\n");
    }

    #[test]
    fn what_is_left_running_is_named_and_stopped() {
        let seen = check(
            "sleep 1000 & while ! grep -q sleep /proc/$!/comm; do :; done",
            Duration::from_mins(1),
        );
        assert!(seen.success);
        assert_eq!(seen.strays.len(), 1, "{:?}", seen.strays);
        assert!(seen.strays[0].starts_with("sleep "));
    }

    #[test]
    fn a_command_that_takes_too_long_is_stopped() {
        let seen = check("sleep 1001; true", Duration::from_millis(50));
        assert!(seen.timed_out && !seen.success);
    }
}
