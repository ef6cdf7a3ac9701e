//! `cargo x pictures`: the live display in a real terminal (tmux), and the pages in a real
//! browser, drawn into docs/pictures.

mod base64;
mod browser;
mod pages;
mod svg;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Ended, workspace};

/// Columns and rows of the terminals.
const SIZES: [(usize, usize); 2] = [(80, 24), (160, 24)];
/// The display is there once this can be read.
const SIGN: &str = "slowest sites";
/// From then on the crawl may run, so that there is something to see.
const DEVELOP: Duration = Duration::from_secs(2);
/// The display comes within this time, or never.
const PATIENCE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(200);

/// Takes a picture of `rhumb demo` at every size, and of its pages.
pub(crate) fn run() -> Ended {
    let built = workspace::cargo().args(["build", "--locked", "--workspace"]).status();
    if !built.map_err(|e| format!("cannot start cargo: {e}"))?.success() {
        return Err("the programs do not build".to_owned());
    }
    let folder = workspace::root().join("docs/pictures");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let programs = workspace::target().join("debug");
    let program = programs.join("rhumb");
    for (columns, rows) in SIZES {
        let shot = Terminal::open(&program, columns, rows)?.shot()?;
        let path = folder.join(format!("crawl-{columns}.svg"));
        fs::write(&path, svg::draw(&shot, columns, rows))
            .map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}", path.display());
    }
    pages::run(&programs)
}

/// A tmux server of our own, which ends when this is dropped.
struct Terminal {
    name: String,
}

impl Terminal {
    fn open(program: &Path, columns: usize, rows: usize) -> Result<Self, String> {
        let terminal = Self { name: format!("rhumb-{}-{columns}", std::process::id()) };
        let size = [columns.to_string(), rows.to_string()];
        let program = program.to_string_lossy();
        let words = ["new-session", "-d", "-x", &size[0], "-y", &size[1], &program, "demo"];
        terminal.tmux(&words)?;
        Ok(terminal)
    }

    /// What it shows, with its colours.
    fn shot(&self) -> Result<String, String> {
        let start = Instant::now();
        while !self.tmux(&["capture-pane", "-p"])?.contains(SIGN) {
            if start.elapsed() > PATIENCE {
                return Err("the display did not come".to_owned());
            }
            sleep(POLL);
        }
        sleep(DEVELOP);
        self.tmux(&["capture-pane", "-e", "-p"])
    }

    fn tmux(&self, words: &[&str]) -> Result<String, String> {
        let mut tmux = Command::new("tmux");
        tmux.args(["-L", &self.name, "-f", "/dev/null"]).args(words).env_remove("NO_COLOR");
        let told = tmux.output().map_err(|e| format!("cannot start tmux: {e}"))?;
        if !told.status.success() {
            let why = String::from_utf8_lossy(&told.stderr).trim().to_owned();
            return Err(format!("tmux {}: {why}", words[0]));
        }
        Ok(String::from_utf8_lossy(&told.stdout).into_owned())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Err(why) = self.tmux(&["kill-server"]) {
            eprintln!("{why}");
        }
    }
}
