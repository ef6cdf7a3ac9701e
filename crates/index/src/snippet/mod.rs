//! The lines of a page that show why it was found.

mod matcher;
mod passage;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::matcher::Match;
pub(crate) use self::matcher::Matcher;
use self::passage::Passage;
use crate::words::Analyser;

/// More of a text is not looked at.
const TEXT_BYTES_MAX: usize = 256 * 1_024;
/// How much is read before asking whether that is enough.
const CHUNK_BYTES: usize = 4 * 1_024;
/// What the widths of letters are guessed from.
const SAMPLE_BYTES: usize = 1_024;

/// What stands in the middle of two passages, and where one is cut.
const GAP: &str = " … ";

/// What a page says around the words of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// Its text in one line.
    pub text: String,
    /// Where the words of the query stand in it, in bytes, in order.
    pub marks: Vec<Range<usize>>,
}

/// The best one or two passages of a text, of so many characters together. A text without any of
/// the words gives its description, or how it begins.
pub(crate) fn snippet(
    analyser: &mut Analyser,
    text: &str,
    description: Option<&str>,
    language: Option<&str>,
    matcher: &Matcher,
    chars_max: usize,
) -> Snippet {
    for text in [Some(text), description].into_iter().flatten() {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let (matches, passages) = best(analyser, text, language, matcher, chars_max);
        if !passages.is_empty() {
            return shown(text, &matches, &passages, chars_max);
        }
    }
    let is_there = |text: &&str| !text.trim().is_empty();
    let text = description.filter(is_there).unwrap_or(text);
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    shown(text, &[], &[Passage::default()], chars_max)
}

/// The matches in what was read of a text, and the passages to show.
fn best(
    analyser: &mut Analyser,
    text: &str,
    language: Option<&str>,
    matcher: &Matcher,
    chars_max: usize,
) -> (Vec<Match>, Vec<Passage>) {
    let width = chars_max.saturating_mul(bytes_a_char(text).max(1));
    let mut found = Vec::new();
    let (mut start, mut words) = (0, 0);
    while start < text.len() {
        let end = chunk_end(text, start);
        let part = &text[start..end];
        words += analyser.each_beginning(part, language, matcher.initials(), |word| {
            matcher.find(word, [start, words], &mut found);
        });
        start = end;
        let is_end = start >= text.len();
        if !is_end && !matcher.has_all(&found) {
            continue;
        }
        let mut matches = found.clone();
        matcher.settle(&mut matches);
        let passages = passage::best(text, &matches, matcher.wanted(), width);
        let shown: usize = passages.iter().map(|passage| passage.distinct).sum();
        if is_end || shown >= matcher.wanted() {
            return (matches, passages);
        }
    }
    (Vec::new(), Vec::new())
}

/// Where a chunk ends: at a space, if there is one.
fn chunk_end(text: &str, start: usize) -> usize {
    let end = text.floor_char_boundary(start + CHUNK_BYTES);
    if end >= text.len() {
        return text.len();
    }
    let space = text[start..end].rfind(char::is_whitespace).filter(|space| *space > 0);
    space.map_or(end, |space| start + space)
}

fn bytes_a_char(text: &str) -> usize {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    sample.len().div_ceil(sample.chars().count().max(1))
}

fn shown(text: &str, matches: &[Match], passages: &[Passage], chars_max: usize) -> Snippet {
    let mut snippet = Snippet::default();
    let mut end = 0;
    for passage in passages {
        let place = passage.grown(text, chars_max / passages.len().max(1), end);
        if place.start > end && !passage::begins_sentence(text, place.start) {
            snippet.text.push_str(if snippet.text.is_empty() { GAP.trim_start() } else { GAP });
        } else if !snippet.text.is_empty() {
            snippet.text.push(' ');
        }
        end = place.end;
        show(text, place, matches, &mut snippet);
    }
    if end < text.trim_end().len() {
        snippet.text.push_str(GAP.trim_end());
    }
    snippet
}

/// Writes a stretch of text in one line and marks the words.
fn show(text: &str, place: Range<usize>, matches: &[Match], snippet: &mut Snippet) {
    let mut matches = matches.iter().filter(|it| place.start <= it.from && it.to <= place.end);
    let mut next = matches.next();
    let mut mark: Option<(usize, usize)> = None;
    let mut is_space = true;
    for (at, letter) in text[place.clone()].char_indices() {
        let at = place.start + at;
        while let Some(it) = next.filter(|it| it.from <= at) {
            let begin = mark.map_or(snippet.text.len(), |(begin, _)| begin);
            mark = Some((begin, mark.map_or(it.to, |(_, to)| to.max(it.to))));
            next = matches.next();
        }
        let is_gap = letter.is_whitespace() || letter.is_control();
        if is_hidden(letter) {
            // It shows nothing, but a mark may end with it.
        } else if !is_gap {
            snippet.text.push(letter);
            is_space = false;
        } else if !is_space {
            snippet.text.push(' ');
            is_space = true;
        }
        if let Some((begin, _)) = mark.take_if(|(_, to)| *to <= at + letter.len_utf8()) {
            put_mark(&mut snippet.marks, begin..snippet.text.len());
        }
    }
    let end = snippet.text.trim_end().len();
    snippet.text.truncate(end);
    if let Some((begin, _)) = mark {
        put_mark(&mut snippet.marks, begin..end);
    }
    for mark in &mut snippet.marks {
        mark.end = mark.end.min(end);
    }
    snippet.marks.retain(|mark| mark.start < mark.end);
}

/// Adds a mark, as one with the last if they touch.
fn put_mark(marks: &mut Vec<Range<usize>>, mark: Range<usize>) {
    match marks.last_mut() {
        Some(last) if mark.start <= last.end => last.end = last.end.max(mark.end),
        _ if mark.is_empty() => {}
        _ => marks.push(mark),
    }
}

/// Signs without width, and those that turn the direction of writing around.
fn is_hidden(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}
