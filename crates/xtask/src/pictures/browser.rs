//! A browser for pictures: Chromium through its `chromedriver`, with the standard library alone.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use super::base64;

/// A page is as it should be within this time.
const PATIENCE: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(100);

/// Chromium's flags, as JSON; it has errands of its own, for which there is no host.
const FLAGS: &str = r#""--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage",
    "--disable-quic","--no-first-run","--disable-background-networking","--disable-sync",
    "--disable-component-update","--disable-breakpad","--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1""#;

/// What a page is looked at with.
#[derive(Clone, Copy)]
pub(super) struct Screen {
    pub(super) name: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    /// Pixels of the picture for one of the page's.
    pub(super) scale: u32,
    pub(super) is_phone: bool,
}

/// A browser, which ends when this is dropped.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

impl Browser {
    pub(super) fn open() -> Result<Self, String> {
        let profile = env::temp_dir().join(format!("rhumb-pictures-{}", std::process::id()));
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start chromedriver: {e}"))?;
        let told = driver.stdout.take().expect("it was piped");
        let port = BufReader::new(told).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let mut browser = Self { driver, port: port.unwrap_or(0), session: String::new(), profile };
        let wish = format!(
            r#"{{"capabilities":{{"alwaysMatch":{{"browserName":"chrome","goog:chromeOptions":{{
                "binary":"/usr/bin/chromium","args":[{FLAGS},"--user-data-dir={}"]}}}}}}}}"#,
            browser.profile.display()
        );
        let answer = browser.call("POST", "", &wish)?;
        let id = answer.split_once("\"sessionId\":\"").and_then(|(_, rest)| rest.split_once('"'));
        id.ok_or("chromedriver names no session")?.0.clone_into(&mut browser.session);
        Ok(browser)
    }

    /// One command to the driver: the JSON of its answer.
    fn call(&self, method: &str, command: &str, body: &str) -> Result<String, String> {
        let told = |e: std::io::Error| format!("chromedriver: {e}");
        let session = if self.session.is_empty() { "" } else { "/" };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(told)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(told)?;
        write!(
            stream,
            "{method} /session{session}{}{command} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
             Connection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n\
             {body}",
            self.session,
            self.port,
            body.len()
        )
        .map_err(told)?;
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        // The driver keeps the connection, so that its end would be waited for in vain.
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).map_err(told)? > 0 {
            let last = head.lines().last().unwrap_or_default().to_ascii_lowercase();
            if let Some(said) = last.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).map_err(told)?;
        let body = String::from_utf8_lossy(&body).into_owned();
        if head.starts_with("HTTP/1.1 200") {
            return Ok(body);
        }
        Err(format!("chromedriver {command}: {}", body.chars().take(300).collect::<String>()))
    }

    fn chromium(&self, command: &str, parameters: &str) -> Result<(), String> {
        let body = format!(r#"{{"cmd":"{command}","params":{parameters}}}"#);
        self.call("POST", "/goog/cdp/execute", &body).map(drop)
    }

    /// Looks at pages with this screen from now on, in these colours: `light` or `dark`.
    pub(super) fn look(&self, screen: Screen, colours: &str) -> Result<(), String> {
        let Screen { width, height, scale, is_phone, .. } = screen;
        self.chromium(
            "Emulation.setDeviceMetricsOverride",
            &format!(
                r#"{{"width":{width},"height":{height},"deviceScaleFactor":{scale},
                    "mobile":{is_phone}}}"#
            ),
        )?;
        self.chromium(
            "Emulation.setEmulatedMedia",
            &format!(r#"{{"features":[{{"name":"prefers-color-scheme","value":"{colours}"}}]}}"#),
        )
    }

    /// Opens a page, and waits until it is loaded.
    pub(super) fn go(&self, url: &str) -> Result<(), String> {
        self.call("POST", "/url", &format!(r#"{{"url":"{url}"}}"#)).map(drop)
    }

    /// Waits until an expression (without double quotes) is true in the page.
    pub(super) fn wait(&self, expression: &str) -> Result<(), String> {
        let start = Instant::now();
        let body = format!(r#"{{"script":"return !!({expression})","args":[]}}"#);
        // A page that is just being replaced has no answer.
        while !self.call("POST", "/execute/sync", &body).is_ok_and(|told| told.contains(":true")) {
            if start.elapsed() > PATIENCE {
                return Err(format!("{expression} does not come true"));
            }
            sleep(POLL);
        }
        Ok(())
    }

    /// Goes where the first link that this selector finds goes.
    pub(super) fn follow(&self, css: &str) -> Result<(), String> {
        self.wait(&format!("document.querySelector('{css}')"))?;
        let script = format!(
            "document.documentElement.id='left';location=document.querySelector('{css}').href"
        );
        self.call("POST", "/execute/sync", &format!(r#"{{"script":"{script}","args":[]}}"#))?;
        self.wait("document.documentElement.id!='left'&&document.readyState=='complete'")
    }

    /// Writes what is to be seen as a PNG.
    pub(super) fn shoot(&self, path: &Path) -> Result<(), String> {
        let answer = self.call("GET", "/screenshot", "")?;
        let data = answer.split_once("\"value\":\"").and_then(|(_, rest)| rest.split_once('"'));
        let picture = base64::decode(data.ok_or("chromedriver shows no picture")?.0);
        fs::write(path, picture.ok_or("chromedriver's picture is not in base 64")?)
            .map_err(|e| format!("{}: {e}", path.display()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Err(why) = self.call("DELETE", "", "") {
            eprintln!("{why}");
        }
        // It may be gone by now.
        drop(self.driver.kill());
        drop(self.driver.wait());
        drop(fs::remove_dir_all(&self.profile));
    }
}
