//! What several runs of one contender gave, and the table of all.

use rhumb_measure::Spread;

use super::figures::Figures;
use super::setting::grouped;

/// All runs of one contender in one setting.
pub struct Summary {
    /// Name and version.
    pub name: String,
    /// The runs, in their order.
    pub runs: Vec<Figures>,
}

impl Summary {
    /// The spread of one figure, if it is known of any run.
    pub fn spread(&self, of: impl Fn(&Figures) -> Option<f64>) -> Option<Spread> {
        Spread::of(self.runs.iter().filter_map(of).collect())
    }

    /// The middle of one figure; not a number if there is none.
    pub fn middle(&self, of: impl Fn(&Figures) -> f64) -> f64 {
        self.spread(|figures| Some(of(figures))).map_or(f64::NAN, |spread| spread.middle)
    }

    /// The most of one figure; not a number if there is none.
    pub fn most(&self, of: impl Fn(&Figures) -> f64) -> f64 {
        self.spread(|figures| Some(of(figures))).map_or(f64::NAN, |spread| spread.most)
    }

    /// What was not right in any run, if something was not.
    pub fn fault(&self) -> Option<String> {
        let is_wrong = self.runs.iter().any(|it| !it.is_right());
        is_wrong.then(|| {
            format!(
                "missing pages: {}, repeats: {}, violations: {}; such runs are not kept",
                self.sum(|it| it.missing),
                self.sum(|it| it.repeats),
                self.sum(|it| it.violations)
            )
        })
    }

    /// The sum over all runs: a single miss is one too many.
    fn sum(&self, of: impl Fn(&Figures) -> usize) -> usize {
        self.runs.iter().map(of).sum()
    }

    fn line(&self) -> String {
        let name = &self.name;
        let rate = spread(self.spread(|it| Some(it.per_second())));
        let steady = self.spread(|it| it.steady).map_or("-".to_owned(), |it| whole(it.middle));
        let per_cpu = spread(self.spread(|it| Some(it.per_cpu_second())));
        let peak = whole(self.middle(|it| megabytes(it.peak_bytes)));
        let written = whole(self.middle(|it| megabytes(it.written_bytes)));
        let missing = self.sum(|it| it.missing);
        let repeats = self.sum(|it| it.repeats);
        let violations = self.sum(|it| it.violations);
        format!(
            "{name:<16} {rate:>22} {steady:>9} {per_cpu:>22} {peak:>8} {written:>11} \
             {missing:>8} {repeats:>8} {violations:>11}"
        )
    }
}

/// The head of the table.
pub fn head() -> String {
    format!(
        "{:<16} {:>22} {:>9} {:>22} {:>8} {:>11} {:>8} {:>8} {:>11}",
        "",
        "pages/s",
        "steady/s",
        "pages/CPU-s",
        "peak MB",
        "written MB",
        "missing",
        "repeats",
        "violations"
    )
}

/// A line a contender, then the first one against each of the others.
pub fn lines(summaries: &[Summary]) -> Vec<String> {
    let mut lines: Vec<String> = summaries.iter().map(Summary::line).collect();
    if let Some((ours, peers)) = summaries.split_first() {
        for peer in peers {
            let rate = ours.middle(Figures::per_second) / peer.middle(Figures::per_second);
            let per_cpu =
                ours.middle(Figures::per_cpu_second) / peer.middle(Figures::per_cpu_second);
            lines.push(format!(
                "{} to {}: {rate:.2} times the pages a second, {per_cpu:.2} times those of a \
                 CPU-second",
                ours.name, peer.name
            ));
        }
    }
    lines
}

/// The middle, and the least and the most where they differ.
pub fn spread(spread: Option<Spread>) -> String {
    let Some(Spread { least, middle, most }) = spread else { return "-".to_owned() };
    let [least, middle, most] = [least, middle, most].map(whole);
    if least == most { middle } else { format!("{middle} ({least}–{most})") }
}

/// Without what stands behind the point.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures of a run are positive and far below 2^53"
)]
pub fn whole(figure: f64) -> String {
    if figure.is_finite() { grouped(figure.round() as u64) } else { "-".to_owned() }
}

/// Millions of bytes.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_shown_where_there_is_one() {
        assert_eq!(spread(Spread::of(vec![1_500.4])), "1,500");
        assert_eq!(spread(Spread::of(vec![3.0, 1_234.0, 2.0])), "3 (2–1,234)");
        assert_eq!(spread(None), "-");
    }

    #[test]
    fn a_single_wrong_run_is_a_fault() {
        let right = run(0, 0);
        let check = |runs: &[Figures], expect: Option<&str>| {
            let summary = Summary { name: "rhumb".to_owned(), runs: runs.to_vec() };
            let fault = summary.fault();
            assert_eq!(fault.is_some(), expect.is_some(), "{fault:?}");
            assert!(fault.unwrap_or_default().contains(expect.unwrap_or_default()));
        };
        check(&[right, right], None);
        check(&[right, run(2, 0)], Some("repeats: 2, violations: 0"));
        check(&[run(1, 0), run(1, 3)], Some("repeats: 2, violations: 3"));
    }

    fn run(repeats: usize, violations: usize) -> Figures {
        Figures {
            pages: 1.0,
            seconds: 1.0,
            steady: None,
            cpu: 1.0,
            peak_bytes: 0,
            written_bytes: 0,
            missing: 0,
            repeats,
            violations,
        }
    }
}
