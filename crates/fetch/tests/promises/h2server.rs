//! Servers that speak HTTP/2 only: an honest one, and one that says the frames it is told.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use hyper::{Request, Response};
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Heads of requests, with the number of their connection.
type Heard = Arc<Mutex<Vec<(usize, Request<()>)>>>;

/// A listener on loopback and the requests that came.
pub(crate) struct H2Server {
    pub(crate) address: SocketAddr,
    heard: Heard,
}

impl H2Server {
    /// Gives every request this answer.
    pub(crate) async fn answering(
        config: Arc<ServerConfig>,
        answer: Response<()>,
        body: Bytes,
    ) -> Self {
        Self::start(config, move |mut respond| {
            if let Ok(mut stream) = respond.send_response(answer.clone(), body.is_empty()) {
                // A caller that has gone away does not matter.
                drop(stream.send_data(body.clone(), true));
            }
        })
        .await
    }

    /// Gives every request this piece again and again, as fast as it is taken.
    pub(crate) async fn pouring(config: Arc<ServerConfig>, piece: Bytes) -> Self {
        Self::start(config, move |mut respond| {
            let piece = piece.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = respond.send_response(Response::new(()), false) else {
                    return;
                };
                stream.reserve_capacity(piece.len());
                while let Some(Ok(capacity)) = poll_fn(|cx| stream.poll_capacity(cx)).await {
                    if capacity >= piece.len() {
                        drop(stream.send_data(piece.clone(), false));
                    }
                    stream.reserve_capacity(piece.len());
                }
            });
        })
        .await
    }

    async fn start(
        config: Arc<ServerConfig>,
        answer: impl Fn(SendResponse<Bytes>) + Send + Sync + 'static,
    ) -> Self {
        let (heard, answer) = (Heard::default(), Arc::new(answer));
        let ears = Arc::clone(&heard);
        let address = listening(config, move |stream, number| {
            let (ears, answer) = (Arc::clone(&ears), Arc::clone(&answer));
            async move {
                let Ok(mut connection) = h2::server::handshake(stream).await else { return };
                while let Some(Ok((request, respond))) = connection.accept().await {
                    let request = request.map(|_: RecvStream| ());
                    ears.lock().expect("a good test set-up").push((number, request));
                    answer(respond);
                }
            }
        })
        .await;
        Self { address, heard }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<(usize, Request<()>)> {
        self.heard.lock().expect("a good test set-up").clone()
    }
}

/// One connection of a server that says the frames it is told.
pub(crate) struct Peer {
    stream: TlsStream<TcpStream>,
    pub(crate) number: usize,
    is_greeted: bool,
}

impl Peer {
    /// Does with every connection what the script says, then closes it; the URL of the server.
    pub(crate) async fn script<F, S>(config: Arc<ServerConfig>, script: S) -> String
    where
        S: Fn(Peer) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let address = listening(config, move |stream, number| {
            script(Self { stream, number, is_greeted: false })
        });
        format!("https://{}/", address.await)
    }

    /// Waits for a request, and says on which stream it came; `None` when the caller hung up.
    pub(crate) async fn hears(&mut self) -> Option<u32> {
        if !self.is_greeted {
            self.stream.read_exact(&mut [0; 24]).await.ok()?;
            self.says(&frame(SETTINGS, 0, 0, b"")).await;
            self.is_greeted = true;
        }
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await.ok()?;
            let [l0, l1, l2, kind, _, id @ ..] = head;
            let length = u32::from_be_bytes([0, l0, l1, l2]);
            let mut payload = vec![0; usize::try_from(length).ok()?];
            self.stream.read_exact(&mut payload).await.ok()?;
            if kind == HEADERS {
                return Some(u32::from_be_bytes(id));
            }
        }
    }

    /// Says these bytes; false if the caller hung up.
    pub(crate) async fn says(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// Waits until the caller hangs up.
    pub(crate) async fn holds(&mut self) {
        while matches!(self.stream.read(&mut [0; 1024]).await, Ok(1..)) {}
    }
}

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// A frame (RFC 9113 section 4.1).
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short payload").to_be_bytes();
    let [s0, s1, s2, s3] = stream.to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags, s0, s1, s2, s3];
    [&head[..], payload].concat()
}

/// A header list (RFC 7541): the status 200, and these, spelled out.
pub(crate) fn ok(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut list = vec![0x88];
    for (name, value) in headers {
        list.push(0);
        for text in [name, value] {
            list.push(u8::try_from(text.len()).expect("a short text") & 0x7f);
            list.extend_from_slice(text.as_bytes());
        }
    }
    list
}

async fn listening<F, S>(config: Arc<ServerConfig>, script: S) -> SocketAddr
where
    S: Fn(TlsStream<TcpStream>, usize) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        let mut number = 0;
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            tokio::spawn(script(stream, number));
            number += 1;
        }
    });
    address
}
