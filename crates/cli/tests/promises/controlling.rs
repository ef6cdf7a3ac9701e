//! Orders to a crawl that runs, or lies stopped; and what a site's server sees of them.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Spec};
use serde_json::{Value, json};

use crate::raw::{RawServer, missing, ok};
use crate::run::{Run, collect, command, crawl, finish};
use crate::usage::check_refused;

/// No order takes longer.
const LIMIT: Duration = Duration::from_mins(1);
/// Nothing within this time is taken for nothing at all; a crawl under test asks 20 times as often.
const QUIET: Duration = Duration::from_secs(1);
/// An answer is held back so long, so that a second request may come beside it.
const COMPANY: Duration = Duration::from_millis(300);

/// A site without an end, which notes when it is asked, and how many ask at once.
pub(crate) struct Endless {
    pub(crate) server: RawServer,
    asked: mpsc::Receiver<(Instant, String)>,
    crowd: Arc<Crowd>,
}

#[derive(Default)]
struct Crowd {
    /// Requests at once now, and the most since the last look.
    count: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Crowd {
    /// Stays until somebody else is there, for a while.
    fn stay(&self) {
        let mut count = self.count.lock().expect("no server panics");
        count.0 += 1;
        count.1 = count.1.max(count.0);
        self.changed.notify_all();
        let wait = self.changed.wait_timeout_while(count, COMPANY, |count| count.0 < 2);
        wait.expect("no server panics").0.0 -= 1;
    }

    fn most(&self) -> usize {
        std::mem::take(&mut self.count.lock().expect("no server panics").1)
    }
}

impl Endless {
    /// Each page links to the next two; `social` pages wait for company before they answer.
    pub(crate) fn start(social: bool) -> Self {
        let (sender, asked) = mpsc::channel();
        let crowd = Arc::<Crowd>::default();
        let own = Arc::clone(&crowd);
        let server = RawServer::start(move |target| {
            // The test may be over.
            drop(sender.send((Instant::now(), target.to_owned())));
            if target == "/robots.txt" {
                return missing();
            }
            if social {
                own.stay();
            }
            let number: u64 = target[1..].parse().unwrap_or_default();
            let next = [2 * number + 1, 2 * number + 2].map(|n| format!("<a href=/{n}>{n}</a>"));
            ok("text/html", &next.concat())
        });
        Self { server, asked, crowd }
    }

    /// As settings name it.
    fn name(&self) -> String {
        let url = self.server.url("");
        url.strip_prefix("http://").expect("a URL").to_owned()
    }

    /// Waits for so many further requests, and tells when they came.
    fn wait(&self, count: usize) -> Vec<Instant> {
        let one = || self.asked.recv_timeout(LIMIT).expect("it is asked").0;
        std::iter::repeat_with(one).take(count).collect()
    }

    /// What came so far and was not looked at.
    fn drain(&self) -> usize {
        self.asked.try_iter().count()
    }

    /// How often it is asked while another one is asked 20 times.
    fn asked_beside(&self, other: &Self) -> usize {
        other.drain();
        // What was under way when an order came may still arrive.
        other.wait(2);
        self.drain();
        other.wait(20);
        self.drain()
    }
}

/// A crawl that runs.
pub(crate) struct Running {
    child: Option<Child>,
    told: mpsc::Receiver<String>,
    folder: PathBuf,
}

impl Running {
    /// Starts one in `folder/crawl`, and returns once it listens.
    pub(crate) fn start(folder: &Path, words: &[&str]) -> Self {
        Self::start_in(folder, "crawl", words)
    }

