//! Words that are more than a run of ASCII letters: with accents, held together by signs, or of
//! scripts without spaces.

use std::ops::Range;

use super::letters::{Kind, kind, push_lower, push_plain};
use super::stems::{Snowball, Stems};
use super::{WORD_CHARS_MAX, Word};

/// More words than that, held together by signs, are not one word.
const PARTS_MAX: usize = 8;
/// Letters of a script without spaces that are read at once.
const UNSPACED_MAX: usize = 256;
/// What French and Italian shorten before a vowel; no English word begins so.
const ELIDED: [&str; 19] = [
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "un", "all", "dell", "dall", "nell", "sull",
    "quest", "jusqu", "lorsqu", "puisqu",
];

/// What was read last: the words of one stretch of text.
#[derive(Default)]
pub(super) struct Compound {
    parts: Vec<Part>,
    /// The parts in lower case, one after the other.
    lower: String,
    /// The same without accents.
    raw: String,
    /// What they are together, if anything.
    whole: String,
    /// Where that lies in the text.
    place: Range<usize>,
    is_unspaced: bool,
    /// The whole is an ordinary word and has a stem.
    is_stemmed: bool,
}

struct Part {
    from: usize,
    to: usize,
    lower: usize,
    raw: usize,
    chars: usize,
    has_digit: bool,
    /// What holds it to the part before; a space where nothing does.
    joint: char,
}

impl Compound {
    /// Reads what begins here and gives back where it ends: further on in any case.
    pub(super) fn read(&mut self, text: &str, start: usize) -> usize {
        self.parts.clear();
        for buffer in [&mut self.lower, &mut self.raw, &mut self.whole] {
            buffer.clear();
        }
        self.is_unspaced = false;
        self.is_stemmed = false;
        let first = text[start..].chars().next().unwrap_or(' ');
        match kind(first) {
            Kind::Sign | Kind::Mark => start + first.len_utf8(),
            Kind::Unspaced => self.read_unspaced(text, start),
            Kind::Letter => self.read_parts(text, start),
        }
    }

    fn read_unspaced(&mut self, text: &str, start: usize) -> usize {
        self.is_unspaced = true;
        for (at, letter) in text[start..].char_indices() {
            let at = start + at;
            match kind(letter) {
                Kind::Mark => {}
                Kind::Unspaced if self.parts.len() < UNSPACED_MAX => {
                    self.begin(at, ' ');
                    self.lower.push(letter);
                    self.end(at + letter.len_utf8());
                }
                _ => return at,
            }
        }
        text.len()
    }

    fn read_parts(&mut self, text: &str, start: usize) -> usize {
        let mut at = start;
        let mut joint = ' ';
        loop {
            let (end, next) = self.read_part(text, at, joint);
            match next {
                Some((next, _)) if self.parts.len() == PARTS_MAX => return next,
                Some((next, held)) => (at, joint) = (next, held),
                None => return self.close(text, start, end),
            }
        }
    }

    /// Reads a part and gives back where it ends, and where the next one begins, if there is one,
    /// and what holds it to this one.
    fn read_part(
        &mut self,
        text: &str,
        start: usize,
        joint: char,
    ) -> (usize, Option<(usize, char)>) {
        self.begin(start, joint);
        let mut at = start;
        while let Some(letter) = text[at..].chars().next() {
            let next = at + letter.len_utf8();
            match kind(letter) {
                Kind::Letter => self.push(letter),
                Kind::Mark => {}
                Kind::Unspaced => break,
                Kind::Sign => {
                    let follows = begins_word(&text[next..]);
                    match letter {
                        '\'' | '’' if follows && self.is_elided() => {
                            self.end(at);
                            return (at, Some((next, ' ')));
                        }
                        '\'' | '’' if follows => {
                            if let Some(end) = possessive(text, next) {
                                self.end(at);
                                return (end, None);
                            }
                        }
                        '_' => {
                            let next =
                                at + text[at..].len() - text[at..].trim_start_matches('_').len();
                            self.end(at);
                            let follows = begins_word(&text[next..]);
                            return (next, follows.then_some((next, '_')));
                        }
                        '.' | '-' | '‐' | '‑' if follows => {
                            let joint = if letter == '.' { '.' } else { '-' };
                            self.end(at);
                            return (at, Some((next, joint)));
                        }
                        _ => break,
                    }
                }
            }
            at = next;
        }
        self.end(at);
        (at, None)
    }

    fn begin(&mut self, from: usize, joint: char) {
        let (lower, raw) = (self.lower.len(), self.raw.len());
        let part = Part { from, to: from, lower, raw, chars: 0, has_digit: false, joint };
        self.parts.push(part);
    }

    fn push(&mut self, letter: char) {
        let Some(part) = self.parts.last_mut() else { return };
        part.chars += 1;
        part.has_digit |= letter.is_numeric();
        if part.chars <= WORD_CHARS_MAX {
            push_lower(&mut self.lower, letter);
        }
    }

    fn end(&mut self, to: usize) {
        let Some(part) = self.parts.last_mut() else { return };
        part.to = to;
        push_plain(&mut self.raw, &self.lower[part.lower..]);
    }

