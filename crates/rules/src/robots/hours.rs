//! The clocks of a robots.txt: crawl-delay, request-rate, visit-time. None of them is in RFC 9309;
//! request-rate and visit-time come from the extended standard of 1996.

use std::time::Duration;

use rhumb_web::Span;
use serde::{Deserialize, Serialize};

/// The longest gap that a file can ask for: more is a closed site, which it should say by a rule.
pub const DELAY_MAX: Span = Span::hours(24);

const MINUTES_A_DAY: u16 = 24 * 60;

/// Seconds, perhaps with a fraction; what follows the number is talk.
pub(super) fn delay(text: &str) -> Option<Span> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let end = text.find(|letter| !is_number(letter)).unwrap_or(text.len());
    let seconds = text[..end].parse::<f64>().ok()?.min(DELAY_MAX.duration().as_secs_f64());
    Duration::try_from_secs_f64(seconds).ok().map(Span::from)
}

/// A part of every day, in minutes since midnight UTC, both ends included; it may wrap midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    from: u16,
    to: u16,
}

impl Window {
    /// `0600-0845`, `2300-0159`, `06:00-08:45`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        Some(Self { from: minute(from)?, to: minute(to)? })
    }

    pub(super) fn contains(self, minute: u16) -> bool {
        if self.from <= self.to {
            (self.from..=self.to).contains(&minute)
        } else {
            minute >= self.from || minute <= self.to
        }
    }

    /// Minutes until it opens; 0 if it is open.
    pub(super) fn opens_in(self, minute: u16) -> u16 {
        if self.contains(minute) {
            return 0;
        }
        (self.from + MINUTES_A_DAY - minute % MINUTES_A_DAY) % MINUTES_A_DAY
    }
}

fn minute(text: &str) -> Option<u16> {
    let digits: String = text.trim().chars().filter(|letter| *letter != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(2);
    let (hours, minutes) = (hours.parse::<u16>().ok()?, minutes.parse::<u16>().ok()?);
    let total = hours * 60 + minutes;
    // 2400 is the last minute of the day.
    (minutes < 60 && total <= MINUTES_A_DAY).then_some(total.min(MINUTES_A_DAY - 1))
}

/// So many pages in so much time, perhaps for a part of the day only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rate {
    gap: Span,
    window: Option<Window>,
}

impl Rate {
    /// `1/5` (a page every five seconds), `30/1m`, `5/1m 0200-2259`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (rate, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (pages, time) = rate.split_once('/')?;
        let pages = pages.parse::<u64>().ok().filter(|pages| *pages > 0)?;
        let digits = time.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = match time[digits.len()..].to_ascii_lowercase().as_str() {
            "" | "s" => Span::seconds(1),
            "m" => Span::minutes(1),
            "h" => Span::hours(1),
            "d" => Span::hours(24),
            _ => return None,
        };
        let time = unit.times(digits.parse().ok()?);
        let gap = Span(time.0.div_ceil(pages)).min(DELAY_MAX);
        Some(Self { gap, window: Window::parse(rest.trim()) })
    }

    /// The gap that it asks for at that minute of the day.
    pub(super) fn gap(self, minute: u16) -> Option<Span> {
        self.window.is_none_or(|window| window.contains(minute)).then_some(self.gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_may_have_a_fraction_and_never_exceeds_a_day() {
        for (text, expect) in [
            ("10", Some(10_000)),
            ("0.1", Some(100)),
            (".5", Some(500)),
            ("2.5 seconds", Some(2_500)),
            ("0", Some(0)),
            ("86401", Some(86_400_000)),
            ("99999999999999999999999999", Some(86_400_000)),
            ("-1", None),
            ("soon", None),
            ("1.2.3", None),
            ("", None),
        ] {
            assert_eq!(delay(text), expect.map(Span), "{text}");
        }
    }

    #[test]
    fn a_rate_becomes_a_gap_in_its_part_of_the_day() {
        for (text, minute, expect) in [
            ("1/5", 0, Some(5_000)),
            ("30/1m", 0, Some(2_000)),
            ("8/1s", 0, Some(125)),
            ("1/2h", 0, Some(7_200_000)),
            ("7/1m", 0, Some(8_572)),
            ("1/99999999999d", 0, Some(86_400_000)),
            ("5/1m 0200-2259", 120, Some(12_000)),
            ("5/1m 0200-2259", 119, None),
            ("20/1m 2300-0159", 119, Some(3_000)),
            ("20/1m 2300-0159", 1_380, Some(3_000)),
            ("20/1m 2300-0159", 120, None),
            ("20/1m whenever", 120, Some(3_000)),
            ("0/5", 0, None),
            ("1/-5", 0, None),
            ("1/5y", 0, None),
            ("fast", 0, None),
        ] {
            let gap = Rate::parse(text).and_then(|rate| rate.gap(minute));
            assert_eq!(gap, expect.map(Span), "{text} at {minute}");
        }
    }

    #[test]
    fn a_window_says_when_it_opens() {
        for (text, minute, expect) in [
            ("0600-0845", 360, Some(0)),
            ("0600-0845", 525, Some(0)),
            ("0600-0845", 526, Some(1_274)),
            ("0600-0845", 0, Some(360)),
            ("06:00 - 08:45", 359, Some(1)),
            ("2300-0159", 0, Some(0)),
            ("2300-0159", 120, Some(1_260)),
            ("0000-2400", 1_439, Some(0)),
            ("0600-0860", 0, None),
            ("600-845", 0, None),
            ("2500-0100", 0, None),
            ("0600", 0, None),
        ] {
            let opens = Window::parse(text).map(|window| window.opens_in(minute));
            assert_eq!(opens, expect, "{text} at {minute}");
        }
    }
}
