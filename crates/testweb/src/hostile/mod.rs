//! Hostile hosts on loopback, one for each [`Trick`], and a victim that nobody may reach.
//!
//! Each host has an address of its own in 127.60.0.0/16; all listen at one port, and so does the
//! victim at 127.0.0.1 and `[::1]`. Their name server passes on what it does not know, so that an
//! ordinary web can stand beside them.

mod answer;
mod bomb;
mod dns;
mod tls;
mod trick;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::runtime::Runtime;

use answer::{Act, Asked, act};
use tls::Authority;
pub use trick::Trick;

/// Ports tried until one is free on every address.
const BIND_TRIES: usize = 16;
/// Where a request must have ended.
const HEAD_MAX: usize = 256 << 10;
/// Even what is endless ends, should a crawler take it all.
const ENDLESS_BYTES_MAX: usize = 1 << 30;

/// Ways to write private addresses; the first ones are where the victim listens.
const PRIVATE_HOSTS: [&str; 20] = [
    "127.0.0.1",
    "localhost",
    "inner.localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "127.1",
    "127\u{3002}0\u{3002}0\u{3002}1",
    "\u{ff11}27.0.0.1",
    "example.test@127.0.0.1",
    "0.0.0.0",
    "[::]",
    "169.254.169.254",
    "10.0.0.1",
    "[fe80::1]",
];

/// Hostile hosts that are being served; they end when this is dropped.
#[derive(Debug)]
pub struct Hostile {
    den: Arc<Den>,
    dns: SocketAddr,
    runtime: Option<Runtime>,
}

/// What all of them share.
struct Den {
    port: u16,
    upstream: Option<SocketAddr>,
    authority: Authority,
    books: Mutex<Books>,
}

/// What they saw.
#[derive(Debug, Default)]
struct Books {
    requests: BTreeMap<Trick, usize>,
    longest_request: usize,
    victim_visits: usize,
    rebinding_asks: usize,
}

impl Books {
    /// Counts a question for the rebinding name, and says how many there were before.
    fn ask(&mut self) -> usize {
        self.rebinding_asks += 1;
        self.rebinding_asks - 1
    }
}

impl Hostile {
    /// Serves them on threads of their own; other names are looked up at `upstream`.
    pub fn start_on_thread(upstream: Option<SocketAddr>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("hostile")
            .enable_all()
            .build()?;
        let (den, dns) = runtime.block_on(start(upstream))?;
        Ok(Self { den, dns, runtime: Some(runtime) })
    }

    /// Where DNS questions go.
    pub fn dns(&self) -> SocketAddr {
        self.dns
    }

    /// The first page of a hostile host.
    pub fn seed(&self, trick: Trick) -> String {
        format!("{}/", self.den.origin(trick))
    }

    /// The port of all of them.
    pub fn port(&self) -> u16 {
        self.den.port
    }

    /// The authority behind some of the bad certificates, as a PEM file has it.
    pub fn ca_pem(&self) -> &str {
        &self.den.authority.pem
    }

    /// URLs of private addresses in many spellings, told apart by their paths.
    pub fn private_urls(&self, path: &str) -> Vec<String> {
        self.den.private_urls(path)
    }

    /// Requests that a hostile host read, robots.txt among them.
    pub fn requests(&self, trick: Trick) -> usize {
        self.den.books().requests.get(&trick).copied().unwrap_or(0)
    }

    /// The bytes of the longest request to any of them.
    pub fn longest_request(&self) -> usize {
        self.den.books().longest_request
    }

    /// Connections to the victim: every one is a private address reached.
    pub fn victim_visits(&self) -> usize {
        self.den.books().victim_visits
    }

