//! The parent's side: children that read documents, started when they are needed.

use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;

use crate::extract::{End, Extract};
use crate::kind::Kind;

/// How long one document may take, unless another time is set.
pub const TIME: Duration = Duration::from_secs(20);
/// x
pub const WAIT: Duration = Duration::from_secs(120);
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
    /// x
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

    /// Reads a document. Waits while all children are busy; that time is not the document's.
    pub async fn read(&self, kind: Kind, body: Bytes) -> Extract {
        if kind == Kind::PostScript {
            return Extract::only(End::Stored);
        }
        if body.len() > REQUEST_BYTES_MAX {
            return Extract::only(End::TooLarge);
        }
        let _turn = self.turns.acquire().await.expect("the turns are never closed");
        let idle = lock(&self.idle).pop();
        let mut reader = match idle.map_or_else(|| Reader::start(&self.settings), Ok) {
            Ok(reader) => reader,
            Err(error) => {
                return Extract::only(End::Broken(format!("no child can be started: {error}")));
            }
        };
        let pipes = reader.pipes.take().expect("an idle reader has its pipes");
        let asking = tokio::task::spawn_blocking(move || ask(pipes, kind, &body));
        match tokio::time::timeout(self.settings.time, asking).await {
            Ok(Ok(Ok((pipes, extract)))) => {
                reader.documents += 1;
                if reader.documents < DOCUMENTS_MAX {
                    reader.pipes = Some(pipes);
                    lock(&self.idle).push(reader);
                }
                extract
            }
            // It closed its pipes, so it is gone or going.
            Ok(Ok(Err(error))) if is_closed(&error) => Extract::only(reader.last_words().await),
            Ok(_) => Extract::only(End::broken("its reader gave no clear answer")),
            // Dropping the reader kills it, which ends the asking as well.
            Err(_) => Extract::only(End::TooLong),
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

    /// Why a child died that should not have.
    async fn last_words(mut self) -> End {
        let told = tokio::task::spawn_blocking(move || {
            let mut words = Vec::new();
            let status = self.child.wait();
            if let Some(stderr) = self.child.stderr.take() {
                drop(stderr.take(LAST_WORDS_BYTES_MAX).read_to_end(&mut words));
            }
            (status, String::from_utf8_lossy(&words).into_owned())
        });
        match told.await {
            Ok((_, words)) if words.contains("memory allocation") => End::TooLarge,
            Ok((Ok(status), _)) => End::Broken(format!("its reader died of it: {status}")),
            Ok((Err(error), _)) => End::Broken(format!("its reader is lost: {error}")),
            Err(_) => End::broken("its reader is lost"),
        }
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
    pipes.ask.write_all(&[place])?;
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
    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    /// Children in the words of a shell: each answers every document of three bytes with a text.
    fn answering(text: &str) -> Formats {
        let script = format!(
            "head -c 16 >/dev/null
            while [ \"$(head -c 8 | wc -c)\" -eq 8 ]; do
                text={text}
                length=$(printf %03o ${{#text}})
                all=$(printf %03o $((${{#text}} + 9)))
                zeros='\\000\\000\\000\\000\\000\\000\\000'
                printf \"\\\\$all\\000\\000\\000$zeros\\\\$length$text\\000\"
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
        let found = read(&answering("$(cut -d' ' -f5 /proc/$$/stat)")).await;
        let ours = rustix::process::getpgrp().as_raw_nonzero().to_string();
        assert_eq!(found.end, End::Whole);
        assert_ne!(found.text, ours);
    }

    #[tokio::test]
    async fn a_child_that_was_stopped_while_idle_is_replaced() {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL] {
            let formats = answering("$$");
            let first = read(&formats).await;
            let pid = Pid::from_raw(first.text.parse().expect("a number")).expect("a process");
            kill_process(pid, signal).expect("it is there");
            // Only a pipe that is closed already tells a kill apart from the document's fault.
            let dead = lock(&formats.idle)[0].child.wait();
            assert!(dead.is_ok());
            let second = read(&formats).await;
            assert_eq!((first.end, second.end), (End::Whole, End::Whole), "{signal:?}");
            assert_ne!(first.text, second.text);
        }
    }

    #[tokio::test]
    async fn a_signal_from_outside_is_not_the_fault_of_the_document() {
        let formats = answering("$(kill -TERM $$)");
        assert_eq!(read(&formats).await.end.word(), "unread");
        let formats = answering("$(kill -SEGV $$)");
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
        assert_eq!(found.end, End::Broken("no reader was free in time".to_owned()));
    }
}
