//! Moments, as people and programs read them.

use std::time::{Duration, SystemTime};

use maud::{Markup, html};

/// The first millisecond of the year 10000: beyond what RFC 3339 can write.
const END_MS: i64 = 253_402_300_800_000;

/// A moment in RFC 3339, in UTC, by its milliseconds since 1970. No page is dated before that or
/// after the year 9999, by those who read its date; anything else is the beginning.
pub fn moment(ms: i64) -> String {
    let ms = if (0..END_MS).contains(&ms) { ms.unsigned_abs() } else { 0 };
    let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
    humantime::format_rfc3339_millis(moment).to_string()
}

/// Its day alone: `2026-11-16`.
pub(crate) fn day(ms: i64) -> String {
    moment(ms).chars().take(10).collect()
}

/// A moment in RFC 3339 as people read it, to the second; the exact one goes with it.
pub(crate) fn read(moment: &str) -> Markup {
    let second = moment.get(..19).unwrap_or(moment).replace('T', " ");
    html! { time.nowrap datetime=(moment) { (second) " UTC" } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_whatever_it_is() {
        let check = |ms: i64, expect: &str| assert_eq!(moment(ms), expect);
        check(0, "1970-01-01T00:00:00.000Z");
        check(1_700_000_000_123, "2023-11-14T22:13:20.123Z");
        check(i64::MIN, "1970-01-01T00:00:00.000Z");
        check(i64::MAX, "1970-01-01T00:00:00.000Z");
        assert_eq!(day(1_700_000_000_123), "2023-11-14");
        let read = read("2023-11-14T22:13:20.123Z").into_string();
        assert!(
            read.ends_with("\"2023-11-14T22:13:20.123Z\">2023-11-14 22:13:20 UTC</time>"),
            "{read}"
        );
    }
}
