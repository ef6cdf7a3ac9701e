//! Text as a reader sees it: whitespace collapsed, blocks on their own lines, bounded.

/// What stands between two words, the wider one winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    Nothing,
    Space,
    /// The end of a table cell.
    Cell,
    Line,
}

/// Collects words up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Words {
    text: String,
    gap: Gap,
    /// What begins the next line.
    mark: &'static str,
    /// Space and empty lines of code that count only if something follows.
    held: String,
    bytes_max: usize,
    full: bool,
}

impl Words {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            text: String::new(),
            gap: Gap::Nothing,
            mark: "",
            held: String::new(),
            bytes_max,
            full: false,
        }
    }

    /// The same with room for a text that has at most so many bytes.
    pub(crate) fn with_room(bytes: usize, bytes_max: usize) -> Self {
        let text = String::with_capacity(bytes.min(bytes_max));
        Self { text, ..Self::new(bytes_max) }
    }

    /// Collects one piece and gives it back.
    pub(crate) fn of(piece: &str, bytes_max: usize) -> String {
        let mut words = Self::new(bytes_max);
        words.push(piece);
        words.text
    }

    pub(crate) fn push(&mut self, piece: &str) {
        let mut rest = piece;
        while !self.full {
            let words = rest.trim_start();
            if words.len() < rest.len() {
                self.gap(Gap::Space);
            }
            if words.is_empty() {
                return;
            }
            let (even, after) = words.split_at(even_bytes(words));
            self.put(even);
            self.gap = Gap::Nothing;
            rest = after;
        }
    }

    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
        if gap == Gap::Line {
            self.held.clear();
        }
    }

    /// Begins the next line with this.
    pub(crate) fn mark(&mut self, mark: &'static str) {
        self.mark = mark;
    }

    /// Takes a piece of code in as it stands, without empty lines at its beginning and end.
    pub(crate) fn push_code(&mut self, piece: &str) {
        if self.full {
            return;
        }
        let is_begin = self.gap == Gap::Line;
        let end = piece.trim_end().len();
        if end > 0 {
            let mut held = std::mem::take(&mut self.held);
            held.push_str(&piece[..end]);
            let first = if is_begin { held.len() - held.trim_start().len() } else { 0 };
            let line = held[..first].rfind('\n').map_or(0, |at| at + 1);
            self.put(&held[line..]);
            self.gap = Gap::Nothing;
        }
        let room = self.bytes_max.saturating_sub(self.held.len());
        self.held.push_str(cut(&piece[end..], room));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether something did not fit.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Puts words in that have a single space between them.
    fn put(&mut self, words: &str) {
        if !self.text.is_empty() {
            match self.gap {
                Gap::Nothing => {}
                Gap::Space => self.text.push(' '),
                Gap::Cell => self.text.push('\t'),
                Gap::Line => self.text.push('\n'),
            }
        }
        let mark = std::mem::take(&mut self.mark);
        if self.gap == Gap::Line || self.text.is_empty() {
            self.text.push_str(mark);
        }
        let room = self.bytes_max.saturating_sub(self.text.len());
        if words.len() > room {
            self.text.push_str(cut(words, room));
            self.text.truncate(self.text.trim_end().len());
            self.full = true;
        } else {
            self.text.push_str(words);
        }
    }
}

/// How many bytes are looked at in one go, as the machine's registers like it.
const STRIDE: usize = 32;

/// The length of a beginning that can be taken as it stands: whole words with a single space
/// between them. The text begins with a word; what is taken need not be the longest.
fn even_bytes(text: &str) -> usize {
    let mut at = 0;
    while text.as_bytes()[at..].first_chunk().is_some_and(is_even) {
        at += STRIDE;
    }
    let odd = at + STRIDE;
    at = text.floor_char_boundary(at);
    loop {
        let Some(word) = text[at..].find(char::is_whitespace) else {
            return text.len();
        };
        at += word;
        let after = text[at..].strip_prefix(' ').unwrap_or_default();
        if at >= odd || after.is_empty() || after.starts_with(char::is_whitespace) {
            return text[..at].trim_end_matches(' ').len();
        }
        at += 1;
    }
}

/// Whether no byte but the last can be of whitespace other than a single space. The first bytes
/// of all wider whitespace are 0xC2 and 0xE1 to 0xE3. No early end, so that it is vectorised.
fn is_even(bytes: &[u8; STRIDE + 1]) -> bool {
    let mut odd = false;
    for at in 0..STRIDE {
        let (byte, next) = (bytes[at], bytes[at + 1]);
        odd |= byte < b' ' || byte == 0xc2 || (0xe1..=0xe3).contains(&byte);
        odd |= byte == b' ' && next == b' ';
    }
    !odd
}

/// The longest beginning of a text that has at most so many bytes.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Gap, STRIDE, Words, cut};

    #[test]
    fn whitespace_collapses_within_and_between_pieces() {
        let mut words = Words::new(100);
        for piece in ["  a\t\n b", "c ", " d", "\u{a0}", "e"] {
            words.push(piece);
        }
        words.gap(Gap::Line);
        words.push(" f ");
        words.gap(Gap::Line);
        assert_eq!(words.into_text(), "a bc d e\nf");
    }

    #[test]
    fn a_full_collection_ends_at_a_character() {
        assert_eq!(Words::of("ab äö", 5), "ab ä");
        assert_eq!(Words::of("ab äö", 4), "ab");
        assert_eq!(cut("äö", 3), "ä");
        assert_eq!(cut("äö", 9), "äö");
    }

    /// The same, a character at a time.
    fn naive(pieces: &[String], bytes_max: usize) -> String {
        let mut text = String::new();
        for char in pieces.concat().trim_start().chars() {
            match char {
                other if !other.is_whitespace() => text.push(other),
                _ if !text.ends_with(' ') => text.push(' '),
                _ => {}
            }
        }
        cut(&text, bytes_max).trim_end().to_owned()
    }

    /// Words and whitespace of all widths.
    const PIECE: &str = "([a-z]{1,9}|[äд中あ’\u{1680}] | |  |[\t\n\u{a0}\u{3000}\u{2028}]){0,40}";

    proptest! {
        #[test]
        fn words_are_those_of_a_naive_reader(
            pieces in prop::collection::vec(PIECE, 0..4),
            bytes_max in 0..4 * STRIDE,
        ) {
            for bytes_max in [bytes_max, usize::MAX] {
                let mut words = Words::new(bytes_max);
                for piece in &pieces {
                    words.push(piece);
                }
                prop_assert_eq!(words.into_text(), naive(&pieces, bytes_max));
            }
        }
    }
}
