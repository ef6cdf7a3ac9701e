//! Files as the rooms that keep something use them: real ones, or simulated ones that forget.
//!
//! A [`Disk`] makes files that only grow, can be cut, and are read at any place. What is written
//! survives a kill; what is synced survives a power cut: the bytes of a file after
//! [`DiskFile::sync`], its name (created, renamed, removed) after [`Disk::sync_folder`].
//! [`RealDisk`] is the operating system; [`SimulatedDisk`] loses, tears and reorders whatever was
//! not synced, by a seed.
//!
//! Nothing here knows what the bytes mean.

mod real;
mod simulated;
mod stream;

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use real::RealDisk;
pub use simulated::SimulatedDisk;
pub use stream::{Reading, Writing};

/// How much room a disk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes that we may still write.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Where files are made and found.
pub trait Disk: Debug + Send + Sync {
    /// Makes a new, empty file; one that exists is an error.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Opens a file that exists, to read it, to cut it and to write at its end.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Whether there is a file.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Makes a folder and those above it, and they reach the disk; one that exists is fine.
    fn create_folder(&self, folder: &Path) -> io::Result<()>;
    /// The names of the files in a folder, sorted; none if it does not exist.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Gives a file another name in its folder; a file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// The names of a folder reach the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// How much room is left where this folder lies.
    fn room(&self, folder: &Path) -> io::Result<Room>;
}

/// A file of a [`Disk`]. It is written by one owner; readers open it themselves, or share it.
pub trait DiskFile: Debug + Send + Sync {
    /// Writes at the end: all of it, or an error after which the end is unknown.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Reads from this place, up to the whole buffer; fewer bytes only at the end of the file.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
    /// How long it is.
    fn length(&self) -> io::Result<u64>;
    /// Cuts it to this length, which is not beyond its end.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Its bytes reach the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// A disk that several rooms share.
pub type SharedDisk = Arc<dyn Disk>;

/// The disk of the operating system.
pub fn real() -> SharedDisk {
    Arc::new(RealDisk)
}
