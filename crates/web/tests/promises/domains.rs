//! The public suffix list's own tests.

use rhumb_web::{CanonUrl, registrable};

use crate::conformance_file;

/// A host as a URL would carry it: lower case, in ASCII.
fn ascii(host: &str) -> Option<String> {
    CanonUrl::parse(&format!("http://{host}/")).ok().map(|url| url.host().to_owned())
}

fn check(host: &str, expect: Option<&str>) -> Result<(), String> {
    // A leading dot is no host; the URL parser lets it pass.
    let found = ascii(host).and_then(|host| registrable(&host).map(str::to_owned));
    let expect = expect.and_then(ascii);
    if found == expect { Ok(()) } else { Err(format!("{host}: {found:?}, not {expect:?}")) }
}

#[test]
fn conformance_registrable_domains_are_those_of_the_list() {
    let (Some(plain), Some(script)) =
        (conformance_file("psl/tests.txt"), conformance_file("psl/test_psl.txt"))
    else {
        return;
    };
    let mut cases: Vec<(String, String)> = Vec::new();
    for line in plain.lines().filter(|line| !line.starts_with("//")) {
        cases.extend(line.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
    for line in script.lines() {
        let Some(call) = line.strip_prefix("checkPublicSuffix(") else { continue };
        let call = call.trim_end_matches(");").replace('\'', "");
        cases.extend(call.split_once(", ").map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
    let real = cases.iter().filter(|(host, _)| host != "null");
    let (mut total, mut wrong) = (0, Vec::new());
    for (host, expect) in real {
        total += 1;
        let expect = Some(expect.as_str()).filter(|expect| *expect != "null");
        wrong.extend(check(host, expect).err());
    }
    println!("conformance: psl {} of {total}", total - wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(total > 150, "the data is there: {total}");
}

#[test]
fn addresses_and_single_labels_are_their_own_domain() {
    for host in ["127.0.0.1", "[2001:db8::1]", "localhost", "co.uk", "github.io"] {
        let url = CanonUrl::parse(&format!("http://{host}/")).expect("it is a URL");
        assert_eq!(url.site().pld().as_str(), host);
    }
}
