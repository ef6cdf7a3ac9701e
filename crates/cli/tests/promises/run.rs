//! Runs the real binary and brings back what it said.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rhumb_testweb::Served;
use serde_json::Value;

/// No run of a test takes longer.
const LIMIT: Duration = Duration::from_mins(5);

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Every line of stdout as JSON.
    pub(crate) fn json(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).expect("stdout is JSON lines");
        self.stdout.lines().map(parse).collect()
    }

    /// The last event of a crawl.
    pub(crate) fn summary(&self) -> Value {
        let last = self.json().pop().expect("there is a summary");
        assert_eq!(last["event"], "summary");
        last
    }
}

pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rhumb"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs to the end; a run that outlasts the limit is ended and fails the test.
pub(crate) fn finish(mut command: Command, stdin: &str) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut input = child.stdin.take().expect("it was piped");
    // A command that does not read its input may be gone by now.
    drop(input.write_all(stdin.as_bytes()));
    drop(input);
    collect(child)
}

/// Reads a stream to its end on a thread of its own; none if somebody else has it.
fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            drop(stream.read_to_end(&mut bytes));
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a child that was started elsewhere.
#[expect(clippy::panic, reason = "a run without an end is a failed test")]
pub(crate) fn collect(mut child: Child) -> Run {
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let (sender, exited) = mpsc::channel();
    let pid = child.id().to_string();
    let waiter = std::thread::spawn(move || drop(sender.send(child.wait())));
    let Ok(status) = exited.recv_timeout(LIMIT) else {
        drop(Command::new("kill").args(["-9", &pid]).status());
        panic!("the run did not end within {LIMIT:?}");
    };
    waiter.join().expect("the waiter ends");
    let code = status.expect("it can be waited for").code();
    Run {
        code,
        stdout: stdout.join().expect("it was read"),
        stderr: stderr.join().expect("it was read"),
    }
}

/// Runs with these words.
pub(crate) fn rhumb(words: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command(folder.path());
    command.args(words);
    finish(command, "")
}

/// A crawl of a test web, from all of its seeds, in its whole.
pub(crate) fn crawl(served: &Served, folder: &Path, flags: &[&str]) -> Run {
    finish(crawl_command(served, folder, flags), "")
}

/// The command of such a crawl.
pub(crate) fn crawl_command(served: &Served, folder: &Path, flags: &[&str]) -> Command {
    let ca = folder.join("ca.pem");
    std::fs::write(&ca, served.ca_pem()).expect("written");
    let mut command = command(folder);
    let dns = served.dns().to_string();
    command.env("SSL_CERT_FILE", &ca).arg("crawl").args(served.seeds());
    command.args(["-o", "crawl", "--scope", "any", "--contact", "crawl@example.test", "--json"]);
    command.args(["--allow-private", "--dns", &dns]).args(flags);
    command
}

/// What the crawl in `folder` has kept.
pub(crate) fn export(folder: &Path, format: &str, flags: &[&str]) -> Run {
    let mut export = command(folder);
    export.args(["export", "crawl", "--to", format]).args(flags);
    finish(export, "")
}

/// Whether the long sizes are wanted.
pub(crate) fn is_full() -> bool {
    std::env::var_os("RHUMB_FULL").is_some_and(|value| value == "1")
}
