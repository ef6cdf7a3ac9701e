//! The names of files: as they are now, as the disk has them, and what lies between.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chance::Chance;
use super::content::SharedContent;

type Table = BTreeMap<PathBuf, SharedContent>;

#[derive(Default)]
pub(super) struct Names {
    now: Table,
    synced: Table,
    /// What leads from `synced` to `now`.
    unsynced: Vec<Change>,
}

enum Change {
    Created { path: PathBuf, content: SharedContent },
    Renamed { from: PathBuf, to: PathBuf },
    Removed { path: PathBuf },
}

impl Names {
    pub(super) fn create(&mut self, path: &Path) -> io::Result<SharedContent> {
        if self.now.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let content = SharedContent::default();
        self.change(Change::Created { path: path.to_owned(), content: Arc::clone(&content) });
        Ok(content)
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<SharedContent> {
        Ok(Arc::clone(self.now.get(path).ok_or(ErrorKind::NotFound)?))
    }

    pub(super) fn list(&self, folder: &Path) -> Vec<String> {
        let inside = self.now.keys().filter(|path| path.parent() == Some(folder));
        let names = inside.filter_map(|path| path.file_name()?.to_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        names
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.find(from)?;
        self.change(Change::Renamed { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.find(path)?;
        self.change(Change::Removed { path: path.to_owned() });
        Ok(())
    }

    pub(super) fn sync(&mut self, folder: &Path) {
        let changes = self.unsynced.extract_if(.., |change| change.path().parent() == Some(folder));
        changes.for_each(|change| change.happen(&mut self.synced));
    }

    /// Each change since the last sync of its folder happens or does not; what comes after one
    /// that did not, and has a name in common with it, does not either.
    pub(super) fn crash(&mut self, chance: &mut Chance) {
        // One of so many is lost: all, a half, a third; or none.
        let times = chance.below(4) + 1;
        let mut stale = BTreeSet::new();
        for change in self.unsynced.drain(..) {
            let (first, second) = change.paths();
            let follows = stale.contains(first) || stale.contains(second);
            let is_lost = times < 4 && chance.one_in(times);
            if follows || is_lost {
                stale.extend([first.to_owned(), second.to_owned()]);
            } else {
                change.happen(&mut self.synced);
            }
        }
        self.now = self.synced.clone();
    }

    pub(super) fn contents(&self) -> impl Iterator<Item = &SharedContent> {
        self.now.values()
    }

    fn change(&mut self, change: Change) {
        change.happen(&mut self.now);
        self.unsynced.push(change);
    }
}

impl Change {
    fn happen(&self, table: &mut Table) {
        match self {
            Self::Created { path, content } => {
                table.insert(path.clone(), Arc::clone(content));
            }
            Self::Renamed { from, to } => {
                if let Some(content) = table.remove(from) {
                    table.insert(to.clone(), content);
                }
            }
            Self::Removed { path } => {
                table.remove(path);
            }
        }
    }

    fn path(&self) -> &Path {
        self.paths().0
    }

    fn paths(&self) -> (&Path, &Path) {
        match self {
            Self::Created { path, .. } | Self::Removed { path } => (path, path),
            Self::Renamed { from, to } => (from, to),
        }
    }
}
