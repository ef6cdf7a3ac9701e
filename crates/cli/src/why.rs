//! `rhumb why`: the whole story of one URL.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use rhumb_crawl::ask::{Held, UrlState, Why, stopped};
use rhumb_crawl::control::{Question, Reply};
use rhumb_web::{CanonUrl, Span, URL_BYTES_MAX};

use crate::fault::Fault;
use crate::printable::printable;
use crate::quantity::counted;
use crate::rest::{self, Found};
use crate::screen::{self, Live, wrapped};
use crate::word;

/// What stands before every text of the story.
const INDENT: usize = 16;
/// Bytes of a URL that are shown; no server takes a longer one.
const SHOWN_BYTES_MAX: usize = 8 << 10;

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// The folder of the crawl, which may be running
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The URL, in any spelling
    #[arg(value_name = "URL")]
    url: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn command(args: &WhyArgs) -> Result<ExitCode, Fault> {
    let folder = args.folder.as_path();
    // What is longer is no URL, and is told so without all of it.
    let asked = &args.url[..args.url.floor_char_boundary(URL_BYTES_MAX + 1)];
    let mut why = match rest::find(folder, &Question::Why { url: asked.to_owned() })? {
        Found::Running(Reply::Why(why)) => *why,
        Found::Running(_) => return Err(rest::beside_the_point(folder)),
        Found::AtRest(home, settings) => {
            let plan = rest::plan(&home, *settings)?;
            let told = stopped::why(&plan.engine, plan.rules, asked);
            told.map_err(rest::unreadable(folder))?
        }
    };
    why.url.clone_from(&args.url);
    if args.json {
        screen::print(&why)?;
    } else {
        let columns = screen::columns(Live::on(&std::io::stdout()));
        let text = text(&why, folder, SystemTime::now(), columns);
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The story for people: what became of it first, then why.
fn text(why: &Why, folder: &Path, now: SystemTime, columns: usize) -> String {
    let mut out = format!("{}: {}\n", why.state.word(), printable(&headline(why, now)));
    for (name, text) in rows(why, folder, now) {
        let mut name = name;
        for line in wrapped(&printable(&text), columns.saturating_sub(INDENT)) {
            writeln!(out, "  {name:<13} {line}").expect("a string takes all");
            name = "";
        }
    }
    out
}

fn rows(why: &Why, folder: &Path, now: SystemTime) -> Vec<(&'static str, String)> {
    let mut rows = vec![("URL", short(why.canonical.as_ref().unwrap_or(&why.url)))];
    let mut row = |name, text: Option<String>| rows.extend(text.map(|text| (name, text)));
    if !why.changes.is_empty() {
        row("asked as", Some(short(&why.url)));
        row("spelling", Some(why.changes.join("; ")));
    }
    row("found on", why.depth.map(|depth| found(why, depth)));
    row("seen", why.seen_at.as_deref().map(|at| when(at, now)));
    for from in &why.redirected_from {
        row("redirected", Some(format!("from {from}")));
    }
    row("redirects", why.redirects_to.as_ref().map(|to| format!("to {to}")));
    row("same as", why.duplicate_of.as_ref().map(|of| alike(why, of)));
    row("marked", why.mark.as_deref().map(mark_words));
    row("document", why.document.clone());
    row("scope", why.scope.clone());
    row("robots.txt", robots_words(why));
    for one in &why.tries {
        let status = one.status.map_or_else(String::new, |status| format!("  status {status}"));
        row("tried", Some(format!("{}  {}{status}", one.time, one.outcome)));
    }
    // The headline says it, unless it has something else to say.
    let is_told = why.reason.as_ref().is_some_and(|reason| reason.ends_with("before it"));
    if let Some(before @ 1..) = why.queue_position.filter(|_| !is_told) {
        let go = if before == 1 { "goes" } else { "go" };
        row("queue", Some(format!("{} of its site {go} before it", counted(before, "URL"))));
    }
    row(
        "held by",
        why.held_by.map(|held| {
            let until = why.held_until.as_deref();
            let until = until.map(|until| format!(" until {}", when(until, now)));
            format!("{}{}", held_words(held), until.unwrap_or_default())
        }),
    );
    row("next visit", why.next_visit.as_deref().map(|at| format!("about {}", when(at, now))));
    if why.judged_now && why.state == UrlState::Refused && why.canonical.is_some() {
        row("judged", Some("now: refused links are counted, not kept one by one".to_owned()));
    }
    let label = if why.canonical.is_some() { "to get it" } else { "because" };
    row(label, why.advice.as_ref().map(|advice| pasted(advice, why, folder)));
    let meant = format!("https://{}", why.url);
    if why.canonical.is_none() && !why.url.contains("://") && CanonUrl::parse(&meant).is_ok() {
        let (folder, url) = (word::path(folder), word::quoted(&meant));
        row("try", Some(format!("rhumb why {folder} {url}")));
    }
    rows
}

/// By what a page is taken for another.
fn alike(why: &Why, of: &str) -> String {
    match why.likeness.as_deref() {
        Some("near") => format!("{of}  (nearly the same text)"),
        Some("canonical") => {
            format!("{of}  (which it calls its canonical form, and the texts agree)")
        }
        _ => of.to_owned(),
    }
}

fn mark_words(mark: &str) -> String {
    match mark {
        "soft-404" => "soft-404: it says that there is nothing there".to_owned(),
        "parked" => "parked: its domain has no site of its own".to_owned(),
        "challenge" => "challenge: it wants a proof that a person is looking".to_owned(),
        other => other.to_owned(),
    }
}

fn headline(why: &Why, now: SystemTime) -> String {
    let reason = why.reason.clone();
    match why.state {
        UrlState::Fetched => match (&why.redirects_to, why.tries.last()) {
            (None, None) => reason.unwrap_or_else(|| "once".to_owned()),
            (Some(to), _) => format!("it redirects to {to}"),
            (None, Some(last)) => format!("at {}", when(&last.time, now)),
        },
        UrlState::Duplicate => {
            let like = if why.likeness.as_deref() == Some("same") {
                "the same as"
            } else {
                "nearly the same as"
            };
            format!("{like} {}", why.duplicate_of.as_deref().unwrap_or("an earlier page"))
        }
        UrlState::Queued => reason.unwrap_or_else(|| "it is next of its site".to_owned()),
        UrlState::Refused => reason.unwrap_or_else(|| "by a rule".to_owned()),
        UrlState::Failed => reason.unwrap_or_else(|| "given up".to_owned()),
        UrlState::Unknown => "no page of this crawl linked to it".to_owned(),
    }
}

fn found(why: &Why, depth: u16) -> String {
    match &why.found_on {
        Some(page) => format!("{page}  (depth {depth})"),
        None if depth == 0 => "a seed".to_owned(),
        None => format!("not known  (depth {depth})"),
    }
}

/// What is known of its robots.txt; none if it is no URL.
fn robots_words(why: &Why) -> Option<String> {
    why.canonical.as_ref()?;
    if let (Some(line), Some(rule)) = (why.robots.line, &why.robots.rule) {
        return Some(format!("line {line}: {rule}"));
    }
    let words = match why.robots.state.as_str() {
        "known" => "no line speaks of it, so it may be fetched",
        "unknown" => "not known yet",
        "unreachable" => "out of reach, which closes its site",
        "no-such-host" => "not asked for: there is no such host",
        "private-address" => "not asked for: its address is private",
        other => other,
    };
    Some(words.to_owned())
}

fn held_words(held: Held) -> &'static str {
    match held {
        Held::Site => "the gap between two visits of its site",
        Held::Address => "its address, which other sites share",
        Held::Backoff => "back-off: it failed, or the site asked for quiet",
        Held::Robots => "robots.txt",
        Held::Budget => "the budget of its site",
    }
}

/// A moment, and how far away it is.
fn when(text: &str, now: SystemTime) -> String {
    let Ok(at) = humantime::parse_rfc3339(text) else { return text.to_owned() };
    match (at.duration_since(now), now.duration_since(at)) {
        (Ok(to_come), _) => format!("{text}, in {}", Span::from(to_come)),
        (_, Ok(gone)) => format!("{text}, {} ago", Span::from(gone)),
        _ => text.to_owned(),
    }
}

/// Advice with a command in it, as it can be pasted.
fn pasted(advice: &str, why: &Why, folder: &Path) -> String {
    let url = why.canonical.as_ref().map_or_else(String::new, |url| word::quoted(url));
    let advice = advice.replace("submit DIR URL", &format!("submit DIR {url}"));
    advice.replace(" DIR ", &format!(" {} ", word::path(folder)))
}

/// A text that fills no screen.
fn short(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    if shown.len() == text.len() {
        return text.to_owned();
    }
    let all = u64::try_from(text.len()).expect("a length fits 64 bits");
    format!("{shown}… ({})", counted(all, "byte"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rhumb_crawl::ask::{RobotsLine, TryLine};

    use super::*;

    fn check(why: &Why, columns: usize, expect: &str) {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(90);
        let text = text(why, Path::new("my crawl"), now, columns);
        assert_eq!(text.trim_end(), expect.trim(), "\n{text}");
    }

    fn page() -> Why {
        Why {
            url: "http://a.example/x".to_owned(),
            canonical: Some("http://a.example/x".to_owned()),
            robots: RobotsLine { state: "known".to_owned(), ..RobotsLine::default() },
            ..Why::default()
        }
    }

    #[test]
    fn a_queued_url_is_told_with_its_place_and_its_clock() {
        let why = Why {
            state: UrlState::Queued,
            reason: Some("the crawl is paused".to_owned()),
            found_on: Some("http://a.example/".to_owned()),
            depth: Some(1),
            seen_at: Some("1970-01-01T00:01:00.000Z".to_owned()),
            queue_position: Some(1),
            held_by: Some(Held::Robots),
            held_until: Some("1970-01-01T00:11:30.000Z".to_owned()),
            ..page()
        };
        check(
            &why,
            usize::MAX,
            "
queued: the crawl is paused
  URL           http://a.example/x
  found on      http://a.example/  (depth 1)
  seen          1970-01-01T00:01:00.000Z, 30 s ago
  robots.txt    no line speaks of it, so it may be fetched
  queue         1 URL of its site goes before it
  held by       robots.txt until 1970-01-01T00:11:30.000Z, in 10 min",
        );
    }

    #[test]
    fn long_words_stay_whole_and_long_lines_do_not() {
        let why = Why {
            state: UrlState::Refused,
            reason: Some("out-of-scope".to_owned()),
            judged_now: true,
            advice: Some("no link to it is followed; rhumb submit DIR URL adds it".to_owned()),
            tries: vec![TryLine {
                time: "then".to_owned(),
                outcome: "reset".to_owned(),
                status: None,
            }],
            ..page()
        };
        check(
            &why,
            40,
            "
refused: out-of-scope
  URL           http://a.example/x
  robots.txt    no line speaks of it, so
                it may be fetched
  tried         then  reset
  judged        now: refused links are
                counted, not kept one by
                one
  to get it     no link to it is
                followed; rhumb submit
                'my crawl'
                http://a.example/x adds
                it",
        );
    }

    #[test]
    fn what_is_no_url_is_said_to_be_none() {
        let why = Why {
            url: "a.example/\u{1b}".to_owned(),
            state: UrlState::Refused,
            reason: Some("bad-url".to_owned()),
            judged_now: true,
            advice: Some("not a URL".to_owned()),
            robots: RobotsLine { state: "unknown".to_owned(), ..RobotsLine::default() },
            ..Why::default()
        };
        check(
            &why,
            usize::MAX,
            "
refused: bad-url
  URL           a.example/\u{fffd}
  because       not a URL
  try           rhumb why 'my crawl' $'https://a.example/\\x1b'",
        );
        let long = Why { url: "x".repeat(9_999), canonical: None, ..why };
        let text = text(&long, Path::new("c"), SystemTime::UNIX_EPOCH, usize::MAX);
        assert!(text.contains("x… (9,999 bytes)\n"), "{text}");
        assert!(text.lines().all(|line| line.len() < 2 * SHOWN_BYTES_MAX), "{text}");
    }
}
