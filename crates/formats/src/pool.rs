//! The parent's side: children that read documents, started when they are needed.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use rustix::process::Signal;
use tokio::sync::Semaphore;

use crate::extract::{End, Extract};
use crate::kind::Kind;

/// How long one document may take, unless another time is set.
pub const TIME: Duration = Duration::from_secs(20);
/// How long a document waits for a child that is free, unless another time is set.
pub const WAIT: Duration = Duration::from_mins(2);
/// The most memory of one child, unless another is set.
pub const MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// The largest document that is read.
pub(crate) const REQUEST_BYTES_MAX: usize = 256 * 1024 * 1024;
/// The largest answer of a child: 1 MiB of text, 4 MiB of links, and a little.
const REPLY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How many documents one child reads: what a library leaks ends with it.
const DOCUMENTS_MAX: usize = 100;
/// How much of a dying child's words is looked at.
const LAST_WORDS_BYTES_MAX: u64 = 4096;

/// How children are started, and what they may take.
#[derive(Clone, Debug)]
pub struct FormatsSettings {
    /// The program that calls [`child()`](crate::child()) ...
    pub program: PathBuf,
    /// ... when it is given these arguments.
    pub arguments: Vec<String>,
    /// The most children at once.
    pub children: usize,
    /// The time for one document.
    pub time: Duration,
    /// The memory of one child.
    pub memory_bytes: u64,
    /// The time that a document waits for a child that is free.
    pub wait: Duration,
}

/// Reads documents in children, so that none of them can hang, crash or fill this process.
#[derive(Debug)]
pub struct Formats {
    settings: FormatsSettings,
    turns: Semaphore,
    idle: Arc<Mutex<Vec<Reader>>>,
}

impl Formats {
    /// No child is started before the first document comes.
    pub fn new(settings: FormatsSettings) -> Self {
        let turns = Semaphore::new(settings.children.max(1));
        Self { settings, turns, idle: Arc::default() }
    }

    /// Reads a document. Waits a while for a child that is free; that time is not the document's.
    pub async fn read(&self, kind: Kind, body: Bytes) -> Extract {
        if kind == Kind::PostScript {
            return Extract::only(End::Stored);
        }
        if body.len() > REQUEST_BYTES_MAX {
            return Extract::only(End::TooLarge);
        }
        let Ok(turn) = tokio::time::timeout(self.settings.wait, self.turns.acquire()).await else {
            return Extract::only(End::Unread("no reader was free in time".to_owned()));
        };
        let _turn = turn.expect("the turns are never closed");
        let idle = lock(&self.idle).pop();
        // One that waited may have been stopped meanwhile.
        if let Some(reader) = idle
            && let Ok(extract) = self.read_by(reader, kind, body.clone()).await
        {
            return extract;
        }
        let read = match Reader::start(&self.settings) {
            Ok(reader) => self.read_by(reader, kind, body).await,
            Err(error) => Err(format!("no child can be started: {error}")),
        };
        read.unwrap_or_else(|why| Extract::only(End::Unread(why)))
    }

    /// Has a document read; says why not where that is no fault of the document.
    async fn read_by(
        &self,
        mut reader: Reader,
        kind: Kind,
        body: Bytes,
    ) -> Result<Extract, String> {
        let pipes = reader.pipes.take().expect("an idle reader has its pipes");
        let asking = tokio::task::spawn_blocking(move || ask(pipes, kind, &body));
        match tokio::time::timeout(self.settings.time, asking).await {
            Ok(Ok(Ok((pipes, extract)))) => {
                reader.documents += 1;
                if reader.documents < DOCUMENTS_MAX {
                    reader.pipes = Some(pipes);
                    lock(&self.idle).push(reader);
                }
                Ok(extract)
            }
            Ok(Ok(Err(error))) if error.kind() == ErrorKind::NotConnected => {
                Err("its reader was gone before".to_owned())
            }
            // It closed its pipes, so it is gone or going.
            Ok(Ok(Err(error))) if is_closed(&error) => reader.last_words().await.map(Extract::only),
            Ok(_) => Ok(Extract::only(End::broken("its reader gave no clear answer"))),
            // Dropping the reader kills it, which ends the asking as well.
            Err(_) => Ok(Extract::only(End::TooLong)),
        }
    }
}

