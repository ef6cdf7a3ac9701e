//! Which stretches of a text show the most of a query.

use std::ops::Range;

use super::matcher::Match;

/// What a passage is worth: another word of the query more than anything, then words in the order
/// of the query, then a beginning that can be read, then the same words again.
const DISTINCT: usize = 1_000;
const FOLLOWS: usize = 300;
const BEGINS: usize = 50;
const AGAIN: usize = 10;
/// More of the same is not better.
const FOLLOWS_MAX: usize = 3;
const AGAIN_MAX: usize = 4;
/// How far before a word its sentence may begin, in bytes.
const LEAD_BYTES_MAX: usize = 120;

/// A stretch of text around matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Passage {
    from: usize,
    to: usize,
    /// How many words of the query it has that no other passage has.
    pub(super) distinct: usize,
}

/// The best passage of so many bytes, or two of half of that if they show more; in their order.
pub(super) fn best(text: &str, matches: &[Match], wanted: usize, width: usize) -> Vec<Passage> {
    let none = vec![false; wanted];
    let Some(whole) = best_one(text, matches, &none, width * 3 / 4) else { return Vec::new() };
    let mut all = none.clone();
    mark(&mut all, matches);
    if whole.distinct == count(&all) {
        return vec![whole];
    }
    let Some(first) = best_one(text, matches, &none, width * 3 / 8) else { return vec![whole] };
    let mut shown = none;
    mark(&mut shown, within(matches, &first));
    let second = best_one(text, matches, &shown, width * 3 / 8);
    match second {
        Some(second) if first.distinct + second.distinct > whole.distinct => {
            let mut both = vec![first, second];
            both.sort_by_key(|passage| passage.from);
            both
        }
        _ => vec![whole],
    }
}

/// The best passage by the words that are not shown yet.
fn best_one(text: &str, matches: &[Match], shown: &[bool], width: usize) -> Option<Passage> {
    let mut counts = vec![0_usize; shown.len()];
    let (mut distinct, mut follows, mut end) = (0, 0, 0);
    let mut best: Option<(usize, Passage)> = None;
    for (start, first) in matches.iter().enumerate() {
        while let Some(next) =
            matches.get(end).filter(|it| end == start || it.to - first.from <= width)
        {
            distinct += usize::from(!shown[next.wanted] && counts[next.wanted] == 0);
            counts[next.wanted] += 1;
            follows += usize::from(next.follows);
            end += 1;
        }
        let worth = DISTINCT * distinct
            + FOLLOWS * follows.min(FOLLOWS_MAX)
            + AGAIN * (end - start - distinct).min(AGAIN_MAX)
            + BEGINS * usize::from(sentence_start(text, first.from).is_some());
        if distinct > 0 && best.as_ref().is_none_or(|(most, _)| worth > *most) {
            let to = matches[start..end].iter().map(|it| it.to).max().unwrap_or(first.to);
            best = Some((worth, Passage { from: first.from, to, distinct }));
        }
        counts[first.wanted] -= 1;
        distinct -= usize::from(!shown[first.wanted] && counts[first.wanted] == 0);
        follows -= usize::from(first.follows);
    }
    best.map(|(_, passage)| passage)
}

fn within<'a>(
    matches: &'a [Match],
    passage: &Passage,
) -> impl IntoIterator<Item = &'a Match> + use<'a> {
    let place = passage.from..=passage.to;
    matches.iter().filter(move |it| place.contains(&it.from) && place.contains(&it.to))
}

fn mark<'a>(shown: &mut [bool], matches: impl IntoIterator<Item = &'a Match>) {
    for it in matches {
        shown[it.wanted] = true;
    }
}

fn count(shown: &[bool]) -> usize {
    shown.iter().filter(|is_shown| **is_shown).count()
}

impl Passage {
    /// The stretch with what is around it, of so many characters, not from before `least` on.
    pub(super) fn grown(&self, text: &str, chars_max: usize, least: usize) -> Range<usize> {
        let from = self.from.max(least);
        let to = self.to.max(from);
        let core = text[from..to].chars().count();
        let room = chars_max.saturating_sub(core);
        let start = match sentence_start(text, from).filter(|start| *start >= least) {
            Some(start) if text[start..from].chars().count() <= room => start,
            _ => word_start(text, from, room / 3).max(least),
        };
        let used = text[start..from].chars().count() + core;
        start..word_end(text, to, chars_max.saturating_sub(used))
    }
}

/// Where the sentence of a word begins, if that is near.
fn sentence_start(text: &str, at: usize) -> Option<usize> {
    let least = text.floor_char_boundary(at.saturating_sub(LEAD_BYTES_MAX));
    let before = &text[least..at];
    let is_stop = |letter| matches!(letter, '\n' | '。' | '！' | '？');
    let mut ends = before.char_indices().rev().filter_map(|(index, letter)| {
        let after = &before[index + letter.len_utf8()..];
        let is_end = is_stop(letter)
            || (matches!(letter, '.' | '!' | '?') && after.starts_with(char::is_whitespace));
        is_end.then(|| at - after.trim_start().len())
    });
    ends.next().or((least == 0).then(|| before.len() - before.trim_start().len()))
}

/// Whether a sentence or a line begins here.
pub(super) fn begins_sentence(text: &str, at: usize) -> bool {
    sentence_start(text, at) == Some(at)
}

/// The beginning of a word, at most so many characters before.
fn word_start(text: &str, at: usize, chars: usize) -> usize {
    let Some((start, _)) = text[..at].char_indices().rev().take(chars).last() else { return at };
    if start == 0 {
        return 0;
    }
    let before = &text[start..at];
    before.find(char::is_whitespace).map_or(start, |space| at - before[space..].trim_start().len())
}

/// The end of a word, at most so many characters after.
fn word_end(text: &str, at: usize, chars: usize) -> usize {
    let rest = &text[at..];
    let Some((end, _)) = rest.char_indices().nth(chars) else { return text.len() };
    let is_between = rest[end..].starts_with(char::is_whitespace);
    let space = rest[..end].rfind(char::is_whitespace).filter(|_| !is_between);
    // A long run without spaces is cut between letters.
    let is_near = |space: &usize| end - space <= LEAD_BYTES_MAX;
    at + space.filter(is_near).unwrap_or(end)
}
