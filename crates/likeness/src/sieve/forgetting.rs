//! A takedown: rows of what is forgotten are blanked, in new files.

use std::path::Path;

use rhumb_disk::Disk;
use rhumb_web::UrlKey;

use super::Sieve;
use crate::LikenessError;
use crate::ledger::{Ledger, RowsInfo};
use crate::row::Row;
use crate::rows::{self, Reader};

impl Sieve {
    /// Takes documents out of the files of a sieve that nobody has open, by URL and site: nothing is
    /// their twin any more. Their keys lead to blank rows from then on. The files before stay until
    /// the ledger is written down and the caller removes what it does not list.
    pub fn forget(
        disk: &dyn Disk,
        folder: &Path,
        ledger: &mut Ledger,
        is_forgotten: &dyn Fn(UrlKey, u64) -> bool,
    ) -> Result<(), LikenessError> {
        for files in [&mut ledger.rows, &mut ledger.young] {
            for info in files.iter_mut() {
                if let Some(kept) = blanked(disk, folder, info, is_forgotten)? {
                    *info = kept;
                }
            }
        }
        Ok(())
    }
}

/// A file without what is forgotten; none if nothing of it is.
fn blanked(
    disk: &dyn Disk,
    folder: &Path,
    info: &RowsInfo,
    is_forgotten: &dyn Fn(UrlKey, u64) -> bool,
) -> Result<Option<RowsInfo>, LikenessError> {
    let mut reader = Reader::new(disk, folder, std::slice::from_ref(info));
    let mut kept = Vec::new();
    let mut is_changed = false;
    for number in info.first..info.first + info.count {
        let row = reader.read(number)?;
        let is_gone = is_forgotten(UrlKey(row.url), row.site);
        is_changed |= is_gone;
        kept.push(if is_gone { Row::nothing(UrlKey(0)) } else { row });
    }
    if !is_changed {
        return Ok(None);
    }
    let info = RowsInfo { name: format!("{}-kept", info.name), ..info.clone() };
    let path = folder.join(&info.name);
    // A takedown that was cut short has left it.
    if disk.exists(&path).map_err(LikenessError::disk("find", &path))? {
        disk.remove(&path).map_err(LikenessError::disk("remove", &path))?;
    }
    rows::write(disk, folder, &info, &kept)?;
    Ok(Some(info))
}
