//! Whether we have become slower than the last run that the repository keeps.

use super::book::Row;
use super::figures::Figures;
use super::table::Summary;

/// The peer that tells a slow machine from a slow crawler: it has not changed since.
pub const MEASURE: &str = "wget2";
/// A best run that is worse by more than this is no chance.
const TOLERATED: f64 = 0.95;

/// How the best run of now stands to the best that is kept: what else the machine does only ever
/// adds to the processor time of a crawl, so the best run is the one that tells most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratchet {
    /// Pages per CPU-second, now over then.
    pub alone: f64,
    /// The same in pages per CPU-second of wget2 in either run, if it was there both times.
    pub measured: Option<f64>,
}

impl Ratchet {
    /// Compares these runs, ours first, with the rows of a kept one; nothing if none is kept.
    pub fn of(now: &[Summary], kept: &[Row]) -> Option<Self> {
        let then = |name: &str| {
            let rows = kept.iter().filter(|row| row.contender == name);
            let runs: Vec<Figures> = rows.map(|row| row.figures).collect();
            let summary = Summary { name: name.to_owned(), runs };
            Some(summary.most(Figures::per_cpu_second)).filter(|most| most.is_finite())
        };
        let named = |name: &str| now.iter().find(|it| it.name.split(' ').next() == Some(name));
        let ratio = |name: &str| Some(named(name)?.most(Figures::per_cpu_second) / then(name)?);
        let alone = ratio("rhumb")?;
        Some(Self { alone, measured: ratio(MEASURE).map(|peer| alone / peer) })
    }

    /// Whether it is slower than can be tolerated: by the peer's measure where there is one.
    pub fn is_slower(&self) -> bool {
        self.measured.unwrap_or(self.alone) < TOLERATED
    }

    /// In a sentence.
    pub fn sentence(&self, since: &str) -> String {
        let measured = match self.measured {
            Some(ratio) => format!(", {ratio:.3} of it measured by {MEASURE}"),
            None => String::new(),
        };
        format!(
            "ratchet: the best run has {:.3} of the pages per CPU-second of the best of \
             {since}{measured}",
            self.alone
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::setting::Setting;

    fn figures(per_cpu_second: f64) -> Figures {
        Figures {
            pages: per_cpu_second,
            seconds: 1.0,
            steady: None,
            cpu: 1.0,
            peak_bytes: 0,
            written_bytes: 0,
            missing: 0,
            repeats: 0,
            violations: 0,
        }
    }

    fn check(now: &[(&str, f64)], then: &[(&str, f64)], expect: Option<bool>) {
        let now: Vec<(&str, &[f64])> =
            now.iter().map(|(name, rate)| (*name, std::slice::from_ref(rate))).collect();
        check_runs(&now, then, expect);
    }

    fn check_runs(now: &[(&str, &[f64])], then: &[(&str, f64)], expect: Option<bool>) {
        let summary = |(name, rates): &(&str, &[f64])| Summary {
            name: format!("{name} 1.0"),
            runs: rates.iter().map(|rate| figures(*rate)).collect(),
        };
        let row = |(name, rate): &(&str, f64)| Row {
            date: "2026-11-16T07:00:00Z".to_owned(),
            commit: "abc".to_owned(),
            setting: Setting::BROAD,
            contender: (*name).to_owned(),
            version: "1.0".to_owned(),
            run: 1,
            figures: figures(*rate),
        };
        let now: Vec<Summary> = now.iter().map(summary).collect();
        let then: Vec<Row> = then.iter().map(row).collect();
        assert_eq!(Ratchet::of(&now, &then).map(|it| it.is_slower()), expect);
    }

    #[test]
    fn more_than_five_percent_is_slower() {
        check(&[("rhumb", 96.0)], &[("rhumb", 100.0)], Some(false));
        check(&[("rhumb", 94.0)], &[("rhumb", 100.0)], Some(true));
        check(&[("rhumb", 94.0)], &[], None);
    }

    #[test]
    fn the_best_run_is_compared_with_the_best() {
        let then = [("rhumb", 70.0), ("rhumb", 100.0), ("rhumb", 80.0)];
        check_runs(&[("rhumb", &[60.0, 96.0, 70.0])], &then, Some(false));
        check_runs(&[("rhumb", &[94.0, 93.0, 94.0])], &then, Some(true));
    }

    #[test]
    fn a_slow_machine_is_told_by_the_peer() {
        let then = [("rhumb", 100.0), ("wget2", 50.0)];
        check(&[("rhumb", 80.0), ("wget2", 40.0)], &then, Some(false));
        check(&[("rhumb", 100.0), ("wget2", 60.0)], &then, Some(true));
    }
}
