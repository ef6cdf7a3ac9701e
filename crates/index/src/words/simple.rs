//! A run of ASCII letters and digits that nothing holds together with what is around it: most
//! words of most texts, so they are read eight bytes at a time.

use super::stems::{Key, WORD_BYTES_MAX};

/// A bit of each of eight bytes.
const HIGH: u64 = each(0x80);
/// Small letters and digits have this bit.
const SMALL: u64 = each(0x20);
/// Letters have this bit, digits do not.
const LETTER: u64 = each(0x40);

/// A simple word.
pub(super) struct Simple {
    /// It in lower case, with zeros after it.
    pub(super) small: Key,
    pub(super) length: usize,
    pub(super) has_capital: bool,
    pub(super) has_digit: bool,
}

impl Simple {
    /// The word that begins here, if it is simple.
    #[inline]
    pub(super) fn at(bytes: &[u8], start: usize) -> Option<Self> {
        let mut small = [0; 4];
        let (mut length, mut capitals, mut digits) = (0, 0, 0);
        for part in &mut small {
            let eight = eight(bytes, start + length);
            let run = run(eight);
            let kept = u64::MAX.checked_shr(64 - 8 * run).unwrap_or(0);
            *part = (eight | SMALL) & kept;
            capitals |= !eight & SMALL & kept;
            digits |= !eight & LETTER & kept;
            length += usize::try_from(run).expect("at most eight");
            if run < 8 {
                break;
            }
        }
        let end = start + length;
        let is_held = match bytes.get(end) {
            Some(0x80.. | b'+' | b'#') => true,
            Some(b'_' | b'.' | b'-' | b'\'') => bytes.get(end + 1).is_some_and(|after| {
                after.is_ascii_alphanumeric() || !after.is_ascii() || *after == b'_'
            }),
            Some(_) | None => false,
        };
        let is_after_dot = start > 0 && bytes[start - 1] == b'.';
        let is_short = (1..=WORD_BYTES_MAX).contains(&length);
        let is_simple = is_short && !is_held && !is_after_dot;
        is_simple.then_some(Self {
            small,
            length,
            has_capital: capitals != 0,
            has_digit: digits != 0,
        })
    }
}

const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Eight bytes from here on, the first one lowest, with zeros after the end.
#[inline]
fn eight(bytes: &[u8], from: usize) -> u64 {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.first_chunk().map_or_else(
        || rest.iter().rev().fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
        |eight| u64::from_le_bytes(*eight),
    )
}

/// How many of eight bytes, from the lowest on, are letters or digits of ASCII. Sums of seven bits
/// and less do not reach into the next byte.
#[inline]
fn run(eight: u64) -> u32 {
    let low = eight & !HIGH;
    let small = low | SMALL;
    let letters = (small + const { each(0x80 - b'a') }) & !(small + const { each(0x7f - b'z') });
    let digits = (low + const { each(0x80 - b'0') }) & !(low + const { each(0x7f - b'9') });
    let signs = !((letters | digits) & !eight) & HIGH;
    signs.trailing_zeros() / 8
}
