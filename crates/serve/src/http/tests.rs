//! What no test that asks a house from this machine can bring about: clients of other machines,
//! faults of our own, and clients that take nothing of an answer.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::connect_info::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::middleware::from_fn;
use axum::routing::get;
use http_body_util::BodyExt;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::Canon;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Limits, bind, dress};
use crate::{Crawl, House, HouseSettings, Unanswered};

struct Mute;

impl Crawl for Mute {
    fn ask(&self, _: Question) -> Result<Reply, Unanswered> {
        Err(Unanswered { what: "it says nothing".to_owned(), advice: "ask it not".to_owned() })
    }
}

#[tokio::test]
async fn clients_of_other_machines_have_a_rate_and_ours_have_none() {
    let settings = HouseSettings {
        folder: "nowhere".into(),
        archive: "nowhere".into(),
        index: "nowhere".into(),
        canon: Canon::Full,
        agent: "rhumb/0.1".to_owned(),
        agent_token: "rhumb".to_owned(),
        searches: rhumb_index::Searches::default(),
        contact: None,
        is_disguised: false,
        token: Some("secret".to_owned()),
    };
    let limits = Limits { rate: 1, burst: 3, ..Limits::default() };
    let house = House::with_limits(settings, Arc::new(Mute), limits);
    let router = TowerToHyperService::new(crate::router(house));
    let ask = async |from: &str| {
        let from: SocketAddr = from.parse().expect("an address");
        let request = Request::get("/icon.svg").header("host", "search.example");
        let request = request.extension(ConnectInfo(from)).body(Body::empty()).expect("whole");
        router.call(request).await.expect("an answer")
    };
    for port in 1..=3 {
        let answer = ask(&format!("192.0.2.1:{port}")).await;
        assert_eq!(answer.status(), StatusCode::OK);
    }
    let refused = ask("192.0.2.1:4").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert!(refused.headers().contains_key("content-security-policy"));
    assert_eq!(ask("192.0.2.2:1").await.status(), StatusCode::OK, "another client");
    for port in 1..=20 {
        assert_eq!(ask(&format!("127.0.0.1:{port}")).await.status(), StatusCode::OK);
        assert_eq!(ask(&format!("[::1]:{port}")).await.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_fault_of_ours_is_told_as_a_page_or_as_json() {
    let broken = || get(|| async { assert!(String::new().starts_with('a'), "it breaks") });
    let router = Router::new().route("/x", broken()).route("/api/x", broken());
    let router = TowerToHyperService::new(router.layer(from_fn(dress)));
    for (path, kind) in [("/x", "text/html; charset=utf-8"), ("/api/x", "application/json")] {
        let request = Request::get(path).body(Body::empty()).expect("whole");
        let answer = router.call(request).await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        assert_eq!(answer.headers()["content-type"], kind);
        let body = answer.into_body().collect().await.expect("whole").to_bytes();
        assert!(!String::from_utf8_lossy(&body).contains("it breaks"), "{path}");
    }
}

#[tokio::test]
async fn whoever_takes_nothing_of_an_answer_makes_room() {
    let large = || async { vec![b'x'; 64 << 20] };
    let router = Router::new().route("/large", get(large)).route("/small", get(|| async { "ok" }));
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
    let address = listener.address();
    let listener = listener.holding(1).writing_within(Duration::from_millis(50));
    tokio::spawn(listener.serve(router));
    let ask = async |path: &str| {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        stream
    };
    let _idle = ask("/large").await;
    let mut next = ask("/small").await;
    let mut answer = String::new();
    let read = next.read_to_string(&mut answer);
    let read = tokio::time::timeout(Duration::from_secs(30), read).await;
    read.expect("the first was given up").expect("an answer");
    assert!(answer.ends_with("ok"), "{answer}");
}
