//! From an address to a stream: TCP, the proxy's tunnel, TLS.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use rhumb_web::{CanonUrl, Failure, Phase};
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use crate::settings::{ProxyUrl, SetupError};
use crate::wire::Stream;

/// Hosts whose TLS sessions are kept for resumption, a few kilobytes each.
const RESUMED_HOSTS_MAX: usize = 2_048;

/// Sessions of one host, as rustls counts them.
const SESSIONS_A_HOST: usize = 8;

/// Bytes of a proxy's answer to CONNECT.
const TUNNEL_HEAD_MAX: usize = 16 * 1024;

/// TLS as we speak it: without a client certificate, and with HTTP/1.1 alone at first, since of
/// that we keep the very bytes. Most servers would choose HTTP/2 if it were offered.
pub(crate) struct Tls {
    plain: TlsConnector,
    wide: TlsConnector,
}

/// Why a handshake came to nothing.
pub(crate) enum Unshaken {
    /// The server speaks none of what was offered.
    WantsAnother,
    /// Anything else.
    Failed(Failure),
}

impl Tls {
    pub(crate) fn new(roots: RootCertStore) -> Result<Self, SetupError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let mut plain = builder?.with_root_certificates(roots).with_no_client_auth();
        plain.resumption = Resumption::in_memory_sessions(RESUMED_HOSTS_MAX * SESSIONS_A_HOST);
        plain.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut wide = plain.clone();
        wide.alpn_protocols.push(b"h2".to_vec());
        Ok(Self { plain: Arc::new(plain).into(), wide: Arc::new(wide).into() })
    }

    /// Shakes hands as the URL's host; with HTTP/2 on offer where `h2` says so.
    pub(crate) async fn encrypt(
        &self,
        stream: TcpStream,
        url: &CanonUrl,
        h2: bool,
        until: Instant,
    ) -> Result<Stream, Unshaken> {
        let failed = |failure| Unshaken::Failed(failure);
        let host = url.host();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let name = match bare.parse::<IpAddr>() {
            Ok(address) => ServerName::from(address),
            Err(_) => ServerName::try_from(bare.to_owned()).map_err(|_| failed(Failure::Tls))?,
        };
        let connector = if h2 { &self.wide } else { &self.plain };
        let shaken = timeout_at(until, Box::pin(connector.connect(name, stream))).await;
        let shaken = shaken.map_err(|_| failed(Failure::TimedOut(Phase::Connect)))?;
        shaken.map(|stream| Stream::Tls(Box::new(stream))).map_err(|error| {
            if wants_another(&error) { Unshaken::WantsAnother } else { failed(Failure::Tls) }
        })
    }
}

/// Whether a handshake failed over the protocol that is to be spoken on it.
fn wants_another(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(
        inner,
        Some(
            rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol)
                | rustls::Error::NoApplicationProtocol
        )
    )
}

/// Opens a TCP connection.
pub(crate) async fn dial(address: SocketAddr, until: Instant) -> Result<TcpStream, Failure> {
    let stream = timeout_at(until, TcpStream::connect(address)).await;
    let stream = stream.map_err(|_| Failure::TimedOut(Phase::Connect))?;
    let stream = stream.map_err(|_| Failure::Connect)?;
    // A request is one write; waiting to fill a packet would only add a round trip.
    stream.set_nodelay(true).map_err(|_| Failure::Connect)?;
    Ok(stream)
}

/// Makes a proxy connect us to the checked address (RFC 9110 §9.3.6).
pub(crate) async fn tunnel(
    stream: &mut TcpStream,
    proxy: &ProxyUrl,
    target: SocketAddr,
    until: Instant,
) -> Result<(), Failure> {
    let authorization =
        proxy.authorization().map(|value| format!("Proxy-Authorization: {value}\r\n"));
    let authorization = authorization.unwrap_or_default();
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n");
    let opened = timeout_at(until, async {
        stream.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && head.len() < TUNNEL_HEAD_MAX {
            // Byte by byte: what follows the head belongs to TLS. It is short, and once a tunnel.
            head.push(stream.read_u8().await?);
        }
        Ok::<_, std::io::Error>(head.starts_with(b"HTTP/1.") && head.get(9) == Some(&b'2'))
    });
    match opened.await {
        Ok(Ok(true)) => Ok(()),
        _ => Err(Failure::Proxy),
    }
}
