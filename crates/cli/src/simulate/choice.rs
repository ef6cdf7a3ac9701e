//! What is compared, as the user chose it.

use rhumb_order::{Budget, Unknown};
use rhumb_study::{Contender, YARDSTICKS, contender, orders};

use crate::fault::Fault;

/// The most seeds of one command.
const SEEDS_MAX: u64 = 1_000;

/// An order with a budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) contender: Contender,
    pub(super) budget: &'static dyn Budget,
}

/// From one seed to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seeds {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// Every order with every budget, and the yardsticks, which have none.
pub(super) fn pairs(names: &[String], budgets: &[String]) -> Result<Vec<Pair>, Fault> {
    let every = orders();
    let names: Vec<&str> =
        if names.is_empty() { every } else { names.iter().map(String::as_str).collect() };
    let mut pairs = Vec::new();
    for name in names.into_iter().filter(|name| !YARDSTICKS.contains(name)) {
        let contender = contender(name).map_err(|unknown| refused(&unknown, "--orders trust"))?;
        for budget in budgets {
            let budget = rhumb_order::budget(budget)
                .map_err(|unknown| refused(&unknown, "--budgets trust"))?;
            pairs.push(Pair { contender, budget });
        }
    }
    for name in YARDSTICKS {
        let contender = contender(name).map_err(|unknown| refused(&unknown, "--orders trust"))?;
        let budget =
            rhumb_order::budget("none").map_err(|unknown| refused(&unknown, "--budgets trust"))?;
        pairs.push(Pair { contender, budget });
    }
    Ok(pairs)
}

fn refused(unknown: &Unknown, advice: &str) -> Fault {
    Fault::usage(unknown.to_string(), format!("rhumb simulate {advice}"))
}

/// Reads `1-5`, or `3`.
pub(super) fn seeds(text: &str) -> Result<Seeds, String> {
    let wrong = || format!("{text:?} is no row of seeds; write it as 1-5");
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let read = |word: &str| word.trim().parse().map_err(|_| wrong());
    let seeds = Seeds { first: read(first)?, last: read(last)? };
    let is_fine = seeds.first <= seeds.last && seeds.last - seeds.first < SEEDS_MAX;
    is_fine.then_some(seeds).ok_or_else(wrong)
}

/// Reads a part in per cent.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let read = text.trim().trim_end_matches('%').parse::<f64>().ok();
    let read = read.filter(|percent| (0.0..=100.0).contains(percent));
    read.ok_or_else(|| format!("{text:?} is no part in per cent; write it as 25"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_parts_are_read_and_nonsense_is_refused() {
        assert_eq!(seeds("1-5"), Ok(Seeds { first: 1, last: 5 }));
        assert_eq!(seeds("7"), Ok(Seeds { first: 7, last: 7 }));
        assert!(seeds("5-1").is_err() && seeds("a-b").is_err() && seeds("0-999999").is_err());
        assert_eq!(percent("12.5%"), Ok(12.5));
        assert!(percent("101").is_err() && percent("NaN").is_err());
    }

    #[test]
    fn every_order_meets_every_budget_and_the_yardsticks_stand_beside() {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let pairs = pairs(&words(&["bfs", "opic"]), &words(&["none", "star"])).expect("known");
        let names: Vec<String> = pairs
            .iter()
            .map(|it| format!("{}/{}", it.contender.name(), it.budget.name()))
            .collect();
        let expect =
            ["bfs/none", "bfs/star", "opic/none", "opic/star", "omniscient/none", "random/none"];
        assert_eq!(names, expect);
    }
}
