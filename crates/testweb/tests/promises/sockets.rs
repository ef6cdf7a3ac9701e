//! The web is really there: DNS, HTTP, HTTPS, and gone when it is told to go.

use std::sync::Arc;

use rhumb_testweb::truth::{Coding, Fault, Kind, PageId, Robots, Scheme};
use rhumb_testweb::{Addresses, Served, Spec};
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::client::{ask, connect, get, plain_host, resolve};

const A: u8 = 1;
const AAAA: u8 = 28;

#[tokio::test]
async fn dns_answers_by_what_each_host_suffers_from() {
    let served = Served::start(&Spec::sized(1, 120, 300)).await.unwrap();
    let by_fault = |fault| served.web().hosts.iter().find(|h| h.fault == fault).unwrap();
    let good = by_fault(None);
    assert_eq!(resolve(&served, &good.name, A).await, (0, Some(good.address)));
    assert_eq!(resolve(&served, &good.name.to_uppercase(), A).await, (0, Some(good.address)));
    assert_eq!(resolve(&served, &good.name, AAAA).await, (0, None));
    assert_eq!(resolve(&served, "nowhere.test", A).await, (3, None));
    assert_eq!(resolve(&served, &by_fault(Some(Fault::NoSuchName)).name, A).await, (3, None));
    assert_eq!(resolve(&served, &by_fault(Some(Fault::ServFail)).name, A).await, (2, None));
    let refused = by_fault(Some(Fault::Refused));
    assert_eq!(resolve(&served, &refused.name, A).await, (0, Some(refused.address)));
    assert!(TcpStream::connect((refused.address, served.port())).await.is_err());
}

#[tokio::test]
async fn https_hosts_show_a_certificate_of_our_root() {
    let served = Served::start(&Spec::sized(1, 20, 100)).await.unwrap();
    let host = served.web().hosts.iter().find(|h| h.scheme == Scheme::Https).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(served.ca_der().to_vec())).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.name.clone()).unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let mut stream = connector.connect(name, connect(&served, host).await).await.unwrap();
    let robots = ask(&mut stream, &served, &host.name, "/robots.txt").await;
    assert!(robots.starts_with("HTTP/1.1 "), "{robots}");
    let home = ask(&mut stream, &served, &host.name, "/").await;
    assert!(home.starts_with("HTTP/1.1 200 OK"), "{home}");
    assert!(served.ca_pem().starts_with("-----BEGIN CERTIFICATE-----"));
    assert_eq!(served.witness().robots_violations, []);
    let wrong = ServerName::try_from("nowhere.test").unwrap();
    assert!(connector.connect(wrong, connect(&served, host).await).await.is_err());
}

#[tokio::test]
async fn many_hosts_live_on_few_addresses() {
    let spec = Spec { addresses: Addresses::Shared(2), ..Spec::sized(1, 40, 100) };
    let served = Served::start(&spec).await.unwrap();
    let first = plain_host(&served, |_| true);
    let second = plain_host(&served, |h| h.address == first.address && h.place != first.place);
    for host in [first, second] {
        let home = get(&served, host, "/").await;
        let word =
            served.expected().pages[&format!("{}/", host.origin(served.port()))].word.clone();
        assert!(home.contains(&word.unwrap()), "{home}");
    }
}

#[tokio::test]
async fn faulty_servers_fail_in_their_own_ways() {
    let served = Served::start(&Spec::sized(1, 300, 300)).await.unwrap();
    for (fault, expect) in [(Fault::HangsUp, ""), (Fault::Broken, "HTTP/1.1 500 ")] {
        let host = served.web().hosts.iter().find(|h| h.fault == Some(fault)).unwrap();
        let answer = get(&served, host, "/robots.txt").await;
        assert!(answer.starts_with(expect) && answer.is_empty() == expect.is_empty(), "{answer}");
    }
    for (robots, expect) in [
        (Robots::Unavailable, "HTTP/1.1 503 "),
        (Robots::Absent, "HTTP/1.1 404 "),
        (Robots::Moved(5), "HTTP/1.1 302 "),
        (Robots::Borrowed, "HTTP/1.1 301 "),
    ] {
        let host = plain_host(&served, |h| h.robots == robots);
        let answer = get(&served, host, "/robots.txt").await;
        assert!(answer.starts_with(expect), "{robots:?}: {answer}");
    }
    let host = plain_host(&served, |h| h.robots == Robots::Hangup);
    assert_eq!(get(&served, host, "/robots.txt").await, "");
}

