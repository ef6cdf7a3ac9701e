//! `CMaps`: which codes there are, and what text each stands for.

use std::collections::HashMap;

/// The most codes that one map explains.
const CODES_MAX: usize = 100_000;
/// The longest text of one code, in units of UTF-16.
const UNITS_MAX: usize = 32;

/// What a map says.
#[derive(Debug, Default)]
pub(super) struct CMap {
    pub(super) texts: HashMap<u32, Box<str>>,
    /// The lengths in bytes that its codes have.
    pub(super) lengths: Vec<usize>,
}

impl CMap {
    pub(super) fn parse(data: &[u8]) -> Self {
        let mut map = Self::default();
        let mut operands: Vec<Operand<'_>> = Vec::new();
        let words = Words { rest: data };
        for word in words {
            match word {
                Word::Operand(operand) if operands.len() < CODES_MAX * 3 => operands.push(operand),
                Word::Operand(_) => {}
                Word::Operator(name) => {
                    match name {
                        b"endcodespacerange" => map.spaces(&operands),
                        b"endbfchar" => map.singles(&operands),
                        b"endbfrange" => map.ranges(&operands),
                        _ => {}
                    }
                    operands.clear();
                }
            }
        }
        map
    }

    fn spaces(&mut self, operands: &[Operand<'_>]) {
        for operand in operands {
            if let Operand::Hex(hex) = operand
                && let bytes = bytes(hex).len()
                && (1..=4).contains(&bytes)
                && !self.lengths.contains(&bytes)
            {
                self.lengths.push(bytes);
            }
        }
    }

    fn singles(&mut self, operands: &[Operand<'_>]) {
        for pair in operands.chunks_exact(2) {
            if let [Operand::Hex(code), Operand::Hex(text)] = pair {
                self.insert(number(code), &units(text));
            }
        }
    }

    fn ranges(&mut self, operands: &[Operand<'_>]) {
        let mut rest = operands;
        while let [Operand::Hex(first), Operand::Hex(last), behind @ ..] = rest {
            let (first, last) = (number(first), number(last));
            match behind {
                [Operand::Hex(text), behind @ ..] => {
                    let mut units = units(text);
                    for code in first..=last {
                        if !self.insert(code, &units) {
                            break;
                        }
                        if let Some(unit) = units.last_mut() {
                            *unit = unit.wrapping_add(1);
                        }
                    }
                    rest = behind;
                }
                [Operand::Open, behind @ ..] => {
                    let listed = behind.iter().position(|operand| *operand == Operand::Close);
                    let (list, behind) = behind.split_at(listed.unwrap_or(behind.len()));
                    for (code, operand) in (first..=last).zip(list) {
                        if let Operand::Hex(text) = operand {
                            self.insert(code, &units(text));
                        }
                    }
                    rest = behind.get(1..).unwrap_or_default();
                }
                _ => return,
            }
        }
    }

    /// Adds a code; says whether there is room for more.
    fn insert(&mut self, code: u32, units: &[u16]) -> bool {
        if self.texts.len() >= CODES_MAX {
            return false;
        }
        let units = &units[..units.len().min(UNITS_MAX)];
        self.texts.insert(code, String::from_utf16_lossy(units).into_boxed_str());
        true
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand<'a> {
    /// The digits of a string.
    Hex(&'a [u8]),
    Open,
    Close,
}

enum Word<'a> {
    Operand(Operand<'a>),
    Operator(&'a [u8]),
}

/// The words of a map; names, numbers and dictionaries mean nothing here.
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            let (first, rest) = self.rest.split_first()?;
            match first {
                b'<' if rest.first() != Some(&b'<') => {
                    let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
                    self.rest = rest.get(end + 1..).unwrap_or_default();
                    return Some(Word::Operand(Operand::Hex(&rest[..end])));
                }
                b'[' | b']' => {
                    self.rest = rest;
                    let operand = if *first == b'[' { Operand::Open } else { Operand::Close };
                    return Some(Word::Operand(operand));
                }
                b'%' => {
                    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    self.rest = &rest[end..];
                }
                b'a'..=b'z' | b'A'..=b'Z' => {
                    let end = self.rest.iter().position(|byte| !byte.is_ascii_alphabetic());
                    let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                    self.rest = rest;
                    return Some(Word::Operator(name));
                }
                b'/' => {
                    let regular = |byte: &u8| !b" \t\r\n\x0c\0/<>[](){}%".contains(byte);
                    let bytes = rest.iter().take_while(|byte| regular(byte)).count();
                    self.rest = &rest[bytes..];
                }
                _ => self.rest = rest,
            }
        }
    }
}

fn bytes(hex: &[u8]) -> Vec<u8> {
    let digits = hex.iter().filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    let pair = |pair: &[u8]| pair[0] << 4 | pair.get(1).copied().unwrap_or_default();
    digits.chunks(2).map(pair).collect()
}

fn number(hex: &[u8]) -> u32 {
    bytes(hex).iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn units(hex: &[u8]) -> Vec<u16> {
    let bytes = bytes(hex);
    // A single byte is a wrong way to write a Latin letter, but a common one.
    if let [byte] = bytes[..] {
        return vec![u16::from(byte)];
    }
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}
