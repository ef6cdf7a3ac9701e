//! How near a text comes to what it should be, by words and by runs of words.

use std::collections::HashMap;

/// Words in a run, as in the article benchmark of Scrapinghub.
const RUN: usize = 4;

/// Of one page, or the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Share of the words that belong there.
    pub precision: f64,
    /// Share of the gold's words that were found.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// The same over runs of four words: order counts.
    pub runs_f1: f64,
}

impl Score {
    /// Compares two texts as bags of words: letters and digits, in lower case.
    pub fn of(text: &str, gold: &str) -> Self {
        let (text, gold) = (text.to_lowercase(), gold.to_lowercase());
        let (text, gold) = (words(&text), words(&gold));
        let (precision, recall) = shares(&bag(text.iter()), &bag(gold.iter()));
        let (text_runs, gold_runs) = (text.windows(RUN), gold.windows(RUN));
        let (runs_precision, runs_recall) = shares(&bag(text_runs), &bag(gold_runs));
        let runs_f1 = harmonic(runs_precision, runs_recall);
        Self { precision, recall, f1: harmonic(precision, recall), runs_f1 }
    }

    /// The mean of each figure.
    pub fn mean(scores: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| mean(scores.iter().map(figure));
        Self {
            precision: of(|it| it.precision),
            recall: of(|it| it.recall),
            f1: of(|it| it.f1),
            runs_f1: of(|it| it.runs_f1),
        }
    }
}

/// The mean, or nothing of nothing.
pub fn mean(figures: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = figures.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
    if count == 0.0 { 0.0 } else { sum / count }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn bag<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, u32> {
    let mut bag = HashMap::new();
    for item in items {
        *bag.entry(item).or_default() += 1;
    }
    bag
}

/// How much of the first is in the second, and of the second in the first.
fn shares<T: std::hash::Hash + Eq>(text: &HashMap<T, u32>, gold: &HashMap<T, u32>) -> (f64, f64) {
    let both: u32 = text.iter().map(|(item, n)| gold.get(item).map_or(0, |m| *n.min(m))).sum();
    let share =
        |bag: &HashMap<T, u32>| f64::from(both) / f64::from(bag.values().sum::<u32>().max(1));
    (share(text), share(gold))
}

fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_its_gold_scores_one_whatever_its_case_and_marks() {
        let score = Score::of("One, two: THREE (four) five!", "one two three four five");
        assert_eq!(score, Score { precision: 1.0, recall: 1.0, f1: 1.0, runs_f1: 1.0 });
    }

    #[test]
    fn a_word_counts_as_often_as_the_gold_has_it() {
        let score = Score::of("a a a b", "a b");
        assert!((score.precision - 0.5).abs() < 1e-9, "{score:?}");
        assert!((score.recall - 1.0).abs() < 1e-9, "{score:?}");
    }

    #[test]
    fn order_counts_in_runs_alone() {
        let score = Score::of("five four three two one", "one two three four five");
        assert!((score.f1 - 1.0).abs() < 1e-9, "{score:?}");
        assert!(score.runs_f1.abs() < 1e-9, "{score:?}");
    }

    #[test]
    fn nothing_scores_nothing() {
        assert_eq!(Score::of("", "one two three four"), Score::default());
    }
}
