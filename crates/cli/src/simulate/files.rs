//! What is written to files: points as CSV, and a picture.

use std::fmt::Write as _;
use std::path::Path;

use rhumb_study::{Trial, plot};

use super::Row;
use crate::fault::Fault;
use crate::quantity::counted;

/// Every point of every run.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut text = String::from("order,budget,seed,fetched,mass,spam,farm,level,seconds\n");
    for Row { seed, trial, .. } in rows {
        for it in &trial.points {
            writeln!(
                text,
                "{},{},{seed},{},{:.6},{},{},{},{:.1}",
                trial.order,
                trial.budget,
                it.fetched,
                it.mass,
                it.spam,
                it.farm,
                it.level,
                it.seconds
            )
            .expect("a string takes all");
        }
    }
    text
}

/// The runs of the first seed.
pub(super) fn drawing(rows: &[Row]) -> String {
    let seed = rows.first().map(|row| row.seed);
    let of_seed = rows.iter().filter(|row| Some(row.seed) == seed);
    let trials: Vec<Trial> = of_seed.map(|row| row.trial.clone()).collect();
    let pages = trials.first().map_or(0, |trial| trial.pages);
    plot(&trials, &format!("What crawl orders fetch first: {}", counted(pages.into(), "page")))
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Fault> {
    std::fs::write(path, text).map_err(|error| Fault::file("write", path.display(), &error))
}
