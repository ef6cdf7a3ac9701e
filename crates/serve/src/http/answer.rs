//! What every answer wears: headers that keep browsers safe, and errors as a page or as JSON.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS, X_DNS_PREFETCH_CONTROL,
};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::entry;
use crate::look;

/// Our own pages: our style, our script, our pictures, and nothing of anybody else. No other page
/// may frame them.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Why a request gets no better answer, and what would work: never with a path of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Refused {
    #[serde(skip)]
    pub(crate) code: StatusCode,
    /// What is wrong.
    #[serde(rename = "error")]
    pub(crate) what: String,
    /// What would be right.
    pub(crate) advice: String,
    /// Seconds after which the same would be answered.
    #[serde(skip)]
    pub(crate) wait_s: Option<u64>,
}

impl Refused {
    pub(crate) fn new(
        code: StatusCode,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { code, what: what.into(), advice: advice.into(), wait_s: None }
    }

    /// The request is wrong.
    pub(crate) fn wrong(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what, advice)
    }

    /// There is no such thing.
    pub(crate) fn absent(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what, advice)
    }

    /// Not now.
    pub(crate) fn busy(what: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, what, "the same once more, in a moment")
    }
}

impl Refused {
    /// The answer that tells of it on this page.
    pub(crate) fn on(&self, page: impl IntoResponse) -> Response {
        let mut response = (self.code, page).into_response();
        let headers = response.headers_mut();
        if self.code == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait_s) = self.wait_s {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait_s));
        }
        response
    }
}

/// Left bare for [`dress`], which knows what was asked for.
impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = self.on(());
        response.extensions_mut().insert(self);
        response
    }
}

/// The last to touch an answer: an error becomes a page, or JSON below `/api`; headers are added
/// that were not set.
pub(crate) async fn dress(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = unbroken(next.run(request)).await;
    let code = response.status();
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let is_page = kind.is_some_and(|kind| kind.starts_with(b"text/html"));
    let refused = response.extensions_mut().remove::<Refused>();
    let refused = refused.or_else(|| plain(code).filter(|_| !is_page));
    if let Some(refused) = refused {
        let headers = std::mem::take(response.headers_mut());
        response = if path.starts_with("/api/") {
            (refused.code, axum::Json(&refused)).into_response()
        } else {
            let way = (refused.code == StatusCode::UNAUTHORIZED).then(|| entry::way(&path));
            (refused.code, look::refusal(&refused, way.as_deref())).into_response()
        };
        for (name, value) in &headers {
            response.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
    }
    let headers = response.headers_mut();
    let mut usual = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    usual(CONTENT_SECURITY_POLICY, POLICY);
    usual(X_CONTENT_TYPE_OPTIONS, "nosniff");
    usual(X_DNS_PREFETCH_CONTROL, "off");
    // Nobody else learns where a reader comes from. Without any referrer our own forms would be sent
    // with `Origin: null`, as those of strangers are.
    usual(REFERRER_POLICY, "same-origin");
    usual(CACHE_CONTROL, "no-store");
    usual(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    usual(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    response
}

/// What answers, or that it broke: a fault of ours is told, and costs nobody the connection.
async fn unbroken(answer: impl Future<Output = Response>) -> Response {
    let mut answer = pin!(answer);
    poll_fn(|context| {
        let step = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        step.unwrap_or_else(|_| {
            let code = StatusCode::INTERNAL_SERVER_ERROR;
            let refused = Refused::new(code, "this failed, by a fault of Rhumb", "another page");
            Poll::Ready(refused.into_response())
        })
    })
    .await
}

/// What the library refused by itself.
fn plain(code: StatusCode) -> Option<Refused> {
    let (what, advice) = match code {
        StatusCode::NOT_FOUND => ("there is no such page", "the start page, at /"),
        StatusCode::METHOD_NOT_ALLOWED => {
            ("this cannot be asked that way", "the method that the Allow header names")
        }
        StatusCode::PAYLOAD_TOO_LARGE => ("the request is too large", "a smaller one"),
        StatusCode::BAD_REQUEST
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => {
            ("the request cannot be understood", "the parameters that /api/openapi.json names")
        }
        _ => return None,
    };
    Some(Refused::new(code, what, advice))
}
