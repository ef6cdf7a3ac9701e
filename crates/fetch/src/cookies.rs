//! One site's cookies (RFC 6265), small, host-bound and kept in memory only.
//!
//! The jar is pure: `now` is an argument. A cookie never leaves the site that set it: a Domain
//! attribute is checked, and not used to send the cookie elsewhere.

use std::time::{Duration, SystemTime};

use rhumb_web::{CanonUrl, Scheme};

/// Cookies of one site.
const COOKIES_MAX: usize = 50;

/// Bytes of names, values and paths of one site's cookies: more would crowd out the headers.
const BYTES_MAX: usize = 8 * 1024;

#[derive(Debug, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    path: String,
    secure: bool,
    expires: Option<SystemTime>,
}

impl Cookie {
    fn size(&self) -> usize {
        self.name.len() + self.value.len() + self.path.len()
    }

    fn is_for(&self, now: SystemTime, url: &CanonUrl) -> bool {
        let alive = self.expires.is_none_or(|end| end > now);
        let safe = !self.secure || url.scheme() == Scheme::Https;
        alive && safe && path_matches(&self.path, url.path())
    }
}

/// The cookies of one site, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Jar {
    cookies: Vec<Cookie>,
}

impl Jar {
    /// Takes in one Set-Cookie line of an answer from `url`.
    pub(crate) fn set(&mut self, now: SystemTime, url: &CanonUrl, line: &str) {
        let Some(cookie) = parse(now, url, line) else { return };
        self.cookies.retain(|old| (&old.name, &old.path) != (&cookie.name, &cookie.path));
        let gone = |cookie: &Cookie| cookie.expires.is_some_and(|end| end <= now);
        if gone(&cookie) || cookie.size() > BYTES_MAX {
            return;
        }
        self.cookies.push(cookie);
        self.cookies.retain(|cookie| !gone(cookie));
        while self.cookies.len() > COOKIES_MAX || self.size() > BYTES_MAX {
            self.cookies.remove(0);
        }
    }

    /// The Cookie header for a request, if there is any cookie for it; longer paths go first.
    pub(crate) fn header(&self, now: SystemTime, url: &CanonUrl) -> Option<String> {
        let mut chosen: Vec<_> =
            self.cookies.iter().filter(|cookie| cookie.is_for(now, url)).collect();
        chosen.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs = chosen.iter().map(|cookie| match cookie.name.as_str() {
            "" => cookie.value.clone(),
            name => format!("{name}={}", cookie.value),
        });
        let pairs: Vec<_> = pairs.collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// Whether there is nothing to keep.
    pub(crate) fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    fn size(&self) -> usize {
        self.cookies.iter().map(Cookie::size).sum()
    }
}

fn parse(now: SystemTime, url: &CanonUrl, line: &str) -> Option<Cookie> {
    if line.bytes().any(|byte| byte != b'\t' && byte.is_ascii_control()) {
        return None;
    }
    let mut parts = line.split(';').map(str::trim);
    let (name, value) = split_pair(parts.next()?);
    if name.is_empty() && value.is_empty() {
        return None;
    }
    let mut cookie = Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        path: default_path(url.path()).to_owned(),
        secure: false,
        expires: None,
    };
    let mut max_age = None;
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "secure" => cookie.secure = true,
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "domain" if !domain_matches(value, url.host()) => return None,
            "expires" => cookie.expires = date(value).or(cookie.expires),
            "max-age" => max_age = value.parse::<i64>().ok().or(max_age),
            _ => {}
        }
    }
    if let Some(seconds) = max_age {
        // A moment beyond the clock's range is as good as none.
        let seconds = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
        cookie.expires = now.checked_add(seconds);
    }
    let spoils = cookie.secure && url.scheme() != Scheme::Https;
    (!spoils).then_some(cookie)
}

fn split_pair(pair: &str) -> (&str, &str) {
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    (name.trim(), value.trim())
}

fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(end) => &path[..end],
    }
}

fn path_matches(cookie: &str, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(cookie) else { return false };
    rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/')
}

fn domain_matches(domain: &str, host: &str) -> bool {
    let domain = domain.strip_prefix('.').unwrap_or(domain).to_ascii_lowercase();
    let above = |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    domain.is_empty() || host == domain || above(&domain)
}

