//! The short way for what is plainly canonical: a text of which neither the standard nor our rules
//! would change a byte. Most links of most pages are; whatever is doubtful goes the long way.

use std::net::Ipv4Addr;

use super::{Canon, CanonUrl, URL_BYTES_MAX, escapes, host_of, parameters, position};
use crate::Scheme;

/// An absolute URL, if it is plain but for a fragment or a missing path.
pub(super) fn parse(raw: &str, canon: Canon) -> Option<CanonUrl> {
    let raw = without_fragment(raw)?;
    let path_start = end_of_authority(raw)?;
    let path = if path_start == raw.len() { "/" } else { "" };
    from_parts(raw, path, path_start, canon)
}

/// A link of a page, if what it resolves to is plain.
pub(super) fn join(page: &CanonUrl, raw: &str, canon: Canon) -> Option<CanonUrl> {
    let raw = without_fragment(raw)?;
    let (text, path_start) = (page.as_str(), page.path_start as usize);
    let from_page = |kept: usize, rest| from_parts(&text[..kept], rest, path_start, canon);
    let path = page.path();
    match raw.as_bytes() {
        [] => from_page(text.len(), ""),
        [b'?', ..] => from_page(path_start + path.len(), raw),
        [b'/', b'/', ..] => {
            let scheme = page.scheme().prefix().trim_end_matches('/');
            parse(&[scheme, raw].concat(), canon)
        }
        [b'/', ..] => from_page(path_start, raw),
        // A colon in the first segment may end a scheme.
        _ if raw.bytes().take_while(|byte| *byte != b'/').any(|byte| byte == b':') => {
            parse(raw, canon)
        }
        // The long way takes `/c:/` and `/c|/` for drives, from which no step leads up.
        [b'.', ..] if path.contains([':', '|']) => None,
        _ => {
            let (folder, rest) = climb(path, raw);
            from_page(path_start + folder.len(), rest)
        }
    }
}

/// The folder of a path after the steps `./` and `../` with which a link begins, and its rest.
fn climb<'a>(path: &'a str, link: &'a str) -> (&'a str, &'a str) {
    let up_to_slash = |path: &'a str| &path[..path.rfind('/').map_or(0, |slash| slash + 1)];
    let (mut folder, mut rest) = (up_to_slash(path), link);
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            let above = up_to_slash(folder.strip_suffix('/').unwrap_or(folder));
            folder = if above.is_empty() { folder } else { above };
            rest = after;
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            return (folder, rest);
        }
    }
}

fn from_parts(kept: &str, rest: &str, path_start: usize, canon: Canon) -> Option<CanonUrl> {
    let text = [kept, rest].concat();
    if text.len() > URL_BYTES_MAX || !is_plain(&text[path_start..], canon) {
        return None;
    }
    let path_start = u32::try_from(path_start).ok()?;
    Some(CanonUrl { text: text.into_boxed_str(), path_start })
}

/// Where the path of a whole text begins, if the text is plain to its last byte.
pub(super) fn path_start(text: &str, canon: Canon) -> Option<u32> {
    let path_start = end_of_authority(text)?;
    let is_canonical = text.len() <= URL_BYTES_MAX && is_plain(&text[path_start..], canon);
    u32::try_from(path_start).ok().filter(|_| is_canonical)
}

fn without_fragment(raw: &str) -> Option<&str> {
    let is_short = raw.len() <= URL_BYTES_MAX;
    is_short.then(|| &raw[..position(raw, b'#').unwrap_or(raw.len())])
}

/// Where scheme, host and port end, if all are plain.
fn end_of_authority(text: &str) -> Option<usize> {
    let mut schemes = [Scheme::Http, Scheme::Https].into_iter();
    let scheme = schemes.find(|scheme| text.starts_with(scheme.prefix()))?;
    let rest = &text[scheme.prefix().len()..];
    let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let host = host_of(authority);
    let is_plain = is_plain_host(host) && is_plain_port(&authority[host.len()..], scheme);
    is_plain.then(|| scheme.prefix().len() + authority.len())
}

/// Lower-case names that need no look at IDNA, and addresses in their one form.
fn is_plain_host(host: &str) -> bool {
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(is_letter) && !label.starts_with("xn--")
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    // A last label that begins with a digit may be the end of an address in some other form.
    let is_name = last.starts_with(|first: char| first.is_ascii_lowercase());
    host.split('.').all(is_label) && (is_name || host.parse::<Ipv4Addr>().is_ok())
}

/// None, or a number in its one form that needs a mention.
fn is_plain_port(port: &str, scheme: Scheme) -> bool {
    let Some(digits) = port.strip_prefix(':') else { return port.is_empty() };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    is_number && digits.parse::<u16>().is_ok_and(|port| port != scheme.default_port())
}

/// Whether path and query are plain. A segment that begins with a dot may be a step, a semicolon
/// in a path may begin a session id.
fn is_plain(path_and_query: &str, canon: Canon) -> bool {
    let is_kept = |byte: u8| KEPT[usize::from(byte)];
    let path_len = path_and_query.bytes().position(|byte| !is_kept(byte));
    let (path, query) = path_and_query.split_at(path_len.unwrap_or(path_and_query.len()));
    let mut pairs = path.bytes().zip(path.bytes().skip(1));
    path.starts_with('/')
        && !pairs.any(|pair| pair == (b'/', b'.'))
        && (query.is_empty() || query.strip_prefix('?').is_some_and(|it| is_plain_query(it, canon)))
        && escapes::is_tidy(path_and_query)
}

