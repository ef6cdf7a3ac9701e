//! A file that is written aside and takes its place at once, when it is whole.

use std::io::Write;
use std::path::{Path, PathBuf};

use rhumb_disk::{DiskFile, SharedDisk, Writing};

use crate::RankError;
use crate::width::wide;

const BUFFER: usize = 1 << 18;

/// A file on its way. A kill before [`Self::publish`] leaves the old one as it was.
pub(crate) struct Fresh {
    disk: SharedDisk,
    folder: PathBuf,
    name: &'static str,
    /// Its name until then.
    aside: PathBuf,
    writing: Writing,
    length: u64,
}

impl Fresh {
    pub(crate) fn create(
        disk: &SharedDisk,
        folder: &Path,
        name: &'static str,
        magic: [u8; 8],
    ) -> Result<Self, RankError> {
        let aside = folder.join(format!("{name}.new"));
        let file = create(disk, &aside)?;
        let writing = Writing::new(file, BUFFER);
        let (disk, folder) = (SharedDisk::clone(disk), folder.to_owned());
        let mut fresh = Self { disk, folder, name, aside, writing, length: 0 };
        fresh.put(&magic)?;
        Ok(fresh)
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), RankError> {
        self.writing.write_all(bytes).map_err(RankError::disk("write", &self.aside))?;
        self.length += wide(bytes.len());
        Ok(())
    }

    /// Where the next byte goes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Makes it durable and puts it in the place of the old one.
    pub(crate) fn publish(mut self) -> Result<(), RankError> {
        self.writing.sync().map_err(RankError::disk("sync", &self.aside))?;
        let path = self.folder.join(self.name);
        self.disk.rename(&self.aside, &path).map_err(RankError::disk("rename to", &path))?;
        let synced = self.disk.sync_folder(&self.folder);
        synced.map_err(RankError::disk("sync the folder", &self.folder))
    }
}

/// Makes a file anew, whatever a kill has left under its name.
pub(crate) fn create(disk: &SharedDisk, path: &Path) -> Result<Box<dyn DiskFile>, RankError> {
    remove(disk, path)?;
    disk.create(path).map_err(RankError::disk("make", path))
}

/// Removes a file if it is there.
pub(crate) fn remove(disk: &SharedDisk, path: &Path) -> Result<(), RankError> {
    if disk.exists(path).map_err(RankError::disk("look for", path))? {
        disk.remove(path).map_err(RankError::disk("remove", path))?;
    }
    Ok(())
}
