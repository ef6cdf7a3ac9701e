//! A web without an end: every page leads to pages of its domain that nobody has met, and to some
//! of other domains. One address, many names, each a domain.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};

use crate::discover::mix;

const DOMAINS: u64 = 3_000;
/// New pages that a page leads to, on its domain.
const CHILDREN: u64 = 24;
/// Links to other domains, among so many pages of each.
const OUTWARD: u64 = 6;
const WELL_KNOWN: u64 = 5;
const SEEDS: u64 = 20;
/// Words of a page, no two pages the same.
const WORDS: u64 = 150;
/// Enough for a thread that answers.
const STACK_BYTES: usize = 128 * 1024;

/// The web, as long as the process lives.
pub struct Endless {
    port: u16,
    dns: SocketAddr,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    pages: AtomicU64,
    known: AtomicU64,
    /// Well-known pages that were linked to.
    linked: Mutex<HashSet<(u64, u64)>>,
}

impl Endless {
    pub fn start() -> io::Result<Self> {
        let seen = Arc::<Seen>::default();
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let names = UdpSocket::bind("127.0.0.1:0")?;
        let dns = names.local_addr()?;
        thread::spawn(move || answer_names(&names));
        let counts = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&counts);
                let thread = Builder::new().stack_size(STACK_BYTES);
                drop(thread.spawn(move || serve(&stream, port, &seen)));
            }
        });
        Ok(Self { port, dns, seen })
    }

    pub fn seeds(&self) -> Vec<String> {
        (0..SEEDS).map(|domain| url(domain, 0, self.port)).collect()
    }

    pub fn dns(&self) -> SocketAddr {
        self.dns
    }

    /// Pages that were answered.
    pub fn pages(&self) -> u64 {
        self.seen.pages.load(Ordering::Relaxed)
    }

    /// Distinct URLs that were linked to.
    pub fn known(&self) -> u64 {
        self.seen.known.load(Ordering::Relaxed)
    }
}

fn url(domain: u64, page: u64, port: u16) -> String {
    format!("http://domain-{domain:05}.test:{port}/articles/{page:016x}.html")
}

fn serve(stream: &TcpStream, port: u16, seen: &Seen) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(request) = lines.next() {
        let mut domain = 0;
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            if let Some(name) = line.to_ascii_lowercase().strip_prefix("host: domain-") {
                domain = name.get(..5).and_then(|it| it.parse().ok()).unwrap_or(0);
            }
        }
        let target = request.split(' ').nth(1).unwrap_or_default();
        let page = target.strip_prefix("/articles/").and_then(|it| it.strip_suffix(".html"));
        let page = page.and_then(|it| u64::from_str_radix(it, 16).ok());
        let (status, body) = match page {
            Some(page) => ("200 OK", article(domain, page, port, seen)),
            None => ("404 Not Found", String::new()),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        if stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).is_err() {
            return;
        }
    }
}

fn article(domain: u64, page: u64, port: u16, seen: &Seen) -> String {
    let mut html = format!("<title>Article {page:x} of {domain}</title><p>");
    let mut state = mix(domain << 40 ^ page ^ 0x5eed);
    for _ in 0..WORDS {
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        let [a, b, c, ..] = state.to_le_bytes().map(|byte| char::from(b'a' + byte % 24));
        write!(html, "{a}{b}{c}e ").expect("memory takes it");
    }
    // Its own children: no other page leads there first.
    let first = page.wrapping_mul(CHILDREN).wrapping_add(WELL_KNOWN);
    for child in first..first + CHILDREN {
        write!(html, "<a href=\"/articles/{child:016x}.html\">next</a> ").expect("memory takes it");
    }
    let mut new = CHILDREN;
    for _ in 0..OUTWARD {
        state = mix(state.wrapping_add(1));
        let to = (state % DOMAINS, (state >> 40) % WELL_KNOWN);
        new += u64::from(seen.linked.lock().expect("no thread panics").insert(to));
        write!(html, "<a href=\"{}\">other</a> ", url(to.0, to.1, port)).expect("memory takes it");
    }
    seen.known.fetch_add(new, Ordering::Relaxed);
    seen.pages.fetch_add(1, Ordering::Relaxed);
    html
}

/// Every name has one address, and no other records.
fn answer_names(socket: &UdpSocket) {
    let mut query = [0; 512];
    while let Ok((length, from)) = socket.recv_from(&mut query) {
        let Some(end) = query[12..length].iter().position(|byte| *byte == 0) else { continue };
        let question = 12 + end + 5;
        if question > length {
            continue;
        }
        let is_address = query[question - 4..question - 2] == [0, 1];
        let mut answer = query[..question].to_vec();
        answer[2..4].copy_from_slice(&[0x81, 0x80]);
        answer[6..12].copy_from_slice(&[0, u8::from(is_address), 0, 0, 0, 0]);
        if is_address {
            answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4, 127, 0, 0, 1]);
        }
        drop(socket.send_to(&answer, from));
    }
}
