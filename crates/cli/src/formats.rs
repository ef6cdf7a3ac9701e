//! Documents are read by this program itself, called once more as a child.

use std::process::ExitCode;

use rhumb_formats::{Extract, Formats, FormatsSettings, Kind, MEMORY_BYTES, TIME};

use crate::fault::Fault;

/// The hidden command of the child.
const CHILD: &str = "read-format";

/// How documents are read: by this program, called as a child.
pub(crate) fn settings(children: usize) -> Result<FormatsSettings, Fault> {
    let program = std::env::current_exe().map_err(|error| {
        Fault::failed(
            format!("cannot find this program's own file: {error}"),
            "call rhumb by its full path",
        )
    })?;
    let arguments = vec![CHILD.to_owned()];
    Ok(FormatsSettings { program, arguments, children, time: TIME, memory_bytes: MEMORY_BYTES })
}

/// Reads one document in a child of its own.
pub(crate) fn read(kind: Kind, body: Vec<u8>) -> Result<Extract, Fault> {
    let formats = Formats::new(settings(1)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    Ok(runtime.block_on(formats.read(kind, body.into())))
}

/// The child's side.
#[expect(clippy::unnecessary_wraps, reason = "a command like all others")]
pub(crate) fn child() -> Result<ExitCode, Fault> {
    Ok(rhumb_formats::child())
}
