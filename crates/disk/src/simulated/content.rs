//! The bytes of one file: as they read now, as the disk has them, and what lies between.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex};

use super::chance::Chance;

/// A file's bytes, for its name and for whoever has it open.
pub(super) type SharedContent = Arc<Mutex<Content>>;

#[derive(Default)]
pub(super) struct Content {
    now: Vec<u8>,
    synced: Vec<u8>,
    /// What leads from `synced` to `now`.
    unsynced: Vec<Change>,
}

enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut { to: usize },
}

impl Content {
    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.unsynced.push(Change::Write { at: self.now.len(), bytes: bytes.to_owned() });
        self.now.extend_from_slice(bytes);
    }

    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.now.get(offset..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }

    pub(super) fn length(&self) -> u64 {
        u64::try_from(self.now.len()).expect("a length fits 64 bits")
    }

    pub(super) fn cut(&mut self, length: u64) -> io::Result<()> {
        let to = usize::try_from(length).unwrap_or(usize::MAX);
        if to > self.now.len() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a cut beyond the end"));
        }
        self.unsynced.push(Change::Cut { to });
        self.now.truncate(to);
        Ok(())
    }

    pub(super) fn sync(&mut self) {
        for change in self.unsynced.drain(..) {
            change.happen(&mut self.synced);
        }
    }

    pub(super) fn flip(&mut self, offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let byte = self.now.get_mut(offset).ok_or(ErrorKind::InvalidInput)?;
        *byte ^= 0xff;
        self.synced.clone_from(&self.now);
        self.unsynced.clear();
        Ok(())
    }

    /// Each change since the last sync happens, happens in part, or does not.
    pub(super) fn crash(&mut self, chance: &mut Chance) {
        let changes = std::mem::take(&mut self.unsynced);
        match chance.below(4) {
            0 => {}
            1 => changes.iter().for_each(|change| change.happen(&mut self.synced)),
            2 => {
                let whole = chance.up_to(changes.len());
                changes[..whole].iter().for_each(|change| change.happen(&mut self.synced));
                if let Some(change) = changes.get(whole) {
                    change.happen_in_part(&mut self.synced, chance);
                }
            }
            _ => {
                for change in &changes {
                    match chance.below(3) {
                        0 => {}
                        1 => change.happen(&mut self.synced),
                        _ => change.happen_in_part(&mut self.synced, chance),
                    }
                }
            }
        }
        self.now.clone_from(&self.synced);
    }
}

impl Change {
    fn happen(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Write { at, bytes: piece } => write(bytes, *at, piece),
            Self::Cut { to } => bytes.truncate(*to),
        }
    }

    /// A beginning of the piece is there, or all of it but for a hole. A cut is one act.
    fn happen_in_part(&self, bytes: &mut Vec<u8>, chance: &mut Chance) {
        let Self::Write { at, bytes: piece } = self else { return };
        if chance.one_in(2) {
            write(bytes, *at, &piece[..chance.up_to(piece.len())]);
            return;
        }
        let start = chance.up_to(piece.len());
        let end = start + chance.up_to(piece.len() - start);
        let mut piece = piece.clone();
        piece[start..end].fill(0);
        write(bytes, *at, &piece);
    }
}

/// Puts a piece in its place; where nothing came before it there are zeros.
fn write(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let end = at + piece.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[at..end].copy_from_slice(piece);
}
