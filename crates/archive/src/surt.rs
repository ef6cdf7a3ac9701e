//! The sort-friendly key of a URL, by the rules of the Internet Archive's canonicaliser as
//! Python's `surt` has them: `https://www.Example.org/A?b&a` becomes `org,example)/a?a&b`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::mem;

use memchr::memchr;

/// Query parameters that name a session when 32 letters or digits follow.
const SESSION_NAMES: [&str; 3] = ["jsessionid=", "phpsessid=", "sid="];
/// The length of such a session's value.
const SESSION_LENGTH: usize = 32;
/// The letters of an ASP session, and of the sessions that ASP.NET puts into a path.
const ASP_LENGTH: usize = 24;
/// The letters after `ASPSESSIONID` in a name.
const ASP_NAME_LENGTH: usize = 8;

/// Room for a key beside its host: most need no more.
const KEY_BYTES: usize = 64;

/// The key under which an index finds a URL: host reversed, path and query in lower case,
/// parameters sorted, sessions dropped.
pub fn surt(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return opaque(url);
    };
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(authority_end);
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut key = host_key(scheme, authority);
    key.push(')');
    key.push_str(&path_key(path));
    if !query.is_empty() {
        push_query(&mut key, query);
    }
    key
}

/// A URL without an authority, such as `dns:example.org`.
fn opaque(url: &str) -> String {
    let (scheme, path) = url.split_once(':').unwrap_or(("", url));
    let path = folded(path.as_bytes());
    let path = if path.len() > 1 { path.strip_suffix('/').unwrap_or(&path) } else { &path };
    format!("{scheme}:{path}")
}

fn host_key(scheme: &str, authority: &str) -> String {
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':').unwrap_or_default()),
        None => authority.split_once(':').unwrap_or((authority, "")),
    };
    let host = String::from_utf8_lossy(&unescape(host.as_bytes())).to_lowercase();
    let host = host.replace("..", ".");
    let host = escape(Cow::Borrowed(host.trim_matches('.').as_bytes()));
    let mut key = String::with_capacity(host.len() + KEY_BYTES);
    for label in without_www(&host).rsplit('.') {
        if !key.is_empty() {
            key.push(',');
        }
        key.push_str(label);
    }
    let usual = matches!((scheme, port), ("http", "80") | ("https", "443") | (_, "" | "0"));
    if !usual {
        key.push(':');
        key.push_str(port);
    }
    key
}

/// Without `www.`, `www2.` and the like.
fn without_www(host: &str) -> &str {
    let bare =
        host.strip_prefix("www").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    bare.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

fn path_key(path: &str) -> String {
    let path = unescape(path.as_bytes());
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    let last = kept.pop().unwrap_or_default();
    let mut joined = Vec::with_capacity(path.len() + 1);
    joined.push(b'/');
    for segment in kept.into_iter().filter(|segment| !segment.is_empty()) {
        joined.extend_from_slice(segment);
        joined.push(b'/');
    }
    joined.extend_from_slice(last);
    let mut path = escape(Cow::Owned(joined));
    path.make_ascii_lowercase();
    if path.contains('(') {
        path = without_asp_path(path);
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Without the session that ASP.NET writes as a segment before an `.aspx`:
/// `/(s(24 letters))/x.aspx` and `/(24 letters)/x.aspx`, the last of each.
fn without_asp_path(mut path: String) -> String {
    for is_session in [is_named_session as fn(&str) -> bool, is_bare_session] {
        let starts: Vec<usize> = path.match_indices("/(").map(|(at, _)| at + 1).collect();
        let session = starts.into_iter().rev().find_map(|start| {
            let end = start + path[start..].find('/')?;
            let after = &path[end + 1..];
            let page = after.split('?').next().unwrap_or_default();
            let names_page = page.get(1..).is_some_and(|page| page.contains(".aspx"));
            (is_session(&path[start..end]) && names_page).then_some((start, end + 1))
        });
        if let Some((start, end)) = session {
            path.replace_range(start..end, "");
        }
    }
    path
}

fn is_named_session(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(mut rest) = inner.filter(|inner| !inner.is_empty()) else { return false };
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let is_one = bytes.len() >= ASP_LENGTH + 3
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b'('
            && bytes[2..ASP_LENGTH + 2].iter().all(u8::is_ascii_alphanumeric)
            && bytes[ASP_LENGTH + 2] == b')';
        if !is_one {
            return false;
        }
        rest = &rest[ASP_LENGTH + 3..];
    }
    true
}

fn is_bare_session(segment: &str) -> bool {
    let inner = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| {
        inner.len() == ASP_LENGTH && inner.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// A query behind its question mark, if anything is left of it.
fn push_query(key: &mut String, query: &str) {
    let query = without_sessions(folded(query.as_bytes()));
    if query.is_empty() {
        return;
    }
    let mut parameters: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|part| part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value))))
        .collect();
    parameters.sort_unstable();
    let mut before = '?';
    for (name, value) in parameters {
        key.push(mem::replace(&mut before, '&'));
        key.push_str(name);
        if let Some(value) = value {
            key.push('=');
            key.push_str(value);
        }
    }
}

