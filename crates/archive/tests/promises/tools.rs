//! What the tools of others say of our files: `warcio check` and `cdxj-indexer`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rhumb_archive::surt;
use rhumb_web::{Canon, CanonUrl};

use crate::conformance::folder;
use crate::samples::{everything, files, keep};

/// A python that has warcio and cdxj-indexer.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("RHUMB_PYTHON").map(PathBuf::from);
    if python.is_none() {
        println!("skipped: RHUMB_PYTHON names no python with warcio and cdxj-indexer");
    }
    python
}

fn run(python: &Path, arguments: &[&str], files: &[PathBuf]) -> (bool, String) {
    let output = Command::new(python).args(arguments).args(files).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
}

/// What `warcio check` has to complain of, and how many digests are right; nothing where it is not
/// installed.
pub(crate) fn warcio_check(sealed: &[PathBuf]) -> Option<(Vec<String>, usize)> {
    let python = python()?;
    let warcio = ["-c", "import sys; from warcio.cli import main; sys.exit(main(sys.argv[1:]))"];
    let (_, talk) = run(&python, &[&warcio[..], &["check", "-v"]].concat(), sealed);
    assert!(!talk.contains("exception") && !talk.contains("WARNING"), "{talk}");
    let failed = talk.lines().filter(|line| line.contains("failed")).map(str::to_owned);
    Some((failed.collect(), talk.matches("digest pass").count()))
}

/// Holds the index of a folder against that of `cdxj-indexer`.
pub(crate) fn compare_index(folder: &Path) {
    let Some(python) = python() else { return };
    let sealed = files(folder, ".warc.gz");
    let (succeeded, theirs) =
        run(&python, &["-W", "ignore", "-m", "cdxj_indexer.main", "-s"], &sealed);
    assert!(succeeded, "{theirs}");
    let ours = fs::read_to_string(folder.join("index.cdxj")).unwrap();
    for (our, their) in ours.lines().zip(theirs.lines()) {
        assert_eq!(our, their);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

#[test]
fn warcio_finds_nothing_wrong_but_the_chunked_payloads() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), &everything(), 20_000);
    let sealed = files(folder.path(), ".warc.gz");
    let Some((failed, passed)) = warcio_check(&sealed) else { return };
    // Its issue 74: it digests the chunks too. Two samples are chunked.
    assert!(failed.iter().all(|line| line.contains("payload digest failed")), "{failed:?}");
    assert_eq!((failed.len(), passed), (2, 47), "{failed:?}");
}

#[test]
fn the_index_is_that_of_cdxj_indexer() {
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), &everything(), 20_000);
    compare_index(folder.path());
}

/// URLs that try every rule of a key, and those that others collected, where they are.
fn urls() -> Vec<CanonUrl> {
    let session = "0123456789abcdef0123456789ABCDEF";
    let mut urls: Vec<String> = [
        "http://www.example.org/",
        "https://www1.example.org:8443/a/",
        "http://www.org/",
        "http://a_b.example.org/%25%32%35",
        "http://a.b/?",
        "http://a.b/?a=%26&%3D=1&=&&b",
        "http://a.b//x//./y/..//z/%2e%2e/%2F/",
        "http://a.b/%E4%B8%AD?%E4%B8%AD=%FF",
        "http://a.b/..",
        "http://1.2.3.4:80/A",
        "http://[2001:db8::A]/",
        "https://xn--bcher-kva.example/B%C3%BC",
        "http://a.b/(S(abcdefghijklmnopqrstuvwx))/P.aspx?X",
        "http://a.b/%5Cx%7Cy%22%3Cz%3E%60",
        "http://a.b/(abcdefghijklmnopqrstuvwx)/p.aspx",
        "http://a.b/(abc)/p.aspx",
        "http://a.b/;x=1",
        "http://a.b/?cfid=1&cftoken=2&x",
        "http://a.b/?x&CFID=1&CFTOKEN=2",
        "http://a.b/?cfid=&cftoken=2",
        "http://a.b/?ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx&k",
        "http://a.b/?%23=%2520",
        "http://a.b/#f",
        "http://a.b/?q=a+b%20c",
        "http://a.b/x%0Ay?z%0D=%09",
    ]
    .map(str::to_owned)
    .to_vec();
    for name in ["jsessionid", "PHPSESSID", "sid", "xsid"] {
        for query in [
            format!("{name}={session}"),
            format!("z=1&{name}={session}&a=2"),
            format!("{name}={session}x"),
        ] {
            urls.push(format!("http://a.b/p?{query}"));
        }
    }
    let suite = fs::read_to_string(folder().join("url/urltestdata.json")).unwrap_or_default();
    urls.extend(suite.lines().filter_map(|line| {
        Some(line.trim().strip_prefix("\"href\": \"")?.split('"').next()?.replace("\\\\", "\\"))
    }));
    let suite = fs::read_to_string(folder().join("normalise/weirdToNormalizedUrls.csv"));
    urls.extend(
        suite.unwrap_or_default().lines().map(|line| line.split(", ").next().unwrap().to_owned()),
    );
    let kept = |url: &String| CanonUrl::parse_with(url, Canon::KeepQuery).ok();
    urls.iter().filter_map(kept).collect()
}

#[test]
fn keys_are_those_of_surt() {
    let Some(python) = python() else { return };
    let urls = urls();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("urls");
    fs::write(&list, urls.iter().map(CanonUrl::as_str).collect::<Vec<_>>().join("\n")).unwrap();
    let script = "import sys, surt\nfor line in open(sys.argv[1]): print(surt.surt(line.rstrip()))";
    let (succeeded, theirs) = run(&python, &["-W", "ignore", "-c", script], &[list]);
    assert!(succeeded, "{theirs}");
    let mut wrong = Vec::new();
    for (url, their) in urls.iter().zip(theirs.lines()) {
        if surt(url.as_str()) != their {
            wrong.push(format!("{url}: {} but theirs {their}", surt(url.as_str())));
        }
    }
    println!("keys: {} of {} as surt", urls.len() - wrong.len(), urls.len());
    assert_eq!(wrong, [] as [String; 0]);
    assert_eq!(theirs.lines().count(), urls.len());
}
