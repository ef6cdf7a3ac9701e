//! HTTPS with a certificate authority of our own.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rhumb_fetch::{FetchSettings, RootCertStore};
use rhumb_web::{Cut, Failure};
use rustls::pki_types::PrivateKeyDer;
use rustls::{HandshakeKind, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::door::{answered, cut, door, failed, fetch, settings};
use crate::server::{Server, head, ok};

/// An authority, and the settings that believe it.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("a good test set-up");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a good test set-up"))
                .expect("a good test set-up"),
        )
    }

    pub(crate) fn settings(&self) -> FetchSettings {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).expect("a good test set-up");
        FetchSettings { roots, ..settings() }
    }

    /// A server's side of TLS as `names`, that knows these protocols, the best first.
    pub(crate) fn config(&self, names: &[&str], protocols: &[&str]) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a good test set-up");
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let certificate = CertificateParams::new(names)
            .expect("a good test set-up")
            .signed_by(&key, &self.0)
            .expect("a good test set-up");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder
            .with_safe_default_protocol_versions()
            .expect("a good test set-up")
            .with_no_client_auth();
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a good test set-up");
        let mut config = builder
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a good test set-up");
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config)
    }

    /// Serves HTTPS as `names`, one answer a connection; ends without a TLS goodbye.
    pub(crate) async fn serve(&self, names: &[&str], answer: Vec<u8>) -> SocketAddr {
        let config = self.config(names, &["http/1.1"]);
        let acceptor = TlsAcceptor::from(config);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a good test set-up");
        let address = listener.local_addr().expect("a good test set-up");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                if head(&mut stream).await.is_some() {
                    stream.write_all(&answer).await.expect("a good test set-up");
                    stream.flush().await.expect("a good test set-up");
                }
            }
        });
        address
    }
}

#[tokio::test]
async fn a_certificate_of_a_believed_authority_is_answered() {
    let authority = Authority::new();
    let bytes = ok("", b"safe");
    let address = authority.serve(&["127.0.0.1", "localhost"], bytes.clone()).await;
    let door = door(authority.settings());
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("https://{host}:{}/", address.port());
        let exchange = answered(fetch(&door, &url).await);
        assert_eq!(&exchange.body[..], b"safe");
        assert_eq!(&exchange.received[..], &bytes[..], "recorded without the encryption");
        assert!(exchange.sent.starts_with(b"GET / HTTP/1.1\r\n"));
    }
}

#[tokio::test]
async fn an_answer_that_ends_without_a_goodbye_is_whole_unless_its_length_says_otherwise() {
    let authority = Authority::new();
    let door = door(authority.settings());
    let open = b"HTTP/1.1 200 OK\r\n\r\nall of it".to_vec();
    let address = authority.serve(&["127.0.0.1"], open).await;
    let exchange = answered(fetch(&door, &format!("https://{address}/")).await);
    assert_eq!((&exchange.body[..], exchange.cut), (&b"all of it"[..], None));
    let short = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nsome".to_vec();
    let address = authority.serve(&["127.0.0.1"], short).await;
    cut(fetch(&door, &format!("https://{address}/")).await, b"some", Cut::Disconnect);
}

#[tokio::test]
async fn a_certificate_that_cannot_be_believed_is_fetched_no_further() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let unknown = stranger.serve(&["127.0.0.1"], ok("", b"")).await;
    let misnamed = authority.serve(&["other.example"], ok("", b"")).await;
    let door = door(authority.settings());
    for address in [unknown, misnamed] {
        failed(fetch(&door, &format!("https://{address}/")).await, Failure::Tls);
    }
    let garbage = Server::script(|mut caller| async move {
        caller.says(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        caller.holds().await;
    })
    .await;
    failed(fetch(&door, &format!("https://{}/", garbage.address)).await, Failure::Tls);
}

#[tokio::test]
async fn a_second_connection_to_a_host_resumes_the_session_of_the_first() {
    let authority = Authority::new();
    let config = authority.config(&["127.0.0.1", "localhost"], &["http/1.1"]);
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a good test set-up");
    let port = listener.local_addr().expect("a good test set-up").port();
    let (teller, mut told) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = acceptor.accept(stream).await.expect("a good test set-up");
            head(&mut stream).await.expect("a request");
            let kind = stream.get_ref().1.handshake_kind();
            stream.write_all(&ok("Connection: close\r\n", b"x")).await.expect("a listener");
            stream.shutdown().await.expect("a listener");
            teller.send(kind).await.expect("a listener");
        }
    });
    let door = door(authority.settings());
    let visits = [("127.0.0.1", false), ("127.0.0.1", true), ("localhost", false)];
    for (host, is_known) in visits.into_iter().chain([("localhost", true), ("127.0.0.1", true)]) {
        answered(fetch(&door, &format!("https://{host}:{port}/")).await);
        let kind = told.recv().await.expect("a handshake");
        assert_eq!(kind == Some(HandshakeKind::Resumed), is_known, "{host}: {kind:?}");
    }
}
