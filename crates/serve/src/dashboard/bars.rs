//! Counts as bars, and wholes as stacked ones.

use std::collections::BTreeMap;

use maud::{Markup, html};
use rhumb_web::words::{grouped, printable};

use super::history::float;

/// Rows of a list of bars; the smallest are added up.
const ROWS_MAX: usize = 24;
/// Parts that have a colour of their own.
const COLOURS: usize = 8;

/// What a count is of.
pub(super) struct Bar {
    pub(super) word: String,
    pub(super) count: u64,
    pub(super) about: String,
}

/// The counts of a map, the largest first, each with its sentence.
pub(super) fn of(counts: &BTreeMap<String, u64>, about: fn(&str) -> String) -> Vec<Bar> {
    let counts = counts.iter().filter(|(_, count)| **count > 0);
    let mut bars: Vec<Bar> = counts
        .map(|(word, count)| Bar { word: word.clone(), count: *count, about: about(word) })
        .collect();
    bars.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.word.cmp(&b.word)));
    let rest = bars.split_off(bars.len().min(ROWS_MAX));
    if !rest.is_empty() {
        let count = rest.iter().fold(0_u64, |sum, bar| sum.saturating_add(bar.count));
        let about = format!("{} more words", rest.len());
        bars.push(Bar { word: "others".to_owned(), count, about });
    }
    bars
}

/// A table of bars; nothing if there are none.
pub(super) fn table(caption: &str, bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0);
    html! {
        @if !bars.is_empty() {
            table.bars {
                caption { (caption) }
                tbody {
                    @for bar in bars {
                        tr {
                            th scope="row" { (printable(&bar.word)) }
                            td.number { (grouped(bar.count)) }
                            td.bar { (length(bar.count, most)) }
                            td.muted.small { (printable(&bar.about)) }
                        }
                    }
                }
            }
        }
    }
}

fn length(count: u64, most: u64) -> Markup {
    html! {
        svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.part-1 width=(format!("{:.2}", percent(count, most).max(0.5))) height="10" {}
        }
    }
}

/// A whole by its parts, the largest first, with their names and sizes below.
pub(super) fn stacked(parts: &BTreeMap<String, u64>, shown: fn(u64) -> String) -> Markup {
    let mut parts: Vec<(&str, u64)> =
        parts.iter().filter(|(_, n)| **n > 0).map(|(name, n)| (name.as_str(), *n)).collect();
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let whole = parts.iter().fold(0_u64, |sum, (_, n)| sum.saturating_add(*n));
    let mut at = 0.0;
    let mut placed = Vec::new();
    for (nth, (_, count)) in parts.iter().enumerate() {
        let wide = percent(*count, whole);
        placed.push((nth % COLOURS + 1, format!("{at:.2}"), format!("{wide:.2}")));
        at += wide;
    }
    html! {
        svg.stacked viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (colour, x, wide) in &placed {
                rect.{ "part-" (colour) } x=(x) width=(wide) height="10" {}
            }
        }
        ul.parts {
            @for (nth, (name, count)) in parts.iter().enumerate() {
                li {
                    svg.swatch viewBox="0 0 10 10" aria-hidden="true" {
                        rect.{ "part-" (nth % COLOURS + 1) } width="10" height="10" {}
                    }
                    (printable(name)) " " span.number { (shown(*count)) }
                }
            }
        }
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * float(part) / float(whole.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
        pairs.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
    }

    #[test]
    fn bars_are_sorted_bounded_and_escaped() {
        let few = counts(&[("a", 1), ("<b>\u{202e}", u64::MAX), ("none", 0)]);
        let bars = of(&few, |_| String::new());
        assert_eq!(bars.iter().map(|bar| bar.count).collect::<Vec<_>>(), [u64::MAX, 1]);
        let drawn = table("x", &bars).into_string();
        assert!(drawn.contains("&lt;b&gt;\u{fffd}") && !drawn.contains("NaN"), "{drawn}");
        let many: BTreeMap<String, u64> = (1..=100).map(|n| (format!("w{n}"), n)).collect();
        let bars = of(&many, |_| String::new());
        assert_eq!(bars.len(), ROWS_MAX + 1);
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 5_050);
        assert_eq!(table("x", &[]).into_string(), "");
    }

    #[test]
    fn parts_fill_the_whole() {
        let parts = counts(&[("log", 25), ("archive", 75), ("seen", 0)]);
        let drawn = stacked(&parts, grouped).into_string();
        assert!(drawn.contains("x=\"0.00\" width=\"75.00\""), "{drawn}");
        assert!(drawn.contains("x=\"75.00\" width=\"25.00\""), "{drawn}");
        assert!(!drawn.contains("seen"), "{drawn}");
        let empty = stacked(&BTreeMap::new(), grouped).into_string();
        assert!(!empty.contains("rect"), "{empty}");
    }
}
