//! A folder served on loopback the way a plain Apache would, with a log of what was asked.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// Longest line of a request that is read; a longer one ends the connection.
const LINE_MAX: usize = 16 * 1024;

/// A request and what it was answered with.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Path and query as they stood in the request.
    pub(crate) target: String,
    /// The status of the answer.
    pub(crate) status: u16,
    /// The content type of the answer; empty where it had none.
    pub(crate) kind: &'static str,
}

impl Asked {
    /// Whether a page was sent: an HTML document with status 200.
    pub(crate) fn is_page(&self) -> bool {
        self.status == 200 && (self.kind == HTML || self.kind == XHTML)
    }
}

/// The server; it ends, with all its connections, when it is dropped.
pub(crate) struct StaticSite {
    address: SocketAddr,
    log: Log,
    _threads: Runtime,
}

type Log = Arc<Mutex<Vec<Asked>>>;

impl StaticSite {
    /// Serves what lies below `root`, on a port that the system chooses.
    pub(crate) fn open(root: &Path) -> Self {
        let threads = Runtime::new().expect("threads");
        let listener = threads.block_on(TcpListener::bind("127.0.0.1:0")).expect("loopback");
        let address = listener.local_addr().expect("bound");
        let log = Log::default();
        let folder = Folder { root: root.to_path_buf(), log: Arc::clone(&log) };
        threads.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(folder.clone().converse(stream));
            }
        });
        Self { address, log, _threads: threads }
    }

    /// The URL of a path that starts with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked since the last call, in the order of the answers.
    pub(crate) fn take_log(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.log.lock().expect("no holder of the log panics"))
    }
}

#[derive(Clone)]
struct Folder {
    root: PathBuf,
    log: Log,
}

impl Folder {
    /// Answers requests until the client goes.
    async fn converse(self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        while let Some((method, target)) = request(&mut stream).await {
            let answer = self.answer(&target);
            let Answer { status, kind, .. } = answer;
            self.log.lock().expect("no holder of the log panics").push(Asked {
                target,
                status,
                kind,
            });
            let with_body = method != "HEAD";
            if stream.get_mut().write_all(&answer.bytes(with_body)).await.is_err() {
                return;
            }
        }
    }

    fn answer(&self, target: &str) -> Answer {
        let path = target.split_once('?').map_or(target, |(path, _)| path);
        let Some(name) = decoded(path) else {
            return Answer::error(400);
        };
        if !name.starts_with('/') || name.split('/').any(|part| part == "..") {
            return Answer::error(400);
        }
        let mut file = self.root.join(name.trim_start_matches('/'));
        if file.is_dir() {
            if !path.ends_with('/') {
                return Answer { place: format!("{path}/"), ..Answer::error(301) };
            }
            file.push("index.html");
            if !file.exists() {
                return Answer::error(403);
            }
        } else if path.ends_with('/') {
            return Answer::error(404);
        }
        std::fs::read(&file).map_or(Answer::error(404), |body| Answer {
            status: 200,
            kind: kind(&file),
            place: String::new(),
            body,
        })
    }
}

/// Method and target of the next request; none where the client has gone or talks nonsense.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut first = String::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok().filter(|read| (1..LINE_MAX).contains(read))?;
        let line = line.trim_end();
        match (line.is_empty(), first.is_empty()) {
            (true, true) => return None,
            (true, false) => break,
            (false, true) => line.clone_into(&mut first),
            (false, false) => {}
        }
    }
    let mut words = first.split(' ');
    Some((words.next()?.to_owned(), words.next()?.to_owned()))
}

struct Answer {
    status: u16,
    kind: &'static str,
    /// Where it is said to have moved; empty where it has not.
    place: String,
    body: Vec<u8>,
}

impl Answer {
    fn error(status: u16) -> Self {
        let body = format!("<title>{status}</title>").into_bytes();
        Self { status, kind: HTML, place: String::new(), body }
    }

    fn bytes(&self, with_body: bool) -> Vec<u8> {
        let Self { status, kind, place, body } = self;
        let line = |name: &str, value: &str| match value {
            "" => String::new(),
            value => format!("{name}: {value}\r\n"),
        };
        let (kind, place) = (line("Content-Type", kind), line("Location", place));
        let length = body.len();
        let head = format!("HTTP/1.1 {status} -\r\n{kind}{place}Content-Length: {length}\r\n\r\n");
        let mut bytes = head.into_bytes();
        if with_body {
            bytes.extend_from_slice(body);
        }
        bytes
    }
}

const HTML: &str = "text/html";
const XHTML: &str = "application/xhtml+xml";

/// The content type by extension, as Debian's Apache has it; none for what it does not know.
fn kind(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" | "shtml" => HTML,
        "xhtml" | "xht" => XHTML,
        "css" => "text/css",
        "js" => "text/javascript",
        "txt" | "text" | "asc" | "pot" => "text/plain",
        "c" => "text/x-csrc",
        "h" => "text/x-chdr",
        "cpp" => "text/x-c++src",
        "hpp" => "text/x-c++hdr",
        "py" => "text/x-python",
        "xml" | "xsl" => "application/xml",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "gz" => "application/gzip",
        "png" => "image/png",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        "ico" => "image/vnd.microsoft.icon",
        _ => "",
    }
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok().filter(|name| !name.contains('\0'))
}
