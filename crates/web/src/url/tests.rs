use super::*;

fn check(raw: &str, expect: &str) {
    let canon = CanonUrl::parse(raw).unwrap_or_else(|error| panic!("{raw}: {error}"));
    assert_eq!(canon.as_str(), expect, "of {raw}");
    let again = CanonUrl::parse(expect).expect("a canonical URL parses");
    assert_eq!(again, canon, "canonical form is a fixed point");
}

fn check_error(raw: &str, expect: UrlError) {
    assert_eq!(CanonUrl::parse(raw), Err(expect), "of {raw}");
}

#[test]
fn spellings_of_one_page_become_one_text() {
    check("HTTP://Example.ORG", "http://example.org/");
    check("http://example.org:80/a", "http://example.org/a");
    check("https://example.org:443/a", "https://example.org/a");
    check("http://example.org:443/a", "http://example.org:443/a");
    check("http://example.org/a/./b/../c", "http://example.org/a/c");
    check("http://example.org/%7euser/%c3%a9", "http://example.org/~user/%C3%A9");
    check("http://example.org/a%2fb%2Fc", "http://example.org/a%2Fb%2Fc");
    check("http://example.org/%2e%2e/a", "http://example.org/a");
    check("http://example.org/a#top", "http://example.org/a");
    check("http://example.org/a?", "http://example.org/a");
    check("http://example.org/100%", "http://example.org/100%");
    check("http://example.org/%+1%zz", "http://example.org/%+1%zz");
    check("http://example.org/%%34%31", "http://example.org/%%341");
    check("http://example.org/%4%31", "http://example.org/%4%31");
    check("http://user:secret@example.org/", "http://example.org/");
    check("http://example.org./a", "http://example.org/a");
    check("http://bücher.example/", "http://xn--bcher-kva.example/");
    check("http://0x7f.1/", "http://127.0.0.1/");
    check(" \thttp://example.org/a b\n", "http://example.org/a%20b");
}

#[test]
fn tracking_and_session_parameters_go_and_the_rest_keep_their_order() {
    check("http://e.org/?utm_source=x&b=2&UTM_medium=y&a=1", "http://e.org/?b=2&a=1");
    check("http://e.org/?fbclid=1", "http://e.org/");
    check("http://e.org/p;jsessionid=AB12?x=1", "http://e.org/p?x=1");
    check("http://e.org/p;JSESSIONID=AB12/q", "http://e.org/p;JSESSIONID=AB12/q");
    check("http://e.org/?PHPSESSID=abc&x", "http://e.org/?x");
    check("http://e.org/?b=&a=%7e&&c", "http://e.org/?b=&a=~&&c");
    check("http://e.org/?utm=1", "http://e.org/?utm=1");
}

#[test]
fn keep_query_keeps_every_parameter() {
    let raw = "http://e.org/p;jsessionid=1?utm_source=x&fbclid=%7e";
    let canon = CanonUrl::parse_with(raw, Canon::KeepQuery).expect("it parses");
    assert_eq!(canon.as_str(), "http://e.org/p;jsessionid=1?utm_source=x&fbclid=~");
}

#[test]
fn what_cannot_be_crawled_says_why() {
    check_error("mailto:a@example.org", UrlError::Scheme);
    check_error("javascript:void(0)", UrlError::Scheme);
    check_error("ftp://example.org/", UrlError::Scheme);
    check_error("example.org", UrlError::Syntax("it has no scheme such as https://"));
    check_error("http://", UrlError::Syntax("the host is empty"));
    check_error("http://example.org:0/", UrlError::Port);
    check_error(&format!("http://e.org/{}", "a".repeat(URL_BYTES_MAX)), UrlError::TooLong);
}

#[test]
fn a_link_is_resolved_against_its_page() {
    let page = CanonUrl::parse("https://e.org/a/b?x=1").expect("it parses");
    let join = |raw: &str| page.join(raw, Canon::Full).expect("it resolves").to_string();
    assert_eq!(join("c"), "https://e.org/a/c");
    assert_eq!(join("../c"), "https://e.org/c");
    assert_eq!(join("?y=2"), "https://e.org/a/b?y=2");
    assert_eq!(join("#top"), "https://e.org/a/b?x=1");
    assert_eq!(join(""), "https://e.org/a/b?x=1");
    assert_eq!(join("//f.org/"), "https://f.org/");
    assert_eq!(join("/c\n?d"), "https://e.org/c?d");
}

#[test]
fn the_parts_of_a_url_are_found() {
    let url = CanonUrl::parse("https://www.example.co.uk:8443/a/b?c=d").expect("it parses");
    assert_eq!(url.scheme(), Scheme::Https);
    assert_eq!(url.authority(), "www.example.co.uk:8443");
    assert_eq!(url.host(), "www.example.co.uk");
    assert_eq!(url.port(), 8443);
    assert_eq!(url.path(), "/a/b");
    assert_eq!(url.query(), Some("c=d"));
    assert_eq!(url.path_and_query(), "/a/b?c=d");
    assert_eq!(url.site().as_str(), "www.example.co.uk:8443");
    assert_eq!(url.site().pld().as_str(), "example.co.uk");
    let v6 = CanonUrl::parse("http://[::1]:8080/").expect("it parses");
    assert_eq!((v6.host(), v6.port()), ("[::1]", 8080));
    assert_eq!(v6.site().pld().as_str(), "[::1]");
}

#[test]
fn http_and_https_on_their_own_ports_are_one_site_and_two_origins() {
    let plain = CanonUrl::parse("http://example.org/").expect("it parses");
    let secure = CanonUrl::parse("https://example.org/").expect("it parses");
    assert_eq!(plain.site(), secure.site());
    assert_ne!(plain.origin(), secure.origin());
    assert_eq!(secure.origin().robots_url().as_str(), "https://example.org/robots.txt");
}
