//! Durations and sizes as people write them: `200ms`, `2h`, `10GB`.

use std::time::Duration;

pub(crate) use rhumb_web::words::{bytes, counted, elapsed, grouped};

/// Reads `1s`, `200ms`, `2h 30m`; a bare `0` too.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" {
        return Ok(Duration::ZERO);
    }
    let read = humantime::parse_duration(text.trim());
    read.map_err(|_| format!("{text:?} is no duration; write it as 200ms, 1s, 5m or 2h"))
}

/// Reads `10GB`, `500 MiB`, `4096`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no size; write it as 500MB, 10GB or 4096");
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u128 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(wrong()),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    exact(whole, part, factor).ok_or_else(wrong)
}

/// Reads a part of all, `1%`, `0.05%` or `0`, as so many of a million.
pub(crate) fn part(text: &str) -> Result<u32, String> {
    const ONE_PERCENT: u128 = 10_000;
    const WHOLE: u32 = 1_000_000;
    let wrong = || format!("{text:?} is no part of all; write it as 1% or 0.05%");
    let number = match text.trim() {
        "0" => "0",
        text => text.strip_suffix('%').ok_or_else(wrong)?.trim_end(),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let read = exact(whole, part, ONE_PERCENT).and_then(|read| u32::try_from(read).ok());
    let read = read.filter(|read| *read <= WHOLE).ok_or_else(wrong)?;
    let is_nothing = number.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if read == 0 && !is_nothing {
        return Err(format!("{text:?} is less than one in a million; 0% is none"));
    }
    Ok(read)
}

/// So many times the factor, rounded down; none if that is no number of 64 bits.
fn exact(whole: &str, part: &str, factor: u128) -> Option<u64> {
    let digits = u32::try_from(part.len()).ok()?;
    let (whole, part): (u128, u128) = (whole.parse().ok()?, part.parse().ok()?);
    let part = part.checked_mul(factor)? / 10_u128.checked_pow(digits)?;
    u64::try_from(whole.checked_mul(factor)?.checked_add(part)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_percent() {
        for (text, expect) in
            [("1%", 10_000), ("0.05 %", 500), ("100%", 1_000_000), ("0", 0), ("0.0%", 0)]
        {
            assert_eq!(part(text), Ok(expect), "{text}");
        }
        for text in ["", "%", "1", "lots", "101%", "-1%", "0.00001%", "1%%", "1.%", "١%"] {
            assert!(part(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(size("10GB"), Ok(10_000_000_000));
        assert_eq!(size("1.5 MB"), Ok(1_500_000));
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("2KiB"), Ok(2048));
        assert!(size("ten").is_err());
        assert!(size("10 parsecs").is_err());
        assert!(size("99999999999999TB").is_err());
    }

    #[test]
    fn fractions_of_sizes_are_exact_and_rounded_down() {
        assert_eq!(size("1.23456789kB"), Ok(1_234));
        assert_eq!(size("1.5"), Ok(1));
        assert_eq!(size("0.5KiB"), Ok(512));
        assert_eq!(size("1.000000000001TB"), Ok(1_000_000_000_001));
        assert_eq!(size("18446744073709551615.9"), Ok(u64::MAX));
        let long = format!("1.{}", "9".repeat(60));
        for wrong in ["18446744073709551616", "18446744073709551.7kB", "1.2.3", "1.", ".5", &long] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(duration("200ms"), Ok(Duration::from_millis(200)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        assert!(duration("soon").is_err());
    }
}
