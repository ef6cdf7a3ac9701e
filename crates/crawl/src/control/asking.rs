//! The asking end: another process, which may wait.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::{QUESTION_BYTES_MAX, Question, Reply, short_path};

/// A crawl that opens much, or syncs a slow disk, may take its time to answer.
const PATIENCE: Duration = Duration::from_mins(1);
/// No answer is longer.
const REPLY_BYTES_MAX: u64 = 16 << 20;

/// Asks the crawl that runs in the folder; none if nobody listens there. Blocks.
pub fn ask(folder: &Path, question: &Question) -> io::Result<Option<Reply>> {
    let mut line = serde_json::to_vec(question)?;
    line.push(b'\n');
    if line.len() > QUESTION_BYTES_MAX {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the question is too long"));
    }
    let (_held, path) = match short_path(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    let mut stream = match UnixStream::connect(path) {
        // A socket without a listener was left by a crawl that was killed.
        Err(error) if is_nobody(error.kind()) => return Ok(None),
        connected => connected?,
    };
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match stream.write_all(&line) {
        Err(error) if is_nobody(error.kind()) => return Ok(None),
        written => written?,
    }
    let mut answer = Vec::new();
    match BufReader::new(stream.take(REPLY_BYTES_MAX)).read_until(b'\n', &mut answer) {
        // It ended before it came to this question.
        Ok(0) => Ok(None),
        Err(error) if is_nobody(error.kind()) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Err(io::Error::new(ErrorKind::TimedOut, "it does not answer within a minute"))
        }
        read => {
            read?;
            Ok(Some(serde_json::from_slice(&answer)?))
        }
    }
}

fn is_nobody(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
    )
}
