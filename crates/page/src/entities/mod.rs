//! Character references, decoded by the HTML standard.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr;

/// The standard's 2,125 named references: name and code points in hexadecimal, sorted by bytes.
/// A file of our own, because the table that `quick-xml` offers is wrong in 444 places.
const NAMES: &str = include_str!("names.txt");

/// The longest named reference, without ampersand and semicolon.
const NAME_BYTES_MAX: usize = 31;
/// The longest name that is also understood without its semicolon.
const BARE_BYTES_MAX: usize = 6;

/// Names that the standard understands without their semicolon, sorted.
#[rustfmt::skip]
const BARE: [&str; 106] = [
    "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil",
    "ETH", "Eacute", "Ecirc", "Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml",
    "LT", "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash", "Otilde", "Ouml", "QUOT", "REG",
    "THORN", "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig",
    "agrave", "amp", "aring", "atilde", "auml", "brvbar", "ccedil", "cedil", "cent", "copy",
    "curren", "deg", "divide", "eacute", "ecirc", "egrave", "eth", "euml", "frac12", "frac14",
    "frac34", "gt", "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo", "lt",
    "macr", "micro", "middot", "nbsp", "not", "ntilde", "oacute", "ocirc", "ograve", "ordf",
    "ordm", "oslash", "otilde", "ouml", "para", "plusmn", "pound", "quot", "raquo", "reg",
    "sect", "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times", "uacute", "ucirc",
    "ugrave", "uml", "uuml", "yacute", "yen", "yuml",
];

/// What the numbers 0x80 to 0x9F mean: windows-1252, as old pages wrote them.
#[rustfmt::skip]
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Where a reference stands: an attribute leaves `&copy=1` alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    Attribute,
}

/// Replaces every reference in a text.
pub(crate) fn decode(text: &str, place: Place) -> Cow<'_, str> {
    let Some(mut at) = memchr(b'&', text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let mut decoded = String::with_capacity(text.len());
    let mut done = 0;
    loop {
        let after = &text[at + 1..];
        let consumed = match after.strip_prefix('#') {
            Some(number) => numeric(number, &mut decoded, &text[done..at]).map(|used| used + 1),
            None => named(after, place, &mut decoded, &text[done..at]),
        };
        if let Some(consumed) = consumed {
            done = at + 1 + consumed;
        }
        let next = at + 1 + consumed.unwrap_or(0);
        match memchr(b'&', &text.as_bytes()[next..]) {
            Some(offset) => at = next + offset,
            None => break,
        }
    }
    decoded.push_str(&text[done..]);
    Cow::Owned(decoded)
}

/// Decodes what follows `&#`: pushes the text before it and the character, says how long it was.
fn numeric(text: &str, decoded: &mut String, before: &str) -> Option<usize> {
    let hex = text.starts_with(['x', 'X']);
    let radix = if hex { 16 } else { 10 };
    let start = usize::from(hex);
    let digits = text[start..].bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if digits == 0 {
        return None;
    }
    let end = start + digits;
    // More digits than a u32 holds are out of range, whatever they are.
    let number = u32::from_str_radix(&text[start..end], radix).unwrap_or(u32::MAX);
    decoded.push_str(before);
    decoded.push(character(number));
    Some(end + usize::from(text[end..].starts_with(';')))
}

fn character(number: u32) -> char {
    match number {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9f => WINDOWS[(number - 0x80) as usize],
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

fn named(text: &str, place: Place, decoded: &mut String, before: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let longest = bytes.iter().take(NAME_BYTES_MAX + 1);
    let run = longest.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if bytes.get(run) == Some(&b';')
        && let Some(value) = lookup(&text[..run])
    {
        decoded.push_str(before);
        decoded.extend(value);
        return Some(run + 1);
    }
    let bare = (2..=run.min(BARE_BYTES_MAX)).rev();
    let end = bare.into_iter().find(|end| BARE.binary_search(&&text[..*end]).is_ok())?;
    let goes_on = |byte: &u8| *byte == b'=' || byte.is_ascii_alphanumeric();
    if place == Place::Attribute && bytes.get(end).is_some_and(goes_on) {
        return None;
    }
    decoded.push_str(before);
    decoded.extend(lookup(&text[..end])?);
    Some(end)
}

/// The characters that a name stands for.
fn lookup(name: &str) -> Option<impl Iterator<Item = char>> {
    /// The table as names and code points.
    static TABLE: LazyLock<Vec<(&str, &str)>> =
        LazyLock::new(|| NAMES.lines().filter_map(|line| line.split_once(' ')).collect());
    let place = TABLE.binary_search_by_key(&name, |(name, _)| name).ok()?;
    let hexes = TABLE[place].1.split(' ');
    Some(hexes.filter_map(|hex| char::from_u32(u32::from_str_radix(hex, 16).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::{BARE, NAMES, Place, decode};

    fn check(raw: &str, text: &str, attribute: &str) {
        assert_eq!(decode(raw, Place::Text), text, "{raw} in text");
        assert_eq!(decode(raw, Place::Attribute), attribute, "{raw} in an attribute");
    }

    #[test]
    fn named_references_decode() {
        check("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'", "a & b <>\"'");
        check("&Auml;&hellip;&notin;&NotEqualTilde;", "Ä…∉≂\u{338}", "Ä…∉≂\u{338}");
        let longest = "&CounterClockwiseContourIntegral;";
        check(longest, "∳", "∳");
        check("&nosuch; & &; &&amp;", "&nosuch; & &; &&", "&nosuch; & &; &&");
    }

    #[test]
    fn old_names_need_no_semicolon_in_text() {
        check("&copy 1 &AMP", "© 1 &", "© 1 &");
        check("?a=1&copy=2&reg3&lt", "?a=1©=2®3<", "?a=1&copy=2&reg3<");
        check("&notit; &sectable", "¬it; §able", "&notit; &sectable");
    }

    #[test]
    fn numbers_decode_and_impossible_ones_are_replaced() {
        check("&#65;&#x42;&#X43 &#68", "ABC D", "ABC D");
        check("&#150;&#x80;", "–€", "–€");
        check(
            "&#0;&#xD800;&#x110000;&#99999999999;",
            "\u{fffd}".repeat(4).as_str(),
            "\u{fffd}".repeat(4).as_str(),
        );
        check("&#; &#x; &#xg", "&#; &#x; &#xg", "&#; &#x; &#xg");
    }

    #[test]
    fn every_name_of_the_table_is_found() {
        let lines: Vec<_> = NAMES.lines().collect();
        assert_eq!(lines.len(), 2125);
        assert!(lines.is_sorted_by_key(|line| line.split_once(' ').map(|(name, _)| name)));
        for line in lines {
            let (name, points) = line.split_once(' ').expect("a name and its points");
            let expect: String = points
                .split(' ')
                .map(|hex| {
                    u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).expect("a point")
                })
                .collect();
            assert_eq!(decode(&format!("&{name};"), Place::Text), expect, "{name}");
        }
    }

    #[test]
    fn the_names_without_semicolon_are_sorted_and_known() {
        assert!(BARE.is_sorted());
        for name in BARE {
            assert_ne!(decode(&format!("&{name};"), Place::Text), format!("&{name};"));
        }
    }
}
