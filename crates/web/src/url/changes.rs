//! Which rules brought a URL to its canonical form, for people who wonder.

use url::Url;

use super::{Canon, CanonUrl, UrlError, escapes, parameters, parse_standard, without_session};

/// The rules that changed something on the way from `raw` to its canonical form, in words.
pub(super) fn of(raw: &str, canon: Canon) -> Result<Vec<String>, UrlError> {
    let url = parse_standard(raw, None)?;
    let canonical = CanonUrl::finish(url.clone(), canon)?;
    let mut changes = Vec::new();
    if url.as_str() != raw {
        changes.push("spelled as the URL standard has it".to_owned());
    }
    if let Some(fragment) = url.fragment() {
        changes.push(format!("without its fragment #{fragment}"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        changes.push("without user and password".to_owned());
    }
    if url.host_str().is_some_and(|host| host.ends_with('.')) {
        changes.push("without the dot at the end of the host".to_owned());
    }
    let path = escapes::tidy(url.path());
    let session = canon == Canon::Full && without_session(&path) != path;
    if session {
        changes.push("without the session id in its path".to_owned());
    }
    let dropped = dropped(&url, canon);
    if !dropped.is_empty() {
        changes.push(format!("without the parameters {}", dropped.join(", ")));
    }
    if url.query() == Some("") {
        changes.push("without its empty query".to_owned());
    }
    let is_tidied = path != url.path() || url.query().is_some_and(|it| escapes::tidy(it) != it);
    if is_tidied && canonical.as_str() != url.as_str() {
        changes.push("percent-escapes written in one way".to_owned());
    }
    Ok(changes)
}

/// The names of the parameters that say who came, not which page.
fn dropped(url: &Url, canon: Canon) -> Vec<String> {
    if canon == Canon::KeepQuery {
        return Vec::new();
    }
    let query = escapes::tidy(url.query().unwrap_or_default());
    let names = query.split('&').map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name));
    names.filter(|name| parameters::is_dropped(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expect: &[&str]) {
        let changes = of(raw, Canon::Full).unwrap();
        assert_eq!(changes, expect, "{raw}");
    }

    #[test]
    fn every_rule_that_changed_something_is_named() {
        check("http://e.org/a?b=1", &[]);
        check("HTTP://E.org:80", &["spelled as the URL standard has it"]);
        check("http://e.org/#top", &["without its fragment #top"]);
        check("http://u:p@e.org/", &["without user and password"]);
        check("http://e.org./", &["without the dot at the end of the host"]);
        check("http://e.org/a;jsessionid=1", &["without the session id in its path"]);
        let tracked = "http://e.org/?a=1&utm_source=x&fbclid=2";
        check(tracked, &["without the parameters utm_source, fbclid"]);
        check("http://e.org/?", &["without its empty query"]);
        check("http://e.org/%7ea", &["percent-escapes written in one way"]);
    }

    #[test]
    fn a_url_that_is_told_without_changes_is_its_own_canonical_form() {
        for raw in ["http://e.org/", "https://e.org/a/b?c=d&e", "http://[::1]:8080/x%20y"] {
            check(raw, &[]);
            assert_eq!(CanonUrl::parse(raw).unwrap().as_str(), raw);
        }
    }
}
