//! The words of the format: how they are found, and what those mean that we know.

use encoding_rs::Encoding;

use super::Destination;

/// The longest control word, from the format.
const WORD_BYTES_MAX: usize = 32;

/// One thing after another.
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A control word and its number.
    Word(&'a str, Option<i32>),
    /// A control word that is one sign.
    Symbol(u8),
    /// A byte written in hexadecimal.
    Byte(u8),
    /// Text as it is.
    Bytes(&'a [u8]),
}

/// The tokens of a document.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { rest: body.trim_ascii_start() }
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// What stands behind a backslash.
    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.rest.first()?;
        if first == b'\'' {
            let digits = self.rest.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            self.take(if byte.is_some() { 3 } else { 1 });
            return Some(byte.map_or(Token::Bytes(b""), Token::Byte));
        }
        if !first.is_ascii_alphabetic() {
            self.take(1);
            return Some(Token::Symbol(first));
        }
        let letters = self.rest.iter().take(WORD_BYTES_MAX);
        let word = self.take(letters.take_while(|byte| byte.is_ascii_alphabetic()).count());
        let sign = usize::from(self.rest.first() == Some(&b'-'));
        let digits = self.rest.iter().skip(sign).take(10);
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        let number = (digits > 0).then(|| self.take(sign + digits));
        let number = number.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok());
        if self.rest.first() == Some(&b' ') {
            self.take(1);
        }
        if word == b"bin" {
            // Bytes of a picture, which mean nothing else.
            self.take(usize::try_from(number.unwrap_or(0)).unwrap_or_default());
        }
        Some(Token::Word(std::str::from_utf8(word).unwrap_or_default(), number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match *self.rest.first()? {
                b'{' => {
                    self.take(1);
                    return Some(Token::Open);
                }
                b'}' => {
                    self.take(1);
                    return Some(Token::Close);
                }
                b'\\' => {
                    self.take(1);
                    return self.control();
                }
                b'\r' | b'\n' | 0 => {
                    self.take(1);
                }
                _ => {
                    let ends = |byte: &u8| matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0);
                    let bytes = self.rest.iter().position(ends).unwrap_or(self.rest.len());
                    return Some(Token::Bytes(self.take(bytes)));
                }
            }
        }
    }
}

/// Where a word sends the text of its group, if it does.
pub(super) fn destination(word: &str) -> Option<Destination> {
    match word {
        "footnote" => Some(Destination::Body),
        "fonttbl" => Some(Destination::Fonts),
        "fldinst" => Some(Destination::Instruction),
        "title" => Some(Destination::Title),
        "author" => Some(Destination::Author),
        "creatim" => Some(Destination::Created),
        "revtim" => Some(Destination::Modified),
        "colortbl" | "stylesheet" | "pict" | "object" | "objdata" | "header" | "footer"
        | "headerl" | "headerr" | "headerf" | "footerl" | "footerr" | "footerf" | "themedata"
        | "datastore" | "listtable" | "listtext" | "filetbl" | "subject" | "operator"
        | "category" | "keywords" | "comment" | "doccomm" | "company" | "manager" | "hlinkbase"
        | "printim" | "buptim" | "rxe" | "xe" | "tc" | "bkmkstart" | "bkmkend" | "annotation"
        | "private" | "nonshppict" => Some(Destination::Nowhere),
        _ => None,
    }
}

/// The character that a word stands for.
pub(super) fn symbol(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "bullet" => "\u{2022}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "emspace" | "enspace" | "qmspace" => " ",
        _ => return None,
    })
}

/// A code page of Windows.
pub(super) fn code_page(number: i32) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        65_001 => "utf-8".to_owned(),
        866 => "ibm866".to_owned(),
        _ => format!("windows-{number}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// The charset of a font, by the numbers of Windows; nothing where the document's own holds.
pub(super) fn charset_of_font(number: i32) -> Option<&'static Encoding> {
    let page = match number {
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(code_page(page))
}
