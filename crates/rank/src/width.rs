//! Between lengths in memory and numbers in files.

/// A length as it is written.
pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).expect("a length fits 64 bits")
}

/// The place of a node or a group in a list of them all.
#[inline]
pub(crate) fn place(number: u32) -> usize {
    usize::try_from(number).expect("a computer has at least 32 bits")
}
