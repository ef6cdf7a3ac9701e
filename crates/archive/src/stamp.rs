//! A moment as WARC and CDXJ write it.

use std::fmt;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

/// The last second that RFC 3339 can write: the end of the year 9999.
const SECONDS_MAX: u64 = 253_402_300_799;
/// The letters of a moment to the millisecond.
const LETTERS: usize = 24;
/// The digits of a CDXJ timestamp: year to second.
const DIGITS: usize = 14;

/// A moment in UTC, to the millisecond; what no calendar can write is moved to its nearest end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp([u8; LETTERS]);

impl Stamp {
    pub(crate) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let since = since.min(Duration::from_secs(SECONDS_MAX));
        let moment = humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since);
        let mut letters = [0; LETTERS];
        write!(&mut letters[..], "{moment}").expect("every moment of the calendar is as long");
        Self(letters)
    }

    /// RFC 3339: `2026-02-03T04:05:06.789Z`.
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("a moment is ASCII")
    }

    /// `20260203040506`.
    pub(crate) fn digits(&self) -> String {
        digits(self.as_str()).collect()
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The timestamp of an index line, from the date of a record.
pub(crate) fn digits(date: &str) -> impl Iterator<Item = char> {
    date.chars().filter(char::is_ascii_digit).take(DIGITS)
}

/// Seconds from 1970 to the moment of these digits.
pub(crate) fn seconds(digits: &str) -> Option<u64> {
    let part = |from, to| digits.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, DIGITS)?);
    let date = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    let moment = humantime::parse_rfc3339(&date).ok()?;
    Some(moment.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_back_to_the_second() {
        assert_eq!(seconds("20260203040506"), Some(1_770_091_506));
        for odd in ["2026020304050", "20261303040506", "", "éééééééé"] {
            assert_eq!(seconds(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_moment_has_a_date_and_fourteen_digits() {
        let stamp = Stamp::of(SystemTime::UNIX_EPOCH + Duration::from_millis(1_770_091_506_789));
        assert_eq!(stamp.as_str(), "2026-02-03T04:05:06.789Z");
        assert_eq!(stamp.digits(), "20260203040506");
    }

    #[test]
    fn moments_outside_the_calendar_are_written_as_its_ends() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(5);
        assert_eq!(Stamp::of(before).digits(), "19700101000000");
        let after = SystemTime::UNIX_EPOCH + Duration::from_secs(SECONDS_MAX * 2);
        assert_eq!(Stamp::of(after).digits(), "99991231235959");
    }
}
