//! Rich Text Format: groups, control words, and text in code pages or as numbers of characters.

mod control;

use std::collections::HashMap;

use encoding_rs::{Encoding, WINDOWS_1252};

use crate::draft::{Draft, Gap, field};
use crate::extract::End;
use crate::office::hyperlink_field;
use control::{Token, Tokens, charset_of_font, code_page, destination, symbol};

/// The most groups inside one another.
const DEPTH_MAX: usize = 1_000;
/// The most fonts whose charset is remembered.
const FONTS_MAX: usize = 4_096;
/// How much of a field's instruction or of a property is kept.
const ASIDE_BYTES_MAX: usize = 16 * 1024;

/// Where the text of a group goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Body,
    /// Nowhere: pictures, styles, what only programs know.
    Nowhere,
    /// The table of fonts, which says in what charset each writes.
    Fonts,
    /// The instruction of a field, where links are.
    Instruction,
    Title,
    Author,
    Created,
    Modified,
}

/// What holds within a group and ends with it.
#[derive(Clone, Copy)]
struct Group {
    destination: Destination,
    encoding: &'static Encoding,
    /// Characters that stand for the last numbered one, for programs that know no numbers.
    stand_ins: usize,
    /// Whether its end closes a link.
    closes_link: bool,
    font: i32,
}

/// Reads a document.
pub(crate) fn read(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    let mut story = Story::new(draft);
    for token in Tokens::new(body) {
        match token {
            Token::Open => story.open()?,
            Token::Close => {
                if story.close() {
                    return Ok(());
                }
            }
            Token::Word(word, number) => story.word(word, number),
            Token::Symbol(symbol) => story.symbol(symbol),
            Token::Bytes(bytes) => story.bytes(bytes),
            Token::Byte(byte) => story.bytes(&[byte]),
        }
        if story.draft.is_full() {
            return Ok(());
        }
    }
    story.flush();
    Err(End::broken("it ends early"))
}

struct Story<'d> {
    draft: &'d mut Draft,
    groups: Vec<Group>,
    now: Group,
    document: &'static Encoding,
    fonts: HashMap<i32, &'static Encoding>,
    /// Bytes that wait to be decoded together: some charsets have characters of two.
    bytes: Vec<u8>,
    /// Half of a character that UTF-16 splits.
    half: Option<u16>,
    /// Characters still to be left out: see [`Group::stand_ins`].
    skip: usize,
    /// Whether the next word may name a destination that can be skipped.
    optional: bool,
    /// The text of an instruction or a property.
    aside: String,
    /// Year, month and day: without a zone the hour is not known.
    date: [i32; 3],
}

impl<'d> Story<'d> {
    fn new(draft: &'d mut Draft) -> Self {
        let now = Group {
            destination: Destination::Body,
            encoding: WINDOWS_1252,
            stand_ins: 1,
            closes_link: false,
            font: 0,
        };
        Self {
            draft,
            groups: Vec::new(),
            now,
            document: WINDOWS_1252,
            fonts: HashMap::new(),
            bytes: Vec::new(),
            half: None,
            skip: 0,
            optional: false,
            aside: String::new(),
            date: [0; 3],
        }
    }

    fn open(&mut self) -> Result<(), End> {
        self.flush();
        if self.groups.len() == DEPTH_MAX {
            return Err(End::broken("its groups are nested too deep"));
        }
        self.groups.push(self.now);
        self.now.closes_link = false;
        Ok(())
    }

    /// Ends a group; says whether it was the document.
    fn close(&mut self) -> bool {
        self.flush();
        self.skip = 0;
        let Some(outside) = self.groups.pop() else {
            return true;
        };
        if self.now.destination != outside.destination {
            self.end_aside();
        }
        if self.now.closes_link {
            self.draft.close_link();
        }
        self.now = outside;
        self.groups.is_empty()
    }

