//! The digests of blocks and payloads.

use std::fmt;

use data_encoding::{BASE32, BASE64, BASE64URL, HEXLOWER_PERMISSIVE};
use sha1::{Digest as _, Sha1};

/// The bytes of a SHA-1.
const SHA1_BYTES: usize = 20;
/// The letters of a SHA-1 in base 32.
const BASE32_LETTERS: usize = 32;

/// A SHA-1, written as archives do: `sha1:` and base 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; SHA1_BYTES]);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha1::digest(bytes).into())
    }

    /// Reads `sha1:` with base 32, hexadecimal or base 64; other algorithms are not known here.
    pub fn parse(text: &str) -> Option<Self> {
        let (algorithm, value) = text.split_once(':')?;
        if !algorithm.eq_ignore_ascii_case("sha1") && !algorithm.eq_ignore_ascii_case("sha-1") {
            return None;
        }
        let value = value.trim().as_bytes();
        let bytes = match value.len() {
            BASE32_LETTERS => BASE32.decode(&value.to_ascii_uppercase()),
            40 => HEXLOWER_PERMISSIVE.decode(value),
            _ => BASE64.decode(value).or_else(|_| BASE64URL.decode(value)),
        };
        bytes.ok()?.try_into().ok().map(Self)
    }

    /// The bare bytes.
    pub fn as_bytes(&self) -> &[u8; SHA1_BYTES] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = [0; BASE32_LETTERS];
        BASE32.encode_mut(&self.0, &mut letters);
        f.write_str("sha1:")?;
        f.write_str(str::from_utf8(&letters).expect("base 32 is ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A digest that grows with its bytes.
#[derive(Clone, Default)]
pub(crate) struct Digester(Sha1);

impl Digester {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn end(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_what_it_writes_and_what_others_write() {
        let empty = Digest::of(b"");
        assert_eq!(empty.to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(Digest::parse(&empty.to_string()), Some(empty));
        assert_eq!(Digest::parse("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"), Some(empty));
        assert_eq!(Digest::parse("sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk="), Some(empty));
        assert_eq!(Digest::parse("sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk="), Some(empty));
        assert_eq!(Digest::parse("md5:d41d8cd98f00b204e9800998ecf8427e"), None);
        assert_eq!(Digest::parse("sha1:short"), None);
    }
}
