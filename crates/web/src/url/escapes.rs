//! Percent-escapes: upper-case hex, and none where the character needs none.

/// Brings every escape of a path or query to its one form (RFC 3986 §6.2.2).
pub(super) fn tidy(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Where the last percent sign stands that begins no escape.
    let mut stray = None;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match escaped_byte(rest) {
            Some(byte) if is_unreserved(byte) && !makes_escape(&out, stray, byte) => {
                out.push(char::from(byte));
            }
            Some(_) => out.push_str(&rest[..3].to_ascii_uppercase()),
            None => {
                stray = Some(out.len());
                out.push('%');
                rest = &rest[1..];
                continue;
            }
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

/// Whether every percent sign begins an escape that is in its one form already.
pub(super) fn is_tidy(text: &str) -> bool {
    let percents = text.bytes().enumerate().filter(|(_, byte)| *byte == b'%');
    percents.map(|(at, _)| at).all(|at| {
        let escape = &text[at..];
        escaped_byte(escape).is_some_and(|byte| !is_unreserved(byte))
            && !escape.bytes().take(3).any(|byte| byte.is_ascii_lowercase())
    })
}

/// Whether this digit, written plainly, would complete an escape with a stray percent sign:
/// `%4%31` must not become `%41`.
fn makes_escape(out: &str, stray: Option<usize>, digit: u8) -> bool {
    let after = stray.map(|stray| &out.as_bytes()[stray + 1..]);
    digit.is_ascii_hexdigit()
        && after.is_some_and(|after| after.len() < 2 && after.iter().all(u8::is_ascii_hexdigit))
}

fn escaped_byte(text: &str) -> Option<u8> {
    let digits = text.get(1..3)?;
    // `from_str_radix` would take a sign.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    u8::from_str_radix(digits, 16).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}
