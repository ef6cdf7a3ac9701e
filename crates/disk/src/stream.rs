//! A file of a disk as a stream: buffered writing, buffered reading.

use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::DiskFile;

/// Gathers what is written, and hands it to the file in large pieces.
#[derive(Debug)]
pub struct Writing {
    file: Box<dyn DiskFile>,
    buffer: Vec<u8>,
    capacity: usize,
}

impl Writing {
    /// Writes at the end of a file, in pieces of about `capacity` bytes.
    pub fn new(file: Box<dyn DiskFile>, capacity: usize) -> Self {
        Self { file, buffer: Vec::with_capacity(capacity), capacity }
    }

    /// Everything so far reaches the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync()
    }

    /// The file, once all is handed to it.
    pub fn into_file(mut self) -> io::Result<Box<dyn DiskFile>> {
        self.flush()?;
        Ok(self.file)
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > self.capacity {
            self.flush()?;
        }
        if bytes.len() >= self.capacity {
            self.file.append(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            let written = self.file.append(&self.buffer);
            self.buffer.clear();
            written?;
        }
        Ok(())
    }
}

/// Reads a file from a place on.
#[derive(Debug)]
pub struct Reading<'a> {
    file: &'a dyn DiskFile,
    offset: u64,
}

impl<'a> Reading<'a> {
    /// Reads from this place; wrap it in a `BufReader` for small pieces.
    pub fn new(file: &'a dyn DiskFile, offset: u64) -> Self {
        Self { file, offset }
    }
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(self.offset, buffer)?;
        self.offset += u64::try_from(count).expect("a length fits 64 bits");
        Ok(count)
    }
}

impl Seek for Reading<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
            SeekFrom::End(by) => self.file.length()?.checked_add_signed(by),
        };
        self.offset = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;
    use std::path::Path;

    use super::*;
    use crate::{Disk, SimulatedDisk};

    #[test]
    fn small_pieces_are_gathered_and_read_back_from_any_place() {
        let disk = SimulatedDisk::new(1);
        disk.create_folder(Path::new("")).unwrap();
        let mut writing = Writing::new(disk.create(Path::new("a")).unwrap(), 10);
        let before = disk.operations();
        for piece in ["one ", "two ", "three ", "a piece beyond the capacity ", "end"] {
            writing.write_all(piece.as_bytes()).unwrap();
        }
        let file = writing.into_file().unwrap();
        assert_eq!(disk.operations(), before + 4);
        let mut reading = BufReader::new(Reading::new(&*file, 4));
        let mut text = String::new();
        reading.read_to_string(&mut text).unwrap();
        assert_eq!(text, "two three a piece beyond the capacity end");
        reading.seek(SeekFrom::End(-3)).unwrap();
        text.clear();
        reading.read_to_string(&mut text).unwrap();
        assert_eq!(text, "end");
        assert!(reading.seek(SeekFrom::Current(-100)).is_err());
    }
}
