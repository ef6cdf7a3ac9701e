//! A furnished house: a crawl that says what it is told to say, a real index and a real archive,
//! asked over real sockets.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use rhumb_archive::{Archive, ArchiveSettings, Capture, CrawlId, Encoder, Keep};
use rhumb_crawl::ask::{SiteRow, SitesPage, UrlState, Why};
use rhumb_crawl::control::{Question, Reply};
use rhumb_index::{Cursor, Document, Index, IndexSettings};
use rhumb_serve::{Crawl, House, HouseSettings, Limits, Unanswered};
use rhumb_web::{Canon, CanonUrl};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::format::status;
use crate::stock;

/// A test that hears nothing for so long fails.
const PATIENCE: Duration = Duration::from_secs(30);
const CRAWL: CrawlId = CrawlId([9; 16]);

/// What the crawl says to a question; none: the usual.
pub(crate) type Replies = Box<dyn Fn(&Question) -> Option<Reply> + Send + Sync>;

/// An answer of the web that is in the archive.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    pub(crate) url: String,
    /// When, in seconds since 1970.
    pub(crate) second: u64,
    /// The first line and the headers, each ended by a line feed.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Captured {
    /// A page as most are.
    pub(crate) fn html(url: &str, second: u64, body: &str) -> Self {
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\n".to_owned();
        Self { url: url.to_owned(), second, head, body: body.into() }
    }
}

/// What is in a house.
pub(crate) struct Furniture {
    /// What the index holds; there is no index if that is nothing.
    pub(crate) documents: Vec<Document>,
    /// What the archive holds.
    pub(crate) captures: Vec<Captured>,
    pub(crate) token: Option<String>,
    pub(crate) is_disguised: bool,
    pub(crate) limits: Limits,
    pub(crate) replies: Replies,
}

impl Default for Furniture {
    fn default() -> Self {
        Self {
            documents: stock::documents(),
            captures: stock::captures(),
            is_disguised: false,
            token: None,
            limits: Limits::default(),
            replies: Box::new(|_| None),
        }
    }
}

impl Furniture {
    /// Opens the house.
    pub(crate) fn start(self) -> TestHouse {
        let folder = tempfile::tempdir().expect("a folder");
        let (index, archive) = (folder.path().join("index"), folder.path().join("archive"));
        if !self.documents.is_empty() {
            write_index(&index, self.documents);
        }
        write_archive(&archive, &self.captures);
        let settings = HouseSettings {
            folder: folder.path().to_owned(),
            archive,
            index,
            canon: Canon::Full,
            agent: "rhumb/0.1 (+mailto:who@example.org)".to_owned(),
            agent_token: "rhumb".to_owned(),
            searches: rhumb_index::Searches::default(),
            contact: Some("mailto:who@example.org".to_owned()),
            is_disguised: self.is_disguised,
            token: self.token,
        };
        let asked = Arc::new(Mutex::new(Vec::new()));
        let crawl = Double { asked: Arc::clone(&asked), replies: self.replies };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = rhumb_serve::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
        let address = listener.address();
        let house = House::with_limits(settings, Arc::new(crawl), self.limits);
        runtime.spawn(listener.serve(rhumb_serve::router(house)));
        TestHouse { address, folder, asked, runtime: Some(runtime) }
    }
}

/// A house on a thread of its own; it ends when this is dropped.
pub(crate) struct TestHouse {
    pub(crate) address: SocketAddr,
    pub(crate) folder: TempDir,
    /// What the crawl was asked, in order.
    pub(crate) asked: Arc<Mutex<Vec<Question>>>,
    runtime: Option<Runtime>,
}

impl Drop for TestHouse {
    fn drop(&mut self) {
        self.runtime.take().expect("until now").shutdown_background();
    }
}

/// What a house answered.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("a text")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl TestHouse {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    }

    /// What is answered to these bytes.
    pub(crate) fn send(&self, request: &[u8]) -> Answered {
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer, and its end");
        let folder = self.folder.path().to_str().expect("a plain name");
        let names_it = answer.windows(folder.len()).any(|it| it == folder.as_bytes());
        assert!(!names_it, "no answer names a path of the machine");
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..end].to_vec()).expect("ASCII");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        let body = answer[end + 4..].to_vec();
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Answered { code, head, body: if is_chunked { joined(&body) } else { body } }
    }

    /// A request with these headers, each ended by CRLF, beside what every browser sends.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> Answered {
        let (host, length) = (self.address, body.len());
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
             content-length: {length}\r\n{headers}\r\n"
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn get(&self, target: &str) -> Answered {
        self.ask("GET", target, "", b"")
    }

    /// As a form of ours is sent by a browser.
    pub(crate) fn post(&self, target: &str, fields: &[(&str, &str)]) -> Answered {
        let fields = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = fields.collect::<Vec<_>>().join("&");
        let headers = format!(
            "origin: http://{}\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/x-www-form-urlencoded\r\n",
            self.address
        );
        self.ask("POST", target, &headers, body.as_bytes())
    }

    /// What the crawl was asked so far.
    pub(crate) fn questions(&self) -> Vec<Question> {
        self.asked.lock().expect("no panic").clone()
    }
}

