//! Through a proxy: the check is still ours, and so are the bytes.

use rhumb_fetch::{FetchSettings, Networks, ProxyUrl};
use rhumb_web::{Failure, Outcome};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::door::{answered, door, failed, fetch, hasty, settings};
use crate::server::{Server, ok};
use crate::tls::Authority;

fn through(server: &Server, settings: FetchSettings) -> FetchSettings {
    let proxy = ProxyUrl::parse(&format!("http://me:pw@{}", server.address));
    FetchSettings { proxy: Some(proxy.expect("a proxy")), ..settings }
}

#[tokio::test]
async fn http_goes_to_the_proxy_in_absolute_form() {
    let bytes = ok("", b"by proxy");
    let proxy = Server::answering(bytes.clone()).await;
    let exchange =
        answered(fetch(&door(through(&proxy, settings())), "http://127.9.9.9/a?b").await);
    assert_eq!(&exchange.received[..], &bytes[..]);
    assert_eq!(exchange.address, proxy.address);
    let request = proxy.requests().remove(0);
    assert!(
        request.starts_with("GET http://127.9.9.9/a?b HTTP/1.1\r\nHost: 127.9.9.9\r\n"),
        "{request}"
    );
    assert!(request.contains("\r\nProxy-Authorization: Basic bWU6cHc=\r\n"), "{request}");
}

#[tokio::test]
async fn https_goes_through_a_tunnel_to_the_checked_address() {
    let authority = Authority::new();
    let origin = authority.serve(&["localhost"], ok("", b"tunnelled")).await;
    let proxy = Server::script(move |mut caller| async move {
        caller.hears().await;
        let mut there = TcpStream::connect(origin).await.unwrap();
        caller.says(b"HTTP/1.1 200 Connected\r\nVia: test\r\n\r\n").await;
        drop(copy_bidirectional(&mut caller.stream, &mut there).await);
    })
    .await;
    let door = door(through(&proxy, authority.settings()));
    let exchange = answered(fetch(&door, &format!("https://localhost:{}/", origin.port())).await);
    assert_eq!(&exchange.body[..], b"tunnelled");
    assert!(exchange.sent.starts_with(b"GET / HTTP/1.1\r\n"));
    assert!(!exchange.sent.windows(6).any(|six| six == b"Proxy-"), "the password stays here");
    let expect = format!("CONNECT {origin} HTTP/1.1\r\nHost: {origin}\r\nProxy-Authorization: ");
    assert!(proxy.requests()[0].starts_with(&expect), "{}", proxy.requests()[0]);
}

#[tokio::test]
async fn a_proxy_that_refuses_or_is_not_there_is_the_proxys_failure() {
    let refusing = Server::closing("HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n").await;
    for url in ["http://127.9.9.9/", "https://127.9.9.9/"] {
        failed(fetch(&door(through(&refusing, settings())), url).await, Failure::Proxy);
    }
    let silent = Server::script(|mut caller| async move { caller.holds().await }).await;
    let outcome = fetch(&door(through(&silent, hasty())), "https://127.9.9.9/").await;
    failed(outcome, Failure::Proxy);
    let nobody = ProxyUrl::parse("http://127.99.99.99:1").unwrap();
    let settings = FetchSettings { proxy: Some(nobody), ..settings() };
    failed(fetch(&door(settings), "http://127.9.9.9/").await, Failure::Proxy);
}

#[tokio::test]
async fn a_private_target_is_refused_before_the_proxy_hears_of_it() {
    let proxy = Server::answering(ok("", b"")).await;
    let public_only = FetchSettings { allow_private: Networks::default(), ..settings() };
    let door = door(through(&proxy, public_only));
    for url in ["http://127.9.9.9/", "https://10.0.0.1/"] {
        let outcome = fetch(&door, url).await;
        assert!(matches!(outcome, Outcome::PrivateAddress), "{outcome:?}");
    }
    assert!(proxy.requests().is_empty());
}
