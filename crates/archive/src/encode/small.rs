//! Gzip members of small records: requests, and what else is known of a fetch.
//!
//! A compressor for bodies clears a table of 128 KiB and makes codes for every member: for a few
//! hundred bytes that is nearly all of its work. Here the codes are the fixed ones of RFC 1951,
//! 3.2.6, and the table is 2 KiB. The members are a sixth longer and take a fifth of the time.

use libdeflater::Crc;

/// The longest record that is small: beyond, codes of its own are worth their making.
pub(super) const SMALL_MAX: usize = 1_024;
/// The beginning of a gzip member: no name, no time, packed in a hurry, on no system in particular.
const MEMBER_START: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
/// The first bits of the last block, if it has the fixed codes.
const LAST_AND_FIXED: u32 = 0b011;
/// The symbol that ends a block.
const BLOCK_END: usize = 256;
/// Symbols from this on are lengths of repeats, the shortest first.
const LENGTHS: usize = 257;
/// The shortest repeat that deflate knows, and the shortest that is looked for.
const LENGTH_MIN: usize = 3;
const REPEAT_MIN: usize = 4;
/// The longest that is made: one below that of deflate, which has a symbol that follows no rule.
const REPEAT_MAX: usize = 257;
/// The places that the table remembers, as a power of two.
const PLACES_ORDER: u32 = 10;

/// The fixed code of every literal and length, its first bit lowest, and how many bits it has.
const CODES: [(u32, u32); 288] = {
    let mut codes = [(0, 0); 288];
    let mut symbol: u32 = 0;
    while symbol < 288 {
        let (code, bits) = match symbol {
            0..144 => (0x30 + symbol, 8),
            144..256 => (0x190 + symbol - 144, 9),
            256..280 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        codes[symbol as usize] = (code.reverse_bits() >> (u32::BITS - bits), bits);
        symbol += 1;
    }
    codes
};

/// Adds a record of at most [`SMALL_MAX`] bytes as a member.
pub(super) fn pack(record: &[u8], members: &mut Vec<u8>) {
    members.extend_from_slice(&MEMBER_START);
    let mut bits = Bits { out: members, held: 0, count: 0 };
    bits.push((LAST_AND_FIXED, 3));
    let mut places = Places([0; 1 << PLACES_ORDER]);
    let mut at = 0;
    while at < record.len() {
        let repeat = places.meet(record, at).map(|before| (before, repeated(record, before, at)));
        if let Some((before, length)) = repeat.filter(|(_, length)| *length >= REPEAT_MIN) {
            bits.push_repeat(length, at - before);
            for inner in at + 1..at + length {
                places.meet(record, inner);
            }
            at += length;
        } else {
            bits.push(CODES[usize::from(record[at])]);
            at += 1;
        }
    }
    bits.push(CODES[BLOCK_END]);
    bits.end();
    let mut sum = Crc::new();
    sum.update(record);
    members.extend_from_slice(&sum.sum().to_le_bytes());
    let length = u32::try_from(record.len()).expect("a small record is short");
    members.extend_from_slice(&length.to_le_bytes());
}

/// How many bytes from `at` on are those from `before` on.
fn repeated(record: &[u8], before: usize, at: usize) -> usize {
    let pairs = record[before..].iter().zip(&record[at..]).take(REPEAT_MAX);
    pairs.take_while(|(old, new)| old == new).count()
}

/// Where four bytes were met last, by their hash: one more than the place, and zero for nowhere.
struct Places([u16; 1 << PLACES_ORDER]);

impl Places {
    /// Remembers the four bytes at a place. Says where some of their hash were before.
    fn meet(&mut self, record: &[u8], at: usize) -> Option<usize> {
        let bytes = u32::from_le_bytes(*record.get(at..)?.first_chunk()?);
        // Knuth's multiplier: the high bits of the product depend on all four bytes.
        let hash = bytes.wrapping_mul(2_654_435_761) >> (u32::BITS - PLACES_ORDER);
        let place = &mut self.0[hash as usize];
        let before = usize::from(*place).checked_sub(1);
        *place = u16::try_from(at + 1).expect("a small record is short");
        before
    }
}

/// Bits on their way into bytes, the lowest first.
struct Bits<'m> {
    out: &'m mut Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// At most 16 bits, so that 64 hold them.
    fn push(&mut self, (bits, count): (u32, u32)) {
        self.held |= u64::from(bits) << self.count;
        self.count += count;
        if self.count >= 32 {
            self.out.extend_from_slice(&self.held.to_le_bytes()[..4]);
            self.held >>= 32;
            self.count -= 32;
        }
    }

    /// So many bytes again, from so far back (RFC 1951, 3.2.5).
    fn push_repeat(&mut self, length: usize, distance: usize) {
        let (step, more) = stepped(length - LENGTH_MIN, 2);
        self.push(CODES[LENGTHS + step]);
        self.push(more);
        let (step, more) = stepped(distance - 1, 1);
        let step = u32::try_from(step).expect("there are 30 steps of distance");
        self.push((step.reverse_bits() >> (u32::BITS - 5), 5));
        self.push(more);
    }

    /// The last bits, with zeros up to a whole byte.
    fn end(self) {
        let bytes = self.held.to_le_bytes();
        self.out.extend(bytes.iter().take(self.count.div_ceil(8) as usize));
    }
}

/// Lengths and distances are told in steps that widen: after twice `2 ^ order` steps of one, as
/// many as that have one more bit each, as many two. The step, and the bits that tell its inside.
fn stepped(value: usize, order: u32) -> (usize, (u32, u32)) {
    let bits = value.max(1 << order).ilog2() - order;
    let step = ((bits as usize) << order) + (value >> bits);
    let inside = value & ((1 << bits) - 1);
    (step, (u32::try_from(inside).expect("a small record is short"), bits))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn check(record: &[u8]) -> usize {
        let mut members = b"before".to_vec();
        pack(record, &mut members);
        let mut unpacked = Vec::new();
        GzDecoder::new(&members[6..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, record);
        members.len() - 6
    }

    #[test]
    fn a_repeat_of_any_length_and_distance_is_unpacked_as_it_was() {
        let noise = |count: usize| (0..count).map(|n| (n * n / 7 % 251).to_le_bytes()[0]);
        for distance in 1..=SMALL_MAX / 2 {
            let unit: Vec<u8> = noise(distance).collect();
            check(&[&unit[..], &unit].concat());
        }
        for length in 0..=SMALL_MAX {
            check(&vec![b'a'; length]);
        }
    }

    #[test]
    fn what_repeats_becomes_shorter() {
        let record = "WARC-Target-URI: http://a.test/\r\n".repeat(10);
        assert!(check(record.as_bytes()) < 80);
    }

    proptest! {
        #[test]
        fn any_small_record_is_unpacked_as_it_was(
            record in prop::collection::vec(any::<u8>(), 0..=SMALL_MAX),
            few in prop::collection::vec(0..3_u8, 0..=SMALL_MAX),
        ) {
            check(&record);
            check(&few);
        }
    }
}
