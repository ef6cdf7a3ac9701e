//! Pictures of the pages that a crawl of the test web serves, on a desk and on a phone, light and
//! dark.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, sleep};
use std::time::Duration;

use super::browser::{Browser, Screen};
use crate::needs::{self, Source};
use crate::{Ended, workspace};

const DESK: Screen = Screen { name: "desk", width: 1280, height: 800, scale: 1, is_phone: false };
const PHONE: Screen = Screen { name: "phone", width: 390, height: 844, scale: 2, is_phone: true };
const SCREENS: [Screen; 2] = [DESK, PHONE];
const COLOURS: [&str; 2] = ["light", "dark"];

/// The best of them, and what they are called in the documentation; the others stay in the target
/// folder.
const BEST: [(&str, &str); 4] = [
    ("results-desk-light", "results"),
    ("dashboard-desk-light", "dashboard"),
    ("copy-desk-light", "copy"),
    ("dashboard-phone-dark", "phone"),
];

/// A web that is not at its end when the pictures are taken.
const WEB: [&str; 6] = ["--hosts", "300", "--pages", "20000", "--latency", "20"];
const CRAWL: [&str; 10] = [
    "--scope",
    "any",
    "--allow-private",
    "--index",
    "--serve=127.0.0.1:0",
    "--delay",
    "250ms",
    "--ip-delay",
    "0s",
    "--tries=1",
];
/// The crawl runs so long before pictures are taken, so that there is something to see.
const DEVELOP: Duration = Duration::from_secs(75);
/// No line of a program is waited for any longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A picture of a page: where it begins, and which links are followed from there.
struct Scene {
    name: &'static str,
    path: &'static str,
    follow: &'static [&'static str],
    /// What is true once it is whole.
    whole: &'static str,
}

const SCENES: [Scene; 6] = [
    Scene {
        name: "dashboard",
        path: "/crawl",
        follow: &[],
        whole: "document.querySelector('svg')",
    },
    Scene { name: "search", path: "/", follow: &[], whole: "document.querySelector('input')" },
    Scene {
        name: "results",
        path: "/search?q=lighthouse+harbour",
        follow: &[],
        whole: "document.querySelector('mark')",
    },
    Scene {
        name: "copy",
        path: "/search?q=lighthouse+harbour",
        follow: &["a[href^=\\\"/copy?\\\"]"],
        whole: "document.querySelector('iframe')",
    },
    Scene {
        name: "sites",
        path: "/sites?sort=visits&dir=desc",
        follow: &[],
        whole: "document.querySelector('table')",
    },
    Scene {
        name: "webmaster",
        path: "/sites?sort=visits&dir=desc",
        follow: &["a[href^=\\\"/site?\\\"]", "a[href^=\\\"/webmaster?\\\"]"],
        whole: "document.querySelector('.audit .verdict')",
    },
];

/// Takes all of them, with the programs in this folder.
pub(super) fn run(programs: &Path) -> Ended {
    needs::ensure("chromium", Source::Debian("chromium"))?;
    needs::ensure("chromedriver", Source::Debian("chromium-driver"))?;
    let folder = workspace::target().join("pictures");
    let crawl = folder.join("crawl");
    // That of the last time, if there was one.
    drop(fs::remove_dir_all(&crawl));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let web = Running::start(Command::new(programs.join("testweb")).args(WEB), Stream::Stdout)?;
    let (dns, ca, seeds) = (web.hear("dns ")?, web.hear("ca ")?, web.hear("seeds ")?);
    let mut command = Command::new(programs.join("rhumb"));
    command.env("SSL_CERT_FILE", ca).arg("crawl").args(seeds.split(' ')).arg("-o").arg(&crawl);
    command.args(CRAWL).args(["--dns", &dns, "--contact", "https://rhumb.example/pictures"]);
    let serving = Running::start(&mut command, Stream::Stderr)?;
    let url = serving.hear("serving: ")?;
    let browser = Browser::open()?;
    println!("the crawl runs for {} seconds", DEVELOP.as_secs());
    sleep(DEVELOP);
    for scene in &SCENES {
        take(&browser, url.trim_end_matches('/'), scene, &folder)?;
    }
    let best = workspace::root().join("docs/pictures");
    for (name, called) in BEST {
        let to = best.join(format!("{called}.png"));
        let copied = fs::copy(folder.join(format!("{name}.png")), &to);
        copied.map_err(|e| format!("{}: {e}", to.display()))?;
        println!("{}", to.display());
    }
    Ok(())
}

fn take(browser: &Browser, url: &str, scene: &Scene, folder: &Path) -> Ended {
    for screen in SCREENS {
        for colours in COLOURS {
            browser.look(screen, colours)?;
            browser.go(&format!("{url}{}", scene.path))?;
            for css in scene.follow {
                browser.follow(css)?;
            }
            browser.wait(scene.whole)?;
            let path = folder.join(format!("{}-{}-{colours}.png", scene.name, screen.name));
            browser.shoot(&path)?;
            println!("{}", path.display());
        }
    }
    Ok(())
}

/// Where a program says what is waited for.
#[derive(Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

/// A program that is interrupted when this is dropped.
struct Running {
    child: Child,
    told: Receiver<String>,
}

impl Running {
    fn start(command: &mut Command, stream: Stream) -> Result<Self, String> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match stream {
            Stream::Stdout => command.stdout(Stdio::piped()),
            Stream::Stderr => command.stderr(Stdio::piped()),
        };
        let mut child = command
            .spawn()
            .map_err(|e| format!("cannot start {}: {e}", command.get_program().display()))?;
        let out = child.stdout.take().map(|out| Box::new(out) as Box<dyn Read + Send>);
        let lines = out.or(child.stderr.take().map(|err| Box::new(err) as Box<dyn Read + Send>));
        let lines = BufReader::new(lines.expect("one of them was piped"));
        let (sender, told) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                // Nobody may listen any more.
                drop(sender.send(line));
            }
        });
        Ok(Self { child, told })
    }

    /// Waits for a line that begins so, and brings the rest of it.
    fn hear(&self, words: &str) -> Result<String, String> {
        let mut last = String::new();
        while let Ok(line) = self.told.recv_timeout(PATIENCE) {
            if let Some(rest) = line.strip_prefix(words) {
                return Ok(rest.trim().to_owned());
            }
            last = line;
        }
        Err(format!("a program does not say {words:?}; its last words: {last}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let interrupt = format!("kill -INT {}", self.child.id());
        // The shell's own kill: a minimal Debian has no such program.
        drop(Command::new("sh").arg("-c").arg(interrupt).status());
        drop(self.child.wait());
    }
}
