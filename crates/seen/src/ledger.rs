//! The key-value form of the set: values that are added up or united, key by key.
//!
//! As in DRUM, changes gather in memory, and one sequential pass merges them with the file of
//! everything before into the next file; questions are asked in batches, in the same kind of pass.
//! In-degree, cash and neighbours are such values.
//!
//! The file: the magic, then chunks of sorted entries (length and CRC-32 of the body, then the
//! body: for each entry its key, the length of its value, its value). Little-endian.

use std::io::{self, BufReader, Read, Write};
use std::iter::{self, Peekable};
use std::path::{Path, PathBuf};

use rhumb_disk::{Disk, DiskFile, Reading, Writing};
use rhumb_web::UrlKey;

use crate::SeenError;

const MAGIC: [u8; 8] = *b"rhledg\x00\x01";
const MAGIC_BYTES: u64 = 8;
const BUFFER_BYTES: usize = 256 * 1024;
/// A chunk ends with the first entry beyond this.
const CHUNK_BYTES: usize = 64 * 1024;
/// How long a value may be in a file.
const VALUE_BYTES_MAX: usize = 1 << 26;

/// A value that a [`Ledger`] keeps for a key.
pub trait Value: Sized {
    /// Takes in what came later for the same key: by addition or union, so in any grouping.
    fn merge(&mut self, later: Self);
    /// Appends its bytes.
    fn encode(&self, bytes: &mut Vec<u8>);
    /// What these bytes encode, if they do.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

/// Values by key, on disk in order of keys.
#[derive(Debug)]
pub struct Ledger<V> {
    changes: Vec<(u64, V)>,
    file: Option<(PathBuf, Box<dyn DiskFile>)>,
}

impl<V> Default for Ledger<V> {
    fn default() -> Self {
        Self { changes: Vec::new(), file: None }
    }
}

impl<V: Value> Ledger<V> {
    /// Opens the file that the last [`write`](Self::write) made.
    pub fn open(disk: &dyn Disk, folder: &Path, name: &str) -> Result<Self, SeenError> {
        let path = folder.join(name);
        let file = disk.open(&path).map_err(SeenError::disk("open", &path))?;
        let mut magic = Vec::new();
        let mut start = Reading::new(&*file, 0).take(8);
        start.read_to_end(&mut magic).map_err(SeenError::disk("read", &path))?;
        SeenError::check_magic(&path, &magic, MAGIC)?;
        Ok(Self { changes: Vec::new(), file: Some((path, file)) })
    }

    /// Notes a change; it counts from the next [`write`](Self::write) on.
    pub fn add(&mut self, key: UrlKey, value: V) {
        self.changes.push((key.0, value));
    }

    /// How many changes wait.
    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Merges the changes with the file before into a new file and syncs it; the caller syncs the
    /// folder, and removes the file before when nothing refers to it any more.
    pub fn write(&mut self, disk: &dyn Disk, folder: &Path, name: &str) -> Result<(), SeenError> {
        let path = folder.join(name);
        let file = disk.create(&path).map_err(SeenError::disk("create", &path))?;
        let failed = || SeenError::disk("write", &path);
        let mut writer = EntryWriter { file: Writing::new(file, BUFFER_BYTES), body: Vec::new() };
        writer.file.write_all(&MAGIC).map_err(failed())?;
        self.changes.sort_by_key(|(key, _)| *key);
        let mut changes = std::mem::take(&mut self.changes).into_iter().peekable();
        for entry in self.entries() {
            let (key, mut value) = entry?;
            while let Some((earlier, value)) = next_until(&mut changes, |other| other < key) {
                writer.push(earlier, &value).map_err(failed())?;
            }
            while let Some((_, later)) = changes.next_if(|(other, _)| *other == key) {
                value.merge(later);
            }
            writer.push(key, &value).map_err(failed())?;
        }
        while let Some((key, value)) = next_until(&mut changes, |_| true) {
            writer.push(key, &value).map_err(failed())?;
        }
        writer.end_chunk().map_err(failed())?;
        writer.file.sync().map_err(SeenError::disk("sync", &path))?;
        let file = writer.file.into_file().map_err(failed())?;
        self.file = Some((path, file));
        Ok(())
    }

