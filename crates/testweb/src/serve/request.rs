//! Reading one request, and the canonical form of its target.

use std::fmt::Write as _;

/// Longest request head that is read.
pub(super) const HEAD_MAX: usize = 16 << 10;

/// What the server needs of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    pub(super) target: &'a str,
    /// The Host field as it came, port included.
    pub(super) host: &'a str,
    pub(super) accept_encoding: &'a str,
    /// It brought a cookie.
    pub(super) cookie: bool,
    pub(super) close: bool,
}

impl<'a> Request<'a> {
    /// Reads a head without its empty line; `None` where it is no HTTP.
    pub(super) fn parse(head: &'a [u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(head).ok()?.lines();
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let mut request = Self {
            method,
            target,
            host: "",
            accept_encoding: "",
            cookie: false,
            close: version == "HTTP/1.0",
        };
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("host") {
                request.host = value;
            } else if name.eq_ignore_ascii_case("accept-encoding") {
                request.accept_encoding = value;
            } else if name.eq_ignore_ascii_case("cookie") {
                request.cookie = true;
            } else if name.eq_ignore_ascii_case("connection") {
                request.close |= value.eq_ignore_ascii_case("close");
            }
        }
        Some(request)
    }

    /// The client takes this content coding.
    pub(super) fn takes(&self, coding: &str) -> bool {
        self.accept_encoding.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding))
                && !parts.any(|weight| weight.eq_ignore_ascii_case("q=0"))
        })
    }
}

/// The one form of a target that a careful crawler asks for.
pub(crate) fn canonical(target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, query),
        None => (target, ""),
    };
    let mut segments: Vec<String> = Vec::new();
    let mut open = true;
    for segment in path.split('/').skip(1).map(unescape) {
        open = segment == "." || segment == "..";
        match segment.as_str() {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let mut plain = format!("/{}", segments.join("/"));
    if open && !plain.ends_with('/') {
        plain.push('/');
    }
    let kept: Vec<&str> = query.split('&').filter(|p| !p.is_empty() && !is_noise(p)).collect();
    if !kept.is_empty() {
        plain.push('?');
        plain.push_str(&kept.join("&"));
    }
    plain
}

fn is_noise(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default();
    name.starts_with("utm_") || ["fbclid", "gclid", "PHPSESSID", "jsessionid"].contains(&name)
}

/// Escapes in capitals, and none for unreserved characters.
fn unescape(segment: &str) -> String {
    let mut plain = String::with_capacity(segment.len());
    let mut rest = segment;
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        let octet = rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let Some(octet) = octet else {
            plain.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) {
            plain.push(char::from(octet));
        } else {
            let _ = write!(plain, "%{octet:02X}");
        }
        rest = &rest[at + 3..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_one_canonical_form() {
        for (target, expect) in [
            ("/", "/"),
            ("/?", "/"),
            ("/a/./b/../c", "/a/c"),
            ("/a/b/..", "/a/"),
            ("/%7euser/%c3%a9/%63hart", "/~user/%C3%A9/chart"),
            ("/l?utm_source=x&page=2&sort=a&gclid=1", "/l?page=2&sort=a"),
            ("/l?sort=a&page=2", "/l?sort=a&page=2"),
            ("/l?PHPSESSID=1", "/l"),
            ("/dir/", "/dir/"),
            ("/100%", "/100%"),
        ] {
            assert_eq!(canonical(target), expect, "{target}");
            assert_eq!(canonical(expect), expect, "twice: {target}");
        }
    }

    #[test]
    fn a_head_gives_what_the_server_needs() {
        let head = b"GET /x HTTP/1.1\r\nHost: A.test:80\r\nAccept-Encoding: br; Q=0, GZIP\r\n\
            Connection: close";
        let request = Request::parse(head).unwrap();
        assert_eq!((request.target, request.host, request.close), ("/x", "A.test:80", true));
        assert!(request.takes("gzip") && !request.takes("br") && !request.takes("zstd"));
        assert_eq!(Request::parse(b"\x16\x03"), None);
    }
}
