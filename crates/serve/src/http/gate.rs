//! Who may ask, how often and how long: before any page sees a request.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::connect_info::ConnectInfo;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN,
    TRANSFER_ENCODING,
};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Refused;
use super::rates::{Allowance, Client, Rates};
use crate::{House, search};

/// Bytes of a request's URL: a query, or a URL in it that is as long as a crawl follows.
const URL_BYTES_MAX: usize = 16 << 10;
/// The one answer that goes on as long as somebody listens.
const EVENTS: &str = "/api/events";
/// Where the token is entered, and the cookie that holds it afterwards.
pub(super) const COOKIE_NAME: &str = "rhumb_token";
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How much and how long a client may ask.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests a second of a client on another machine, in the long run.
    pub rate: u32,
    /// Requests of such a client at once, after a quiet time.
    pub burst: u32,
    /// Wrong tokens a minute of one client.
    pub guesses: u32,
    /// How long the answer to a wrong token is kept back.
    pub guess_pause: Duration,
    /// How long an answer may take to begin.
    pub within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rate: 50,
            burst: 200,
            guesses: 10,
            guess_pause: Duration::from_millis(500),
            within: Duration::from_secs(15),
        }
    }
}

/// What the gate knows.
#[derive(Debug)]
pub(crate) struct Gate {
    /// Control and submission want this; none where only this machine is answered.
    token: Option<String>,
    limits: Limits,
    asked: Rates,
    guessed: Rates,
}

impl Gate {
    pub(crate) fn new(token: Option<String>, limits: Limits) -> Self {
        let every = Duration::from_secs(1) / limits.rate.max(1);
        let asked = Rates::new(Allowance { every, burst: limits.burst });
        let every = Duration::from_mins(1) / limits.guesses.max(1);
        let guessed = Rates::new(Allowance { every, burst: limits.guesses });
        Self { token, limits, asked, guessed }
    }

    /// Whether whoever changes something must know the token.
    pub(crate) fn wants_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether this is the token. The right one is right whoever guessed before, perhaps from the
    /// same address; wrong ones are slow, and soon too many.
    pub(super) async fn is_token(&self, said: &[u8], from: IpAddr) -> Result<(), Refused> {
        let Some(token) = &self.token else { return Ok(()) };
        if is_same(token.as_bytes(), said) {
            return Ok(());
        }
        let taken = self.guessed.take(Client::at(from), Instant::now());
        tokio::time::sleep(self.limits.guess_pause).await;
        Err(match taken {
            Ok(()) => unknown("this is not the token"),
            Err(wait) => too_often(wait, "wrong tokens"),
        })
    }

    /// The token of a request, in a header or a cookie: never in a URL, which is written down in
    /// many places.
    async fn check_token(&self, headers: &HeaderMap, from: IpAddr) -> Result<(), Refused> {
        if self.token.is_none() {
            return Ok(());
        }
        let said = bearer(headers).map(<[u8]>::to_vec).or_else(|| cookie(headers));
        match said {
            Some(said) => self.is_token(&said, from).await,
            None => Err(unknown("whoever changes something here must know the token")),
        }
    }
}

/// Lets a request in, or not.
pub(crate) async fn pass(
    State(house): State<Arc<House>>,
    request: Request,
    next: Next,
) -> Response {
    let gate = &house.gate;
    if request.uri().path_and_query().map_or(0, |it| it.as_str().len()) > URL_BYTES_MAX {
        let code = StatusCode::URI_TOO_LONG;
        return Refused::new(code, "the URL is too long", "16 KB at most").into_response();
    }
    // Elsewhere any name may lead here, and the token is what counts.
    if gate.token.is_none() && !is_here(request.uri(), request.headers()) {
        return Refused::new(
            StatusCode::MISDIRECTED_REQUEST,
            "only this machine is answered, under its own name",
            "http://localhost/ with the same port",
        )
        .into_response();
    }
    let from = peer(&request);
    if !from.to_canonical().is_loopback()
        && let Err(wait) = gate.asked.take(Client::at(from), Instant::now())
    {
        return too_often(wait, "requests").into_response();
    }
    if request.uri().path() == EVENTS {
        return next.run(request).await;
    }
    match tokio::time::timeout(gate.limits.within, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refused::busy("this took too long").into_response(),
    }
}

/// Whether this request may change something, for routes that do.
pub(crate) async fn may_control(
    State(house): State<Arc<House>>,
    request: Request,
    next: Next,
) -> Response {
    if let Err(refused) = is_deliberate(&request) {
        return refused.into_response();
    }
    let from = peer(&request);
    match house.gate.check_token(request.headers(), from).await {
        Ok(()) => next.run(request).await,
        Err(refused) if request.uri().path() == search::SUBMIT => {
            search::again(&house, request, &refused).await
        }
        Err(refused) => refused.into_response(),
    }
}

/// Whether this request was made by one of our own pages or by no page at all, for routes that
/// count and want no token.
pub(crate) async fn is_ours(request: Request, next: Next) -> Response {
    match from_us(&request) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    }
}

