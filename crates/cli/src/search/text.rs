//! Results for people.

use std::ops::Range;

use rhumb_index::{Answer, Hit, Want};
use rhumb_serve::moment;
use rhumb_serve::results::folded;

use crate::printable::printable;
use crate::screen::{Line, Style, ended, fitted};

/// What stands before every line of a result but the first.
const INDENT: usize = 4;
/// Where a snippet is broken, on terminals that are wider.
const COLUMNS_MAX: usize = 100;
/// The most frequent names of a facet.
const FACETS_SHOWN: usize = 8;

/// The lines of one page of results.
pub(super) fn page(answer: &Answer, want: &Want, columns: usize, colour: bool) -> Vec<String> {
    let columns = columns.clamp(3 * INDENT, COLUMNS_MAX);
    let mut lines = Vec::new();
    for hit in &answer.hits {
        lines.extend(result(hit, want.explain, columns));
        lines.push(Line::default());
    }
    if let Some(facets) = &answer.facets {
        let rows =
            [("sites", &facets.sites), ("languages", &facets.languages), ("types", &facets.kinds)];
        for (name, facets) in rows {
            let shown = facets.iter().take(FACETS_SHOWN);
            let shown: Vec<String> =
                shown.map(|(name, count)| format!("{} {count}", printable(name))).collect();
            let line = Line::of(Style::Label, fitted(name, 10));
            lines.push(line.and(Style::Plain, shown.join(" · ")));
        }
    }
    lines.iter().map(|line| line.paint(columns, colour)).collect()
}

fn result(hit: &Hit, explain: bool, columns: usize) -> Vec<Line> {
    let room = columns - INDENT;
    let title = hit.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.unwrap_or(hit.url.as_str());
    let number = Line::of(Style::Label, format!("{:>2}", hit.rank));
    let mut lines =
        vec![number.beside(INDENT, Line::of(Style::Title, printable(title).into_owned()))];
    let indented = |line: Line| Line::default().beside(INDENT, line);
    let about = about(hit);
    let url = printable(hit.url.as_str()).into_owned();
    let place = Line::of(Style::Curve, ended(&url, room));
    lines.push(indented(place));
    lines.push(indented(Line::of(Style::Label, about)));
    for line in marked(&hit.snippet.text, &hit.snippet.marks, room) {
        lines.push(indented(line));
    }
    lines.extend(folded(hit.folded).map(|more| indented(Line::of(Style::Label, more))));
    if explain {
        lines.extend(explained(hit).into_iter().map(indented));
    }
    lines
}

/// The day, the language and the type of a page.
fn about(hit: &Hit) -> String {
    let fetched = i64::try_from(hit.fetched_ms).unwrap_or(i64::MAX);
    let day = |ms| moment(ms).chars().take(10).collect::<String>();
    let mut about = hit.dated_ms.map(day).unwrap_or_default();
    if about.is_empty() {
        about = format!("fetched {}", day(fetched));
    }
    for word in hit.language.iter().chain([&hit.kind]) {
        about.push_str(" · ");
        about.push_str(&printable(word));
    }
    about
}

/// What a score is made of, a line for each part.
fn explained(hit: &Hit) -> Vec<Line> {
    let parts = hit.parts.iter().map(|part| {
        let name = printable(part.name).into_owned();
        Line::of(Style::Label, format!("{:>9.4}  {name}", part.value))
    });
    let sum = Line::of(Style::Label, format!("{:>9.4}  score, the sum of these", hit.score));
    parts.chain([sum]).collect()
}

/// A text broken between words, its marked ranges bold.
fn marked(text: &str, marks: &[Range<usize>], columns: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut from = 0;
    for word in text.split(' ') {
        let piece = styled(word, from, marks);
        from += word.len() + 1;
        match lines.last_mut() {
            Some(line) if line.width() + 1 + piece.width() <= columns => {
                let column = line.width() + 1;
                *line = std::mem::take(line).beside(column, piece);
            }
            _ => lines.push(piece),
        }
    }
    lines.retain(|line| line.width() > 0);
    lines
}

/// A word that begins at this byte of its text.
fn styled(word: &str, from: usize, marks: &[Range<usize>]) -> Line {
    let mut line = Line::default();
    let mut piece = String::new();
    let mut is_marked = false;
    for (at, c) in word.char_indices() {
        let marked = marks.iter().any(|mark| mark.contains(&(from + at)));
        if marked != is_marked {
            line = line.and(style(is_marked), std::mem::take(&mut piece));
            is_marked = marked;
        }
        piece.push(c);
    }
    let line = line.and(style(is_marked), piece);
    line.printable()
}

fn style(is_marked: bool) -> Style {
    if is_marked { Style::Warning } else { Style::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_words_are_bold_wherever_a_line_breaks() {
        let text = "the index of a manual, indexed";
        let lines = marked(text, &[4..9, 23..30], 12);
        let shown: Vec<String> = lines.iter().map(|line| line.paint(40, true)).collect();
        let bold = |word: &str| format!("\u{1b}[33m{word}\u{1b}[0m");
        assert_eq!(shown[0], format!("the {} of", bold("index")));
        assert_eq!(shown[1], "a manual,");
        assert_eq!(shown[2], bold("indexed"));
    }

    #[test]
    fn a_snippet_never_commands_a_terminal() {
        let lines = marked("a \u{1b}[2J b\u{202e}", &[2..4, 7..8], 40);
        let shown: String = lines.iter().map(|line| line.paint(40, false)).collect();
        assert_eq!(shown, "a \u{fffd}[2J b\u{fffd}");
    }
}
