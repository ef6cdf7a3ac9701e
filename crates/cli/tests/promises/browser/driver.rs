//! Debian's Chromium, driven by its own `chromedriver` in the protocol of the W3C.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Whatever a page does, it does within this time.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often a page is asked whether it has done it.
const POLL: Duration = Duration::from_millis(50);
/// Tabs in one message to the browser.
const KEYS_MAX: usize = 100;
/// What an element is called in the JSON of that protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Nothing of its own goes out, and nothing is kept.
const FLAGS: [&str; 12] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-features=OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades",
    "--window-size=1280,800",
];

/// A browser with a profile of its own; it ends when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: tempfile::TempDir,
}

/// Whether the programs of these tests are there; says so where not.
#[expect(clippy::print_stdout, reason = "a check that could not run says so")]
pub(crate) fn is_missing() -> bool {
    let without = std::env::var("RHUMB_WITHOUT").unwrap_or_default();
    let is_missing = |program: &&str| {
        without.split(',').any(|name| name == *program)
            || Command::new(program).arg("--version").output().is_err()
    };
    let missing = ["chromium", "chromedriver"].into_iter().find(is_missing);
    if let Some(program) = missing {
        println!("skipped: a check of the pages in a browser, for want of {program}");
    }
    missing.is_some()
}

/// Asks until there is an answer; without one it fails with what was said last.
#[track_caller]
pub(crate) fn poll<T>(mut ask: impl FnMut() -> Result<T, String>) -> T {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(why) => assert!(start.elapsed() < PATIENCE, "{why}"),
        }
        std::thread::sleep(POLL);
    }
}

impl Browser {
    /// Opens one for which there is nothing but 127.0.0.1.
    pub(crate) fn open() -> Self {
        Self::open_with("")
    }

    /// Opens one for which the names below `example` and `test` are at this address.
    pub(crate) fn open_beside(outside: SocketAddr) -> Self {
        Self::open_with(&format!("MAP *.example {outside},MAP *.test {outside},"))
    }