    pub(crate) fn start_in(folder: &Path, name: &str, words: &[&str]) -> Self {
        let mut command = command(folder);
        command.args(["crawl", "-o", name, "-v", "--allow-private"]).args(words);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        let stderr = BufReader::new(child.stderr.take().expect("it was piped"));
        let (sender, told) = mpsc::channel();
        drop(std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        }));
        let folder = folder.join(name);
        let running = Self { child: Some(child), told, folder };
        running.hear("fetched ");
        running
    }

    /// Waits for a line with these words.
    pub(crate) fn hear(&self, words: &str) -> String {
        let lines = std::iter::from_fn(|| self.told.recv_timeout(LIMIT).ok());
        let mut told = lines.skip_while(|line| !line.contains(words));
        told.next().expect(words)
    }

    fn pid(&self) -> String {
        self.child.as_ref().expect("it runs").id().to_string()
    }

    /// Waits for its end.
    pub(crate) fn end(&mut self) -> Option<i32> {
        collect(self.child.take().expect("it runs")).code
    }

    fn kill(&mut self) {
        let killed = Command::new("kill").args(["-9", &self.pid()]).status();
        assert!(killed.expect("kill runs").success());
        self.end();
    }

    fn connect(&self) -> BufReader<UnixStream> {
        let stream = UnixStream::connect(self.folder.join("control.sock"));
        BufReader::new(stream.expect("it listens"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn say(stream: &mut BufReader<UnixStream>, line: &str) -> Value {
    writeln!(stream.get_mut(), "{line}").expect("written");
    let mut told = String::new();
    stream.read_line(&mut told).expect("it answers");
    serde_json::from_str(&told).expect("it answers in JSON")
}

pub(crate) fn rhumb(folder: &Path, words: &[&str]) -> Run {
    let mut command = command(folder);
    command.args(words);
    finish(command, "")
}

#[track_caller]
pub(crate) fn done(run: &Run) {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

fn toml_of(folder: &Path) -> toml::Table {
    let text = std::fs::read_to_string(folder.join("crawl.toml")).expect("it is there");
    text.parse().expect("it is TOML")
}

pub(crate) const SWIFT: [&str; 4] = ["--delay", "50ms", "--ip-delay", "0s"];

#[test]
fn a_running_crawl_does_what_it_is_told() {
    let site = Endless::start(false);
    let island = RawServer::start(|target| match target {
        "/robots.txt" => missing(),
        _ => ok("text/html", target),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let seed = site.server.url("/0");
    let mut running = Running::start(folder.path(), &[&[seed.as_str()], &SWIFT[..]].concat());
    let order = |words: &[&str]| rhumb(folder.path(), words);

    done(&order(&["pause", "crawl"]));
    drop(site.asked.recv_timeout(QUIET));
    site.drain();
    assert!(site.asked.recv_timeout(QUIET).is_err(), "a paused crawl asks for nothing");
    running.hear("paused");

    let url = island.url("/here");
    let submitted = order(&["submit", "crawl", &url, &seed]);
    done(&submitted);
    assert_eq!(submitted.stdout, format!("{url}: new\n{seed}: a seed already\n"));
    assert!(island.asked().is_empty(), "it is paused");
    done(&order(&["resume", "crawl"]));
    site.wait(3);
    running.hear(&url);
    assert_eq!(island.asked(), ["/robots.txt", "/here"]);
    let again = order(&["submit", "crawl", &url, &site.server.url("/1")]);
    done(&again);
    assert!(again.stdout.contains(&format!("{url}: a seed already\n")), "{}", again.stdout);
    assert!(again.stdout.contains("/1: met before: fetched\n"), "{}", again.stdout);

    let stopped = order(&["stop", "crawl"]);
    done(&stopped);
    assert!(stopped.stderr.contains("to go on: rhumb crawl -o crawl"), "{}", stopped.stderr);
    assert_eq!(running.end(), Some(130));
    assert!(!folder.path().join("crawl/control.sock").exists());
    let seeds = toml_of(&folder.path().join("crawl"))["seeds"].clone();
    assert_eq!(seeds, vec![seed, url, site.server.url("/1")].into());
}

#[test]
fn a_stopped_crawl_is_changed_where_it_lies() {
    let site = RawServer::start(|target| match target {
        "/robots.txt" => missing(),
        _ => ok("text/html", target),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let seed = site.url("/");
    let order = |words: &[&str]| rhumb(folder.path(), words);
    done(&order(&["crawl", &seed, "-o", "crawl", "--allow-private", "--delay", "0s"]));
    check_refused(&order(&["pause", "crawl"]), 1, "no rhumb works on crawl");
    check_refused(&order(&["resume", "crawl"]), 1, "no rhumb works on crawl");
    let stop = order(&["stop", "crawl"]);
    done(&stop);
    assert!(stop.stderr.contains("nothing to stop"), "{}", stop.stderr);

    let submit = order(&["submit", "crawl", &site.url("/more"), &seed]);
    done(&submit);
    assert!(submit.stdout.contains("/more: new: it is fetched at the next start\n"));
    assert!(submit.stdout.contains(&format!("{seed}: a seed already\n")), "{}", submit.stdout);
    let name = seed.trim_start_matches("http://").trim_end_matches('/').to_owned();
    done(&order(&["site", "crawl", &name, "--delay", "5s", "--budget", "1000"]));
    let section = toml_of(&folder.path().join("crawl"))["site"][&name].clone();
    assert_eq!(section["delay"].as_str(), Some("5s"));
    assert_eq!(section["budget"].as_integer(), Some(1000));
    let shown = order(&["site", "crawl", &name, "--json"]);
    let expect = json!({
        "site": name, "delay_ms": 5000, "connections": 1, "scope": "host", "budget": 1000,
        "block": false, "own": ["delay", "budget"],
    });
    assert_eq!(shown.json(), [expect]);
    done(&order(&["site", "crawl", &name, "--delay", "auto", "--budget", "none"]));
    assert!(!toml_of(&folder.path().join("crawl")).contains_key("site"), "nothing is left of it");
    done(&order(&["crawl", "-o", "crawl"]));
    assert_eq!(site.asked(), ["/robots.txt", "/", "/more"]);
}

#[test]
fn wrong_orders_are_refused_and_change_nothing() {
    let site = Endless::start(false);
    let folder = tempfile::tempdir().expect("a folder");
    let order = |words: &[&str]| rhumb(folder.path(), words);
    let name = site.name();
    let many: Vec<String> = (0..11).map(|n| format!("http://s{n}.example/")).collect();
    let many = many.iter().map(String::as_str);
    let many: Vec<&str> = ["submit", "crawl"].into_iter().chain(many).collect();
    for words in [&["pause", "crawl"][..], &["stop", "crawl"], &["site", "crawl", "a.example"]] {
        check_refused(&order(words), 2, "crawl holds no crawl");
    }
    let mut running =
        Running::start(folder.path(), &[&[site.server.url("/0").as_str()], &SWIFT[..]].concat());
    let path = folder.path().join("crawl/crawl.toml");
    let was = std::fs::read_to_string(&path).expect("it is there");
    let check = |while_it_runs: bool| {
        check_refused(&order(&many), 2, "must say whom webmasters can reach");
        check_refused(&order(&["submit", "crawl", "nonsense"]), 2, "no URL");
        let site = |words: &[&str], what| {
            check_refused(&order(&[&["site", "crawl"], words].concat()), 2, what);
        };
        site(&[&name, "--delay", "soon"], "soon");
        site(&[&name, "--connections", "17"], "out of range");
        site(&[&name, "--connections", "-1"], "-1");
        site(&[&name, "--scope", "hosts"], "hosts");
        site(&[&name, "--budget", "all"], "all");
        site(&[&name, "--block", "--unblock"], "cannot be used with");
        site(&["http://a.example/", "--block"], "no host");
        site(&["A.example", "--block"], "is written");
        let is = std::fs::read_to_string(&path).expect("it is there");
        assert_eq!(is, was, "running: {while_it_runs}");
    };
    check(true);
    // The crawl itself refuses too: others may speak to its socket.
    let mut client = running.connect();
    let urls: Vec<&str> = many[2..].to_vec();
    let submit = say(&mut client, &json!({"ask": "submit", "urls": urls}).to_string());
    assert_eq!(submit["reply"], "refused");
    assert!(submit["what"].as_str().is_some_and(|what| what.contains("webmasters")), "{submit}");
    let site_of =
        |site: &str, change: Value| json!({"ask": "site", "site": site, "change": change});
    for wrong in [
        site_of("A.example", json!({"block": true})),
        site_of("a.example", json!({"delay": "soon"})),
        site_of("a.example", json!({"blok": true})),
        json!({"ask": "submit", "urls": ["nonsense"]}),
    ] {
        assert_eq!(say(&mut client, &wrong.to_string())["reply"], "refused", "{wrong}");
    }
    running.kill();
    check(false);
}

#[test]
fn two_at_once_garbage_and_silence_do_no_harm() {
    let site = Endless::start(false);
    let folder = tempfile::tempdir().expect("a folder");
    let running =
        Running::start(folder.path(), &[&[site.server.url("/0").as_str()], &SWIFT[..]].concat());
    let mut silent = running.connect();
    let mut rude = running.connect();
    for garbage in ["", "GET / HTTP/1.1", "{\"ask\":\"dance\"}", "[[[[", "\u{0}\u{1}"] {
        assert_eq!(say(&mut rude, garbage)["reply"], "refused", "{garbage:?}");
    }
    writeln!(rude.get_mut(), "{}", "x".repeat(100_000)).unwrap_or_default();
    std::thread::scope(|scope| {
        for mut client in [running.connect(), running.connect()] {
            scope.spawn(move || {
                for _ in 0..20 {
                    let status = say(&mut client, r#"{"ask":"status"}"#);
                    assert_eq!(status["reply"], "status");
                    assert_eq!(status["state"], "running");
                }
            });
        }
    });
    assert_eq!(say(&mut silent, r#"{"ask":"status"}"#)["reply"], "status");
    let why = json!({"ask": "why", "url": site.server.url("/0")}).to_string();
    assert_eq!(say(&mut silent, &why)["state"], "fetched");
    site.wait(3);
}

#[test]
fn a_crawl_in_a_folder_with_a_long_path_listens() {
    let site = Endless::start(false);
    let folder = tempfile::tempdir().expect("a folder");
    let name = format!("{}/{}", "d".repeat(100), "e".repeat(100));
    let seed = site.server.url("/0");
    let mut running =
        Running::start_in(folder.path(), &name, &[&[seed.as_str()], &SWIFT[..]].concat());
    done(&rhumb(folder.path(), &["pause", &name]));
    done(&rhumb(folder.path(), &["stop", &name]));
    assert_eq!(running.end(), Some(130));
}

#[test]
fn the_socket_of_a_killed_crawl_is_in_nobodys_way() {
    let site = Endless::start(false);
    let folder = tempfile::tempdir().expect("a folder");
    let mut running =
        Running::start(folder.path(), &[&[site.server.url("/0").as_str()], &SWIFT[..]].concat());
    running.kill();
    let socket = folder.path().join("crawl/control.sock");
    assert!(socket.exists(), "nobody was left to remove it");
    check_refused(&rhumb(folder.path(), &["pause", "crawl"]), 1, "no rhumb works on crawl");
    done(&rhumb(folder.path(), &["stop", "crawl"]));
    let mut running = Running::start(folder.path(), &[]);
    done(&rhumb(folder.path(), &["stop", "crawl"]));
    assert_eq!(running.end(), Some(130));
    assert!(!socket.exists());
}

#[test]
fn a_site_is_blocked_slowed_and_ended_while_another_goes_on() {
    let (one, other) = (Endless::start(false), Endless::start(false));
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [one.server.url("/0"), other.server.url("/0")];
    let words = [&[seeds[0].as_str(), &seeds[1]], &SWIFT[..]].concat();
    let _running = Running::start(folder.path(), &words);
    let name = one.name();
    let site = |words: &[&str]| {
        let run = rhumb(folder.path(), &[&["site", "crawl", &name], words].concat());
        done(&run);
        run
    };
    one.wait(3);
    let blocked = site(&["--block", "--json"]);
    assert_eq!(blocked.json()[0]["block"], true);
    assert_eq!(one.asked_beside(&other), 0, "a blocked site is left alone");
    site(&["--unblock"]);
    one.wait(3);

    site(&["--delay", "800ms"]);
    other.drain();
    other.wait(2);
    one.drain();
    let times = one.wait(4);
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(800)), "{gaps:?}");
    assert!(other.drain() > 10, "the other goes on as before");
    site(&["--delay", "auto"]);
    one.wait(1);

    let asked = one.server.asked().len();
    // Far enough to be told in time.
    let budget = asked + 40;
    site(&["--budget", &budget.to_string()]);
    while one.server.asked().len() < budget {
        other.wait(1);
    }
    assert_eq!(one.asked_beside(&other), 0, "its budget is spent");
    assert_eq!(one.server.asked().len(), budget);
    site(&["--budget", "none"]);
    one.wait(3);
}

#[test]
fn a_site_gets_more_connections_while_it_is_crawled() {
    let site = Endless::start(true);
    let folder = tempfile::tempdir().expect("a folder");
    let words = [site.server.url("/0"), "--delay".into(), "0s".into(), "--ip-delay".into()];
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["0s"]).collect();
    let _running = Running::start(folder.path(), &words);
    site.wait(4);
    assert_eq!(site.crowd.most(), 1, "one at a time is the rule");
    done(&rhumb(folder.path(), &["site", "crawl", &site.name(), "--connections", "2"]));
    site.drain();
    site.wait(8);
    assert_eq!(site.crowd.most(), 2);
    done(&rhumb(folder.path(), &["site", "crawl", &site.name(), "--connections", "auto"]));
    // What was under way before may still be.
    site.drain();
    site.wait(3);
    site.crowd.most();
    site.wait(4);
    assert_eq!(site.crowd.most(), 1);
}

#[test]
fn host_connections_hold_for_every_host() {
    let spec = Spec { latency: Duration::from_millis(20), ..Spec::sized(23, 12, 150) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--host-connections", "3"];
    let run = crawl(&served, folder.path(), &flags);
    done(&run);
    let witness = served.witness();
    let most = witness.hosts.values().map(|host| host.max_in_flight).max();
    assert_eq!(most, Some(3));
    assert_eq!(witness.robots_violations, []);
    assert_eq!(served.expected().missing(&witness), [] as [String; 0]);
}

#[test]
fn an_edited_file_takes_effect_and_a_wrong_one_is_told_once() {
    let (one, other) = (Endless::start(false), Endless::start(false));
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [one.server.url("/0"), other.server.url("/0")];
    let words = [&[seeds[0].as_str(), &seeds[1]], &SWIFT[..]].concat();
    let running = Running::start(folder.path(), &words);
    let path = folder.path().join("crawl/crawl.toml");
    let was = std::fs::read_to_string(&path).expect("it is there");
    let name = one.name();
    let section = |text: &str| format!("{was}\n[site.{name:?}]\n{text}\n");
    let write = |text: &str| std::fs::write(&path, text).expect("written");

    write(&section("block = true"));
    let told = running.hear("crawl.toml has changed");
    assert!(told.ends_with(&format!("the settings of {name} hold now")), "{told}");
    assert_eq!(one.asked_beside(&other), 0, "it is blocked");

    write(&section("blok = false"));
    let told = running.hear("error: ");
    let line = was.lines().count() + 3;
    assert!(told.contains(&format!("crawl.toml, line {line}: ")), "{told}");
    assert!(running.hear("try: ").contains("\"block\""));
    // Neither the file nor what held before is lost.
    let refused = rhumb(folder.path(), &["site", "crawl", "a.example", "--block"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let mut client = running.connect();
    let change = json!({"ask": "site", "site": "a.example", "change": {"block": true}});
    assert_eq!(say(&mut client, &change.to_string())["reply"], "refused");
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), section("blok = false"));
    assert_eq!(one.asked_beside(&other), 0, "it is blocked still");

    write(&was.replace("tries = 3", "tries = 2"));
    let told = running.hear("crawl.toml ");
    let now = format!("has changed: the settings of {name} hold now");
    assert!(told.ends_with(&format!("{now}; tries holds from the next start")), "{told}");
    one.wait(3);
    // What the crawl writes itself is no news.
    done(&rhumb(folder.path(), &["site", "crawl", &name, "--budget", "1"]));
    other.drain();
    other.wait(60);
    let news: Vec<String> =
        running.told.try_iter().filter(|line| line.contains("crawl.toml")).collect();
    assert_eq!(news, [] as [String; 0]);
    assert_eq!(toml_of(&folder.path().join("crawl"))["tries"].as_integer(), Some(2));
}

#[test]
fn sections_of_a_settings_file_hold_from_the_first_request() {
    let (one, other) = (Endless::start(false), Endless::start(false));
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("[site.{:?}]\nblock = true\n", one.name());
    std::fs::write(folder.path().join("c.toml"), text).expect("written");
    let seeds = [one.server.url("/0"), other.server.url("/0")];
    let words = [&[seeds[0].as_str(), &seeds[1], "--config", "c.toml"], &SWIFT[..]].concat();
    let running = Running::start(folder.path(), &words);
    other.wait(20);
    assert_eq!(one.server.asked(), [] as [String; 0]);
    assert_eq!(toml_of(&running.folder)["site"][&one.name()]["block"].as_bool(), Some(true));
}

#[test]
fn a_site_may_have_a_scope_of_its_own() {
    let site = || {
        RawServer::start(|target| match target {
            "/robots.txt" => missing(),
            _ => ok("text/html", "<a href=/docs/two>2</a> <a href=/news>n</a>"),
        })
    };
    let (one, other) = (site(), site());
    let folder = tempfile::tempdir().expect("a folder");
    let name = one.url("").trim_start_matches("http://").to_owned();
    let text = format!("[site.{name:?}]\nscope = \"prefix\"\n");
    std::fs::write(folder.path().join("c.toml"), text).expect("written");
    let seeds = [one.url("/docs/one"), other.url("/docs/one")];
    let words = ["crawl", &seeds[0], &seeds[1], "-o", "crawl", "--config", "c.toml"];
    let flags = ["--allow-private", "--delay", "0s", "--ip-delay", "0s"];
    done(&rhumb(folder.path(), &[&words[..], &flags].concat()));
    let asked = |server: &RawServer| {
        let mut asked = server.asked();
        asked.sort();
        asked
    };
    assert_eq!(asked(&one), ["/docs/one", "/docs/two", "/robots.txt"]);
    assert_eq!(asked(&other), ["/docs/one", "/docs/two", "/news", "/robots.txt"]);
}
