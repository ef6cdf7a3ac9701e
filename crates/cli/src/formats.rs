//! Documents are read by this program itself, called once more as a child.

use std::process::ExitCode;

use bytes::Bytes;
use rhumb_formats::{Extract, Formats, FormatsSettings, Kind, MEMORY_BYTES, TIME, WAIT};

use tokio::runtime::Runtime;

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
pub(crate) struct Documents {
    formats: Formats,
    runtime: Runtime,
}

impl Documents {
    pub(crate) fn new() -> Result<Self, Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        Ok(Self { formats: Formats::new(settings(1)?), runtime })
    }

    pub(crate) fn read(&self, kind: Kind, body: Bytes) -> Extract {
        self.runtime.block_on(self.formats.read(kind, body))
    }
}

/// The child's side.
#[expect(clippy::unnecessary_wraps, reason = "a command like all others")]
pub(crate) fn child() -> Result<ExitCode, Fault> {
    Ok(rhumb_formats::child())
}
