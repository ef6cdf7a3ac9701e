//! `rhumb why`: the whole story of one URL.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rhumb_crawl::ask::{Held, UrlState, Why, stopped};
use rhumb_crawl::control::{Question, Reply};

use crate::fault::Fault;
use crate::printable::printable;
use crate::{rest, screen};

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
    let why = match rest::running(folder, &Question::Why { url: args.url.clone() })? {
        Some(Reply::Why(why)) => *why,
        Some(_) => return Err(rest::beside_the_point(folder)),
        None => {
            let (_home, plan) = rest::at_rest(folder)?;
            let told = stopped::why(&plan.engine, plan.rules, &args.url);
            told.map_err(rest::unreadable(folder))?
        }
    };
    if args.json {
        screen::print(&why)?;
    } else {
        std::io::stdout().lock().write_all(text(&why).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The story for people: what became of it first, then why.
fn text(why: &Why) -> String {
    let mut lines = vec![format!("{}: {}", why.state.word(), headline(why))];
    let mut line = |name: &str, text: String| lines.push(format!("  {name:<13} {text}"));
    line("URL", why.canonical.clone().unwrap_or_else(|| why.url.clone()));
    if !why.changes.is_empty() {
        line("asked as", why.url.clone());
        line("spelling", why.changes.join("; "));
    }
    if let Some(depth) = why.depth {
        let found = match (&why.found_on, depth) {
            (Some(page), _) => page.clone(),
            (None, 0) => "a seed".to_owned(),
            (None, _) => "not known".to_owned(),
        };
        line("found on", format!("{found}  (depth {depth})"));
    }
    if let Some(at) = &why.seen_at {
        line("seen", at.clone());
    }
    for from in &why.redirected_from {
        line("redirected", format!("from {from}"));
    }
    if let Some(to) = &why.redirects_to {
        line("redirects", format!("to {to}"));
    }
    if let Some(first) = &why.duplicate_of {
        line("same as", first.clone());
    }
    if let Some(scope) = &why.scope {
        line("scope", scope.clone());
    }
    line(
        "robots.txt",
        match (&why.robots.line, &why.robots.rule, why.robots.state.as_str()) {
            (Some(number), Some(rule), _) => format!("line {number}: {rule}"),
            (_, _, "known") => "no line speaks of it".to_owned(),
            (_, _, state) => state.to_owned(),
        },
    );
    for one in &why.tries {
        let status = one.status.map_or_else(String::new, |status| format!("  status {status}"));
        line("tried", format!("{}  {}{status}", one.time, one.outcome));
    }
    if let Some(position) = why.queue_position {
        line("queue", format!("{position} of its site go before it"));
    }
    if let Some(held) = why.held_by {
        let until = why.held_until.as_ref();
        let until = until.map_or_else(String::new, |until| format!(" until {until}"));
        line("held by", format!("{}{until}", held_words(held)));
    }
    if let Some(at) = &why.next_visit {
        line("next visit", format!("about {at}"));
    }
    if why.judged_now {
        line("judged", "now: refused links are counted, not kept one by one".to_owned());
    }
    if let Some(advice) = &why.advice {
        line("to get it", advice.clone());
    }
    lines.iter().map(|line| format!("{}\n", printable(line))).collect()
}

fn headline(why: &Why) -> String {
    let reason = why.reason.clone();
    match why.state {
        UrlState::Fetched => match (&why.redirects_to, why.tries.last()) {
            (None, None) => reason.unwrap_or_else(|| "once".to_owned()),
            (Some(to), _) => format!("it redirects to {to}"),
            (None, Some(last)) => format!("at {}", last.time),
        },
        UrlState::Duplicate => {
            format!("the same as {}", why.duplicate_of.as_deref().unwrap_or("an earlier page"))
        }
        UrlState::Queued => reason.unwrap_or_else(|| "it is next of its site".to_owned()),
        UrlState::Refused => reason.unwrap_or_else(|| "by a rule".to_owned()),
        UrlState::Failed => reason.unwrap_or_else(|| "given up".to_owned()),
        UrlState::Unknown => "no page of this crawl linked to it".to_owned(),
    }
}

fn held_words(held: Held) -> &'static str {
    match held {
        Held::Site => "the gap between two visits of its site",
        Held::Address => "its address, which other sites share",
        Held::Backoff => "back-off: it failed, or the site asked for quiet",
        Held::Robots => "its robots.txt: not known, out of reach, or closed at this hour",
        Held::Budget => "the budget of its site",
    }
}
