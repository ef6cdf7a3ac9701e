//! How far it is, told on stderr; and whether the user wants the end.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::{Fault, INTERRUPTED};
use crate::screen::{self, Canvas, Line, Live, Style};
use crate::tell;

/// The user's wish to end.
#[derive(Debug, Default)]
pub(super) struct Stop(AtomicBool);

impl Stop {
    pub(super) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
        tell("stopping after this step; once more to end at once");
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
