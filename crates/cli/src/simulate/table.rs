//! The runs as a table.

use std::fmt::Write as _;

use super::Row;

/// Where runs are held against each other: at the part that is nearest to this one.
const MIDDLE: f64 = 25.0;

/// A line of figures, of one run or the mean of several.
struct Line {
    name: String,
    seed: String,
    masses: Vec<f64>,
    of_omniscient: f64,
    of_best: f64,
    spam: f64,
}

/// The table: a row a run, and with several seeds a row for the mean of each order and budget.
pub(super) fn render(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let percents: Vec<f64> = first.at.iter().map(|mark| mark.percent).collect();
    let middle = (0..percents.len())
        .min_by(|a, b| (percents[*a] - MIDDLE).abs().total_cmp(&(percents[*b] - MIDDLE).abs()));
    let mut text = String::from("rank of the pages fetched, when this part of all pages is\n");
    write!(text, "{:<11}{:<7}{:>5}", "order", "budget", "seed").expect("a string takes all");
    for percent in &percents {
        write!(text, "{:>8}", format!("{percent} %")).expect("a string takes all");
    }
    let at = middle.map_or(0.0, |middle| percents[middle]);
    writeln!(text, "{:>10}{:>7}{:>7}  at {at} %", "÷omnisc.", "÷best", "spam")
        .expect("a string takes all");
    let lines: Vec<Line> = rows.iter().map(|row| line(row, middle)).collect();
    for line in &lines {
        put(&mut text, line);
    }
    if rows.iter().any(|row| row.seed != first.seed) {
        text.push('\n');
        for line in means(&lines) {
            put(&mut text, &line);
        }
    }
    farm(&mut text, rows);
    text
}

fn line(row: &Row, middle: Option<usize>) -> Line {
    let mark = middle.map(|middle| &row.at[middle]);
    Line {
        name: format!("{:<11}{:<7}", row.trial.order, row.trial.budget),
        seed: row.seed.to_string(),
        masses: row.at.iter().map(|mark| mark.point.mass).collect(),
        of_omniscient: mark.map_or(0.0, |mark| mark.of_omniscient),
        of_best: mark.map_or(0.0, |mark| mark.of_best),
        spam: mark.map_or(0.0, |mark| mark.point.spam_share()),
    }
}

fn put(text: &mut String, line: &Line) {
    write!(text, "{}{:>5}", line.name, line.seed).expect("a string takes all");
    for mass in &line.masses {
        write!(text, "{mass:>8.3}").expect("a string takes all");
    }
    writeln!(text, "{:>10.3}{:>7.3}{:>7.3}", line.of_omniscient, line.of_best, line.spam)
        .expect("a string takes all");
}

/// The mean of the lines of each order and budget.
fn means(lines: &[Line]) -> Vec<Line> {
    let mut means: Vec<Line> = Vec::new();
    for line in lines.iter().filter(|line| line.seed == lines[0].seed) {
        let same: Vec<&Line> = lines.iter().filter(|other| other.name == line.name).collect();
        let count = f64::from(u32::try_from(same.len()).unwrap_or(u32::MAX));
        let mean =
            |value: &dyn Fn(&Line) -> f64| same.iter().map(|it| value(it)).sum::<f64>() / count;
        means.push(Line {
            name: line.name.clone(),
            seed: "mean".to_owned(),
            masses: (0..line.masses.len()).map(|at| mean(&|it| it.masses[at])).collect(),
            of_omniscient: mean(&|it| it.of_omniscient),
            of_best: mean(&|it| it.of_best),
            spam: mean(&|it| it.spam),
        });
    }
    means
}

/// The farm's part of all fetches, where there is one.
fn farm(text: &mut String, rows: &[Row]) {
    if rows.iter().all(|row| row.trial.farm.is_empty()) {
        return;
    }
    text.push_str(
        "\nthe farm's part of all fetches, when this part of the normal web is fetched\n",
    );
    write!(text, "{:<11}{:<7}{:>5}", "order", "budget", "seed").expect("a string takes all");
    for percent in rhumb_study::FARM_AT {
        write!(text, "{:>8}", format!("{percent} %")).expect("a string takes all");
    }
    text.push('\n');
    for Row { seed, trial, .. } in rows {
        write!(text, "{:<11}{:<7}{seed:>5}", trial.order, trial.budget)
            .expect("a string takes all");
        for (_, point) in &trial.farm {
            let share = point.map_or("never".to_owned(), |it| format!("{:.3}", it.farm_share()));
            write!(text, "{share:>8}").expect("a string takes all");
        }
        text.push('\n');
    }
}
