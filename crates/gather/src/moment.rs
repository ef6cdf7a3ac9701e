//! Moments as archives, pages and servers write them, in milliseconds since 1970.

use std::time::{Duration, SystemTime};

/// No page is older than the web.
const WEB_MS: u64 = 631_152_000_000;
/// A page may be dated tomorrow, where it is tomorrow already.
const DAY: Duration = Duration::from_hours(24);

/// A moment of RFC 3339 in UTC, or a day alone.
pub(crate) fn rfc_3339(text: &str) -> Option<u64> {
    let text = text.trim();
    let is_day = text.len() == "2026-02-03".len();
    let time = if is_day {
        humantime::parse_rfc3339(&format!("{text}T00:00:00Z"))
    } else {
        humantime::parse_rfc3339(text)
    };
    time.ok().and_then(milliseconds)
}

/// The date of a header.
pub(crate) fn of_header(text: &str) -> Option<u64> {
    httpdate::parse_http_date(text).ok().and_then(milliseconds)
}

/// The date of a page that was fetched then, if it can be one.
pub(crate) fn dated(ms: u64, fetched_ms: u64) -> Option<i64> {
    let day = u64::try_from(DAY.as_millis()).expect("a day fits 64 bits");
    let is_sane = (WEB_MS..=fetched_ms.saturating_add(day)).contains(&ms);
    i64::try_from(ms).ok().filter(|_| is_sane)
}

fn milliseconds(time: SystemTime) -> Option<u64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_days_are_read_and_nothing_else() {
        assert_eq!(rfc_3339("1970-01-01T00:00:01.500Z"), Some(1_500));
        assert_eq!(rfc_3339(" 1970-01-02 "), Some(86_400_000));
        assert_eq!(rfc_3339("yesterday"), None);
        assert_eq!(rfc_3339("1969-01-01"), None);
        assert_eq!(of_header("Thu, 01 Jan 1970 00:00:02 GMT"), Some(2_000));
        assert_eq!(of_header("2"), None);
    }

    #[test]
    fn a_date_before_the_web_or_after_tomorrow_is_none() {
        let fetched = 1_770_000_000_000;
        assert_eq!(dated(fetched, fetched), Some(1_770_000_000_000));
        assert_eq!(dated(fetched + 86_400_000, fetched), Some(1_770_086_400_000));
        assert_eq!(dated(fetched + 86_400_001, fetched), None);
        assert_eq!(dated(0, fetched), None);
    }
}
