//! A word as a shell takes it: advice is a command that can be pasted.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The word, in quotes where a shell would take it for something else.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if word.contains(char::is_control) {
        return escaped(word.as_bytes());
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The name of a file or folder, whatever bytes it has.
pub(crate) fn path(path: &Path) -> String {
    path.to_str().map_or_else(|| escaped(path.as_os_str().as_bytes()), quoted)
}

/// The command that goes on with the crawl in a folder.
pub(crate) fn resume(folder: &Path) -> String {
    format!("rhumb crawl -o {}", path(folder))
}

/// Bytes that no terminal shows, in the shell's own writing.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for byte in bytes {
        match byte {
            b'\'' | b'\\' => write!(out, "\\{}", char::from(*byte)),
            b' '..=b'~' => write!(out, "{}", char::from(*byte)),
            _ => write!(out, "\\x{byte:02x}"),
        }
        .expect("a string takes all");
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn a_word_survives_a_shell() {
        let check = |word: &str, expect: &str| assert_eq!(quoted(word), expect);
        check("example.org", "example.org");
        check("my crawl", "'my crawl'");
        check("it's", r"'it'\''s'");
        check("Bücher", "'Bücher'");
        check("a\nb\\'", r"$'a\x0ab\\\''");
        check("", "''");
        assert_eq!(resume(Path::new("a b/c")), "rhumb crawl -o 'a b/c'");
        assert_eq!(path(Path::new(OsStr::from_bytes(b"a\xff b"))), r"$'a\xff b'");
    }
}
