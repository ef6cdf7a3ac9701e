//! A line of the display: pieces of text with a style, fitted to a width.

use std::fmt::Write as _;

use crate::printable::printable;

/// How a piece looks where colours are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Title,
    Label,
    Curve,
    Warning,
    Bad,
}

impl Style {
    /// The parameter of the terminal's "select graphic rendition".
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Title => "1",
            Self::Label => "2",
            Self::Curve => "36",
            Self::Warning => "33",
            Self::Bad => "31",
        }
    }
}

/// Pieces from left to right. Their texts are printable already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    pub(crate) fn of(style: Style, text: impl Into<String>) -> Self {
        Self::default().and(style, text)
    }

    pub(crate) fn and(mut self, style: Style, text: impl Into<String>) -> Self {
        self.0.push((style, text.into()));
        self
    }

    /// Follows it by another one that begins at this column.
    pub(crate) fn beside(mut self, column: usize, other: Self) -> Self {
        let missing = column.saturating_sub(self.width());
        self = self.and(Style::Plain, " ".repeat(missing));
        self.0.extend(other.0);
        self
    }

    /// The same, whatever is in its texts.
    pub(crate) fn printable(self) -> Self {
        let pieces = self.0.into_iter();
        Self(pieces.map(|(style, text)| (style, printable(&text).into_owned())).collect())
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| width(text)).sum()
    }

    /// The line as a terminal of this width takes it.
    pub(crate) fn paint(&self, columns: usize, colour: bool) -> String {
        let is_cut = self.width() > columns;
        let mut left = if is_cut { columns.saturating_sub(1) } else { columns };
        let mut out = String::new();
        for (style, text) in &self.0 {
            let whole = width(text);
            let text = cut(text, left);
            // What follows a piece that was cut is not squeezed in.
            left = if width(text) < whole { 0 } else { left - whole };
            if text.is_empty() {
                continue;
            }
            if colour && *style != Style::Plain {
                write!(out, "\x1b[{}m{text}\x1b[0m", style.code()).expect("a string takes all");
            } else {
                out.push_str(text);
            }
        }
        if is_cut && columns > 0 {
            out.push('…');
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }
}

/// The text, ended by a dot of dots where it is too wide, filled up where it is not wide enough.
pub(crate) fn fitted(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    if width(text) <= columns {
        return format!("{text}{}", " ".repeat(missing));
    }
    let kept = cut(text, columns.saturating_sub(1));
    format!("{kept}…{}", " ".repeat(columns.saturating_sub(1).saturating_sub(width(kept))))
}

/// The text, or the end of it that is not wider.
pub(crate) fn ended(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let kept = text.char_indices().rev().take_while(|(_, c)| {
        let rest = left.checked_sub(char_width(*c));
        left = rest.unwrap_or(0);
        rest.is_some()
    });
    format!("…{}", kept.last().map_or("", |(at, _)| &text[at..]))
}

/// Lines that are not wider, broken between words; a wider word stays whole.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            line.push_str(word);
        } else if width(line) + 1 + width(word) <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The longest beginning that is not wider.
fn cut(text: &str, columns: usize) -> &str {
    let mut left = columns;
    for (at, c) in text.char_indices() {
        let Some(rest) = left.checked_sub(char_width(c)) else { return &text[..at] };
        left = rest;
    }
    text
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Columns of a character: the large blocks of Unicode's East Asian width and combining marks.
/// Host names are ASCII; only a user's own folder can bring anything else here.
fn char_width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f900..=0x1f9ff
        | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_never_wider_than_its_terminal() {
        let line = Line::of(Style::Title, "日本語").and(Style::Plain, " e\u{301}tude");
        assert_eq!(line.width(), 12);
        let check = |columns, expect: &str| assert_eq!(line.paint(columns, false), expect);
        check(12, "日本語 e\u{301}tude");
        check(9, "日本語 e\u{301}…");
        check(6, "日本…");
        check(1, "…");
        check(0, "");
    }

    #[test]
    fn colours_add_only_colours() {
        let line = Line::of(Style::Bad, "abc").and(Style::Plain, "def");
        assert_eq!(line.paint(5, true), "\x1b[31mabc\x1b[0md…");
        assert_eq!(line.paint(5, false), "abcd…");
    }

    #[test]
    fn text_is_broken_between_words() {
        let check = |text: &str, columns, expect: &[&str]| {
            assert_eq!(wrapped(text, columns), expect);
        };
        check("one two  three", 80, &["one two  three"]);
        check("one two three", 7, &["one two", "three"]);
        check("one http://long.example two", 8, &["one", "http://long.example", "two"]);
        check("", 8, &[""]);
    }

    #[test]
    fn a_fitted_text_has_exactly_its_columns() {
        assert_eq!(fitted("abc", 5), "abc  ");
        assert_eq!(fitted("abcdef", 5), "abcd…");
        assert_eq!(fitted("日本語", 4), "日… ");
        assert_eq!(ended("abc", 3), "abc");
        assert_eq!(ended("a/long/path", 5), "…path");
        assert_eq!(ended("日本語", 4), "…語");
        assert_eq!(ended("abc", 0), "…");
    }
}