    /// Chromium has errands of its own, whatever its flags say: they find no host.
    fn open_with(hosts: &str) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let told = BufReader::new(driver.stdout.take().expect("it was piped"));
        let started = told.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let port = started.expect("chromedriver says its port");
        let mut browser = Self { driver, port, session: String::new(), profile };
        let own = format!("--user-data-dir={}", browser.profile.path().display());
        let hosts = format!("--host-resolver-rules={hosts}MAP * ~NOTFOUND,EXCLUDE 127.0.0.1");
        let flags: Vec<&str> = FLAGS.iter().copied().chain([&*own, &*hosts]).collect();
        let wish = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = browser.call("POST", "/session", &wish).expect("a browser opens");
        session["sessionId"].as_str().expect("a session").clone_into(&mut browser.session);
        browser
    }

    /// One command to the driver; what went wrong comes back in its words.
    fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let told = |e: std::io::Error| format!("chromedriver: {e}");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(told)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(told)?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).map_err(told)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap_or_default();
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).map_err(told)?;
        let mut answer: Value = serde_json::from_slice(&answer).map_err(|e| e.to_string())?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{path}: {error}: {}", value["message"])),
            None => Ok(value),
        }
    }

    fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        self.call("POST", &format!("/session/{}/{command}", self.session), body)
    }

    fn get(&self, command: &str) -> Result<Value, String> {
        self.call("GET", &format!("/session/{}/{command}", self.session), &Value::Null)
    }

    /// Opens a page, and waits until it is loaded.
    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        self.post("url", &json!({ "url": url })).expect(url);
    }

    /// Where it is.
    #[track_caller]
    pub(crate) fn url(&self) -> String {
        let url = self.get("url").expect("an open page");
        url.as_str().expect("a URL").to_owned()
    }

    /// Runs a function's body in the page, beside the page's own policy.
    #[track_caller]
    pub(crate) fn run(&self, body: &str) -> Value {
        self.try_run(body).expect(body)
    }

    fn try_run(&self, body: &str) -> Result<Value, String> {
        self.post("execute/sync", &json!({"script": body, "args": []}))
    }

    /// Waits until an expression of the page is true, or something; a page that is just being
    /// replaced is asked again.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) -> Value {
        poll(|| match self.try_run(&format!("return ({expression})"))? {
            Value::Null | Value::Bool(false) => Err(self.shown(expression)),
            value => Ok(value),
        })
    }

    /// Opens a page until an expression is true in it.
    #[track_caller]
    pub(crate) fn again(&self, url: &str, expression: &str) {
        poll(|| {
            self.go(url);
            match self.try_run(&format!("return !!({expression})"))? {
                Value::Bool(true) => Ok(()),
                _ => Err(self.shown(expression)),
            }
        });
    }

    /// The first element that a selector of CSS finds, waited for.
    #[track_caller]
    pub(crate) fn find(&self, css: &str) -> Element<'_> {
        poll(|| self.first("css selector", css))
    }

    /// Clicks the first button whose text begins so, waited for.
    #[track_caller]
    pub(crate) fn press(&self, text: &str) {
        let path = format!("//button[starts-with(normalize-space(), '{text}')]");
        // A page that lives may put another one in its place at any moment.
        poll(|| self.first("xpath", &path)?.post("click", &json!({})));
    }

    fn first(&self, using: &str, value: &str) -> Result<Element<'_>, String> {
        let found = self.post("element", &json!({"using": using, "value": value}));
        let found = found.map_err(|_| self.shown(value))?;
        let id = found[ELEMENT].as_str().expect("an element").to_owned();
        Ok(Element { browser: self, id })
    }

    /// Runs a function's body in a frame.
    #[track_caller]
    pub(crate) fn inside(&self, css: &str, body: &str) -> Value {
        let frame = json!({"id": {ELEMENT: self.find(css).id}});
        self.post("frame", &frame).expect("the frame is there");
        let told = self.run(body);
        self.post("frame", &json!({"id": null})).expect("the page is there");
        told
    }

    /// What is missing, where it is missing and what is to be read there.
    fn shown(&self, missing: &str) -> String {
        let text = self.try_run("return document.body.innerText").unwrap_or_default();
        format!("no {missing} at {}:\n{}", self.url(), text.as_str().unwrap_or_default())
    }

    /// Presses the Tab key so many times.
    #[track_caller]
    pub(crate) fn tab(&self, times: usize) {
        let mut left = times;
        while left > 0 {
            let now = left.min(KEYS_MAX);
            let press = ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": "\u{e004}"}));
            let presses: Vec<Value> = press.iter().cycle().take(2 * now).cloned().collect();
            let keys = json!({"actions": [{"type": "key", "id": "keys", "actions": presses}]});
            self.post("actions", &keys).expect("keys are pressed");
            left -= now;
        }
    }

    /// Commands of Chromium's own protocol.
    #[track_caller]
    pub(crate) fn chromium(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.post("goog/cdp/execute", &body).expect(command)
    }

    /// From now on pages run no script of theirs.
    pub(crate) fn forbid_script(&self) {
        self.chromium("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    }

    /// From now on the screen is that of a phone of this width, or that of the window again.
    pub(crate) fn hold_phone(&self, width: Option<u32>) {
        if let Some(width) = width {
            let phone =
                json!({"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": true});
            self.chromium("Emulation.setDeviceMetricsOverride", &phone);
        } else {
            self.chromium("Emulation.clearDeviceMetricsOverride", &json!({}));
        }
    }

    /// From now on the user likes `light` or `dark`, and no movement.
    pub(crate) fn like(&self, colours: &str) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": colours},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.chromium("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Errors that the console was told since the last look.
    #[track_caller]
    pub(crate) fn errors(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({"type": "browser"})).expect("a log");
        let lines = log.as_array().expect("a list").iter();
        let severe = lines.filter(|line| line["level"] == "SEVERE");
        severe.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The text of an open dialogue.
    pub(crate) fn dialogue(&self) -> Option<String> {
        let text = self.get("alert/text").ok()?;
        Some(text.as_str().unwrap_or_default().to_owned())
    }

    /// From now on a dialogue is a mark that the page has run script, and nothing to close.
    pub(crate) fn silence_dialogues(&self) {
        let source = "window.alert = window.confirm = window.prompt = () => { window.__hit = 1; }; \
            addEventListener('beforeunload', event => event.stopImmediatePropagation(), true)";
        let parameters = json!({ "source": source });
        self.chromium("Page.addScriptToEvaluateOnNewDocument", &parameters);
    }

    /// Processes of this browser, by the folder in their command lines.
    fn processes(&self) -> Vec<String> {
        let mark = self.profile.path().to_string_lossy().into_owned();
        let is_ours = |id: &String| {
            let words = std::fs::read(Path::new("/proc").join(id).join("cmdline"));
            String::from_utf8_lossy(&words.unwrap_or_default()).contains(&mark)
        };
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.map(|process| process.file_name().to_string_lossy().into_owned());
        ids.filter(|id| id.bytes().all(|b| b.is_ascii_digit())).filter(is_ours).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        drop(self.call("DELETE", &path, &Value::Null));
        drop(self.driver.kill());
        drop(self.driver.wait());
        let start = Instant::now();
        while !self.processes().is_empty() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(POLL);
        }
        for id in self.processes() {
            drop(Command::new("sh").arg("-c").arg(format!("kill -9 {id}")).status());
        }
    }
}

/// An element of the page.
pub(crate) struct Element<'a> {
    browser: &'a Browser,
    id: String,
}

impl Element<'_> {
    fn post(&self, command: &str, body: &Value) -> Result<Value, String> {
        self.browser.post(&format!("element/{}/{command}", self.id), body)
    }

    /// Clicks it; a page that it leads to is loaded afterwards.
    #[track_caller]
    pub(crate) fn click(&self) {
        self.post("click", &json!({})).expect("it can be clicked");
    }

    /// Types into it, in place of what it holds.
    #[track_caller]
    pub(crate) fn fill(&self, text: &str) {
        self.post("clear", &json!({})).expect("it can be cleared");
        self.post("value", &json!({ "text": text })).expect("it takes keys");
    }

    /// Presses Enter in it.
    #[track_caller]
    pub(crate) fn enter(&self) {
        self.post("value", &json!({"text": "\u{e007}"})).expect("it takes keys");
    }

    /// What it shows.
    pub(crate) fn text(&self) -> String {
        let text = self.browser.get(&format!("element/{}/text", self.id)).expect("its text");
        text.as_str().unwrap_or_default().to_owned()
    }
}