fn is_plain_query(query: &str, canon: Canon) -> bool {
    let is_kept = |byte: u8| KEPT[usize::from(byte)] || matches!(byte, b'?' | b';');
    let keeps_all = || canon == Canon::KeepQuery || !parameters::are_any_dropped(query);
    !query.is_empty() && query.bytes().all(is_kept) && keeps_all()
}

/// The bytes that stay as they are in a path and in a query; percent signs are looked at apart.
const KEPT: [bool; 256] = {
    let mut kept = [false; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&()*+,=:@/%";
    let mut at = 0;
    while at < plain.len() {
        kept[plain[at] as usize] = true;
        at += 1;
    }
    kept
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::QueryCharset;

    const CANONS: [Canon; 2] = [Canon::Full, Canon::KeepQuery];

    /// The short way and the long way lead to the same end.
    fn check(page: &str, raw: &str) {
        for canon in CANONS {
            let long = CanonUrl::parse_at_length(raw, canon);
            assert_eq!(CanonUrl::parse_with(raw, canon), long, "{raw:?}");
            let Ok(page) = CanonUrl::try_from(page.to_owned()) else { continue };
            let latin: QueryCharset<'_> = &|text| text.as_bytes().to_ascii_uppercase().into();
            for charset in [None, Some(latin)] {
                let long = page.join_at_length(raw, canon, charset);
                assert_eq!(page.join_from(raw, canon, charset), long, "{raw:?} on {page}");
            }
        }
        let long = CanonUrl::parse_at_length(raw, Canon::KeepQuery);
        assert_eq!(CanonUrl::try_from(raw.to_owned()), long, "{raw:?} read back");
    }

    /// One of the words of a line; `_` stands for none.
    fn word(line: &'static str) -> impl Strategy<Value = &'static str> {
        let words = line.split(' ').map(|word| if word == "_" { "" } else { word });
        prop::sample::select(words.collect::<Vec<_>>())
    }

    fn origin() -> impl Strategy<Value = String> {
        let schemes = word("http:// https:// HTTP:// // http:/ ftp:// mailto:");
        let hosts = word(
            "a.example www.b-c.co.uk _d.example A.example a.example. a..b xn--a 1a a.1 [::1] _ \
             xn--bcher-kva.example b\u{fc}cher.example 127.0.0.1 127.0.0.01 0x7f.1 u@a.example",
        );
        let ports = word("_ _ :80 :443 :8080 :080 :0 : :65536");
        (schemes, hosts, ports).prop_map(|(scheme, host, port)| [scheme, host, port].concat())
    }

    fn tail() -> impl Strategy<Value = String> {
        let plain = || word("a b.html / / ? & c=1 ../ ./ %C3%9F : ~");
        let odd =
            word(".. . # \\ \t \n ' | ^ % %2e %7E %c3 ; ;JSessionID=2 UTM_source=1 fbclid= \u{e9}");
        let mixed = prop::collection::vec(prop_oneof![plain(), odd], 0..8);
        let pieces = prop_oneof![prop::collection::vec(plain(), 0..8), mixed];
        pieces.prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_short_way_ends_where_the_long_way_does(
            page in (origin(), tail()),
            raw in (prop::option::of(origin()), prop::option::of(Just("/")), tail()),
        ) {
            let (origin, slash, tail) = raw;
            let raw = [origin.as_deref().unwrap_or(""), slash.unwrap_or(""), &tail].concat();
            check(&format!("{}/{}", page.0, page.1), &raw);
        }
    }

    #[test]
    fn a_segment_that_looks_like_a_drive_is_climbed_alike() {
        check("http://h.org/c:/x", "../y");
        check("http://h.org/c|/x", "../y");
    }

    #[test]
    fn a_text_at_the_limit_of_length_is_judged_alike() {
        for start in ["http://e.org/", "http://e.org/#", "/", "", "#"] {
            for length in URL_BYTES_MAX - 20..=URL_BYTES_MAX + 1 {
                let raw = start.to_owned() + &"a".repeat(length - start.len());
                check("http://e.org/", &raw);
            }
        }
    }

    #[test]
    fn links_as_most_pages_write_them_go_the_short_way() {
        let page = CanonUrl::parse("https://a.example:8080/b/c/d.html?e=1").unwrap();
        for (raw, expect) in [
            ("/x/y.html", "https://a.example:8080/x/y.html"),
            ("x-1.html?y=2&z", "https://a.example:8080/b/c/x-1.html?y=2&z"),
            ("../x#top", "https://a.example:8080/b/x"),
            ("./../../../x/", "https://a.example:8080/x/"),
            ("?y=2", "https://a.example:8080/b/c/d.html?y=2"),
            ("#top", "https://a.example:8080/b/c/d.html?e=1"),
            ("//b.example/x", "https://b.example/x"),
            ("http://b.example", "http://b.example/"),
            ("http://127.0.0.1:8080/Stra%C3%9Fe", "http://127.0.0.1:8080/Stra%C3%9Fe"),
        ] {
            let url = join(&page, raw, Canon::Full);
            assert_eq!(url.as_ref().map(CanonUrl::as_str), Some(expect), "{raw}");
        }
    }
}
