//! A document under way: its text and links grow within their maxima.

use rhumb_page::{LINKS_MAX, TEXT_BYTES_MAX};
use rhumb_web::URL_BYTES_MAX;

use crate::extract::{End, Extract, RawLink};

/// How much of a title, an author or a language is kept.
const FIELD_BYTES_MAX: usize = 1024;
/// How much of a link's text is kept.
const ANCHOR_BYTES_MAX: usize = 256;
/// How much is said of what is wrong.
const WRONG_BYTES_MAX: usize = 256;
/// The most bytes of all links and their texts, as they are kept.
const LINKS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What stands between two pieces of text; the larger wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    #[default]
    None,
    Space,
    /// Between the cells of a row.
    Tab,
    Line,
    /// Between pages, sheets or slides.
    Page,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) extract: Extract,
    gap: Gap,
    /// The link whose text is being read.
    open: Option<usize>,
    links_bytes: usize,
    cut: bool,
    /// Whether lines are printed ones, where a hyphen may tear a word.
    printed: bool,
}

impl Draft {
    /// A draft of lines as they are printed: a word that a hyphen tears is made whole.
    pub(crate) fn printed() -> Self {
        Self { printed: true, ..Self::default() }
    }

    /// Whether nothing more goes in; some more was left out.
    pub(crate) fn is_full(&self) -> bool {
        self.cut && self.extract.text.len() + 4 >= TEXT_BYTES_MAX
    }

    /// Notes that something was left out.
    pub(crate) fn leave_out(&mut self) {
        self.cut = true;
    }

    /// Asks for at least this gap before the next text.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Whether the next text stands behind a gap.
    pub(crate) fn is_apart(&self) -> bool {
        self.gap > Gap::None
    }

    /// Adds text: white space becomes a gap, what cannot be printed is dropped.
    pub(crate) fn push(&mut self, text: &str) {
        for char in text.chars() {
            if char.is_whitespace() {
                self.gap(Gap::Space);
            } else if !is_ignored(char) {
                self.push_char(char);
            }
        }
    }

    fn push_char(&mut self, char: char) {
        if self.printed && self.gap == Gap::Line && self.rejoins(char) {
            self.extract.text.pop();
            self.gap = Gap::None;
        }
        let gap = if self.extract.text.is_empty() { Gap::None } else { self.gap };
        let between = match gap {
            Gap::None => "",
            Gap::Space => " ",
            Gap::Tab => "\t",
            Gap::Line => "\n",
            Gap::Page => "\n\n",
        };
        if self.extract.text.len() + between.len() + char.len_utf8() > TEXT_BYTES_MAX {
            self.cut = true;
            return;
        }
        self.extract.text.push_str(between);
        self.extract.text.push(char);
        if let Some(link) = self.open {
            self.push_anchor(link, char, gap > Gap::None);
        }
        self.gap = Gap::None;
    }

    /// Whether the last line ends within a word that goes on with this character.
    fn rejoins(&self, char: char) -> bool {
        let mut before = self.extract.text.chars().rev();
        char.is_lowercase()
            && before.next() == Some('-')
            && before.next().is_some_and(char::is_lowercase)
    }

    /// Adds to the text of a link.
    pub(crate) fn push_anchor(&mut self, link: usize, char: char, apart: bool) {
        let Some(link) = self.extract.links.get_mut(link) else {
            return;
        };
        if link.text.len() + 1 + char.len_utf8() > ANCHOR_BYTES_MAX {
            return;
        }
        let apart = apart && !link.text.is_empty();
        let bytes = usize::from(apart) + char.len_utf8();
        if self.links_bytes + bytes > LINKS_BYTES_MAX {
            self.cut = true;
            return;
        }
        self.links_bytes += bytes;
        if apart {
            link.text.push(' ');
        }
        link.text.push(char);
    }

    /// Adds a link without text, unless it leads to a place of the document itself.
    pub(crate) fn link(&mut self, href: &str) -> Option<usize> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        if href.len() > URL_BYTES_MAX
            || self.extract.links.len() == LINKS_MAX
            || self.links_bytes + href.len() > LINKS_BYTES_MAX
        {
            self.cut = true;
            return None;
        }
        self.links_bytes += href.len();
        self.extract.links.push(RawLink { href: href.to_owned(), text: String::new() });
        Some(self.extract.links.len() - 1)
    }

    /// Adds a link whose text comes now.
    pub(crate) fn open_link(&mut self, href: &str) {
        self.open = self.link(href);
    }

    /// Ends the text of the link under way.
    pub(crate) fn close_link(&mut self) {
        self.open = None;
    }

    /// What was read, with the end that the reading came to.
    pub(crate) fn finish(mut self, read: Result<(), End>) -> Extract {
        self.extract.end = match read {
            Ok(()) if self.cut => End::Cut,
            Ok(()) => End::Whole,
            Err(End::Broken(mut what)) => {
                what.truncate(what.floor_char_boundary(WRONG_BYTES_MAX));
                End::Broken(what)
            }
            Err(end) => end,
        };
        self.extract
    }
}

/// A field of a document's properties, without what cannot be printed; nothing where it is empty.
pub(crate) fn field(text: &str) -> Option<String> {
    let mut field = String::new();
    for word in text.split_whitespace() {
        if !field.is_empty() {
            field.push(' ');
        }
        for char in word.chars().filter(|char| !is_ignored(*char)) {
            if field.len() + char.len_utf8() > FIELD_BYTES_MAX {
                return Some(field);
            }
            field.push(char);
        }
    }
    (!field.is_empty()).then_some(field)
}

/// Control characters, marks of order and what stands for nothing.
fn is_ignored(char: char) -> bool {
    char.is_control() || matches!(char, '\u{feff}' | '\u{fffd}'..='\u{ffff}' | '\u{ad}')
}
