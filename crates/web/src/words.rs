//! Numbers, sizes and times as people read them, and texts of the web as one may show them.

use std::borrow::Cow;
use std::time::Duration;

/// `1 host`, `2,000 hosts`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `12.3 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 4] =
        [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    match UNITS.iter().find(|(_, size)| count >= *size) {
        Some((unit, size)) => format!("{}.{} {unit}", count / size, count % size * 10 / size),
        None => format!("{count} B"),
    }
}

/// `1 h 02 min`, `3 min 07 s`, `4.2 s`.
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}.{} s", time.subsec_millis() / 100),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// The text as one line that a terminal or a page only shows: whatever moves a cursor, changes a
/// state or turns the direction of writing is replaced.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_command(c) { '\u{fffd}' } else { c }).collect())
}

/// Controls (C0, delete, C1), separators of lines, and the marks that turn writing around.
/// All of them lie in the basic plane, so that JSON escapes each by four digits.
pub fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_commands_a_terminal_is_printable() {
        let check = |text: &str, expect: &str| assert_eq!(printable(text), expect);
        check("plain, Grüße, 日本語", "plain, Grüße, 日本語");
        check("\u{1b}[2Jgone", "\u{fffd}[2Jgone");
        check("\u{9b}31mred", "\u{fffd}31mred");
        check("bell\u{7}\u{8}\u{7f}", "bell\u{fffd}\u{fffd}\u{fffd}");
        check("a\r\nb\tc", "a\u{fffd}\u{fffd}b\u{fffd}c");
        check("\u{202e}moc.elpmaxe", "\u{fffd}moc.elpmaxe");
        check("\u{2028}x\u{feff}", "\u{fffd}x\u{fffd}");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(0, "page"), "0 pages");
        assert_eq!(counted(1, "page"), "1 page");
        assert_eq!(counted(2_000, "page"), "2,000 pages");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(1_234_567), "1.2 MB");
    }
}
