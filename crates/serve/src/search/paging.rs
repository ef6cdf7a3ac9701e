//! The way from one page of results to the others.

use maud::{Markup, html};
use rhumb_index::RESULTS_MAX;

use super::PAGE_RESULTS;
use crate::look::link;

/// Pages of results: beyond them nothing is shown.
pub(super) const PAGES_MAX: usize = RESULTS_MAX / PAGE_RESULTS;
/// Numbers on each side of the page that is shown.
const NEIGHBOURS: usize = 4;

/// The page that is meant by what somebody sent.
pub(super) fn number(text: Option<&str>) -> usize {
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(1).clamp(1, PAGES_MAX)
}

/// Links to the other pages; none if there is one only.
pub(super) fn pages(query: &str, page: usize, total: u64, has_more: bool) -> Markup {
    let last = last(page, total, has_more);
    let to = |page: usize| link("/search", &[("q", query), ("page", &page.to_string())]);
    let (from, until) = (page.saturating_sub(NEIGHBOURS).max(1), last.min(page + NEIGHBOURS));
    html! {
        @if last > 1 {
            nav.pages aria-label="Pages of results" {
                @if page > 1 { a rel="prev" href=(to(page - 1)) { "Previous" } }
                @if from > 1 { a href=(to(1)) aria-label="Page 1" { "1" } }
                @if from > 2 { span.gap { "…" } }
                @for number in from..=until {
                    @if number == page {
                        span aria-current="page" { (number) }
                    } @else {
                        a href=(to(number)) aria-label={ "Page " (number) } { (number) }
                    }
                }
                @if page < last { a rel="next" href=(to(page + 1)) { "Next" } }
            }
        }
    }
}

/// The last page that may have results: folded ones are among the total, so it is a guess as long
/// as there are more.
fn last(page: usize, total: u64, has_more: bool) -> usize {
    if !has_more {
        return page;
    }
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    total.div_ceil(PAGE_RESULTS).max(page + 1).min(PAGES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_sent_means_a_page() {
        let check = |text: &str, expect: usize| assert_eq!(number(Some(text)), expect, "{text}");
        check("3", 3);
        check(" 7 ", 7);
        check("0", 1);
        check("-1", 1);
        check("1e9", 1);
        check("99999999", PAGES_MAX);
        check("99999999999999999999999999", 1);
        assert_eq!(number(None), 1);
    }

    #[test]
    fn the_last_page_is_the_one_without_more() {
        assert_eq!(last(1, 5, false), 1);
        assert_eq!(last(3, 95, true), 10);
        assert_eq!(last(3, 95, false), 3);
        assert_eq!(last(12, 95, true), 13);
        assert_eq!(last(1, u64::MAX, true), PAGES_MAX);
        assert_eq!(last(PAGES_MAX, u64::MAX, true), PAGES_MAX);
    }
}
