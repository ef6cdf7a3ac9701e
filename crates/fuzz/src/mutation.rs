//! Small seeded changes to inputs: a fuzzer for those who have seconds.

use crate::Target;

/// The longest input that is made.
const INPUT_BYTES_MAX: usize = 8 * 1024;
/// Changes to one input.
const CHANGES_MAX: usize = 6;

/// Chance from a seed: xorshift64*, so that it is the same everywhere.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The chance of a seed.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed | 1 << 63)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(mixed).expect("31 bits fit") % end
    }
}

/// A changed copy of one of the inputs of a corpus, which is not empty.
pub fn mutate(target: &Target, corpus: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut input = corpus[chance.below(corpus.len())].clone();
    for _ in 0..=chance.below(CHANGES_MAX) {
        change(&mut input, target, corpus, chance);
    }
    input.truncate(INPUT_BYTES_MAX);
    input
}

fn change(input: &mut Vec<u8>, target: &Target, corpus: &[Vec<u8>], chance: &mut Chance) {
    let start = chance.below(input.len() + 1);
    // Short pieces more often than long ones.
    let scale = 1 << chance.below(10);
    let end = (start + chance.below(scale)).min(input.len());
    match chance.below(8) {
        0 if start < input.len() => input[start] ^= 1 << chance.below(8),
        1 if start < input.len() => input[start] = [0, 1, 0x7f, 0x80, 0xff, b'\n'][chance.below(6)],
        2 => drop(input.drain(start..end)),
        3 => {
            let copy = input[start..end].repeat(1 + chance.below(4));
            input.splice(start..start, copy);
        }
        4 => {
            let other = &corpus[chance.below(corpus.len())];
            let from = chance.below(other.len() + 1);
            let to = (from + chance.below(512)).min(other.len());
            input.splice(start..end, other[from..to].iter().copied());
        }
        5 => input.truncate(start),
        _ if !target.words.is_empty() => {
            let word = target.words[chance.below(target.words.len())];
            input.splice(start..start, word.bytes());
        }
        _ => input.push(u8::try_from(chance.below(256)).expect("a byte")),
    }
}
