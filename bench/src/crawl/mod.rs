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
pub use contender::program;
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
    let mut faults = Vec::new();
    for setting in &wish.settings {
        println!("{}", setting.title());
        if let Some(caveat) = grounds.caveat(setting.threads) {
            println!("{caveat}");
        }
        let stand = grounds.serve(*setting)?;
        let Race { summaries, rows, failed } = race(&stand, &wish, &book)?;
        println!("{}", table::head());
        for line in table::lines(&summaries) {
            println!("{line}");
        }
        faults.extend(failed);
        let wrong = summaries.first().and_then(Summary::fault);
        faults.extend(wrong.map(|fault| format!("rhumb on {}: {fault}", setting.title())));
        if wish.ratchet {
            faults.extend(compare(&book, &stand, &summaries)?.then(|| SLOWER.to_owned()));
        } else {
            println!("kept in {}", book.append(&rows)?.display());
        }
        println!();
    }
    outcome(&faults)
}

/// An error that names all faults, the same one once, if there are any.
fn outcome(faults: &[String]) -> Outcome {
    let mut told: Vec<&str> = Vec::new();
    for fault in faults {
        if !told.contains(&fault.as_str()) {
            told.push(fault);
        }
    }
    if told.is_empty() { Ok(()) } else { Err(told.join("\nerror: ").into()) }
}

/// What came of all runs on one web.
struct Race {
    /// Of everyone who has a run, ours first.
    summaries: Vec<Summary>,
    rows: Vec<Row>,
    /// Why peers are missing from some of the runs.
    failed: Vec<String>,
}

/// All runs of all contenders on one web, in turns, with the server's ceiling before and after.
/// A peer that fails is out of it; what the others reach is kept all the same.
fn race(stand: &Stand<'_>, wish: &Wish, book: &Book) -> Result<Race, String> {
    let versions: Vec<String> = wish.contenders.iter().map(|it| it.version()).collect();
    let summary = |(contender, version): (&Contender, &String)| Summary {
        name: format!("{} {version}", contender.name()),
        runs: Vec::new(),
    };
    let mut summaries: Vec<Summary> = wish.contenders.iter().zip(&versions).map(summary).collect();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let mut is_out = vec![false; summaries.len()];
    let before = stand.ceiling();
    for run in 1..=wish.runs {
        for (at, contender) in wish.contenders.iter().enumerate() {
            if is_out[at] {
                continue;
            }
            let name = contender.name();
            eprintln!("  run {run} of {}: {name}", wish.runs);
            let (figures, folder) = match stand.run(*contender) {
                Err(why) if *contender != Contender::Rhumb => {
                    is_out[at] = true;
                    failed.push(why);
                    continue;
                }
                ran => ran?,
            };
            if *contender == Contender::Rhumb && run == 1 {
                println!("{}", warcio::check(&contender::archive(&folder))?);
            }
            rows.push(book.row(stand.setting, (name, &versions[at]), (run, figures)));
            summaries[at].runs.push(figures);
            is_out[at] = figures.seconds > REPEATED_MAX_SECONDS;
        }
    }
    println!("server alone, by wrk: {} before, {} after", rate(before), rate(stand.ceiling()));
    summaries.retain(|it| !it.runs.is_empty());
    Ok(Race { summaries, rows, failed })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_told_once() {
        let faults = ["one", "two", "one"].map(str::to_owned);
        assert_eq!(outcome(&faults).unwrap_err().to_string(), "one\nerror: two");
        assert!(outcome(&[]).is_ok());
    }
}