fn is_closed(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe)
}

fn lock(idle: &Mutex<Vec<Reader>>) -> MutexGuard<'_, Vec<Reader>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a child is told first.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) memory_bytes: u64,
    pub(crate) time: Duration,
}

impl Limits {
    pub(crate) const BYTES: usize = 16;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let millis = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.memory_bytes.to_le_bytes());
        bytes[8..].copy_from_slice(&millis.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let (memory, millis) = bytes.split_at(8);
        let number = |half: &[u8]| u64::from_le_bytes(half.try_into().expect("a half is 8 bytes"));
        Self { memory_bytes: number(memory), time: Duration::from_millis(number(millis)) }
    }
}

/// A child that reads.
#[derive(Debug)]
struct Reader {
    child: Child,
    /// Away while a document is read.
    pipes: Option<Pipes>,
    documents: usize,
}

#[derive(Debug)]
struct Pipes {
    ask: ChildStdin,
    reply: ChildStdout,
}

impl Reader {
    fn start(settings: &FormatsSettings) -> std::io::Result<Self> {
        let mut child = Command::new(&settings.program)
            .args(&settings.arguments)
            .env_clear()
            // An allocator that reserves a gigabyte at its start would make the limit a fiction.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            // What a terminal sends to all its processes is for us: we end them when we end.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let ask = child.stdin.take().expect("stdin is piped");
        let reply = child.stdout.take().expect("stdout is piped");
        let mut reader = Self { child, pipes: None, documents: 0 };
        let limits = Limits { memory_bytes: settings.memory_bytes, time: settings.time };
        let mut pipes = Pipes { ask, reply };
        pipes.ask.write_all(&limits.to_bytes())?;
        reader.pipes = Some(pipes);
        Ok(reader)
    }

