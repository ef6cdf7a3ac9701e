//! What it costs a crawl at full speed to be searched: searches come at a fixed rate in every
//! other span of a crawl, whether the ones before are answered or not; spans are compared within
//! one crawl.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rhumb_testweb::{Served, Spec};

use crate::crawl::program;
use crate::seen::{self, Outcome};

/// What follows the name of this benchmark.
pub const USAGE: &str = "served [--pages N]";
const PAGES: u64 = 200_000;
const HOSTS: usize = 500;
/// Searches a second, on so many connections.
const RATE: u32 = 200;
const CONNECTIONS: u32 = 20;
/// A span with searches, or without.
const SPAN: Duration = Duration::from_secs(5);
/// Spans of each kind at most: a minute.
const SPANS: usize = 12;
/// The beginning is no full speed, and has nothing to find.
const WARM_UP: Duration = Duration::from_secs(8);
const LATENCY_MAX: Duration = Duration::from_millis(200);
const KEPT_MIN: f64 = 0.8;
/// An answer that takes longer is an error.
const PATIENCE: Duration = Duration::from_secs(10);
/// Words whose snippets tell the other words.
const FIRST_WORDS: [&str; 6] = ["people", "time", "first", "other", "made", "water"];

/// Crawls a web of so many pages, searched in every other span.
pub fn measure(words: &[&str]) -> Outcome {
    let pages = match words {
        [] => PAGES,
        ["--pages", count] => seen::count(count)?,
        _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
    };
    let served = Served::start_on_thread(&Spec::bench(HOSTS, usize::try_from(pages)?))?;
    let folder = tempfile::tempdir_in("target")?;
    let (mut child, address) = start(&served, &folder.path().join("crawl"))?;
    let measured = spans(&served, &mut child, &address);
    drop(child.kill());
    drop(child.wait());
    let Measured { mut took, errors, with, without } = measured?;
    took.sort_unstable();
    let at = |percent: usize| took[(took.len() * percent).div_ceil(100).max(1) - 1];
    let kept = rate(&with) / rate(&without);
    println!(
        "{} searches in {} spans: p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, max {:.1} ms, {errors} errors",
        took.len(),
        with.len(),
        ms(at(50)),
        ms(at(90)),
        ms(at(99)),
        ms(at(100)),
    );
    println!(
        "{:.0} pages a second with searches, {:.0} without: {kept:.2} kept",
        rate(&with),
        rate(&without)
    );
    if at(99) > LATENCY_MAX || errors > 0 || kept < KEPT_MIN {
        return Err(format!("p99 above {LATENCY_MAX:?}, errors, or below {KEPT_MIN} kept").into());
    }
    Ok(())
}

struct Measured {
    took: Vec<Duration>,
    errors: usize,
    /// Pages and seconds of each span with searches, and without.
    with: Vec<(u64, f64)>,
    without: Vec<(u64, f64)>,
}

fn spans(
    served: &Served,
    child: &mut Child,
    address: &str,
) -> Result<Measured, Box<dyn std::error::Error>> {
    std::thread::sleep(WARM_UP);
    let words = vocabulary(address)?;
    println!("{} different words", words.len());
    let mut all =
        Measured { took: Vec::new(), errors: 0, with: Vec::new(), without: Vec::new() };
    for span in 0..SPANS * 2 {
        if child.try_wait()?.is_some() || served.pages_answered() == 0 {
            return Err(format!("the crawl ended after {span} spans: more --pages").into());
        }
        let (from, began) = (served.pages_answered(), Instant::now());
        let is_searched = span % 2 == 1;
        if is_searched {
            let (took, errors) = search(address, &words, u64::try_from(span)?);
            all.took.extend(took);
            all.errors += errors;
        } else {
            std::thread::sleep(SPAN);
        }
        let pages = served.pages_answered() - from;
        let here = (pages, began.elapsed().as_secs_f64());
        if pages == 0 {
            break;
        }
        if is_searched { &mut all.with } else { &mut all.without }.push(here);
    }
    if all.took.is_empty() {
        return Err("no search was answered".into());
    }
    Ok(all)
}

