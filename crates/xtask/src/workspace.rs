//! Where the workspace lies, which files belong to it, and how cargo is called in it.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables that `cargo run` sets for us alone: ring's build script, for one, would run again
/// (and everything above it be built again) if they reached an inner cargo.
const OURS_ALONE: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];

/// The folder of the root `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.ancestors().nth(2).map_or_else(|| package.clone(), Path::to_path_buf)
}

/// The folder that cargo builds in; chores keep their scratch files there too.
pub(crate) fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target)
}

/// `program` at the root, with the environment that a person's shell would give it.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if OURS_ALONE.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&*name);
        }
    }
    command
}

/// cargo, at the root.
pub(crate) fn cargo() -> Command {
    command("cargo")
}

/// The paths of all files that are tracked, or new and not ignored, in order.
pub(crate) fn files() -> Result<BTreeSet<String>, String> {
    let root = root();
    // A CI checkout may belong to another user; listing files of it is harmless.
    let listed = command("git")
        .args(["-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"])
        .output()
        .map_err(|e| format!("cannot start git: {e}"))?;
    if !listed.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let exists = |path: &&str| !path.is_empty() && root.join(path).is_file();
    Ok(listed.split('\0').filter(exists).map(str::to_owned).collect())
}
