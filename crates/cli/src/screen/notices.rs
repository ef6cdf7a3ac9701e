//! What is told once while a crawl runs: as lines, or in its display.

use tokio::sync::watch;

use super::Live;
use super::line::{Line, Style};
use crate::printable::printable;
use crate::tell;

/// Tells what is new. Its clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Notices {
    live: Live,
    shown: watch::Sender<String>,
}

impl Notices {
    pub(crate) fn new(live: Live) -> Self {
        Self { live, shown: watch::Sender::default() }
    }

    /// A display shows it until there is something newer.
    pub(crate) fn tell(&self, text: &str) {
        self.tell_lines(text);
        self.shown.send_replace(text.to_owned());
    }

    /// What a display shows in its own way.
    pub(crate) fn tell_lines(&self, text: &str) {
        if self.live == Live::No {
            tell(text);
        }
    }

    /// For the display.
    pub(crate) fn shown(&self) -> watch::Receiver<String> {
        self.shown.subscribe()
    }
}

/// The lines of a notice; an empty one has none.
pub(super) fn lines(notice: &str) -> impl Iterator<Item = Line> {
    notice.lines().map(|line| Line::of(Style::Warning, printable(line)))
}
