//! Record ids: UUIDs by name (RFC 9562, version 5), so that the same inputs give the same file.

use std::fmt;

use data_encoding::HEXLOWER;
use sha1::{Digest as _, Sha1};

use crate::read::Kind;
use crate::stamp::Stamp;

/// The bytes of a UUID.
const UUID_BYTES: usize = 16;

/// What tells the records of one crawl from those of any other: 16 bytes drawn at its creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrawlId(pub [u8; UUID_BYTES]);

/// The id of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordId([u8; UUID_BYTES]);

impl RecordId {
    /// The id that these inputs always give; `number` tells apart what shares moment and name.
    pub(crate) fn new(
        crawl: CrawlId,
        kind: Kind,
        stamp: &Stamp,
        number: u64,
        subject: &str,
    ) -> Self {
        let mut hash = Sha1::new();
        hash.update(crawl.0);
        hash.update(kind.word());
        hash.update(stamp.as_str());
        hash.update(number.to_be_bytes());
        hash.update(subject);
        let hash: [u8; 20] = hash.finalize().into();
        let mut bytes: [u8; UUID_BYTES] = hash[..UUID_BYTES].try_into().expect("20 holds 16");
        bytes[6] = bytes[6] & 0x0f | 0x50;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hex = [0; 2 * UUID_BYTES];
        HEXLOWER.encode_mut(&self.0, &mut hex);
        let hex = str::from_utf8(&hex).expect("hexadecimal is ASCII");
        let (first, second, third) = (&hex[..8], &hex[8..12], &hex[12..16]);
        let (fourth, fifth) = (&hex[16..20], &hex[20..]);
        write!(f, "<urn:uuid:{first}-{second}-{third}-{fourth}-{fifth}>")
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn the_same_inputs_give_the_same_id_and_any_other_a_new_one() {
        let stamp = Stamp::of(SystemTime::UNIX_EPOCH);
        let new = |kind, number, name| RecordId::new(CrawlId([7; 16]), kind, &stamp, number, name);
        let first = new(Kind::Response, 1, "http://a/");
        assert_eq!(first, new(Kind::Response, 1, "http://a/"));
        assert_ne!(first, new(Kind::Request, 1, "http://a/"));
        assert_ne!(first, new(Kind::Response, 2, "http://a/"));
        assert_ne!(first, new(Kind::Response, 1, "http://b/"));
    }

    #[test]
    fn an_id_is_written_as_a_uuid_of_version_five() {
        let stamp = Stamp::of(SystemTime::UNIX_EPOCH);
        let text = RecordId::new(CrawlId([0; 16]), Kind::Metadata, &stamp, 0, "").to_string();
        assert_eq!(text.len(), "<urn:uuid:00000000-0000-0000-0000-000000000000>".len());
        assert_eq!(text.as_bytes()[24], b'5');
        assert!(matches!(text.as_bytes()[29], b'8' | b'9' | b'a' | b'b'));
    }
}
