//! The child's side: limits first, then one document after another until stdin closes.

use std::io::{Read, Write};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::draft::Draft;
use crate::extract::{End, Extract};
use crate::kind::Kind;
use crate::pool::{Limits, REQUEST_BYTES_MAX};
use crate::{odf, office, pdf, rtf};

/// Files that may be open: the three that every process has.
const FILES_MAX: u64 = 3;
/// How much more CPU than time the system grants, so that who waits is the first to give up.
const CPU_GRACE: Duration = Duration::from_secs(2);

/// Reads a document in this process, without any limit of time or memory.
/// What a library or we ourselves stumble over is an end like any other.
pub fn read_here(kind: Kind, body: &[u8]) -> Extract {
    let mut draft = if kind == Kind::Pdf { Draft::printed() } else { Draft::default() };
    let read = std::panic::catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Pdf => pdf::read(body, &mut draft),
        Kind::Docx => office::docx(body, &mut draft),
        Kind::Xlsx => office::xlsx(body, &mut draft),
        Kind::Pptx => office::pptx(body, &mut draft),
        Kind::Odt | Kind::Ods | Kind::Odp => odf::read(body, &mut draft),
        Kind::Rtf => rtf::read(body, &mut draft),
        Kind::PostScript => Err(End::Stored),
    }));
    draft.finish(read.unwrap_or_else(|_| Err(End::broken("its reader stumbled over it"))))
}

/// What the child process does: it reads what its parent sends, and ends when that closes.
pub fn child() -> ExitCode {
    // What a library stumbles over is told in the reply; stderr is for the end of the process.
    std::panic::set_hook(Box::new(|_| {}));
    let mut parent = std::io::stdin().lock();
    let mut reply = std::io::stdout().lock();
    match serve(&mut parent, &mut reply) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(parent: &mut impl Read, reply: &mut impl Write) -> std::io::Result<()> {
    let mut limits = [0; Limits::BYTES];
    parent.read_exact(&mut limits)?;
    let limits = Limits::from_bytes(limits);
    limit(Resource::As, limits.memory_bytes)?;
    limit(Resource::Nofile, FILES_MAX)?;
    limit(Resource::Core, 0)?;
    let mut busy = Duration::ZERO;
    while let Some((kind, body)) = request(parent)? {
        // One thread takes no more CPU than time: what was busy so far bounds what was used.
        let seconds = (busy + limits.time + CPU_GRACE).as_secs() + 1;
        soft_limit(Resource::Cpu, seconds)?;
        let begun = Instant::now();
        let extract = read_here(kind, &body);
        busy += begun.elapsed();
        drop(body);
        let message = postcard::to_stdvec(&extract).map_err(std::io::Error::other)?;
        let bytes = u32::try_from(message.len()).map_err(std::io::Error::other)?;
        reply.write_all(&bytes.to_le_bytes())?;
        reply.write_all(&message)?;
        reply.flush()?;
    }
    Ok(())
}

/// The next document; nothing when the parent has no more.
fn request(parent: &mut impl Read) -> std::io::Result<Option<(Kind, Vec<u8>)>> {
    let mut kind = [0];
    if parent.read(&mut kind)? == 0 {
        return Ok(None);
    }
    let kind = Kind::ALL.get(usize::from(kind[0])).copied();
    let kind = kind.ok_or_else(|| std::io::Error::other("no such kind"))?;
    let mut bytes = [0; 4];
    parent.read_exact(&mut bytes)?;
    let bytes = usize::try_from(u32::from_le_bytes(bytes)).expect("a usize has 32 bits");
    if bytes > REQUEST_BYTES_MAX {
        return Err(std::io::Error::other("a document is too large"));
    }
    let mut body = vec![0; bytes];
    parent.read_exact(&mut body)?;
    Ok(Some((kind, body)))
}

fn limit(resource: Resource, most: u64) -> std::io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// A limit that may be raised again.
fn soft_limit(resource: Resource, most: u64) -> std::io::Result<()> {
    let maximum = rustix::process::getrlimit(resource).maximum;
    let most = maximum.map_or(most, |maximum| most.min(maximum));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum })?)
}
