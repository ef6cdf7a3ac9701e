//! A listener with limits on all that a client can do: connections, heads, bodies and time, also
//! the time in which it takes nothing of an answer.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::{Id, JoinSet};

use super::patient::Patient;
use super::rates::Client;

/// Connections at once; the next one waits for the end of one of them.
const CONNECTIONS_MAX: usize = 512;
/// Connections at once of one address of another machine: no such client keeps all others out.
const CONNECTIONS_EACH_MAX: usize = 64;
/// Bytes of a request's head: far more than a browser sends.
const HEAD_BYTES_MAX: usize = 64 * 1_024;
/// A head that is not whole by then is not waited for, and a connection without a request is
/// closed: nobody holds one for nothing.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// Whoever takes nothing of an answer for so long does not get the rest: it would stay in memory.
const WRITE_WITHIN: Duration = Duration::from_secs(10);
/// No connection lasts longer, whatever is sent on it.
const CONNECTION_WITHIN: Duration = Duration::from_hours(1);
/// After a failed accept (no more open files) the next try comes this much later.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// An address that is ours, and on which nobody is answered yet.
#[derive(Debug)]
pub struct Listener {
    socket: std::net::TcpListener,
    address: SocketAddr,
    room: usize,
    write_within: Duration,
}

/// Takes an address; with port 0 the system chooses the port.
pub fn bind(address: SocketAddr) -> io::Result<Listener> {
    let socket = std::net::TcpListener::bind(address)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    Ok(Listener { socket, address, room: CONNECTIONS_MAX, write_within: WRITE_WITHIN })
}

impl Listener {
    /// The address, with the port that it has got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same with room for fewer connections at once.
    #[must_use]
    pub fn holding(self, connections: usize) -> Self {
        Self { room: self.room.min(connections), ..self }
    }

    /// The same with another patience for those who take nothing of their answer.
    #[must_use]
    pub fn writing_within(self, write_within: Duration) -> Self {
        Self { write_within, ..self }
    }

    /// Answers until it is dropped. It fails only if the system refuses the socket to the runtime.
    pub async fn serve(self, router: Router) -> io::Result<Infallible> {
        let socket = TcpListener::from_std(self.socket)?;
        let mut connections = JoinSet::new();
        let mut clients: HashMap<Id, Client> = HashMap::new();
        loop {
            tokio::select! {
                accepted = socket.accept(), if connections.len() < self.room => match accepted {
                    Ok((stream, peer)) => {
                        // Answers are small and waited for.
                        drop(stream.set_nodelay(true));
                        let client = Client::at(peer.ip());
                        let count = clients.values().filter(|other| **other == client).count();
                        if count < CONNECTIONS_EACH_MAX || peer.ip().to_canonical().is_loopback() {
                            let stream = Patient::new(stream, self.write_within);
                            let task = connections.spawn(converse(stream, peer, router.clone()));
                            clients.insert(task.id(), client);
                        }
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
                Some(ended) = connections.join_next_with_id() => {
                    clients.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
                }
            }
        }
    }
}

/// The requests of one connection; whatever the other side does, it ends.
async fn converse<Stream>(stream: Stream, peer: SocketAddr, router: Router)
where
    Stream: AsyncRead + AsyncWrite + Unpin,
{
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Whoever has said all is still answered.
        .half_close(true)
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks off, or sends what is no request, is its own loss.
    drop(tokio::time::timeout(CONNECTION_WITHIN, connection).await);
}
