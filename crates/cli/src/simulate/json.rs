//! A run as data.

use serde::Serialize;

use super::Row;

/// One line of `--json`.
#[derive(Serialize)]
pub(super) struct Shown {
    order: &'static str,
    budget: &'static str,
    seed: u64,
    pages: u32,
    fetched: u64,
    seconds: f64,
    level: u32,
    at: Vec<ShownMark>,
    farm: Vec<ShownPart>,
}

#[derive(Serialize)]
struct ShownMark {
    percent: f64,
    fetched: u64,
    mass: f64,
    of_omniscient: f64,
    of_best: f64,
    spam: f64,
    level: u32,
}

#[derive(Serialize)]
struct ShownPart {
    percent: u32,
    fetched: Option<u64>,
    share: Option<f64>,
}

pub(super) fn shown(row: &Row) -> Shown {
    let trial = &row.trial;
    let end = trial.points.last().copied().unwrap_or_default();
    let mark = |it: &super::Mark| ShownMark {
        percent: it.percent,
        fetched: it.point.fetched,
        mass: digits(it.point.mass),
        of_omniscient: digits(it.of_omniscient),
        of_best: digits(it.of_best),
        spam: digits(it.point.spam_share()),
        level: it.point.level,
    };
    let parts = trial.farm.iter().map(|(percent, point)| ShownPart {
        percent: *percent,
        fetched: point.map(|it| it.fetched),
        share: point.map(|it| digits(it.farm_share())),
    });
    Shown {
        order: trial.order,
        budget: trial.budget,
        seed: row.seed,
        pages: trial.pages,
        fetched: end.fetched,
        seconds: digits(end.seconds),
        level: end.level,
        at: row.at.iter().map(mark).collect(),
        farm: parts.collect(),
    }
}

fn digits(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
