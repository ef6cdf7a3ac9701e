//! The last ends of URLs.

use std::collections::VecDeque;

use rhumb_web::Tick;

use super::report::Report;
use crate::ask::{RecentLine, moment};

/// Ends that are remembered.
const RECENT_MAX: usize = 20;

/// A ring of reports, the newest last.
#[derive(Debug, Default)]
pub(super) struct Recent(VecDeque<(Tick, Report)>);

impl Recent {
    /// Notes an end that is written.
    pub(super) fn note(&mut self, at: Tick, report: &Report) {
        if self.0.len() == RECENT_MAX {
            self.0.pop_front();
        }
        self.0.push_back((at, report.clone()));
    }

    /// The newest first, for a crawl that was created then, in milliseconds since 1970.
    pub(super) fn lines(&self, born_ms: u64) -> Vec<RecentLine> {
        let newest_first = self.0.iter().rev();
        let line = |(at, report): &(Tick, Report)| RecentLine {
            url: report.url.to_string(),
            time: moment(born_ms, *at),
            what: report.what.word().to_owned(),
            outcome: report.what.outcome(),
            status: report.what.status(),
            bytes: report.bytes,
            took_ms: report.took.map(|took| took.0),
        };
        newest_first.map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use rhumb_rules::Reason;
    use rhumb_web::{CanonUrl, Cut, Failure, Span};

    use super::*;
    use crate::partition::Miss;
    use crate::shell::What;

    fn report(number: usize, what: What) -> Report {
        let url = CanonUrl::parse(&format!("http://a.test/{number}")).unwrap();
        Report { url, depth: 0, what, bytes: 7, took: Some(Span(9)) }
    }

    #[test]
    fn only_the_last_are_told_and_the_newest_first() {
        let mut recent = Recent::default();
        assert!(recent.lines(0).is_empty());
        for number in 0..50 {
            let at = if number < 45 { Tick(1_000) } else { Tick(2_000) };
            recent.note(at, &report(number, What::Fetched(200, None)));
        }
        let lines = recent.lines(500);
        assert_eq!(lines.len(), RECENT_MAX);
        assert_eq!((&*lines[0].url, &*lines[19].url), ("http://a.test/49", "http://a.test/30"));
        assert_eq!(lines[4].time, "1970-01-01T00:00:02.500Z");
        assert_eq!(lines[5].time, "1970-01-01T00:00:01.500Z");
        assert_eq!((lines[0].bytes, lines[0].took_ms), (7, Some(9)));
    }

    #[test]
    fn an_end_has_one_word_and_the_status_of_its_answer() {
        let check = |what: What, word: &str, outcome: &str, status| {
            let mut recent = Recent::default();
            recent.note(Tick(0), &report(0, what));
            let line = recent.lines(0).remove(0);
            assert_eq!((&*line.what, &*line.outcome, line.status), (word, outcome, status));
        };
        let not_found = Miss::Status(404);
        check(What::Fetched(200, None), "fetched", "ok", Some(200));
        check(What::Fetched(302, None), "fetched", "redirect", Some(302));
        check(What::Fetched(304, None), "fetched", "unchanged", Some(304));
        check(What::Fetched(200, Some(Cut::Length)), "fetched", "cut-length", Some(200));
        check(What::Refused(Reason::Robots), "refused", "robots", None);
        check(What::Missed(not_found), "failed", "http-404", Some(404));
        check(What::Retried(Miss::Failure(Failure::Dns)), "retried", "dns", None);
    }
}
