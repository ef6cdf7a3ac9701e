//! A server whose every byte the test decides.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

/// When a request came, and for what.
type Asked = Vec<(Instant, String)>;

/// Answers one request a connection, and closes it.
pub(crate) struct RawServer {
    address: SocketAddr,
    asked: Arc<Mutex<Asked>>,
    is_over: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl RawServer {
    /// Serves what `answer` makes of a request's target; no bytes mean silence until the client
    /// hangs up.
    pub(crate) fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_at(Ipv4Addr::LOCALHOST, answer)
    }

    /// The same at another address of the loopback: a domain of its own.
    pub(crate) fn start_at(
        address: Ipv4Addr,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (asked, is_over) = (Arc::<Mutex<Asked>>::default(), Arc::new(AtomicBool::new(false)));
        let (log, over, answer) = (Arc::clone(&asked), Arc::clone(&is_over), Arc::new(answer));
        let accept = move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                drop(std::thread::spawn(move || serve(stream.ok(), &log, &*answer)));
            }
        };
        let accepting = Some(std::thread::spawn(accept));
        Self { address, asked, is_over, accepting }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The targets that were asked for, in their order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked_at().into_iter().map(|(_, target)| target).collect()
    }

    /// The same, with the moments at which they were.
    pub(crate) fn asked_at(&self) -> Asked {
        self.asked.lock().expect("no server panics").clone()
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // A last call, so that it notices.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

fn serve(
    stream: Option<TcpStream>,
    log: &Mutex<Asked>,
    answer: &(dyn Fn(&str) -> Vec<u8> + Send + Sync),
) {
    let Some(mut stream) = stream else { return };
    let Ok(reader) = stream.try_clone() else { return };
    let mut lines = BufReader::new(reader).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let target = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let came = Instant::now();
    let bytes = answer(&target);
    log.lock().expect("no server panics").push((came, target));
    if bytes.is_empty() {
        // Until the other side hangs up.
        drop(lines.next());
    } else {
        drop(stream.write_all(&bytes));
    }
}

/// A whole answer of this type and body.
pub(crate) fn ok(media: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// There is no such page.
pub(crate) fn missing() -> Vec<u8> {
    b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
}
