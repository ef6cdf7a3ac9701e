//! The request as it is written.

use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use rhumb_web::CanonUrl;

use crate::settings::{FetchSettings, ProxyUrl, SetupError};

/// What we hold of a page from an earlier visit, in the server's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its Last-Modified.
    pub last_modified: Option<String>,
}

/// The agent of a usual browser, for requests that are sent as one: see [`crate::Fetcher`].
pub const BROWSER_AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// The headers that every request has, checked once.
#[derive(Debug)]
pub(crate) struct Habit {
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Habit {
    pub(crate) fn new(settings: &FetchSettings) -> Result<Self, SetupError> {
        let agent = HeaderValue::from_str(&settings.agent);
        let mut headers =
            vec![(header::USER_AGENT, agent.map_err(|_| SetupError::Header("the agent"))?)];
        if let Some(from) = &settings.from {
            let from = HeaderValue::from_str(from);
            headers.push((header::FROM, from.map_err(|_| SetupError::Header("the contact"))?));
        }
        headers.extend(usual());
        Ok(Self { headers })
    }

    /// The headers of a browser. Languages are asked for as ever: a page in another language is
    /// another page, and no sign of anything.
    pub(crate) fn of_browser() -> Self {
        let agent = (header::USER_AGENT, HeaderValue::from_static(BROWSER_AGENT));
        let secure = (header::UPGRADE_INSECURE_REQUESTS, HeaderValue::from_static("1"));
        Self { headers: [agent].into_iter().chain(usual()).chain([secure]).collect() }
    }

    /// The request for a URL; to a proxy in absolute form. `None` if hyper cannot write its target.
    pub(crate) fn request(
        &self,
        url: &CanonUrl,
        conditions: &Conditions,
        cookie: Option<&str>,
        proxy: Option<&ProxyUrl>,
    ) -> Option<Request<Empty<Bytes>>> {
        let target = if proxy.is_some() { url.as_str() } else { url.path_and_query() };
        let mut request = Request::get(target).body(Empty::new()).ok()?;
        let headers = request.headers_mut();
        headers.insert(header::HOST, HeaderValue::from_str(url.authority()).ok()?);
        headers.extend(self.headers.iter().cloned());
        insert(headers, header::IF_NONE_MATCH, conditions.etag.as_deref());
        insert(headers, header::IF_MODIFIED_SINCE, conditions.last_modified.as_deref());
        insert(headers, header::COOKIE, cookie);
        insert(headers, header::PROXY_AUTHORIZATION, proxy.and_then(ProxyUrl::authorization));
        Some(request)
    }
}

/// What is said to every server, whoever we say we are.
fn usual() -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let headers = [
        (header::ACCEPT, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        (header::ACCEPT_LANGUAGE, "*"),
        (header::ACCEPT_ENCODING, "gzip, br, zstd"),
        (header::CONNECTION, "keep-alive"),
    ];
    headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value)))
}

/// What a server once sent may not be fit to be sent back; then it is left out.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<&str>) {
    if let Some(value) = value.and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn habit() -> Habit {
        Habit::new(&FetchSettings::default()).expect("plain settings")
    }

    #[track_caller]
    fn check(url: &str, target: &str) {
        let url = CanonUrl::parse(url).expect("a URL");
        let request = habit().request(&url, &Conditions::default(), None, None).expect("a request");
        assert_eq!(request.uri().to_string(), target);
    }

    #[test]
    fn every_url_can_be_asked_for() {
        check("http://h.example/a?b=c", "/a?b=c");
        check("http://h.example/a'b;c=[d]?e=`f`", "/a'b;c=[d]?e=`f`");
        check("http://h.example/?q=\u{e9}", "/?q=%C3%A9");
        for byte in 0_u8..=127 {
            let text = format!("http://h.example/a{0}b?c{0}d", char::from(byte));
            let Ok(url) = CanonUrl::parse(&text) else { continue };
            let request = habit().request(&url, &Conditions::default(), None, None);
            assert!(request.is_some(), "{url}");
        }
    }

    #[test]
    fn a_condition_that_is_no_header_is_left_out() {
        let url = CanonUrl::parse("http://h.example/").expect("a URL");
        let conditions = Conditions {
            etag: Some("\"x\"\r\nEvil: 1".to_owned()),
            last_modified: Some("Wed, 21 Oct 2015 07:28:00 GMT".to_owned()),
        };
        let request = habit().request(&url, &conditions, None, None).expect("a request");
        assert!(!request.headers().contains_key(header::IF_NONE_MATCH));
        assert!(request.headers().contains_key(header::IF_MODIFIED_SINCE));
    }

    #[test]
    fn a_browser_says_neither_our_name_nor_whom_to_ask() {
        let contact = Some("a@example.test".to_owned());
        let settings = FetchSettings { from: contact, ..FetchSettings::default() };
        let url = CanonUrl::parse("http://h.example/").expect("a URL");
        let headers = |habit: &Habit| {
            let request = habit.request(&url, &Conditions::default(), None, None);
            request.expect("a request").headers().clone()
        };
        let own = headers(&Habit::new(&settings).expect("plain settings"));
        let browser = headers(&Habit::of_browser());
        assert!(own.contains_key(header::FROM) && !browser.contains_key(header::FROM));
        assert_eq!(browser[header::USER_AGENT], BROWSER_AGENT);
        assert_eq!(browser[header::ACCEPT_LANGUAGE], own[header::ACCEPT_LANGUAGE]);
    }

    #[test]
    fn an_agent_that_is_no_header_is_refused() {
        let settings = FetchSettings { agent: "a\nb".to_owned(), ..FetchSettings::default() };
        assert!(matches!(Habit::new(&settings), Err(SetupError::Header("the agent"))));
    }
}