    fn is_elided(&self) -> bool {
        let last = self.parts.last().map_or("", |part| &self.lower[part.lower..]);
        ELIDED.contains(&last)
    }

    /// Says what the parts are together and gives back where all of it ends.
    fn close(&mut self, text: &str, start: usize, end: usize) -> usize {
        let [first, rest @ ..] = self.parts.as_slice() else { return end };
        self.place = start..self.parts.last().map_or(end, |last| last.to);
        let is_letter_first = !self.raw.starts_with(|letter: char| letter.is_numeric());
        if rest.is_empty() {
            let signs = if is_letter_first { signs_after(&text[end..], first.chars) } else { "" };
            let is_after_dot = is_letter_first && signs.is_empty() && is_after_dot(text, start);
            if is_after_dot {
                self.whole.push('.');
                self.place.start -= 1;
            }
            if is_after_dot || !signs.is_empty() {
                self.whole.push_str(&self.raw);
                self.whole.push_str(signs);
                self.place.end += signs.len();
            }
            return end + signs.len();
        }
        let is_all = |joint| rest.iter().all(|part| part.joint == joint);
        if is_all('-') {
            self.is_stemmed = rest.len() == 1 && is_letter_first;
            if self.is_stemmed {
                self.whole.push_str(&self.raw);
            }
        } else if is_all('.') && self.parts.iter().all(|part| part.chars == 1) && is_letter_first {
            self.whole.push_str(&self.raw);
        } else if rest.iter().all(|part| part.joint == '.' || part.joint == '_') {
            for (index, part) in self.parts.iter().enumerate() {
                if index > 0 {
                    self.whole.push(part.joint);
                }
                let raw_end = self.parts.get(index + 1).map_or(self.raw.len(), |next| next.raw);
                self.whole.push_str(&self.raw[part.raw..raw_end]);
            }
        }
        end
    }

    /// Hands the words over and gives back the position after the last.
    pub(super) fn hand_over(
        &self,
        stems: &mut Stems,
        snowball: Option<Snowball>,
        position: usize,
        mut take: impl FnMut(Word<'_>),
    ) -> usize {
        let is_too_long = self.parts.iter().any(|part| part.chars > WORD_CHARS_MAX);
        if !self.whole.is_empty() && !is_too_long {
            let raw = self.whole.as_str();
            let has_digit = self.parts.iter().any(|part| part.has_digit);
            let stem = match snowball {
                Some(snowball) if self.is_stemmed && !has_digit => stems.of(snowball, &self.lower),
                _ => raw,
            };
            let (from, to) = (self.place.start, self.place.end);
            take(Word { raw, stem, position, from, to, is_whole: true });
        }
        for (index, part) in self.parts.iter().enumerate() {
            let position = position + index;
            let next = self.parts.get(index + 1);
            let raw = &self.raw[part.raw..next.map_or(self.raw.len(), |next| next.raw)];
            let lower = &self.lower[part.lower..next.map_or(self.lower.len(), |next| next.lower)];
            let stem = match snowball {
                Some(snowball) if !self.is_unspaced && !part.has_digit => stems.of(snowball, lower),
                _ => raw,
            };
            if part.chars <= WORD_CHARS_MAX && !raw.is_empty() {
                let (from, to) = (part.from, part.to);
                take(Word { raw, stem, position, from, to, is_whole: false });
            }
            if let Some(next) = next.filter(|_| self.is_unspaced) {
                let raw_end = self.parts.get(index + 2).map_or(self.raw.len(), |after| after.raw);
                let pair = &self.raw[part.raw..raw_end];
                let (from, to) = (part.from, next.to);
                take(Word { raw: pair, stem: pair, position, from, to, is_whole: false });
            }
        }
        position + self.parts.len()
    }
}

fn begins_word(text: &str) -> bool {
    text.chars().map(kind).find(|kind| *kind != Kind::Mark) == Some(Kind::Letter)
}

/// Where a possessive s ends, if one stands here and nothing after it.
fn possessive(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(['s', 'S'])?;
    let is_end = rest.chars().next().is_none_or(|next| matches!(kind(next), Kind::Sign));
    is_end.then_some(at + 1)
}

/// The signs of `C++` and `C#` that belong to the word before them.
fn signs_after(rest: &str, chars: usize) -> &str {
    let length =
        if rest.starts_with("++") { 2 } else { usize::from(rest.starts_with('#') && chars == 1) };
    let is_end = rest[length..]
        .chars()
        .next()
        .is_none_or(|next| kind(next) == Kind::Sign && next != '+' && next != '#');
    if is_end { &rest[..length] } else { "" }
}

/// Whether a word stands after a dot that does not end a sentence or another word.
fn is_after_dot(text: &str, start: usize) -> bool {
    let Some(before) = text[..start].strip_suffix('.') else { return false };
    let last = before.chars().next_back();
    last.is_none_or(|last| kind(last) == Kind::Sign && !matches!(last, '.' | ')' | '…' | '_'))
}