fn start(
    served: &Served,
    folder: &std::path::Path,
) -> Result<(Child, String), Box<dyn std::error::Error>> {
    let mut command = Command::new(program());
    command.arg("crawl").args(served.seeds()).arg("-o").arg(folder);
    command.args(["--scope", "any", "--contact", "bench@example.org", "--allow-private"]);
    command.arg("--dns").arg(served.dns().to_string());
    command.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "-q"]);
    command.arg("--serve=127.0.0.1:0").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stderr.take().ok_or("no stderr")?).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        Some(line.strip_prefix("serving: http://")?.trim_end_matches('/').to_owned())
    });
    // What else it says is read, so that it never waits for us.
    std::thread::spawn(move || lines.for_each(drop));
    Ok((child, address.ok_or("it serves nothing")?))
}

/// Searches at a fixed rate for a span; how long each took from when it was due.
fn search(address: &str, words: &[String], seed: u64) -> (Vec<Duration>, usize) {
    let done = Mutex::new((Vec::new(), 0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for lane in 0..CONNECTIONS {
            let done = &done;
            scope.spawn(move || {
                let every = Duration::from_secs(1) * CONNECTIONS / RATE;
                let mut due = began + every * lane / CONNECTIONS;
                let mut stream = None;
                let mut chance = seed * 1_000 + u64::from(lane) + 1;
                while due < began + SPAN {
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let path = query(words, &mut chance);
                    let answered = ask(&mut stream, address, &path);
                    let mut done = done.lock().expect("nobody panics");
                    match answered {
                        Ok(200) => done.0.push(due.elapsed()),
                        _ => done.1 += 1,
                    }
                    drop(done);
                    due += every;
                }
            });
        }
    });
    done.into_inner().expect("nobody panics")
}

/// One to three words, and now and then a further page.
fn query(words: &[String], chance: &mut u64) -> String {
    let mut draw = |below: usize| {
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        usize::try_from(*chance >> 33).expect("31 bits") % below
    };
    let count = 1 + draw(3);
    let picked: Vec<&str> = (0..count).map(|_| words[draw(words.len())].as_str()).collect();
    let page = if draw(10) == 0 { 2 } else { 1 };
    format!("/search?q={}&page={page}", picked.join("+"))
}

/// The words that results show.
fn vocabulary(address: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut words: Vec<String> = Vec::new();
    for first in FIRST_WORDS {
        let mut stream = None;
        let mut body = String::new();
        let path = format!("/api/search?q={first}&count=100");
        ask_for(&mut stream, address, &path, &mut body)?;
        let answer: serde_json::Value = serde_json::from_str(&body)?;
        for row in answer["results"].as_array().into_iter().flatten() {
            let text = row["snippet"].as_str().unwrap_or_default();
            let found = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|it| it.len() > 2);
            words.extend(found.map(str::to_lowercase));
        }
    }
    words.sort_unstable();
    words.dedup();
    if words.len() < 100 { Err("too few words were found".into()) } else { Ok(words) }
}

fn ask(stream: &mut Option<BufReader<TcpStream>>, address: &str, path: &str) -> std::io::Result<u16> {
    ask_for(stream, address, path, &mut String::new())
}

/// One request on a connection that is kept.
fn ask_for(
    kept: &mut Option<BufReader<TcpStream>>,
    address: &str,
    path: &str,
    body: &mut String,
) -> std::io::Result<u16> {
    let mut stream = match kept.take() {
        Some(stream) => stream,
        None => {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            BufReader::new(stream)
        }
    };
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes())?;
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let code = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    *body = String::from_utf8_lossy(&bytes).into_owned();
    *kept = Some(stream);
    Ok(code)
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn rate(spans: &[(u64, f64)]) -> f64 {
    let pages: u64 = spans.iter().map(|(pages, _)| pages).sum();
    pages as f64 / spans.iter().map(|(_, seconds)| seconds).sum::<f64>()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
