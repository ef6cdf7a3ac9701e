//! `rhumb why`: the whole story of one URL.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use rhumb_crawl::ask::{Why, stopped};
use rhumb_crawl::control::{Question, Reply};
use rhumb_serve::story;
use rhumb_web::{CanonUrl, URL_BYTES_MAX};

use crate::fault::Fault;
use crate::printable::printable;
use crate::rest::{self, Found};
use crate::screen::{self, Live, wrapped};
use crate::word;

/// What stands before every text of the story.
const INDENT: usize = 16;

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
    let mut out = format!("{}: {}\n", why.state.word(), printable(&story::headline(why, now)));
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
    let lines = story::lines(why, now).into_iter();
    let mut rows: Vec<_> = lines.map(|line| (line.name, line.text)).collect();
    let label = if why.canonical.is_some() { "to get it" } else { "because" };
    rows.extend(why.advice.as_ref().map(|advice| (label, pasted(advice, why, folder))));
    let meant = format!("https://{}", why.url);
    if why.canonical.is_none() && !why.url.contains("://") && CanonUrl::parse(&meant).is_ok() {
        let (folder, url) = (word::path(folder), word::quoted(&meant));
        rows.push(("try", format!("rhumb why {folder} {url}")));
    }
    rows
}

/// Advice with a command in it, as it can be pasted.
fn pasted(advice: &str, why: &Why, folder: &Path) -> String {
    let url = why.canonical.as_ref().map_or_else(String::new, |url| word::quoted(url));
    let advice = advice.replace("submit DIR URL", &format!("submit DIR {url}"));
    advice.replace(" DIR ", &format!(" {} ", word::path(folder)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rhumb_crawl::ask::{Held, RobotsLine, TryLine, UrlState};
    use rhumb_serve::story::SHOWN_BYTES_MAX;

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
