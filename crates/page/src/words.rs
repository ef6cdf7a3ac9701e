//! Text as a reader sees it: whitespace collapsed, blocks on their own lines, bounded.

/// What stands between two words, the wider one winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    Nothing,
    Space,
    Line,
}

/// Collects words up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Words {
    text: String,
    gap: Gap,
    bytes_max: usize,
    full: bool,
}

impl Words {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { text: String::new(), gap: Gap::Nothing, bytes_max, full: false }
    }

    /// Collects one piece and gives it back.
    pub(crate) fn of(piece: &str, bytes_max: usize) -> String {
        let mut words = Self::new(bytes_max);
        words.push(piece);
        words.text
    }

    pub(crate) fn push(&mut self, piece: &str) {
        if piece.starts_with(char::is_whitespace) {
            self.gap(Gap::Space);
        }
        for word in piece.split_whitespace() {
            if self.full {
                return;
            }
            self.word(word);
            self.gap = Gap::Space;
        }
        if !piece.is_empty() && !piece.ends_with(char::is_whitespace) {
            self.gap = Gap::Nothing;
        }
    }

    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Whether something did not fit.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            match self.gap {
                Gap::Nothing => {}
                Gap::Space => self.text.push(' '),
                Gap::Line => self.text.push('\n'),
            }
        }
        let room = self.bytes_max.saturating_sub(self.text.len());
        if word.len() > room {
            self.text.push_str(cut(word, room));
            self.text.truncate(self.text.trim_end().len());
            self.full = true;
        } else {
            self.text.push_str(word);
        }
    }
}

/// The longest beginning of a text that has at most so many bytes.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use super::{Gap, Words, cut};

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
}