    /// The written values of these keys, in their order, in one pass over the file.
    pub fn look_up(&self, keys: &[UrlKey]) -> Result<Vec<Option<V>>, SeenError>
    where
        V: Clone,
    {
        let mut asked: Vec<(UrlKey, usize)> = keys.iter().copied().zip(0..).collect();
        asked.sort_unstable();
        let mut asked = asked.into_iter().peekable();
        let mut found: Vec<Option<V>> = keys.iter().map(|_| None).collect();
        for entry in self.entries() {
            let (key, value) = entry?;
            while asked.next_if(|(other, _)| other.0 < key).is_some() {}
            while let Some((_, index)) = asked.next_if(|(other, _)| other.0 == key) {
                found[index] = Some(value.clone());
            }
            if asked.peek().is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn entries(&self) -> impl Iterator<Item = Result<(u64, V), SeenError>> + '_ {
        self.file.iter().flat_map(|(path, file)| {
            let input = BufReader::with_capacity(BUFFER_BYTES, Reading::new(&**file, MAGIC_BYTES));
            let mut chunks = Chunks { path, input, body: Vec::new(), at: 0 };
            iter::from_fn(move || chunks.next_entry().transpose())
        })
    }
}

/// The next key that qualifies, with all its changes in one value.
fn next_until<V: Value>(
    changes: &mut Peekable<impl Iterator<Item = (u64, V)>>,
    qualifies: impl Fn(u64) -> bool,
) -> Option<(u64, V)> {
    let (key, mut value) = changes.next_if(|(key, _)| qualifies(*key))?;
    while let Some((_, later)) = changes.next_if(|(other, _)| *other == key) {
        value.merge(later);
    }
    Some((key, value))
}

struct EntryWriter {
    file: Writing,
    body: Vec<u8>,
}

impl EntryWriter {
    fn push<V: Value>(&mut self, key: u64, value: &V) -> io::Result<()> {
        self.body.extend_from_slice(&key.to_le_bytes());
        let length_at = self.body.len();
        self.body.extend_from_slice(&[0; 4]);
        value.encode(&mut self.body);
        let length = self.body.len() - length_at - 4;
        if length > VALUE_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a value is too long"));
        }
        let length = u32::try_from(length).expect("a value has a maximum");
        self.body[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
        if self.body.len() > CHUNK_BYTES { self.end_chunk() } else { Ok(()) }
    }

    fn end_chunk(&mut self) -> io::Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        let length = u32::try_from(self.body.len()).expect("a chunk has a maximum");
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&crc32fast::hash(&self.body).to_le_bytes())?;
        self.file.write_all(&self.body)?;
        self.body.clear();
        Ok(())
    }
}

/// The chunks of a file, one at a time.
struct Chunks<'a> {
    path: &'a Path,
    input: BufReader<Reading<'a>>,
    body: Vec<u8>,
    at: usize,
}

impl Chunks<'_> {
    fn next_entry<V: Value>(&mut self) -> Result<Option<(u64, V)>, SeenError> {
        if self.at == self.body.len() && !self.read_chunk()? {
            return Ok(None);
        }
        self.entry().map(Some).ok_or_else(|| self.damaged())
    }

    /// Reads the next chunk, or says that there is none.
    fn read_chunk(&mut self) -> Result<bool, SeenError> {
        self.body.clear();
        let mut head = Vec::new();
        let mut input = self.input.by_ref().take(8);
        input.read_to_end(&mut head).map_err(SeenError::disk("read", self.path))?;
        if head.is_empty() {
            return Ok(false);
        }
        let Some((length, crc)) = head.split_first_chunk() else { return Err(self.damaged()) };
        let length = u32::from_le_bytes(*length);
        self.at = 0;
        let mut body = self.input.by_ref().take(u64::from(length));
        body.read_to_end(&mut self.body).map_err(SeenError::disk("read", self.path))?;
        let is_whole = u32::try_from(self.body.len()) == Ok(length) && length > 0;
        let is_sound = is_whole && crc32fast::hash(&self.body).to_le_bytes() == crc;
        if is_sound { Ok(true) } else { Err(self.damaged()) }
    }

    fn entry<V: Value>(&mut self) -> Option<(u64, V)> {
        let (key, rest) = self.body[self.at..].split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let value = V::decode(rest.get(..length)?)?;
        let key = u64::from_le_bytes(*key);
        self.at += 12 + length;
        Some((key, value))
    }

    fn damaged(&self) -> SeenError {
        SeenError::damaged(self.path, "a chunk is not what was written")
    }
}
