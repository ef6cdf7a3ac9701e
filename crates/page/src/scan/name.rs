//! The name of an element, folded so that any two can be compared.

/// The longest name that means something to a scan.
const BYTES_MAX: usize = 16;

/// A name in lower case. What is too long to mean something is folded into as many bytes: it
/// needs only be told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    bytes: [u8; BYTES_MAX],
    len: usize,
}

impl Name {
    pub(crate) fn of(written: &str) -> Self {
        let mut bytes = [0; BYTES_MAX];
        for (at, byte) in written.bytes().enumerate() {
            bytes[at % BYTES_MAX] ^= byte.to_ascii_lowercase();
        }
        Self { bytes, len: written.len() }
    }

    /// The name, or nothing where it is too long to be one that we know.
    pub(crate) fn known(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn case_does_not_count_and_long_names_differ() {
        assert_eq!(Name::of("DIV"), Name::of("div"));
        assert_eq!(Name::of("Div").known(), b"div");
        assert_eq!(Name::of("foreignObject-and-more").known(), b"");
        assert_eq!(Name::of("page-section-HEADER"), Name::of("page-section-header"));
        assert_ne!(Name::of("page-section-header"), Name::of("page-section-footer"));
    }
}
