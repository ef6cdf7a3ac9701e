//! What the web sends never reaches a terminal as a control character: the one place.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

/// The text as one line that a terminal only shows: whatever moves its cursor, changes its state
/// or turns the direction of writing is replaced.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_command(c) { '\u{fffd}' } else { c }).collect())
}

/// A value as one line of JSON that a terminal only shows: the same data, further escaped.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let mut line = serde_json::to_string(value)?;
    if line.contains(is_command) {
        let mut escaped = String::with_capacity(line.len() + 16);
        for c in line.chars() {
            // Only strings of JSON have such characters, so an escape is always in its place.
            if is_command(c) {
                write!(escaped, "\\u{:04x}", u32::from(c)).expect("a string takes all");
            } else {
                escaped.push(c);
            }
        }
        line = escaped;
    }
    line.push('\n');
    Ok(line)
}

/// Controls (C0, delete, C1), separators of lines, and the marks that turn writing around.
/// All of them lie in the basic plane, so that JSON escapes each by four digits.
fn is_command(c: char) -> bool {
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
    fn json_keeps_the_data_and_has_no_command() {
        let text = "a\u{1b}\u{9b}\u{7f}\u{202e}\"\\ ü";
        let line = json(&text).expect("a string is JSON");
        assert!(!line.trim_end().contains(is_command), "{line:?}");
        assert_eq!(serde_json::from_str::<String>(&line).expect("valid"), text);
    }
}