/// One of our own pages, or no page at all, and a body of a kind that no foreign page can send
/// without asking first.
pub(super) fn is_deliberate(request: &Request) -> Result<(), Refused> {
    from_us(request)?;
    let headers = request.headers();
    let length = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    if length.is_none_or(|length| length == b"0") && !headers.contains_key(TRANSFER_ENCODING) {
        return Ok(());
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = request.uri().path().starts_with("/api/");
    let wanted = if is_json { "application/json" } else { "application/x-www-form-urlencoded" };
    if kind == wanted {
        return Ok(());
    }
    let code = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Refused::new(code, "the body is of another kind", format!("content-type: {wanted}")))
}

fn from_us(request: &Request) -> Result<(), Refused> {
    if request.method() != Method::POST {
        let code = StatusCode::METHOD_NOT_ALLOWED;
        return Err(Refused::new(code, "only POST changes something", "the same with POST"));
    }
    let headers = request.headers();
    let foreign = || {
        let advice = "the form on our own page, or a program that sends no Origin";
        Refused::new(StatusCode::FORBIDDEN, "this comes from a page of somebody else", advice)
    };
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or_default();
        let there = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let here = headers.get(HOST).and_then(|host| host.to_str().ok());
        if !there.zip(here).is_some_and(|(there, here)| there.eq_ignore_ascii_case(here)) {
            return Err(foreign());
        }
    }
    match headers.get(SEC_FETCH_SITE).map(HeaderValue::as_bytes) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => Err(foreign()),
    }
}

/// Whether the request names this machine by a name that is its own in any network: a page that
/// lets its own name lead here (DNS rebinding) does not.
fn is_here(uri: &Uri, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let named = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    let is_ours = |authority: &Authority| {
        let host = authority.host();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_plain = !authority.as_str().contains('@');
        let is_loopback = bare.parse::<IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback());
        is_plain && (bare.eq_ignore_ascii_case("localhost") || is_loopback)
    };
    named.as_ref().is_some_and(is_ours) && uri.authority().is_none_or(is_ours)
}

/// Who asks; nobody in particular where that is not known.
pub(super) fn peer(request: &Request) -> IpAddr {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |ConnectInfo(peer)| peer.ip())
}

/// As long as the longer one in any case: time tells nothing of where they differ.
fn is_same(token: &[u8], said: &[u8]) -> bool {
    let at = |text: &[u8], place: usize| text.get(place).copied().unwrap_or_default();
    let places = 0..token.len().max(said.len());
    let differing = places.fold(0, |all, place| all | (at(token, place) ^ at(said, place)));
    std::hint::black_box(differing) == 0 && token.len() == said.len()
}

/// The token as a cookie holds it: whatever letters it has.
pub(super) fn baked(token: &str) -> String {
    token.bytes().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("a string takes all");
        digits
    })
}

/// What is said as `Authorization: Bearer`, a word that may be written in any case (RFC 9110,
/// section 11.1).
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let (scheme, said) = headers.get(AUTHORIZATION)?.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(said)
}

fn cookie(headers: &HeaderMap) -> Option<Vec<u8>> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|it| it.trim().split_once('='));
    let (_, baked) = pairs.find(|(name, _)| *name == COOKIE_NAME)?;
    let digits = baked.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(str::from_utf8(two).ok()?, 16).ok()).collect()
}

fn unknown(what: &str) -> Refused {
    let advice = "the token that `rhumb serve` was given: at /token, or as Authorization: Bearer";
    Refused::new(StatusCode::UNAUTHORIZED, what, advice)
}

fn too_often(wait: Duration, what: &str) -> Refused {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let advice = format!("the same once more in {seconds} s");
    let refused = Refused::new(StatusCode::TOO_MANY_REQUESTS, format!("too many {what}"), advice);
    Refused { wait_s: Some(seconds), ..refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_ours() {
        let check = |uri: &str, host: Option<&str>, expect: bool| {
            let uri: Uri = uri.parse().expect("a target");
            let mut headers = HeaderMap::new();
            if let Some(host) = host {
                headers.insert(HOST, host.parse().expect("a value"));
            }
            assert_eq!(is_here(&uri, &headers), expect, "{uri} {host:?}");
        };
        for ours in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.9.8.7", "[::1]:1", "[::1]"]
        {
            check("/", Some(ours), true);
        }
        for other in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "0.0.0.0",
            "[::]",
            "[::1",
            "",
            "a@localhost",
            "localhost@evil.example",
            "localhost.",
        ] {
            check("/", Some(other), false);
        }
        check("/", None, false);
        check("http://127.0.0.1/", Some("localhost"), true);
        check("http://evil.example/", Some("localhost"), false);
    }

    #[test]
    fn tokens_are_the_same_or_not() {
        let check = |said: &str, expect| assert_eq!(is_same(b"secret", said.as_bytes()), expect);
        check("secret", true);
        for wrong in ["", "secreT", "secre", "secret\0", "secrets", "Secret"] {
            check(wrong, false);
        }
        assert!(!is_same(b"", b"x") && !is_same(b"x", b""));
    }

    #[test]
    fn any_token_comes_back_out_of_its_cookie() {
        for token in ["plain", "a;b=c, \"d\"", "ü\n"] {
            let mut headers = HeaderMap::new();
            let line = format!("a=b; {COOKIE_NAME}={}; c=d", baked(token));
            headers.insert(COOKIE, line.parse().expect("a value"));
            assert_eq!(cookie(&headers).as_deref(), Some(token.as_bytes()));
        }
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_static("rhumb_token=zz"));
        assert_eq!(cookie(&headers), None);
    }
}
