//! Documents are read by this program itself, called once more as a child.

use std::process::ExitCode;

use rhumb_formats::{BlockingFormats, FormatsSettings, MEMORY_BYTES, TIME, WAIT};

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
    let memory_bytes = MEMORY_BYTES;
    Ok(FormatsSettings { program, arguments, children, wait: WAIT, time: TIME, memory_bytes })
}

/// Reads documents one by one, in a child.
pub(crate) fn documents() -> Result<BlockingFormats, Fault> {
    Ok(BlockingFormats::new(settings(1)?)?)
}

/// The child's side.
#[expect(clippy::unnecessary_wraps, reason = "a command like all others")]
pub(crate) fn child() -> Result<ExitCode, Fault> {
    Ok(rhumb_formats::child())
}
