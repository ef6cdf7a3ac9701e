//! The operating system's files.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::{Disk, DiskFile, Room};

/// Files as the operating system keeps them.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

#[derive(Debug)]
struct RealFile {
    file: File,
}

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = File::options().read(true).append(true).create_new(true).open(path)?;
        Ok(Box::new(RealFile { file }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = File::options().read(true).append(true).open(path)?;
        Ok(Box::new(RealFile { file }))
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            found => Ok(found?.is_file()),
        }
    }

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
        let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
        fs::create_dir_all(folder)?;
        for made in missing {
            let above = made.parent().filter(|above| !above.as_os_str().is_empty());
            self.sync_folder(above.unwrap_or(Path::new(".")))?;
        }
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.extend(entry.file_name().into_string().ok());
            }
        }
        names.sort();
        Ok(names)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    fn room(&self, folder: &Path) -> io::Result<Room> {
        let found = rustix::fs::statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Room { free: bytes(found.f_bavail), total: bytes(found.f_blocks) })
    }
}

impl DiskFile for RealFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        io::Write::write_all(&mut self.file, bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset + u64::try_from(filled).expect("a length fits 64 bits");
            match self.file.read_at(&mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_is_cut_and_is_read_at_any_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = RealDisk.create(&path).unwrap();
        assert_eq!(RealDisk.create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        file.append(b"hello world").unwrap();
        file.cut(5).unwrap();
        file.append(b"!").unwrap();
        file.sync().unwrap();
        let file = RealDisk.open(&path).unwrap();
        let mut buffer = [0; 9];
        assert_eq!(file.read_at(3, &mut buffer).unwrap(), 3);
        assert_eq!(&buffer[..3], b"lo!");
        assert_eq!(file.length().unwrap(), 6);
    }

    #[test]
    fn names_come_sorted_and_folders_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("deep/er");
        RealDisk.create_folder(&deep).unwrap();
        RealDisk.create_folder(&deep).unwrap();
        for name in ["b", "a", "c"] {
            RealDisk.create(&deep.join(name)).unwrap();
        }
        RealDisk.rename(&deep.join("c"), &deep.join("a")).unwrap();
        RealDisk.sync_folder(&deep).unwrap();
        assert_eq!(RealDisk.list(&deep).unwrap(), ["a", "b"]);
        RealDisk.remove(&deep.join("a")).unwrap();
        assert!(!RealDisk.exists(&deep.join("a")).unwrap());
        assert!(!RealDisk.exists(&deep).unwrap());
        assert!(RealDisk.list(&folder.path().join("none")).unwrap().is_empty());
        let room = RealDisk.room(&deep).unwrap();
        assert!(room.free <= room.total && room.total > 0);
    }
}
