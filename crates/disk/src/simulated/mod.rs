//! A disk in memory that forgets what was not synced.

mod chance;
mod content;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::{self, Debug};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::chance::Chance;
use self::content::SharedContent;
use self::names::Names;
use crate::{Disk, DiskFile, Room};

/// The room of a disk that nobody made small.
const ROOM: Room = Room { free: 1 << 40, total: 1 << 40 };

/// Files in memory, with the faults that disks have, drawn from a seed. A clone is the same disk.
#[derive(Clone)]
pub struct SimulatedDisk {
    state: Arc<Mutex<State>>,
}

struct State {
    folders: BTreeSet<PathBuf>,
    names: Names,
    /// Files that were opened under another number answer nothing but errors.
    generation: u64,
    /// Operations that changed something, or tried to.
    operations: u64,
    /// From this operation on all of them fail.
    fails_at: u64,
    room: Room,
    chance: Chance,
}

struct SimulatedFile {
    state: Arc<Mutex<State>>,
    content: SharedContent,
    generation: u64,
}

impl SimulatedDisk {
    /// An empty disk; the seed decides what its faults cost.
    pub fn new(seed: u64) -> Self {
        let state = State {
            folders: BTreeSet::new(),
            names: Names::default(),
            generation: 0,
            operations: 0,
            fails_at: u64::MAX,
            room: ROOM,
            chance: Chance::new(seed),
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// The power fails and comes back. Of the changes that were not synced each may have happened,
    /// in part or not at all; open files are lost; operations succeed again.
    pub fn crash(&self) {
        let mut state = self.locked();
        let State { names, chance, .. } = &mut *state;
        names.crash(chance);
        for content in names.contents() {
            locked(content).crash(chance);
        }
        state.revive();
    }

    /// The process dies and the machine lives: all that was written stays, open files are lost,
    /// operations succeed again.
    pub fn kill(&self) {
        self.locked().revive();
    }

    /// After so many further operations that change something, all of them fail.
    pub fn fail_after(&self, operations: u64) {
        let mut state = self.locked();
        state.fails_at = state.operations.saturating_add(operations);
    }

    /// How many operations have changed something so far, or tried to: append, cut, sync, create,
    /// rename, remove, sync of a folder, a folder that was not there.
    pub fn operations(&self) -> u64 {
        self.locked().operations
    }

    /// Says from now on that there is so much room.
    pub fn set_room(&self, room: Room) {
        self.locked().room = room;
    }

    /// Flips the bits of a byte of a file, as a bad sector does. The file then counts as synced.
    pub fn flip(&self, path: &Path, offset: u64) -> io::Result<()> {
        let content = self.locked().names.find(path)?;
        locked(&content).flip(offset)
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    fn file(&self, content: SharedContent, generation: u64) -> Box<dyn DiskFile> {
        Box::new(SimulatedFile { state: Arc::clone(&self.state), content, generation })
    }
}

impl State {
    /// Counts an operation; from some count on it fails.
    fn operate(&mut self) -> io::Result<()> {
        self.operations += 1;
        if self.operations <= self.fails_at {
            return Ok(());
        }
        let kind = if self.chance.one_in(2) { ErrorKind::StorageFull } else { ErrorKind::Other };
        Err(io::Error::new(kind, "a simulated fault"))
    }

    fn revive(&mut self) {
        self.generation += 1;
        self.fails_at = u64::MAX;
    }

    fn folder_of(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if self.folders.contains(folder) { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
    }
}

impl Disk for SimulatedDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.locked();
        state.operate()?;
        state.folder_of(path)?;
        let content = state.names.create(path)?;
        Ok(self.file(content, state.generation))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let state = self.locked();
        Ok(self.file(state.names.find(path)?, state.generation))
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.locked().names.find(path).is_ok())
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        let mut state = self.locked();
        if !state.folders.contains(folder) {
            state.operate()?;
            state.folders.extend(folder.ancestors().map(Path::to_owned));
        }
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        Ok(self.locked().names.list(folder))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.locked();
        state.operate()?;
        if from.parent() != to.parent() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a file stays in its folder"));
        }
        state.names.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.locked();
        state.operate()?;
        state.names.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut state = self.locked();
        state.operate()?;
        if !state.folders.contains(folder) {
            return Err(ErrorKind::NotFound.into());
        }
        state.names.sync(folder);
        Ok(())
    }

    fn room(&self, _folder: &Path) -> io::Result<Room> {
        Ok(self.locked().room)
    }
}

impl SimulatedFile {
    /// The disk, if this file was opened since the last crash.
    fn alive(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = locked(&self.state);
        if state.generation == self.generation {
            return Ok(state);
        }
        Err(io::Error::other("a simulated crash came after this file was opened"))
    }
}

impl DiskFile for SimulatedFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.alive()?;
        let operated = state.operate();
        let count = if operated.is_ok() { bytes.len() } else { state.chance.up_to(bytes.len()) };
        locked(&self.content).append(&bytes[..count]);
        operated
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let _state = self.alive()?;
        Ok(locked(&self.content).read_at(offset, buffer))
    }

    fn length(&self) -> io::Result<u64> {
        let _state = self.alive()?;
        Ok(locked(&self.content).length())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.alive()?.operate()?;
        locked(&self.content).cut(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.alive()?.operate()?;
        locked(&self.content).sync();
        Ok(())
    }
}

impl Debug for SimulatedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedDisk").finish_non_exhaustive()
    }
}

impl Debug for SimulatedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedFile").finish_non_exhaustive()
    }
}

/// Takes a lock; what it guards is whole between statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
