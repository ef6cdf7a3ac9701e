//! Whether we have become slower than the last run that the repository keeps.

use super::book::Row;
use super::figures::Figures;
use super::table::Summary;

/// The peer that tells a slow machine from a slow crawler: it has not changed since.
const MEASURE: &str = "wget2";
/// A middle that is worse by more than this is no chance.
const TOLERATED: f64 = 0.95;

/// How the middle of now stands to the one that is kept.
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
            Some(summary.middle(Figures::per_cpu_second)).filter(|middle| middle.is_finite())
        };
        let named = |name: &str| now.iter().find(|it| it.name.split(' ').next() == Some(name));
        let ratio = |name: &str| Some(named(name)?.middle(Figures::per_cpu_second) / then(name)?);
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
        format!("ratchet: {:.3} of the pages per CPU-second of {since}{measured}", self.alone)
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
        let summary = |(name, rate): &(&str, f64)| Summary {
            name: format!("{name} 1.0"),
            runs: vec![figures(*rate)],
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
    fn a_slow_machine_is_told_by_the_peer() {
        let then = [("rhumb", 100.0), ("wget2", 50.0)];
        check(&[("rhumb", 80.0), ("wget2", 40.0)], &then, Some(false));
        check(&[("rhumb", 100.0), ("wget2", 60.0)], &then, Some(true));
    }
}
