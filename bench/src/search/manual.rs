//! A manual with an index of its own, as bench/search/make.py makes it: pages that are served, and
//! the entries of the index as queries.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::crawl::program;
use crate::seen::Outcome;

/// Where make.py puts what it makes.
const ROOT: &str = "target/search";
/// A request of a crawler has fewer lines.
const LINES_MAX: usize = 100;
const PATIENCE: Duration = Duration::from_secs(10);

/// An entry of an index.
pub struct Query {
    /// Its text, as a user would type it.
    pub words: String,
    /// The pages that it names, below the root of the site.
    pub right: Vec<String>,
}

/// A manual.
pub struct Manual {
    folder: PathBuf,
    /// In the order of its index: those with an even number, from 0, are for tuning.
    pub queries: Vec<Query>,
}

impl Manual {
    /// By its name.
    pub fn open(name: &str) -> Result<Self, Box<dyn Error>> {
        let folder = Path::new(ROOT).join(name);
        let file = folder.join("queries.tsv");
        let absent = |_| format!("no {}\n  try: cargo x bench ranking", file.display());
        let queries = fs::read_to_string(&file).map_err(absent)?;
        let queries = queries.lines().map(|line| {
            let mut parts = line.split('\t').map(str::to_owned);
            Query { words: parts.next().unwrap_or_default(), right: parts.collect() }
        });
        Ok(Self { queries: queries.collect(), folder })
    }

    /// Crawls and indexes it with the program, and gives the folder of the crawl.
    pub fn crawl(&self) -> Result<PathBuf, Box<dyn Error>> {
        let crawl = self.folder.join("crawl");
        if crawl.exists() {
            fs::remove_dir_all(&crawl)?;
        }
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let seed = format!("http://{}/index.html", listener.local_addr()?);
        let pages = self.folder.join("pages").canonicalize()?;
        // It serves until the program ends.
        thread::spawn(move || serve(&listener, &pages));
        let mut command = Command::new(program());
        command.arg("crawl").arg(seed).arg("-o").arg(&crawl);
        command.args(["--contact", "bench@example.org", "--allow-private", "--tries", "1", "-q"]);
        command.args(["--delay", "0s", "--ip-delay", "0s", "--host-connections", "8"]);
        run(&mut command)?;
        run(Command::new(program()).arg("index").arg(&crawl))?;
        Ok(crawl)
    }
}

fn run(command: &mut Command) -> Outcome {
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let ended = ended.map_err(|e| format!("cannot start {}: {e}", program().display()))?;
    if ended.success() { Ok(()) } else { Err(format!("{command:?} ended with {ended}").into()) }
}

fn serve(listener: &TcpListener, folder: &Path) {
    for stream in listener.incoming().flatten() {
        let folder = folder.to_owned();
        // A client that goes away before its answer is no concern of ours.
        thread::spawn(move || answer(stream, &folder).ok());
    }
}

/// Answers one request with a page of the folder.
fn answer(stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(&stream).lines().take(LINES_MAX);
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let is_page = path.ends_with(".html") && !path.split('/').any(|part| part == "..");
    let body = if is_page { fs::read(folder.join(path)).ok() } else { None };
    let (status, body) = match body {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", b"<title>Not here</title><p>There is no such page.".to_vec()),
    };
    let length = body.len();
    let mut stream = &stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}
