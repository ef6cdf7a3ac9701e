//! One frame: its length, its kind, a checksum over both, its offset and its payload.

use crc32fast::Hasher;

use super::Offset;

/// The largest payload of a frame. Bounds what opening holds in memory.
pub const FRAME_BYTES_MAX: usize = 64 << 20;

/// Length (4), kind (1) and checksum (4), before the payload.
pub(super) const HEAD_BYTES: usize = 9;

/// A mark is a head and the offset up to which the log was synced.
pub(super) const MARK_BYTES: usize = HEAD_BYTES + 8;

/// What a frame is for. Zero is no kind, so that a hole of zeros is no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A payload of the caller's.
    Fact = 1,
    /// The log's own note of how far it was synced.
    Mark = 2,
}

/// What stands before a payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// How many bytes follow.
    pub(super) length: usize,
    /// What they are.
    pub(super) kind: Kind,
    checksum: u32,
}

impl Head {
    /// Reads a head; none if no frame can begin so.
    pub(super) fn parse(bytes: [u8; HEAD_BYTES]) -> Option<Self> {
        let [l0, l1, l2, l3, kind, c0, c1, c2, c3] = bytes;
        let length = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).ok()?;
        let kind = match kind {
            1 => Kind::Fact,
            2 => Kind::Mark,
            _ => return None,
        };
        let checksum = u32::from_le_bytes([c0, c1, c2, c3]);
        (length <= FRAME_BYTES_MAX).then_some(Self { length, kind, checksum })
    }

    /// Whether this payload was written at this place under this head.
    pub(super) fn fits(&self, at: Offset, payload: &[u8]) -> bool {
        payload.len() == self.length && checksum(at, self.kind, payload) == self.checksum
    }
}

/// Adds a frame for this place to a buffer.
pub(super) fn encode(at: Offset, kind: Kind, payload: &[u8], buffer: &mut Vec<u8>) {
    buffer.extend_from_slice(&length_of(payload).to_le_bytes());
    buffer.push(kind as u8);
    buffer.extend_from_slice(&checksum(at, kind, payload).to_le_bytes());
    buffer.extend_from_slice(payload);
}

/// How far the log was synced, if these bytes are a mark that was written at this place.
pub(super) fn mark(at: Offset, bytes: [u8; MARK_BYTES]) -> Option<Offset> {
    let (head, payload) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    let head = Head::parse(*head)?;
    let synced = u64::from_le_bytes(payload.try_into().ok()?);
    (head.kind == Kind::Mark && head.fits(at, payload)).then_some(Offset(synced))
}

fn checksum(at: Offset, kind: Kind, payload: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    let mut place = [0; 13];
    place[..8].copy_from_slice(&at.0.to_le_bytes());
    place[8..12].copy_from_slice(&length_of(payload).to_le_bytes());
    place[12] = kind as u8;
    hasher.update(&place);
    hasher.update(payload);
    hasher.finalize()
}

fn length_of(payload: &[u8]) -> u32 {
    u32::try_from(payload.len()).expect("a payload is at most FRAME_BYTES_MAX")
}