    /// Why a child died that should not have; an error where that was no fault of the document.
    async fn last_words(mut self) -> Result<End, String> {
        let told = tokio::task::spawn_blocking(move || {
            let mut words = Vec::new();
            let status = self.child.wait();
            if let Some(stderr) = self.child.stderr.take() {
                drop(stderr.take(LAST_WORDS_BYTES_MAX).read_to_end(&mut words));
            }
            (status, String::from_utf8_lossy(&words).into_owned())
        });
        let stops = [Signal::INT, Signal::TERM, Signal::HUP].map(Signal::as_raw);
        Ok(match told.await {
            Ok((Ok(status), _))
                if status.signal().is_some_and(|signal| stops.contains(&signal)) =>
            {
                return Err(format!("its reader was stopped: {status}"));
            }
            Ok((_, words)) if words.contains("memory allocation") => End::TooLarge,
            Ok((Ok(status), _)) => End::Broken(format!("its reader died of it: {status}")),
            Ok((Err(error), _)) => End::Broken(format!("its reader is lost: {error}")),
            Err(_) => End::broken("its reader is lost"),
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // Without the wait it would stay as a zombie; once killed it is gone at once.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn ask(mut pipes: Pipes, kind: Kind, body: &[u8]) -> std::io::Result<(Pipes, Extract)> {
    let place = Kind::ALL.into_iter().position(|other| other == kind).unwrap_or_default();
    let place = u8::try_from(place).map_err(std::io::Error::other)?;
    let bytes = u32::try_from(body.len()).map_err(std::io::Error::other)?;
    // Nothing of the document was sent, so it is not what ended the reader.
    pipes.ask.write_all(&[place]).map_err(|_| ErrorKind::NotConnected)?;
    pipes.ask.write_all(&bytes.to_le_bytes())?;
    pipes.ask.write_all(body)?;
    pipes.ask.flush()?;
    let mut bytes = [0; 4];
    pipes.reply.read_exact(&mut bytes)?;
    let bytes = usize::try_from(u32::from_le_bytes(bytes)).map_err(std::io::Error::other)?;
    if bytes > REPLY_BYTES_MAX {
        return Err(std::io::Error::other("the answer is too large"));
    }
    let mut message = vec![0; bytes];
    pipes.reply.read_exact(&mut message)?;
    let extract = postcard::from_bytes(&message).map_err(std::io::Error::other)?;
    Ok((pipes, extract))
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, kill_process_group};

    use super::*;

    /// Children in the words of a shell: each answers every document of three bytes with a text,
    /// and does something then.
    fn answering(text: &str, then: &str) -> Formats {
        let script = format!(
            "head -c 16 >/dev/null
            while [ \"$(head -c 8 | wc -c)\" -eq 8 ]; do
                text={text}
                length=$(printf %03o ${{#text}})
                all=$(printf %03o $((${{#text}} + 9)))
                zeros='\\000\\000\\000\\000\\000\\000\\000'
                printf \"\\\\$all\\000\\000\\000$zeros\\\\$length$text\\000\"
                {then}
            done"
        );
        Formats::new(settings("/bin/sh", vec!["-c".to_owned(), script]))
    }

    fn settings(program: &str, arguments: Vec<String>) -> FormatsSettings {
        FormatsSettings {
            program: program.into(),
            arguments,
            children: 1,
            time: TIME,
            memory_bytes: MEMORY_BYTES,
            wait: WAIT,
        }
    }

    async fn read(formats: &Formats) -> Extract {
        formats.read(Kind::Rtf, Bytes::from_static(b"abc")).await
    }

    #[tokio::test]
    async fn a_child_is_no_target_of_the_terminal() {
        let found = read(&answering("$(cut -d' ' -f5 /proc/$$/stat)", "")).await;
        let ours = rustix::process::getpgrp().as_raw_nonzero().to_string();
        assert_eq!(found.end, End::Whole);
        assert_ne!(found.text, ours);
    }

    #[tokio::test]
    async fn a_child_that_was_stopped_while_idle_is_replaced() {
        let formats = answering("$$", "");
        let first = read(&formats).await;
        let pid = Pid::from_raw(first.text.parse().expect("a number")).expect("a process");
        // The shell waits for others, which hold its pipes. Whoever runs tests in the background
        // may have them ignore other signals.
        kill_process_group(pid, Signal::TERM).expect("a group of its own");
        let second = read(&formats).await;
        assert_eq!((first.end, second.end), (End::Whole, End::Whole));
        assert_ne!(first.text, second.text);
    }

    #[tokio::test]
    async fn a_child_that_ended_while_idle_is_replaced() {
        let formats = answering("$$", "exit 3");
        for _ in 0..2 {
            assert_eq!(read(&formats).await.end, End::Whole);
            lock(&formats.idle)[0].child.wait().expect("it ends by itself");
        }
    }

    #[tokio::test]
    async fn a_signal_from_outside_is_not_the_fault_of_the_document() {
        let formats = answering("$(kill -TERM $$)", "");
        assert_eq!(read(&formats).await.end.word(), "unread");
        let formats = answering("$(kill -SEGV $$)", "");
        assert_eq!(read(&formats).await.end.word(), "broken");
    }

    #[tokio::test]
    async fn no_child_is_not_the_fault_of_the_document() {
        let formats = Formats::new(settings("/no/such/program", Vec::new()));
        assert_eq!(read(&formats).await.end.word(), "unread");
    }

    #[tokio::test]
    async fn the_wait_for_a_turn_has_an_end() {
        let settings = settings("/no/such/program", Vec::new());
        let formats = Formats::new(FormatsSettings { wait: Duration::from_millis(1), ..settings });
        let _turn = formats.turns.acquire().await.expect("a turn");
        let found = read(&formats).await;
        assert_eq!(found.end, End::Unread("no reader was free in time".to_owned()));
    }
}
