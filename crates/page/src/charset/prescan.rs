//! The HTML standard's look at the first bytes, before the charset is known.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::{memchr, memmem};

/// How far we look. The standard looks at 1,024 bytes and lets a parser that meets a later meta
/// start again; looking further comes to the same, and long heads are common.
const PRESCAN_BYTES_MAX: usize = 16 * 1024;

/// What an HTML document declares.
pub(super) fn html(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(PRESCAN_BYTES_MAX)];
    bare_utf_16(head).or_else(|| Prescan { bytes: head, at: 0 }.run()).or_else(|| declaration(head))
}

/// What an XML document declares.
pub(super) fn xml(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(PRESCAN_BYTES_MAX)];
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    bare_utf_16(head).or_else(|| declaration(&head[start..]))
}

/// UTF-16 without its mark, known by `<?x`.
fn bare_utf_16(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<\0?\0x\0") {
        Some(UTF_16LE)
    } else {
        head.starts_with(b"\0<\0?\0x").then_some(UTF_16BE)
    }
}

/// The encoding of an XML declaration.
fn declaration(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.strip_prefix(b"<?xml")?;
    let head = &head[..head.iter().position(|byte| *byte == b'>')?];
    let after = &head[memmem::find(head, b"encoding")? + b"encoding".len()..];
    let after = skip_blank(after).strip_prefix(b"=")?;
    let after = skip_blank(after);
    let quote = after.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &after[1..];
    let label = &label[..label.iter().position(|byte| byte == quote)?];
    let encoding = Encoding::for_label_no_replacement(label)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn skip_blank(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    &bytes[start..]
}

struct Prescan<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The bytes ran out, which ends the whole prescan.
struct RanOut;

/// Name and value.
type Attribute<'a> = (&'a [u8], &'a [u8]);

impl<'a> Prescan<'a> {
    fn run(mut self) -> Option<&'static Encoding> {
        while let Some(next) = memchr(b'<', self.bytes.get(self.at..)?) {
            self.at += next;
            match self.step() {
                Ok(Some(encoding)) => return Some(encoding),
                Ok(None) => self.at += 1,
                Err(RanOut) => return None,
            }
        }
        None
    }

    /// Looks at what the `<` here begins, and ends on its last byte.
    fn step(&mut self) -> Result<Option<&'static Encoding>, RanOut> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"<!--") {
            // The two hyphens of the opening may also be those of the end.
            let end = memmem::find(&rest[2..], b"-->").ok_or(RanOut)?;
            self.at += 2 + end + 2;
        } else if is_meta(rest) {
            self.at += b"<meta".len();
            return self.meta();
        } else if is_tag(rest) {
            let end = |byte: &u8| is_space(*byte) || *byte == b'>';
            self.at += rest.iter().position(end).ok_or(RanOut)?;
            while self.attribute()?.is_some() {}
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            self.at += memchr(b'>', rest).ok_or(RanOut)?;
        }
        Ok(None)
    }

    fn meta(&mut self) -> Result<Option<&'static Encoding>, RanOut> {
        let (mut pragma, mut content, mut charset) = (None, None, None);
        while let Some((name, value)) = self.attribute()? {
            let known = [
                (&b"http-equiv"[..], &mut pragma),
                (&b"content"[..], &mut content),
                (&b"charset"[..], &mut charset),
            ];
            let slot = known.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
            if let Some((_, slot)) = slot {
                // The first of two attributes with one name counts.
                slot.get_or_insert(value);
            }
        }
        let found = match charset {
            Some(label) => Encoding::for_label(label),
            None if pragma.is_some_and(|word| word.eq_ignore_ascii_case(b"content-type")) => {
                content.and_then(content_encoding)
            }
            None => None,
        };
        Ok(found.map(|encoding| match encoding {
            wide if wide == UTF_16LE || wide == UTF_16BE => UTF_8,
            own if own == X_USER_DEFINED => WINDOWS_1252,
            other => other,
        }))
    }

    fn here(&self) -> Result<u8, RanOut> {
        self.bytes.get(self.at).copied().ok_or(RanOut)
    }

    fn skip(&mut self, unwanted: impl Fn(u8) -> bool) -> Result<u8, RanOut> {
        while unwanted(self.here()?) {
            self.at += 1;
        }
        self.here()
    }

    /// The next attribute; nothing at the end of the tag.
    fn attribute(&mut self) -> Result<Option<Attribute<'a>>, RanOut> {
        if self.skip(|byte| is_space(byte) || byte == b'/')? == b'>' {
            return Ok(None);
        }
        let start = self.at;
        // A name may begin with an equals sign.
        self.at += 1;
        self.skip(|byte| !is_space(byte) && !matches!(byte, b'=' | b'/' | b'>'))?;
        let name = &self.bytes[start..self.at];
        if self.skip(is_space)? != b'=' {
            return Ok(Some((name, &[])));
        }
        self.at += 1;
        let value = self.value()?;
        Ok(Some((name, value)))
    }

    fn value(&mut self) -> Result<&'a [u8], RanOut> {
        let first = self.skip(is_space)?;
        let quoted = matches!(first, b'"' | b'\'');
        self.at += usize::from(quoted);
        let start = self.at;
        if quoted {
            self.skip(|byte| byte != first)?;
        } else {
            self.skip(|byte| !is_space(byte) && byte != b'>')?;
        }
        let value = &self.bytes[start..self.at];
        self.at += usize::from(quoted);
        Ok(value)
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5
        && rest[..5].eq_ignore_ascii_case(b"<meta")
        && (is_space(rest[5]) || rest[5] == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// The encoding that a pragma's content names.
fn content_encoding(content: &[u8]) -> Option<&'static Encoding> {
    let content = content.to_ascii_lowercase();
    let mut rest = content.as_slice();
    loop {
        rest = &rest[memmem::find(rest, b"charset")? + b"charset".len()..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let label = match value.first()? {
            quote @ (b'"' | b'\'') => {
                let value = &value[1..];
                &value[..memchr(*quote, value)?]
            }
            _ => value.split(|byte| is_space(*byte) || *byte == b';').next()?,
        };
        return Encoding::for_label(label);
    }
}
