//! The gate before clients of other machines, which a test on this one is not.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::connect_info::ConnectInfo;
use axum::http::{Request, StatusCode};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::Canon;

use super::Limits;
use crate::{Crawl, House, HouseSettings};

struct Mute;

impl Crawl for Mute {
    fn ask(&self, _: Question) -> Reply {
        Reply::Refused { what: "it says nothing".to_owned(), advice: "ask it not".to_owned() }
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
