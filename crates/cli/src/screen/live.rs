//! The display on a real terminal: redrawn in place, in one write a frame.
//!
//! No mode of the terminal outlasts a frame, so that whatever ends the process leaves it as it was.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use rhumb_crawl::shell::Progress;
use tokio::sync::watch;

use super::display::{Frame, render};
use super::line::Line;
use super::notices;
use super::pages_now;
use super::rates::Rates;

/// How often it is redrawn; the crawl tells its state as often.
const FRAME_EVERY: Duration = Duration::from_millis(250);
/// Where a terminal does not tell its size.
const COLUMNS_AND_ROWS: (usize, usize) = (80, 24);
/// Begin a frame: all at once where the terminal can, without cursor and without wrapping.
const OPEN: &str = "\x1b[?2026h\x1b[?25l\x1b[?7l";
/// End a frame: everything is as it was.
const CLOSE: &str = "\x1b[?7h\x1b[?25h\x1b[?2026l";
/// Nothing is on the terminal, and the cursor at its beginning.
const WIPE: &str = "\x1b[2J\x1b[H";

/// Whether there is a display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Live {
    /// Lines instead.
    #[default]
    No,
    /// Without colours.
    Plain,
    /// With colours.
    Coloured,
}

impl Live {
    /// What stderr and the environment allow.
    pub(crate) fn here() -> Self {
        Self::on(&std::io::stderr())
    }

    /// What a stream and the environment allow.
    pub(crate) fn on(stream: &impl IsTerminal) -> Self {
        let word = |name| std::env::var(name).ok();
        let is_terminal = stream.is_terminal();
        Self::judge(is_terminal, word("TERM").as_deref(), word("NO_COLOR").as_deref())
    }

    fn judge(is_terminal: bool, term: Option<&str>, no_color: Option<&str>) -> Self {
        let is_able = is_terminal && !matches!(term, None | Some("" | "dumb"));
        match (is_able, no_color) {
            (false, _) => Self::No,
            (true, None | Some("")) => Self::Coloured,
            (true, Some(_)) => Self::Plain,
        }
    }
}

/// Shows how a crawl stands until it is aborted; then what it drew is gone.
pub(crate) async fn show(
    title: String,
    colour: bool,
    progress: watch::Receiver<Progress>,
    stop: watch::Receiver<bool>,
    notice: watch::Receiver<String>,
) {
    let mut canvas = Canvas::new(colour);
    let mut rates = Rates::default();
    let mut every = tokio::time::interval(FRAME_EVERY);
    loop {
        every.tick().await;
        let progress = progress.borrow().clone();
        let stopping = *stop.borrow();
        rates.note(progress.elapsed, pages_now(&progress));
        let frame =
            Frame { title: &title, progress: &progress, rates: &rates, memory: memory(), stopping };
        let (columns, rows) = size();
        let notice: Vec<Line> = notices::lines(&notice.borrow()).collect();
        // The last row is for the cursor.
        let mut lines = render(&frame, columns, rows.saturating_sub(1 + notice.len()));
        lines.extend(notice);
        canvas.draw(&lines, columns);
    }
}

/// What stands on the terminal; dropped, it is gone from there.
pub(crate) struct Canvas {
    colour: bool,
    /// The widths of the lines drawn, above the cursor.
    drawn: Vec<usize>,
}

impl Canvas {
    pub(crate) fn new(colour: bool) -> Self {
        Self { colour, drawn: Vec::new() }
    }

    /// Replaces what was drawn before.
    pub(crate) fn draw(&mut self, lines: &[Line], columns: usize) {
        put(&frame(&self.drawn, lines, columns, self.colour));
        self.drawn = lines.iter().map(|line| line.width().min(columns)).collect();
    }

    /// Empties the whole terminal: one that changed its size has moved what was drawn, and only
    /// who owns all of it may begin anew.
    pub(crate) fn wipe(&mut self) {
        put(WIPE);
        self.drawn.clear();
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        put(&frame(&self.drawn, &[], size().0, self.colour));
    }
}

/// The bytes that replace the lines drawn by others.
fn frame(drawn: &[usize], lines: &[Line], columns: usize, colour: bool) -> String {
    // A terminal that became narrower has wrapped what was drawn.
    let rows: usize = drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum();
    let mut out = String::from(OPEN);
    out.push('\r');
    if rows > 0 {
        write!(out, "\x1b[{rows}A").expect("a string takes all");
    }
    for line in lines {
        out.push_str(&line.paint(columns, colour));
        // A full line leaves the cursor on its last character: nothing is behind it.
        out.push_str(if line.width() < columns { "\x1b[K\r\n" } else { "\r\n" });
    }
    out.push_str("\x1b[J");
    out.push_str(CLOSE);
    out
}

/// Writes to stderr; a closed one is nobody's loss.
fn put(text: &str) {
    let mut err = std::io::stderr().lock();
    drop(err.write_all(text.as_bytes()).and_then(|()| err.flush()));
}

/// The columns and rows of the terminal.
pub(crate) fn size() -> (usize, usize) {
    let size = rustix::termios::tcgetwinsize(std::io::stderr()).ok();
    let size = size.map(|size| (usize::from(size.ws_col), usize::from(size.ws_row)));
    size.filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or(COLUMNS_AND_ROWS)
}

/// The columns for text: those of the terminal, and in a file or a pipe as many as it takes.
pub(crate) fn columns(live: Live) -> usize {
    if live == Live::No { usize::MAX } else { size().0 }
}

/// The memory that this process has in use; none where the system does not tell.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

#[cfg(test)]
mod tests {
    use super::super::line::Style;
    use super::*;

    #[test]
    fn only_an_able_terminal_has_a_display_and_only_a_willing_user_colours() {
        let check = |is, term, no_color, expect| {
            assert_eq!(Live::judge(is, term, no_color), expect);
        };
        check(true, Some("xterm"), None, Live::Coloured);
        check(true, Some("xterm"), Some(""), Live::Coloured);
        check(true, Some("xterm"), Some("1"), Live::Plain);
        check(true, Some("dumb"), None, Live::No);
        check(true, None, None, Live::No);
        check(false, Some("xterm"), None, Live::No);
    }

    #[test]
    fn a_frame_goes_over_the_last_one_and_leaves_no_mode_behind() {
        let lines = [Line::of(Style::Plain, "one"), Line::of(Style::Plain, "two")];
        let first = frame(&[], &lines, 80, false);
        assert_eq!(first, format!("{OPEN}\rone\x1b[K\r\ntwo\x1b[K\r\n\x1b[J{CLOSE}"));
        assert!(frame(&[80, 3], &lines, 80, false).starts_with(&format!("{OPEN}\r\x1b[2A")));
        assert!(frame(&[], &lines, 3, false).contains("one\r\ntwo\r\n"), "nothing is cut off");
        // At half the width the first line takes two rows; an empty line still takes one.
        assert!(frame(&[80, 0], &[], 40, false).starts_with(&format!("{OPEN}\r\x1b[3A\x1b[J")));
        for mode in ["2026", "25", "7"] {
            let (on, off) = (format!("\x1b[?{mode}h"), format!("\x1b[?{mode}l"));
            assert_eq!(first.matches(&on).count(), 1);
            assert_eq!(first.matches(&off).count(), 1);
        }
    }

    #[test]
    fn our_memory_is_known_where_the_system_tells() {
        let told = std::path::Path::new("/proc/self/status").exists();
        assert_eq!(memory().is_some(), told);
        assert!(memory().is_none_or(|bytes| bytes > 100_000));
    }
}
