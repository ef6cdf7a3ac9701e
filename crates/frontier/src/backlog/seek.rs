//! Where in its lane a URL waits: all entries of the lane are passed, few are decoded.

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_web::CanonUrl;

use super::buffer::Buffer;
use super::layout::frames;
use super::segment::Segment;
use super::{BacklogError, LaneKey};
use crate::Entry;

/// A search that was prepared by [`Backlog::seek`](super::Backlog::seek), and waits to be run.
/// Segments that are replaced or removed meanwhile can still be searched.
#[derive(Debug)]
#[must_use = "nothing is searched before it is run"]
pub struct Seek {
    folder: PathBuf,
    lane: LaneKey,
    from: u64,
    /// What the bytes of the wanted entry begin with: an entry begins with its URL.
    begin: Vec<u8>,
    segments: Vec<Arc<Segment>>,
    frozen: Vec<Arc<Buffer>>,
    /// Found in the buffer that still grows.
    fresh: Option<(u64, Vec<u8>)>,
}

impl Seek {
    pub(super) fn new(
        folder: PathBuf,
        lane: LaneKey,
        from: u64,
        url: &CanonUrl,
        segments: Vec<Arc<Segment>>,
        frozen: Vec<Arc<Buffer>>,
        buffer: &Buffer,
    ) -> Self {
        let begin = postcard::to_stdvec(url).expect("memory takes any URL");
        let fresh = in_buffer(buffer, lane, from, &begin);
        let fresh = fresh.map(|(ordinal, entry)| (ordinal, entry.to_vec()));
        Self { folder, lane, from, begin, segments, frozen, fresh }
    }

    /// The first entry of that URL and its ordinal, if there is one.
    pub fn run(self) -> Result<Option<(u64, Entry)>, BacklogError> {
        for segment in &self.segments {
            if let Some(found) = self.in_segment(segment)? {
                return Ok(Some(found));
            }
        }
        let mut frozen = self.frozen.iter();
        let found = frozen.find_map(|buffer| in_buffer(buffer, self.lane, self.from, &self.begin));
        let fresh = || self.fresh.as_ref().map(|(ordinal, entry)| (*ordinal, &entry[..]));
        let Some((ordinal, entry)) = found.or_else(fresh) else { return Ok(None) };
        let entry = postcard::from_bytes(entry);
        let entry = entry.map_err(|_| BacklogError::corrupt(&self.folder, "an entry in memory"))?;
        Ok(Some((ordinal, entry)))
    }

    fn in_segment(&self, segment: &Segment) -> Result<Option<(u64, Entry)>, BacklogError> {
        for stretch in segment.stretches(self.lane, self.from..u64::MAX) {
            for (record, chunk) in segment.chunks(&stretch?)? {
                for (ordinal, frame) in (record.first..).zip(frames(&chunk)) {
                    let frame = frame.ok_or_else(|| segment.corrupt("an entry"))?;
                    if ordinal >= self.from && frame.starts_with(&self.begin) {
                        let entry = postcard::from_bytes(frame);
                        let entry = entry.map_err(|_| segment.corrupt("an entry"))?;
                        return Ok(Some((ordinal, entry)));
                    }
                }
            }
        }
        Ok(None)
    }
}

fn in_buffer<'a>(
    buffer: &'a Buffer,
    lane: LaneKey,
    from: u64,
    begin: &[u8],
) -> Option<(u64, &'a [u8])> {
    buffer.entries(lane, from).find(|(_, entry)| entry.starts_with(begin))
}
