//! The document, held against the routes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

/// The one route below `/api` that another room has.
const EVENTS: &str = "/api/events";

#[test]
fn the_document_tells_of_every_route_and_of_no_other() {
    let document: Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    let told = document["paths"].as_object().expect("paths").keys().map(String::as_str);
    let questions = questions().map(|(path, _)| path);
    let orders = orders().map(|(path, _)| path);
    let routes = questions.into_iter().chain(orders).chain([EVENTS]);
    assert_eq!(told.collect::<BTreeSet<_>>(), routes.collect());
}

#[test]
fn the_document_tells_how_long_a_url_may_be() {
    let document: Value = serde_json::from_str(OPENAPI).expect("it is JSON");
    for (path, method) in [("/api/page", "get"), ("/api/why", "get"), ("/api/click", "post")] {
        let schema = &document["paths"][path][method]["parameters"][0]["schema"];
        assert_eq!(schema["maxLength"], asking::URL_CHARS_MAX, "{path}");
    }
}
