//! Whether others can read what was archived at speed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where `cargo x bench` installs it.
const INSTALLED: &str = "target/x/venv/bin/warcio";

/// What `warcio check` says of the archive in this folder, in a sentence.
pub fn check(archive: &Path) -> Result<String, String> {
    let program = if Path::new(INSTALLED).is_file() { INSTALLED } else { "warcio" };
    let files = warcs(archive).map_err(|e| format!("cannot read {}: {e}", archive.display()))?;
    if files.is_empty() {
        return Err(format!("there is no archive in {}", archive.display()));
    }
    let mut command = Command::new(program);
    command.arg("check").args(&files).stdin(Stdio::null());
    let Ok(output) = command.output() else {
        return Ok("archive: not checked, warcio is not installed".to_owned());
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = said.lines().next().unwrap_or("without a word");
        return Err(format!("warcio check failed on {}: {first}", archive.display()));
    }
    Ok(format!("archive: warcio check passed, files: {}", files.len()))
}

fn warcs(archive: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths: std::io::Result<Vec<PathBuf>> =
        fs::read_dir(archive)?.map(|entry| Ok(entry?.path())).collect();
    let is_warc = |path: &PathBuf| path.to_string_lossy().ends_with(".warc.gz");
    Ok(paths?.into_iter().filter(is_warc).collect())
}