#[tokio::test]
async fn every_expected_page_answers_as_expected() {
    let served = Served::start(&Spec::sized(2, 60, 500)).await.unwrap();
    let (web, port) = (served.web(), served.port());
    let expected = served.expected();
    let mut asked = 0;
    for id in (0..u32::try_from(web.pages.len()).unwrap()).map(PageId) {
        let (page, host) = (web.page(id), web.host_of(id));
        let Some(wanted) = expected.pages.get(&web.url(id, port)) else { continue };
        if host.scheme == Scheme::Https || page.kind == Kind::Wall {
            continue;
        }
        let answer = get(&served, host, &page.target).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {} ", wanted.status)), "{answer}");
        let plain = wanted.native_word.is_none() && page.coding == Coding::Identity;
        if let Some(word) = wanted.word.as_ref().filter(|_| plain) {
            assert!(answer.contains(word.as_str()) || answer.contains("chunked"), "{answer}");
        }
        asked += 1;
    }
    assert!(asked > 300, "{asked}");
    assert!(served.witness().unknown.is_empty());
}

#[tokio::test]
async fn codings_are_sent_only_to_those_who_take_them() {
    let served = Served::start(&Spec::sized(2, 60, 500)).await.unwrap();
    let web = served.web();
    for (coding, name) in [(Coding::Gzip, "gzip"), (Coding::Brotli, "br"), (Coding::Zstd, "zstd")] {
        let ids = (0..u32::try_from(web.pages.len()).unwrap()).map(PageId);
        let fits = |id: &PageId| {
            let (page, host) = (web.page(*id), web.host_of(*id));
            let plain = host.scheme == Scheme::Http && host.fault.is_none();
            page.kind == Kind::Html && page.coding == coding && plain
        };
        let id = ids.clone().find(fits).unwrap();
        let (host, target) = (web.host_of(id), &web.page(id).target);
        let field = format!("\r\nContent-Encoding: {name}\r\n");
        let asking = format!("{target} HTTP/1.1\r\nAccept-Encoding: {name}\r\nX:");
        assert!(get(&served, host, &asking).await.contains(&field), "{name}");
        assert!(!get(&served, host, target).await.contains("Content-Encoding"), "{name}");
    }
}

#[tokio::test]
async fn a_stopped_web_is_gone() {
    let served = Served::start(&Spec::sized(1, 10, 20)).await.unwrap();
    let (address, port) = (served.web().hosts[0].address, served.port());
    let mut idle = TcpStream::connect((address, port)).await.unwrap();
    served.stop().await;
    assert!(TcpStream::connect((address, port)).await.is_err());
    let mut byte = [0];
    assert!(matches!(tokio::io::AsyncReadExt::read(&mut idle, &mut byte).await, Ok(0) | Err(_)));
}

#[test]
fn a_web_on_its_own_thread_serves_callers_that_block() {
    let served = Served::start_on_thread(&Spec::sized(1, 10, 20)).unwrap();
    let host = &served.web().hosts[0];
    let mut stream = std::net::TcpStream::connect((host.address, served.port())).unwrap();
    let request = format!(
        "GET /robots.txt HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n\r\n",
        host.name,
        served.port()
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    assert!(answer.contains("\r\n\r\nUser-agent: *\nDisallow:\n"), "{answer}");
    assert!(answer.contains("Sitemap: http://"), "{answer}");
}