    /// Questions for the name that rebinds.
    pub fn rebinding_asks(&self) -> usize {
        self.den.books().rebinding_asks
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Dropping a runtime blocks, which an async caller must not.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Den {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Den").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Den {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn origin(&self, trick: Trick) -> String {
        let scheme = if trick.speaks_tls() { "https" } else { "http" };
        format!("{scheme}://{}:{}", trick.host(), self.port)
    }

    fn private_urls(&self, path: &str) -> Vec<String> {
        let hosts = PRIVATE_HOSTS.iter().enumerate();
        hosts.map(|(n, host)| format!("http://{host}:{}/{path}-{n}", self.port)).collect()
    }
}

async fn start(upstream: Option<SocketAddr>) -> io::Result<(Arc<Den>, SocketAddr)> {
    let authority = Authority::new().map_err(io::Error::other)?;
    let mut den = Den { port: 0, upstream, authority, books: Mutex::default() };
    let listeners = bind_all(&mut den).await?;
    let den = Arc::new(den);
    for (trick, listener) in listeners {
        tokio::spawn(accept(listener, trick, Arc::clone(&den)));
    }
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let dns = socket.local_addr()?;
    tokio::spawn(dns::serve(socket, Arc::clone(&den)));
    Ok((den, dns))
}

/// Listeners for every trick, and for the victim, which has none.
async fn bind_all(den: &mut Den) -> io::Result<Vec<(Option<Trick>, TcpListener)>> {
    let mut last = io::Error::other("no port is free");
    for _ in 0..BIND_TRIES {
        match bind_once(den).await {
            Ok(bound) => return Ok(bound),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

async fn bind_once(den: &mut Den) -> io::Result<Vec<(Option<Trick>, TcpListener)>> {
    let victim = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    den.port = victim.local_addr()?.port();
    let mut listeners = vec![(None, victim)];
    // A machine without IPv6 has no victim there.
    if let Ok(victim) = TcpListener::bind((Ipv6Addr::LOCALHOST, den.port)).await {
        listeners.push((None, victim));
    }
    for trick in Trick::ALL {
        let listener = TcpListener::bind((trick.address(), den.port)).await?;
        listeners.push((Some(trick), listener));
    }
    Ok(listeners)
}

async fn accept(listener: TcpListener, trick: Option<Trick>, den: Arc<Den>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let Some(trick) = trick else {
            den.books().victim_visits += 1;
            continue;
        };
        let den = Arc::clone(&den);
        tokio::spawn(async move {
            // What becomes of a connection is the client's affair.
            let _ended = talk(stream, trick, &den).await;
        });
    }
}

async fn talk(mut stream: TcpStream, trick: Trick, den: &Den) -> io::Result<()> {
    match trick {
        Trick::ResetHost => reset(&stream),
        Trick::SilentHost | Trick::SilentTls => hold(&mut stream).await,
        Trick::GarbageTls => stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await,
        _ => match den.authority.acceptor(trick) {
            Some(acceptor) => {
                let mut stream = acceptor.accept(stream).await?;
                converse(&mut stream, trick, den).await.map(|_| ())
            }
            None if converse(&mut stream, trick, den).await? => reset(&stream),
            None => Ok(()),
        },
    }
}

/// Answers one request; true if the connection is to be reset.
async fn converse<S>(stream: &mut S, trick: Trick, den: &Den) -> io::Result<bool>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(head) = read_head(stream).await? else { return Ok(false) };
    let act = {
        let text = String::from_utf8_lossy(&head);
        let target = text.split(' ').nth(1).unwrap_or("/");
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix(name).map(str::to_owned))
        };
        let host = field("host: ").unwrap_or_default();
        let mut books = den.books();
        *books.requests.entry(trick).or_default() += 1;
        books.longest_request = books.longest_request.max(head.len());
        drop(books);
        act(den, trick, &Asked { host: &host, target, has_cookie: field("cookie: ").is_some() })
    };
    match act {
        Act::Reset => return Ok(true),
        Act::Say(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
        }
        Act::Hold(bytes) => {
            stream.write_all(&bytes).await?;
            hold(stream).await?;
        }
        Act::Endless { first, again, pause } => {
            stream.write_all(&first).await?;
            for _ in 0..ENDLESS_BYTES_MAX / again.len() {
                stream.write_all(&again).await?;
                stream.flush().await?;
                if pause > Duration::ZERO {
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
    Ok(false)
}

/// A request's head; none if the client leaves before its end.
async fn read_head<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::with_capacity(1_024);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > HEAD_MAX || stream.read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(head))
}

/// Says nothing until the client leaves.
async fn hold<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<()> {
    let mut ignored = [0; 1_024];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// Makes the end of the connection a reset.
fn reset(stream: &TcpStream) -> io::Result<()> {
    stream.set_zero_linger()
}
