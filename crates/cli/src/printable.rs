//! What the web sends never reaches a terminal as a control character: the one place.

use std::fmt::Write as _;

use rhumb_web::words::is_command;
use serde::Serialize;

pub(crate) use rhumb_web::words::printable;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_keeps_the_data_and_has_no_command() {
        let text = "a\u{1b}\u{9b}\u{7f}\u{202e}\"\\ ü";
        let line = json(&text).expect("a string is JSON");
        assert!(!line.trim_end().contains(is_command), "{line:?}");
        assert_eq!(serde_json::from_str::<String>(&line).expect("valid"), text);
    }
}
