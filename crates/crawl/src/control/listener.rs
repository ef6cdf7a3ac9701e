//! The answering end: a task of the crawl's own process.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{QUESTION_BYTES_MAX, Question, Reply, SOCKET_NAME, short_path};

/// Clients at once; more wait until one has gone.
const CLIENTS_MAX: usize = 64;
/// A client that says nothing for this long is let go, so that others come on.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// A client that does not take its answer within this time is let go.
const TAKING_MAX: Duration = Duration::from_secs(10);
/// After a failed accept (no more files may be open), so that it is not tried in a circle.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Answers as long as it lives; then the socket is gone.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.serving.abort();
        // Whoever finds it left over knows that nobody listens.
        drop(std::fs::remove_file(&self.path));
    }
}

/// Listens in the folder of a crawl that is ours alone: a socket that lies there is left over.
/// To be called on a runtime, which does the work.
pub fn listen<A, F>(folder: &Path, answer: A) -> io::Result<Listener>
where
    A: Fn(Question) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let path = folder.join(SOCKET_NAME);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (_held, short) = short_path(folder)?;
    let listener = UnixListener::bind(&short)?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    let owner = std::fs::metadata(&path)?.uid();
    let serving = tokio::spawn(serve(listener, owner, answer));
    Ok(Listener { path, serving })
}

async fn serve<A, F>(listener: UnixListener, owner: u32, answer: A)
where
    A: Fn(Question) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    let seats = Arc::new(Semaphore::new(CLIENTS_MAX));
    // They end with this task.
    let mut clients = JoinSet::new();
    loop {
        let seat = Arc::clone(&seats).acquire_owned().await.expect("it is never closed");
        while clients.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_AGAIN).await;
            continue;
        };
        // The rights of the file were wider for the moment between its birth and their change.
        let is_ours = |uid| uid == owner || uid == 0;
        if !stream.peer_cred().is_ok_and(|peer| is_ours(peer.uid())) {
            continue;
        }
        let answer = answer.clone();
        clients.spawn(async move {
            // A client that went away is no loss.
            drop(converse(stream, answer).await);
            drop(seat);
        });
    }
}

async fn converse<A, F>(stream: UnixStream, answer: A) -> io::Result<()>
where
    A: Fn(Question) -> F,
    F: Future<Output = Reply>,
{
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = u64::try_from(QUESTION_BYTES_MAX).expect("a length fits 64 bits");
        let mut bounded = (&mut reading).take(most);
        let read = bounded.read_until(b'\n', &mut line);
        if !matches!(timeout(SILENCE_MAX, read).await, Ok(Ok(1..))) {
            return Ok(());
        }
        let is_whole = line.ends_with(b"\n") || line.len() < QUESTION_BYTES_MAX;
        let reply = match serde_json::from_slice(&line) {
            Ok(question) => answer(question).await,
            Err(_) if !is_whole => refused("the line is too long"),
            Err(error) => refused(&format!("this is no question: {error}")),
        };
        let mut told = serde_json::to_vec(&reply)?;
        told.push(b'\n');
        match timeout(TAKING_MAX, writing.write_all(&told)).await {
            Ok(Ok(())) if is_whole => {}
            _ => return Ok(()),
        }
    }
}

fn refused(what: &str) -> Reply {
    let advice = r#"one JSON object a line, as in {"ask":"status"}"#;
    Reply::Refused { what: what.to_owned(), advice: advice.to_owned() }
}