/// Each known kind of session is dropped once, where it stands last.
fn without_sessions(mut query: String) -> String {
    for name in SESSION_NAMES {
        query = without_last(query, name, |rest| {
            let value = rest.as_bytes().get(..SESSION_LENGTH)?;
            value.iter().all(u8::is_ascii_alphanumeric).then_some(SESSION_LENGTH)
        });
    }
    query = without_last(query, "aspsessionid", |rest| {
        let rest = rest.as_bytes();
        let (name, value) = rest.split_at_checked(ASP_NAME_LENGTH)?;
        let value = value.strip_prefix(b"=")?.get(..ASP_LENGTH)?;
        let letters = name.iter().chain(value).all(u8::is_ascii_alphabetic);
        letters.then_some(ASP_NAME_LENGTH + 1 + ASP_LENGTH)
    });
    without_last(query, "cfid=", |rest| {
        let (id, rest) = rest.split_once('&')?;
        let token = rest.strip_prefix("cftoken=")?.split('&').next()?;
        let is_whole = !id.is_empty() && !token.is_empty();
        is_whole.then_some(id.len() + "&cftoken=".len() + token.len())
    })
}

/// Drops the last `name` whose rest, by `length_of`, reaches to the next `&` or the end.
fn without_last(query: String, name: &str, length_of: impl Fn(&str) -> Option<usize>) -> String {
    let found = query.rmatch_indices(name).find_map(|(start, _)| {
        let value = start + name.len();
        let end = value + length_of(&query[value..])?;
        match query.as_bytes().get(end) {
            None => Some((start, end)),
            Some(b'&') => Some((start, end + 1)),
            Some(_) => None,
        }
    });
    found.map(|(start, end)| format!("{}{}", &query[..start], &query[end..])).unwrap_or(query)
}

/// In lower case, with escapes in one way only.
fn folded(bytes: &[u8]) -> String {
    let mut text = escape(unescape(bytes));
    text.make_ascii_lowercase();
    text
}

/// Percent escapes undone until none is left.
fn unescape(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    while memchr(b'%', &text).is_some() {
        let mut plain = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let pair = text.get(at + 1).zip(text.get(at + 2)).filter(|_| text[at] == b'%');
            let byte = pair.and_then(|(high, low)| Some(hex(*high)? << 4 | hex(*low)?));
            plain.push(byte.unwrap_or(text[at]));
            at += if byte.is_some() { 3 } else { 1 };
        }
        if plain.len() == text.len() {
            break;
        }
        text = Cow::Owned(plain);
    }
    text
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// Escapes what is not visible ASCII, and `#` and `%`.
fn escape(bytes: Cow<'_, [u8]>) -> String {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%');
    if bytes.iter().all(|byte| is_plain(*byte)) {
        return String::from_utf8(bytes.into_owned()).expect("what is visible ASCII is text");
    }
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes.iter().copied() {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("a string takes any text");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, key: &str) {
        assert_eq!(surt(url), key);
    }

    #[test]
    fn hosts_are_reversed_and_lose_their_www() {
        check("http://www.Example.org/", "org,example)/");
        check("https://www23.example.org:443/", "org,example)/");
        check("http://example.org:8080/", "org,example:8080)/");
        check("https://example.org:80/", "org,example:80)/");
        check("http://127.0.0.1:8080/x", "1,0,0,127:8080)/x");
        check("http://[::1]:8080/x", "::1:8080)/x");
        check("dns:www.Example.org", "dns:www.example.org");
    }

    #[test]
    fn paths_lose_case_and_slashes() {
        check("http://a.b/C//D/../e/", "b,a)/c/e");
        check("http://a.b/%7Euser/%2520x%23", "b,a)/~user/%20x%23");
        check("http://a.b/%C3%A9", "b,a)/%c3%a9");
    }

    #[test]
    fn queries_are_sorted_and_lose_sessions() {
        check("http://a.b/?b=2&a&a=&a=1", "b,a)/?a&a=&a=1&b=2");
        check("http://a.b/?sid=0123456789abcdef0123456789abcdef&x=1", "b,a)/?x=1");
        check("http://a.b/?JSESSIONID=0123456789abcdef0123456789abcdef", "b,a)/");
        check("http://a.b/?cfid=1&cftoken=2&z", "b,a)/?z");
        check("http://a.b/(s(0123456789abcdefghijklmn))/x.aspx", "b,a)/x.aspx");
    }
}
