//! Numbers in as many bytes as they need, seven bits a byte, the low ones first.

/// The most bytes that a number takes.
pub(crate) const BYTES_MAX: usize = 10;

#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Takes a number from the front; none if the bytes do not begin with one.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    if first < 0x80 {
        *bytes = rest;
        return Some(u64::from(first));
    }
    let mut value = u64::from(first & 0x7f);
    for (at, &byte) in rest.iter().take(BYTES_MAX - 1).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * (at + 1));
        if byte < 0x80 {
            *bytes = &rest[at + 1..];
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back_and_half_of_one_is_none() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            assert!(bytes.len() <= BYTES_MAX);
            let mut rest = &bytes[..];
            assert_eq!(take(&mut rest), Some(value));
            assert!(rest.is_empty());
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
        assert_eq!(take(&mut &[0xff; 20][..]), None);
    }
}
