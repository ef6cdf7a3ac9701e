//! The whole job measured: a web of our own on one core, a crawler on another, several times.
//!
//! Contenders take turns on the same web, so that whatever else the machine does hits all of them;
//! a ratio is only taken between crawls of the same command. What is fetched is counted at the
//! server, what is used by the kernel.

mod book;
mod contender;
mod figures;
mod ratchet;
mod scaling;
mod setting;
mod stand;
mod table;
mod warcio;
mod wish;

use book::{Book, Row};
use contender::Contender;
use ratchet::Ratchet;
pub use scaling::measure as measure_scaling;
use stand::{Grounds, Stand};
use table::Summary;
use wish::Wish;

use crate::seen::Outcome;

/// How the commands of this room are called.
pub const USAGES: [&str; 2] = [wish::USAGE, scaling::USAGE];

/// A crawl that takes longer than this is not repeated: it is far from the others anyway.
const REPEATED_MAX_SECONDS: f64 = 60.0;
const SLOWER: &str = "more than 5 % slower than the last run\n  try: find the cause, or say so \
                      in the commit and the CHANGELOG and run it again without --ratchet";

/// Measures what the words after `crawl` ask for.
pub fn measure(words: &[&str]) -> Outcome {
    let wish = Wish::parse(words)?;
    let book = Book::open();
    let grounds = Grounds::new(wish.keep)?;
    let mut is_slower = false;
    for setting in &wish.settings {
        println!("{}", setting.title());
        if let Some(caveat) = grounds.caveat(setting.threads) {
            println!("{caveat}");
        }
        let stand = grounds.serve(*setting)?;
        let (summaries, rows) = race(&stand, &wish, &book)?;
        println!("{}", table::head());
        for line in table::lines(&summaries) {
            println!("{line}");
        }
        if wish.ratchet {
            is_slower |= compare(&book, &stand, &summaries)?;
        } else {
            println!("kept in {}", book.append(&rows)?.display());
        }
        println!();
    }
    if is_slower { Err(SLOWER.into()) } else { Ok(()) }
}

/// All runs of all contenders on one web, in turns, with the server's ceiling before and after.
fn race(stand: &Stand<'_>, wish: &Wish, book: &Book) -> Result<(Vec<Summary>, Vec<Row>), String> {
    let versions: Vec<String> = wish.contenders.iter().map(|it| it.version()).collect();
    let summary = |(contender, version): (&Contender, &String)| Summary {
        name: format!("{} {version}", contender.name()),
        runs: Vec::new(),
    };
    let mut summaries: Vec<Summary> = wish.contenders.iter().zip(&versions).map(summary).collect();
    let mut rows = Vec::new();
    let before = stand.ceiling();
    for run in 1..=wish.runs {
        for (at, contender) in wish.contenders.iter().enumerate() {
            let runs = &mut summaries[at].runs;
            if runs.iter().any(|it| it.seconds > REPEATED_MAX_SECONDS) {
                continue;
            }
            let name = contender.name();
            eprintln!("  run {run} of {}: {name}", wish.runs);
            let (figures, folder) = stand.run(*contender, run)?;
            if *contender == Contender::Rhumb && run == 1 {
                println!("{}", warcio::check(&contender::archive(&folder))?);
            }
            rows.push(book.row(stand.setting, (name, &versions[at]), (run, figures)));
            runs.push(figures);
        }
    }
    println!("server alone, by wrk: {} before, {} after", rate(before), rate(stand.ceiling()));
    Ok((summaries, rows))
}

fn rate(ceiling: Result<f64, String>) -> String {
    match ceiling {
        Ok(rate) => format!("{} answers/s", table::whole(rate)),
        Err(why) => format!("unknown ({})", why.lines().next().unwrap_or_default()),
    }
}

/// Whether these runs are slower than the last that is kept; says how they stand.
fn compare(book: &Book, stand: &Stand<'_>, now: &[Summary]) -> Result<bool, String> {
    let kept = book.last(&stand.setting)?;
    let Some(ratchet) = Ratchet::of(now, &kept) else {
        println!("ratchet: no run of this kind is kept for this machine");
        return Ok(false);
    };
    let since = kept.first().map_or("", |row| row.commit.as_str());
    println!("{}", ratchet.sentence(since));
    Ok(ratchet.is_slower())
}
