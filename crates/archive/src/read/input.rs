//! Bytes of a file, with their position.

use std::io::{self, BufRead, Read, Seek};

use flate2::bufread::GzDecoder;
use memchr::memmem;

/// What every gzip member begins with: magic and method.
pub(super) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 8];
/// Places that only look like a member which are tried before a broken file is given up.
const RESYNC_TRIES_MAX: usize = 10_000;

/// A file and where we are in it.
#[derive(Debug)]
pub(super) struct Input<R> {
    inner: R,
    pub(super) position: u64,
}

impl<R: BufRead + Seek> Input<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, position: 0 }
    }

    pub(super) fn go(&mut self, position: u64) -> io::Result<()> {
        // Relative, because a buffer survives a short step.
        let step = position.checked_signed_diff(self.position);
        self.inner.seek_relative(step.ok_or(io::ErrorKind::InvalidInput)?)?;
        self.position = position;
        Ok(())
    }

    /// The next bytes, at most so many, which stay to be read.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let position = self.position;
        let mut bytes = Vec::new();
        let count = u64::try_from(count).expect("a length fits 64 bits");
        self.take(count).read_to_end(&mut bytes)?;
        self.go(position)?;
        Ok(bytes)
    }

    /// Goes to the next place after `from` where a member with a record begins.
    pub(super) fn go_to_member(&mut self, mut from: u64) -> io::Result<bool> {
        for _ in 0..RESYNC_TRIES_MAX {
            let Some(found) = self.find(from, GZIP_MAGIC)? else { return Ok(false) };
            self.go(found)?;
            let mut start = [0; 5];
            let opens = GzDecoder::new(&mut *self).read_exact(&mut start).is_ok();
            if opens && &start == b"WARC/" {
                self.go(found)?;
                return Ok(true);
            }
            from = found + 1;
        }
        Ok(false)
    }

    /// Goes to the next line after `from` that begins a record in plain text.
    pub(super) fn go_to_record(&mut self, from: u64) -> io::Result<bool> {
        let Some(found) = self.find(from, b"\nWARC/1.")? else { return Ok(false) };
        self.go(found + 1)?;
        Ok(true)
    }

    fn find(&mut self, from: u64, needle: &[u8]) -> io::Result<Option<u64>> {
        self.go(from)?;
        let mut window = Vec::new();
        loop {
            let fresh = self.fill_buf()?;
            if fresh.is_empty() {
                return Ok(None);
            }
            let count = fresh.len();
            window.extend_from_slice(fresh);
            self.consume(count);
            let window_start = self.position - length(&window);
            if let Some(at) = memmem::find(&window, needle) {
                return Ok(Some(window_start + length(&window[..at])));
            }
            // A needle may begin in this window and end in the next.
            window.drain(..window.len().saturating_sub(needle.len() - 1));
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("a length fits 64 bits")
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.position += u64::try_from(count).expect("a length fits 64 bits");
        self.inner.consume(count);
    }
}
