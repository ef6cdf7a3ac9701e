//! The archive itself: copied, or checked.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use rhumb_archive::verify as check;

use super::unreadable;
use crate::fault::Fault;
use crate::quantity::counted;
use crate::tell;

/// Members of one file follow those of another: that is one WARC file.
pub(super) fn write(files: &[PathBuf], out: &mut impl Write) -> Result<(), Fault> {
    for path in files {
        let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
        std::io::copy(&mut file, out)?;
    }
    Ok(())
}

/// Checks every file, tells what is wrong, and says whether nothing is.
pub(super) fn verify(files: &[PathBuf]) -> Result<bool, Fault> {
    let (mut records, mut faults) = (0, 0);
    for path in files {
        let report = check(path).map_err(|error| unreadable(path, &error))?;
        records += report.records;
        faults += u64::try_from(report.faults.len()).unwrap_or(u64::MAX) + report.more_faults;
        for fault in &report.faults {
            tell(&format!("{}: at byte {}: {}", path.display(), fault.offset, fault.flaw));
        }
    }
    let verdict = if faults == 0 { "all valid".to_owned() } else { counted(faults, "fault") };
    let held = u64::try_from(files.len()).expect("a length fits 64 bits");
    tell(&format!("{} in {}: {verdict}", counted(records, "record"), counted(held, "file")));
    Ok(faults == 0)
}