/// A text as the value of a parameter.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"))
}

/// The chunks of a body as one.
fn joined(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|it| it == b"\r\n").expect("a size");
        let size = str::from_utf8(&body[..end]).expect("ASCII");
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..][..size]);
        body = &body[end + 2 + size + 2..];
    }
}

struct Double {
    asked: Arc<Mutex<Vec<Question>>>,
    replies: Replies,
}

impl Crawl for Double {
    fn ask(&self, question: Question) -> Result<Reply, Unanswered> {
        self.asked.lock().expect("no panic").push(question.clone());
        Ok((self.replies)(&question).unwrap_or_else(|| usual(question)))
    }
}

fn usual(question: Question) -> Reply {
    let done = |message: String| Reply::Done { message };
    match question {
        Question::Status => Reply::Status(Box::new(status())),
        Question::Why { url } => {
            let canonical = CanonUrl::parse(&url).ok().map(|url| url.to_string());
            let state = if canonical.is_some() { UrlState::Fetched } else { UrlState::Refused };
            Reply::Why(Box::new(Why { url, canonical, state, ..Why::default() }))
        }
        Question::Traps => Reply::Traps { suspects: Vec::new() },
        Question::Sites(_) => {
            let named = |site: &str, visits| SiteRow {
                site: site.to_owned(),
                state: "idle".to_owned(),
                robots: "known".to_owned(),
                visits,
                ..SiteRow::default()
            };
            let sites = vec![named("a.example", 36), named("b.example", 4)];
            Reply::Sites(SitesPage { sites, total: 2, exact: true })
        }
        Question::Submit { urls } => {
            done(urls.iter().map(|url| format!("{url}: new")).collect::<Vec<_>>().join("\n"))
        }
        Question::Pause => done("paused: no fetch starts".to_owned()),
        Question::Resume => done("resumed".to_owned()),
        Question::Stop => done("stopping: no fetch starts".to_owned()),
        Question::Site { site, .. } => done(format!("{site}: changed, from now on")),
    }
}

/// An index of these pages, settled.
pub(crate) fn write_index(folder: &Path, documents: Vec<Document>) {
    let folder = folder.to_owned();
    let settings = IndexSettings { folder, memory: 64 << 20, hash: stock::HASH };
    let mut index = Index::open(&settings).expect("it opens");
    for document in documents {
        index.put(document).expect("it is taken in");
    }
    index.commit(Cursor::default()).expect("it commits");
    index.settle().expect("it settles");
}

/// An archive of these answers, closed.
pub(crate) fn write_archive(folder: &Path, captures: &[Captured]) {
    let about = rhumb_archive::About {
        software: "rhumb/0.1".to_owned(),
        agent: "rhumb/0.1".to_owned(),
        operator: None,
        robots: "RFC 9309".to_owned(),
    };
    let settings =
        ArchiveSettings { prefix: "rhumb".to_owned(), rotate_bytes: 1 << 20, crawl: CRAWL, about };
    let mut archive =
        Archive::open(rhumb_disk::real(), folder, settings, Keep::Everything).expect("it opens");
    let mut encoder = Encoder::new(CRAWL);
    for (number, captured) in (0..).zip(captures) {
        let url = CanonUrl::parse(&captured.url).expect("a URL");
        let sent = format!("GET {} HTTP/1.1\r\nhost: {}\r\n\r\n", url.path(), url.authority());
        let head = captured.head.replace('\n', "\r\n");
        let received = [head.as_bytes(), b"\r\n", &captured.body].concat();
        let capture = Capture {
            url: &url,
            number,
            began: SystemTime::UNIX_EPOCH + Duration::from_secs(captured.second),
            address: Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            protocols: vec!["http/1.1"],
            sent: sent.as_bytes(),
            received: &received,
            cut: None,
            fields: vec![("fetchTimeMs", "12".to_owned())],
        };
        archive.append(&encoder.capture(&capture, |_| None)).expect("it is kept");
    }
    archive.close().expect("it closes");
}
