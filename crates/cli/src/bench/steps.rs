//! How far it is, told on stderr; and whether the user wants the end.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rhumb_measure::run::Running;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use crate::fault::{Fault, INTERRUPTED};
use crate::screen::{self, Canvas, Line, Live, Style};
use crate::tell;

/// The user's wish to end, and what must not outlive us.
#[derive(Debug, Default)]
pub(super) struct Stop {
    is_asked: AtomicBool,
    left: Mutex<Left>,
}

/// What would be left behind by an exit.
#[derive(Debug, Default)]
struct Left {
    /// By handle: its number may be another's once it is over.
    child: Option<OwnedFd>,
    folder: Option<PathBuf>,
}

impl Left {
    /// Kills the child, and removes the folder.
    fn clear(&mut self) {
        if let Some(child) = self.child.take() {
            // Both fail only where it is over already.
            pidfd_send_signal(&child, Signal::KILL).ok();
            waitid(WaitId::PidFd(child.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
                .ok();
        }
        if let Some(folder) = self.folder.take() {
            // Our own threads may still be making files: under another name none comes to it.
            let gone = folder.with_extension("gone");
            let gone = if fs::rename(&folder, &gone).is_ok() { gone } else { folder };
            fs::remove_dir_all(gone).ok();
        }
    }
}

impl Stop {
    /// Names the folder that is removed by an end at once.
    pub(super) fn hold_folder(&self, folder: &Path) {
        self.left().folder = Some(folder.to_owned());
    }

    /// Starts a child that is killed by an end at once.
    pub(super) fn start(&self, start: impl FnOnce() -> io::Result<Running>) -> io::Result<Running> {
        // Held over the start: no child comes after the end.
        let mut left = self.left();
        let running = start()?;
        let pid = i32::try_from(running.pid()).ok().and_then(Pid::from_raw);
        left.child = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(running)
    }

    /// Ends the process; nothing stays behind.
    pub(super) fn end_at_once(&self) -> ! {
        // Held until the end, so that nothing is started after it.
        let mut left = self.left();
        left.clear();
        std::process::exit(i32::from(INTERRUPTED))
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        tell("stopping after this step; once more to end at once");
    }

    pub(super) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    /// The end, if it was asked for.
    pub(super) fn check(&self) -> Result<(), Fault> {
        if self.is_asked() { Err(Fault::Quiet(ExitCode::from(INTERRUPTED))) } else { Ok(()) }
    }
}

/// What is being done: on a terminal one line that changes, elsewhere a line for each step.
pub(super) struct Steps<'a> {
    pub(super) stop: &'a Stop,
    canvas: Option<Canvas>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(stop: &'a Stop) -> Self {
        let live = Live::here();
        let canvas = (live != Live::No).then(|| Canvas::new(live == Live::Coloured));
        Self { stop, canvas }
    }

    /// Begins a step, unless the user wants the end.
    pub(super) fn next(&mut self, what: &str) -> Result<(), Fault> {
        self.stop.check()?;
        if self.canvas.is_some() {
            self.show(what);
        } else {
            tell(what);
        }
        Ok(())
    }

    /// Says more of the same step, where that can be redrawn.
    pub(super) fn show(&mut self, what: &str) {
        if let Some(canvas) = &mut self.canvas {
            let line = Line::of(Style::Title, "rhumb bench  ").and(Style::Label, what);
            canvas.draw(&[line], screen::size().0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use rhumb_measure::run::Cores;

    use super::*;

    #[test]
    fn an_end_at_once_leaves_no_child_and_no_folder() {
        let within = tempfile::tempdir().unwrap();
        let folder = within.path().join("bench");
        fs::create_dir_all(folder.join("crawl")).unwrap();
        fs::write(folder.join("crawl/log"), "facts").unwrap();
        let stop = Stop::default();
        stop.hold_folder(&folder);
        let cores = Cores::allowed().unwrap();
        let running = stop.start(|| cores.start(Command::new("sleep").arg("600"))).unwrap();
        stop.left().clear();
        let taken = running.watch(Duration::from_mins(1), |_| ()).unwrap();
        assert!(!taken.status.success(), "{taken:?}");
        assert_eq!(fs::read_dir(within.path()).unwrap().count(), 0);
        // A second time there is nothing to do.
        stop.left().clear();
    }
}
