//! A moment as WARC and CDXJ write it.

use std::fmt;
use std::time::{Duration, SystemTime};

/// The last second that RFC 3339 can write: the end of the year 9999.
const SECONDS_MAX: u64 = 253_402_300_799;
/// The digits of a CDXJ timestamp: year to second.
const DIGITS: usize = 14;

/// A moment in UTC, to the millisecond; what no calendar can write is moved to its nearest end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(String);

impl Stamp {
    pub(crate) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let since = since.min(Duration::from_secs(SECONDS_MAX));
        Self(humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since).to_string())
    }

    /// RFC 3339: `2026-02-03T04:05:06.789Z`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// `20260203040506`.
    pub(crate) fn digits(&self) -> String {
        digits(&self.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The timestamp of an index line, from the date of a record.
pub(crate) fn digits(date: &str) -> String {
    date.chars().filter(char::is_ascii_digit).take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