    /// What a group that went elsewhere brought.
    fn end_aside(&mut self) {
        let aside = std::mem::take(&mut self.aside);
        match self.now.destination {
            Destination::Instruction => {
                if let Some(href) = hyperlink_field(&aside) {
                    self.draft.open_link(href);
                }
            }
            Destination::Title => self.draft.extract.title = field(&aside),
            Destination::Author => self.draft.extract.author = field(&aside),
            Destination::Created => self.draft.extract.created = self.moment(),
            Destination::Modified => self.draft.extract.modified = self.moment(),
            Destination::Body | Destination::Nowhere | Destination::Fonts => {}
        }
    }

    fn moment(&mut self) -> Option<String> {
        let [year, month, day] = std::mem::take(&mut self.date);
        crate::date::moment(&format!("{year:04}-{month:02}-{day:02}"))
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        let optional = std::mem::take(&mut self.optional);
        if word == "u" {
            self.numbered(number.unwrap_or_default());
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        self.flush();
        if self.now.destination == Destination::Nowhere {
            return;
        }
        match destination(word) {
            Some(destination) => self.now.destination = destination,
            None if optional => self.now.destination = Destination::Nowhere,
            None => self.plain_word(word, number),
        }
    }

    fn plain_word(&mut self, word: &str, number: Option<i32>) {
        let value = number.unwrap_or_default();
        match word {
            "par" | "line" | "sect" | "row" => self.gap(Gap::Line),
            "page" => self.gap(Gap::Page),
            "tab" => self.gap(Gap::Space),
            "cell" | "nestcell" => self.gap(Gap::Tab),
            "uc" => self.now.stand_ins = usize::try_from(value).unwrap_or_default().min(16),
            "ansicpg" => {
                self.document = code_page(value);
                self.now.encoding = self.document;
            }
            "f" => self.font(value),
            "fcharset" if self.now.destination == Destination::Fonts => {
                if let Some(encoding) = charset_of_font(value)
                    && self.fonts.len() < FONTS_MAX
                {
                    self.fonts.insert(self.now.font, encoding);
                }
            }
            "fldrslt" => self.now.closes_link = true,
            "nofpages" if value > 0 => self.draft.extract.pages = u32::try_from(value).ok(),
            "yr" => self.date[0] = value,
            "mo" => self.date[1] = value,
            "dy" => self.date[2] = value,
            _ => {
                if let Some(char) = symbol(word) {
                    self.text(char);
                }
            }
        }
    }

    fn font(&mut self, font: i32) {
        self.now.font = font;
        self.now.encoding = self.fonts.get(&font).copied().unwrap_or(self.document);
    }

    fn symbol(&mut self, symbol: u8) {
        if symbol == b'*' {
            self.optional = true;
            return;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        self.flush();
        match symbol {
            b'~' => self.text("\u{a0}"),
            b'_' => self.text("-"),
            b'\n' | b'\r' => self.gap(Gap::Line),
            b'\\' | b'{' | b'}' => self.text(char::from(symbol).encode_utf8(&mut [0; 4])),
            _ => {}
        }
    }

    /// A character by its number in UTF-16, which may be written as a negative one.
    fn numbered(&mut self, number: i32) {
        self.flush();
        let unit = u16::try_from(number.rem_euclid(0x1_0000)).expect("a remainder of 16 bits");
        self.skip = self.now.stand_ins;
        let units: Vec<u16> = self.half.take().into_iter().chain([unit]).collect();
        if let [0xd800..=0xdbff] = units[..] {
            self.half = Some(unit);
            return;
        }
        self.text(&String::from_utf16_lossy(&units));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        if self.now.destination != Destination::Nowhere {
            self.bytes.extend_from_slice(&bytes[skipped..]);
        }
    }

    fn flush(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let (text, _) = self.now.encoding.decode_without_bom_handling(&bytes);
        self.text(&text);
    }

    fn text(&mut self, text: &str) {
        match self.now.destination {
            Destination::Body => self.draft.push(text),
            Destination::Instruction | Destination::Title | Destination::Author => {
                if self.aside.len() + text.len() <= ASIDE_BYTES_MAX {
                    self.aside.push_str(text);
                }
            }
            Destination::Nowhere
            | Destination::Fonts
            | Destination::Created
            | Destination::Modified => {}
        }
    }

    fn gap(&mut self, gap: Gap) {
        if self.now.destination == Destination::Body {
            self.draft.gap(gap);
        }
    }
}
