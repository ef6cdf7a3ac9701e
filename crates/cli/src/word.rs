//! A word as a shell takes it: advice is a command that can be pasted.

use std::path::Path;

/// The word, in quotes where a shell would take it for something else.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The command that goes on with the crawl in a folder.
pub(crate) fn resume(folder: &Path) -> String {
    format!("rhumb crawl -o {}", quoted(&folder.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_survives_a_shell() {
        let check = |word: &str, expect: &str| assert_eq!(quoted(word), expect);
        check("example.org", "example.org");
        check("my crawl", "'my crawl'");
        check("it's", r"'it'\''s'");
        check("", "''");
        assert_eq!(resume(Path::new("a b/c")), "rhumb crawl -o 'a b/c'");
    }
}
