//! The web for timing answers fast what it would have answered anyway.

use std::sync::Arc;

use rhumb_testweb::truth::{Host, Scheme};
use rhumb_testweb::{Coding, Served, Spec};
use rustls::HandshakeKind;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;

use crate::client::{ask, connect, get};

/// The bytes of an answer on a connection that the server closes.
async fn raw(served: &Served, host: &Host, line: &str, fields: &str) -> Vec<u8> {
    let mut stream = connect(served, host).await;
    let port = served.port();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {}:{port}\r\n{fields}Connection: close\r\n\r\n",
        host.name
    );
    stream.write_all(request.as_bytes()).await.expect("the host reads");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("the host answers");
    bytes
}

#[tokio::test]
async fn a_prepared_answer_can_be_had_without_its_body_and_leaves_the_connection_open() {
    let served = Served::start(&Spec::bench(2, 10)).await.unwrap();
    let host = &served.web().hosts[0];
    let whole = String::from_utf8(raw(&served, host, "GET /", "").await).unwrap();
    let head = String::from_utf8(raw(&served, host, "HEAD /", "").await).unwrap();
    assert!(whole.starts_with(&head) && head.ends_with("Connection: close\r\n\r\n"), "{head}");
    let mut kept = connect(&served, host).await;
    for _ in 0..2 {
        let open = ask(&mut kept, &served, &host.name, "/").await;
        assert_eq!(open, whole.replacen("Connection: close\r\n", "", 1));
    }
}

#[tokio::test]
async fn gzip_goes_to_those_who_take_it_and_means_the_same() {
    let spec = Spec { coding: Some(Coding::Gzip), ..Spec::bench(2, 10) };
    let served = Served::start(&spec).await.unwrap();
    let host = &served.web().hosts[0];
    let split = |bytes: &[u8]| {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8(bytes[..end].to_vec()).unwrap(), bytes[end..].to_vec())
    };
    let (head, body) = split(&raw(&served, host, "GET /", "Accept-Encoding: gzip\r\n").await);
    assert!(head.contains("\r\nContent-Encoding: gzip\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{head}");
    let mut inflated = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(&*body);
    std::io::Read::read_to_end(&mut reader, &mut inflated).unwrap();
    let (head, plain) = split(&raw(&served, host, "GET /", "Accept-Encoding: br\r\n").await);
    assert!(!head.contains("Content-Encoding"), "{head}");
    assert!(plain == inflated, "both clients get the same page");
}

#[tokio::test]
async fn a_second_tls_connection_takes_up_the_session_of_the_first() {
    let served = Served::start(&Spec { only_https: true, ..Spec::bench(3, 30) }).await.unwrap();
    assert!(served.seeds().iter().all(|url| url.starts_with("https://")));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(served.ca_der().to_vec())).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let host = &served.web().hosts[1];
    assert_eq!(host.scheme, Scheme::Https);
    for expect in [HandshakeKind::Full, HandshakeKind::Resumed] {
        let name = ServerName::try_from(host.name.clone()).unwrap();
        let mut stream = connector.connect(name, connect(&served, host).await).await.unwrap();
        let home = ask(&mut stream, &served, &host.name, "/").await;
        assert!(home.starts_with("HTTP/1.1 200 OK"), "{home}");
        assert_eq!(stream.get_ref().1.handshake_kind(), Some(expect));
    }
    assert_eq!(get(&served, host, "/").await.split(' ').nth(1), Some("400"));
}

#[tokio::test]
async fn the_hosts_file_has_a_line_for_every_name() {
    let served = Served::start(&Spec::bench(12, 12)).await.unwrap();
    let lines: Vec<String> =
        served.web().hosts.iter().map(|h| format!("{} {}", h.address, h.name)).collect();
    assert_eq!(served.hosts_file().lines().collect::<Vec<_>>(), lines);
}
