//! A server that says exactly the bytes it is told, and remembers what it heard.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A listener on loopback and the requests that came, with the number of their connection.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Server {
    /// Says `answer` to every request and keeps the connection.
    pub(crate) async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = Arc::new(answer.into());
        Self::script(move |mut caller| {
            let answer = Arc::clone(&answer);
            async move {
                while caller.hears().await {
                    caller.says(&answer).await;
                }
            }
        })
        .await
    }

    /// Says `answer` to the first request of a connection and closes it.
    pub(crate) async fn closing(answer: impl Into<Vec<u8>>) -> Self {
        let answer = Arc::new(answer.into());
        Self::script(move |mut caller| {
            let answer = Arc::clone(&answer);
            async move {
                if caller.hears().await {
                    caller.says(&answer).await;
                }
            }
        })
        .await
    }

    /// Does with every connection what the script says, then closes it.
    pub(crate) async fn script<F, S>(script: S) -> Self
    where
        S: Fn(Caller) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self::script_on("127.0.0.1:0", script).await
    }

    /// The same at this address.
    pub(crate) async fn script_on<F, S>(address: &str, script: S) -> Self
    where
        S: Fn(Caller) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.expect("loopback");
        let address = listener.local_addr().expect("bound");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        tokio::spawn(async move {
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(script(Caller { stream, number, ears: Arc::clone(&ears) }));
                number += 1;
            }
        });
        Self { address, heard }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.heard
            .lock()
            .expect("a good test set-up")
            .iter()
            .map(|(_, head)| head.clone())
            .collect()
    }

    /// The connection of each request so far.
    pub(crate) fn connections(&self) -> Vec<usize> {
        self.heard.lock().expect("a good test set-up").iter().map(|(number, _)| *number).collect()
    }
}

/// One connection.
pub(crate) struct Caller {
    pub(crate) stream: TcpStream,
    pub(crate) number: usize,
    ears: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Caller {
    /// Waits for a request; false when the caller hung up.
    pub(crate) async fn hears(&mut self) -> bool {
        let Some(head) = head(&mut self.stream).await else { return false };
        self.ears.lock().expect("a good test set-up").push((self.number, head));
        true
    }

    /// Says these bytes; a caller that hung up does not matter.
    pub(crate) async fn says(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok()
    }

    /// Waits until the caller hangs up.
    pub(crate) async fn holds(&mut self) {
        while matches!(self.stream.read(&mut [0; 1024]).await, Ok(1..)) {}
    }
}

/// The bytes up to the first empty line.
pub(crate) async fn head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

/// A whole answer with this body.
pub(crate) fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}
