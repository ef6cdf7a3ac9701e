//! The two ways in which a file is read.

use serde::{Deserialize, Serialize};

/// How names and paths are compared. They agree on all but rare files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// RFC 9309 to the letter, for canonical URLs: escapes are brought to one form on both sides,
    /// /robots.txt is always allowed, and a name with digits is a name.
    #[default]
    Standard,
    /// Google's parser octet by octet, for URLs as written: escapes are not decoded, /robots.txt is
    /// judged like any other path, and a name in the file ends before its first digit.
    Reference,
}

impl Reading {
    /// Whether the value of a user-agent line means the agent.
    pub(super) fn names(self, value: &str, agent: &str) -> bool {
        let (named, agent) = match self {
            Self::Standard => (product(value), product(agent)),
            Self::Reference => (value.split(|c| !is_token(c)).next().unwrap_or_default(), agent),
        };
        !named.is_empty() && named.eq_ignore_ascii_case(agent)
    }
}

/// Whether the value of a user-agent line means everybody; words after the star are talk.
pub(super) fn names_all(value: &str) -> bool {
    value.strip_prefix('*').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The characters of a product token (RFC 9309 §2.2.1).
fn is_token(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '-' || letter == '_'
}

/// A name without its version (`Bot/2.1`), wildcard (`bot*`) or explanation.
fn product(name: &str) -> &str {
    let ends = |letter: char| letter.is_whitespace() || "/*,;()".contains(letter);
    name.trim().split(ends).next().unwrap_or_default()
}