/// An HTTP date, also with hyphens and a year of four digits, which many servers write.
fn date(text: &str) -> Option<SystemTime> {
    let parsed = httpdate::parse_http_date(text);
    parsed.or_else(|_| httpdate::parse_http_date(&text.replace('-', " "))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonUrl {
        CanonUrl::parse(text).expect("a URL")
    }

    fn moment(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
    }

    /// Sets the lines at second 0 from the first URL, asks at second 100 for the second.
    #[track_caller]
    fn check(from: &str, lines: &[&str], to: &str, expect: Option<&str>) {
        let mut jar = Jar::default();
        for line in lines {
            jar.set(moment(0), &url(from), line);
        }
        assert_eq!(jar.header(moment(100), &url(to)).as_deref(), expect, "{lines:?} for {to}");
    }

    #[test]
    fn a_cookie_comes_back_to_the_path_that_it_is_for() {
        let from = "https://h.example/a/b";
        check(from, &["x=1"], "https://h.example/a/c", Some("x=1"));
        check(from, &["x=1"], "https://h.example/a", Some("x=1"));
        check(from, &["x=1"], "https://h.example/ab", None);
        check(from, &["x=1; Path=/"], "https://h.example/", Some("x=1"));
        check(from, &["x=1; path=/q/"], "https://h.example/q/r", Some("x=1"));
        check(from, &["x=1; path=nonsense"], "https://h.example/", None);
        let two = ["x=1; Path=/", "y=2; Path=/a"];
        check(from, &two, "https://h.example/a/", Some("y=2; x=1"));
    }

    #[test]
    fn a_cookie_ends_when_it_says() {
        let from = "https://h.example/";
        check(from, &["x=1; Max-Age=99"], from, None);
        check(from, &["x=1; Max-Age=101"], from, Some("x=1"));
        check(from, &["x=1", "x=; Max-Age=0"], from, None);
        check(from, &["x=1; Max-Age=9999999999999999999"], from, Some("x=1"));
        check(from, &["x=1; Max-Age=9223372036854775807"], from, Some("x=1"));
        check(from, &["x=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT"], from, None);
        check(from, &["x=1; Expires=Wed, 21-Oct-2015 07:28:00 GMT"], from, None);
        check(from, &["x=1; Expires=Fri, 21 Oct 2095 07:28:00 GMT"], from, Some("x=1"));
        check(from, &["x=1; Expires=never"], from, Some("x=1"));
        check(from, &["x=1; Max-Age=200; Expires=Wed, 21 Oct 2015 07:28:00 GMT"], from, {
            Some("x=1")
        });
    }

    #[test]
    fn a_secure_cookie_stays_on_https() {
        let (plain, safe) = ("http://h.example/", "https://h.example/");
        check(safe, &["x=1; Secure"], safe, Some("x=1"));
        check(safe, &["x=1; Secure"], plain, None);
        check(plain, &["x=1; Secure"], safe, None);
    }

    #[test]
    fn a_cookie_for_somebody_else_is_refused() {
        let from = "https://www.h.example/";
        check(from, &["x=1; Domain=h.example"], from, Some("x=1"));
        check(from, &["x=1; Domain=.www.H.example"], from, Some("x=1"));
        check(from, &["x=1; Domain=other.example"], from, None);
        check(from, &["x=1; Domain=w.h.example"], from, None);
    }

    #[test]
    fn a_later_cookie_replaces_an_earlier_one_of_its_name() {
        let from = "http://h.example/";
        check(from, &["x=1", "y=2", "x=3"], from, Some("y=2; x=3"));
    }

    #[test]
    fn nonsense_sets_nothing() {
        let from = "http://h.example/";
        check(from, &["", "=", ";;;", "x=1\u{1}"], from, None);
        check(from, &["bare"], from, Some("bare"));
    }

    #[test]
    fn a_jar_is_bounded_in_cookies_and_bytes() {
        let mut jar = Jar::default();
        let from = url("http://h.example/");
        for number in 0..1_000 {
            jar.set(moment(0), &from, &format!("n{number}=1"));
        }
        assert_eq!(jar.cookies.len(), COOKIES_MAX);
        assert_eq!(jar.cookies[0].name, "n950", "the oldest go first");
        let long = "v".repeat(3_000);
        for number in 0..10 {
            jar.set(moment(0), &from, &format!("n{number}={long}"));
        }
        assert!(jar.size() <= BYTES_MAX, "{} bytes", jar.size());
        jar.set(moment(0), &from, &format!("huge={}", "v".repeat(BYTES_MAX)));
        assert!(jar.cookies.iter().all(|cookie| cookie.name != "huge"));
    }
}
