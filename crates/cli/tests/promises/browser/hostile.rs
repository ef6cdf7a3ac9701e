//! Pages that try to run script, to break out of where they are shown, or to load from outside.

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::driver::{Browser, is_missing};
use super::stage::{Serving, crawl, html, quoted};
use crate::raw::{RawServer, missing};

/// What is tried in titles, headings, anchors and texts.
const TRIES: [&str; 6] = [
    "<script>top.__hit=1;alert(1)</script>",
    "&lt;script&gt;top.__hit=1;alert(1)&lt;/script&gt;",
    "&quot;&gt;&lt;img src=http://leak.example/a onerror=top.__hit=1&gt;",
    "&lt;/title&gt;&lt;/mark&gt;&lt;svg onload=top.__hit=1&gt;",
    "&#x202e;gnp.exe&#x2066;&lt;b onmouseover=alert(1)&gt;",
    "javascript:alert(1)//&#39;;top.__hit=1;&#39;",
];

/// A listener that every outside name leads to, and what it was told.
struct Outside {
    address: std::net::SocketAddr,
    told: Arc<Mutex<Vec<String>>>,
}

impl Outside {
    fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.9:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let told = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&told);
        drop(std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                // A connection counts, whether something is asked on it or not.
                log.lock().expect("no listener panics").push(String::new());
                let log = Arc::clone(&log);
                drop(std::thread::spawn(move || {
                    let mut head = [0; 100];
                    let length = stream.read(&mut head).unwrap_or_default();
                    let head = String::from_utf8_lossy(&head[..length]).into_owned();
                    log.lock().expect("no listener panics").push(head);
                }));
            }
        }));
        Self { address, told }
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().expect("no listener panics").clone()
    }
}

/// The documents of the room that shows copies, by name.
fn documents() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/tests/promises/hostile");
    let files = std::fs::read_dir(folder).expect("the documents are there");
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.expect("a file");
        let name = file.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(file.path()).expect("it can be read"))
    };
    let mut documents: Vec<_> = files.map(read).collect();
    documents.sort();
    documents
}

/// A site with all of them, and with what is tried in titles and anchors.
fn den(documents: Vec<(String, Vec<u8>)>) -> RawServer {
    RawServer::start(move |target| {
        if let Some(number) = target.strip_prefix("/t/").and_then(|n| n.parse::<usize>().ok()) {
            let tried = TRIES[number % TRIES.len()];
            return html(&format!(
                "<html lang=en><title>{tried} sesame {number}</title><h1>{tried}</h1><p>sesame \
                 number {number}: {tried}</p><p title='{tried}'>{tried}</p>"
            ));
        }
        if target == "/" {
            let tries = TRIES.iter().enumerate();
            let tries = tries.map(|(n, tried)| format!("<a href=/t/{n}>{tried} sesame</a>\n"));
            let more = documents.iter().map(|(name, _)| format!("<a href=/d/{name}>sesame</a>\n"));
            return html(&tries.chain(more).collect::<String>());
        }
        let name = target.strip_prefix("/d/").unwrap_or_default();
        let Some((_, body)) = documents.iter().find(|(other, _)| other == name) else {
            return missing();
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    })
}

/// Opens it, and sees whether anything has run or gone out.
#[track_caller]
fn check(browser: &Browser, outside: &Outside, url: &str) {
    browser.go(url);
    assert_eq!(browser.dialogue(), None, "{url}");
    assert_eq!(browser.run("return window.__hit === undefined"), true, "{url}");
    assert_eq!(browser.url(), url, "it stays");
    assert_eq!(outside.told(), [] as [String; 0], "{url}");
}

#[test]
fn nothing_of_a_hostile_page_runs_and_nothing_leaves() {
    if is_missing() {
        return;
    }
    let (outside, documents) = (Outside::listen(), documents());
    let names: Vec<String> = documents.iter().map(|(name, _)| name.clone()).collect();
    assert!(!names.is_empty());
    let site = den(documents);
    let folder = tempfile::tempdir().expect("a folder");
    crawl(folder.path(), &[&site.url("/")]);
    let serving = Serving::at_rest(folder.path());
    let browser = Browser::open_beside(outside.address);
    for query in
        ["sesame", "sesame&page=2&explain=1", "script", "intitle:sesame", "%22sesame+number%22"]
    {
        check(&browser, &outside, &serving.url(&format!("/search?q={query}")));
    }
    let documents = names.iter().map(|name| format!("/d/{name}"));
    let pages: Vec<String> =
        documents.chain((0..TRIES.len()).map(|number| format!("/t/{number}"))).collect();
    for page in &pages {
        let page = quoted(&site.url(page));
        for path in ["/page", "/why", "/copy"] {
            check(&browser, &outside, &serving.url(&format!("{path}?url={page}")));
        }
        let frame = browser.inside("iframe", "return [self.origin, window.__hit === undefined]");
        assert_eq!(frame, json!(["null", true]), "{page}");
        let frame = serving.url(&format!("/copy/frame?url={page}"));
        check(&browser, &outside, &frame);
        assert_eq!(browser.run("return self.origin"), "null", "{frame}");
    }
    for path in ["/", "/crawl", "/sites", "/webmaster"] {
        check(&browser, &outside, &serving.url(path));
    }
    // At their own place they are as bad as they look.
    browser.silence_dialogues();
    let is_bad = |name: &&String| {
        let url = site.url(&format!("/d/{name}"));
        browser.go(&url);
        browser.run("return window.__hit !== undefined") == true || browser.url() != url
    };
    let bad = names.iter().filter(is_bad).count();
    assert!(4 * bad >= names.len(), "only {bad} of {} documents run anything", names.len());
    assert!(!outside.told().is_empty(), "none of them loads anything");
}
