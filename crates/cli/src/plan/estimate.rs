//! From a survey to figures: pages, time, bytes, disk.

use std::time::Duration;

use super::survey::{Sample, Survey};

/// What text shrinks to on disk: gzip takes three quarters of a usual page.
const TEXT_SHRINKS_TO: (u64, u64) = (1, 4);
/// What the archive adds to a page: the request, the records' own headers, the index line.
const RECORD_BYTES: u64 = 1_000;

/// What a crawl would be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    pub(super) pages: u64,
    pub(super) time: Duration,
    pub(super) bytes: u64,
    pub(super) disk_bytes: u64,
}

impl Estimate {
    pub(super) fn of(survey: &Survey) -> Self {
        let length = |count: usize| u64::try_from(count).expect("a length fits 64 bits");
        let (listed, found) = (length(survey.listed.len()), length(survey.found.len()));
        let unlisted = survey.found.iter().filter(|(key, _)| !survey.listed.contains(key));
        let unlisted: Vec<u32> = unlisted.map(|(_, times)| *times).collect();
        let known = listed + length(unlisted.len());
        let pages = if survey.is_whole {
            known
        } else if listed == 0 {
            richness(&unlisted)
        } else {
            let all = extrapolated(listed, survey.sitemaps_read, survey.sitemaps_left);
            // Each errs upwards where its assumption fails: the one where menus lead to pages that
            // nobody lists, the other where every page is linked once. So the lower one counts.
            let by_mark = recaptured(all, found, found - length(unlisted.len()));
            by_mark.min(all + richness(&unlisted)).max(known)
        };
        let each = survey.delay().0.saturating_add(survey.takes().0);
        let mean = |of: fn(&Sample) -> u64| {
            let sum: u64 = survey.samples.iter().map(of).sum();
            sum / length(survey.samples.len().max(1))
        };
        Self {
            pages,
            time: Duration::from_millis(pages.saturating_mul(each)),
            bytes: pages.saturating_mul(mean(|sample| sample.bytes)),
            disk_bytes: pages.saturating_mul(mean(on_disk)),
        }
    }
}

/// Sitemaps that were not read are like those that were.
fn extrapolated(listed: u64, read: u64, left: u64) -> u64 {
    listed.saturating_mul(read + left).checked_div(read).unwrap_or(listed)
}

/// How many pages there are if sitemaps list so many, links lead to so many, and both to so many:
/// the estimate of Lincoln and Petersen, corrected by Chapman (1951), as for marked fish. Where
/// every link leads to a listed page, the sitemaps are whole.
fn recaptured(listed: u64, found: u64, both: u64) -> u64 {
    ((listed + 1).saturating_mul(found + 1) / (both + 1)).saturating_sub(1)
}

/// How many kinds there are where some were met once, some twice and some more often: Chao's
/// lower bound (1984, corrected for bias), as for species in a sample.
fn richness(times_met: &[u32]) -> u64 {
    let (mut all, mut once, mut twice) = (0_u64, 0_u64, 0_u64);
    for &times in times_met {
        all += 1;
        once += u64::from(times == 1);
        twice += u64::from(times == 2);
    }
    all + once * once.saturating_sub(1) / (2 * (twice + 1))
}

fn on_disk(sample: &Sample) -> u64 {
    let (part, whole) = TEXT_SHRINKS_TO;
    let shrinks = sample.is_text && !sample.is_coded;
    let body = if shrinks { sample.received * part / whole } else { sample.received };
    body + RECORD_BYTES
}

#[cfg(test)]
mod tests {
    use rhumb_web::Span;

    use super::*;

    #[test]
    fn what_is_met_again_and_again_is_all_there_is() {
        let check = |times: &[u32], expect| assert_eq!(richness(times), expect);
        check(&[], 0);
        check(&[3, 3, 4], 3);
        check(&[2, 2, 2, 1], 4);
        check(&[1; 10], 55);
        check(&[1, 1, 1, 1, 2, 2], 8);
    }

    #[test]
    fn links_that_no_sitemap_lists_show_how_much_the_sitemaps_miss() {
        assert_eq!(recaptured(1_000, 60, 60), 1_000);
        assert_eq!(recaptured(999, 99, 49), 1_999);
        assert_eq!(recaptured(0, 0, 0), 0);
    }

    #[test]
    fn sitemaps_that_are_left_count_like_those_that_were_read() {
        assert_eq!(extrapolated(100, 2, 0), 100);
        assert_eq!(extrapolated(100, 2, 6), 400);
        assert_eq!(extrapolated(0, 0, 0), 0);
    }

    #[test]
    fn only_plain_text_shrinks_on_disk() {
        let sample = |is_text, is_coded| {
            let took = Span::ZERO;
            on_disk(&Sample { bytes: 9_000, received: 8_000, is_coded, is_text, took })
        };
        assert_eq!(sample(true, false), 3_000);
        assert_eq!(sample(true, true), 9_000);
        assert_eq!(sample(false, false), 9_000);
    }
}
