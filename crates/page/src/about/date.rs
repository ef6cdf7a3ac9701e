//! Dates as pages write them, in one form: RFC 3339.

/// The years that a page can speak of as its own.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;
/// How much of a date is looked at.
const BYTES_MAX: usize = 64;

/// The date in RFC 3339: a time in UTC where a zone is told, else the day alone, for without a
/// zone a time is not known. Nothing where it is no date.
pub(super) fn normal(written: &str) -> Option<String> {
    let written = crate::words::cut(written.trim(), BYTES_MAX);
    iso(written).or_else(|| in_words(written))
}

/// A day of the calendar.
#[derive(Clone, Copy)]
struct Date {
    year: u32,
    month: u32,
    day: u32,
}

impl Date {
    fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let valid = YEARS.contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day);
        valid.then_some(Self { year, month, day })
    }

    fn before(self) -> Option<Self> {
        match (self.month, self.day) {
            (1, 1) => Self::new(self.year - 1, 12, 31),
            (month, 1) => Self::new(self.year, month - 1, days_of(self.year, month - 1)),
            _ => Some(Self { day: self.day - 1, ..self }),
        }
    }

    fn after(self) -> Option<Self> {
        let last = days_of(self.year, self.month);
        match (self.month, self.day) {
            (12, 31) => Self::new(self.year + 1, 1, 1),
            (month, day) if day == last => Self::new(self.year, month + 1, 1),
            _ => Some(Self { day: self.day + 1, ..self }),
        }
    }

    fn text(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        _ => 31,
    }
}

/// `2024-05-06`, `2024/5/6`, `20240506`, each with or without a time behind it.
fn iso(written: &str) -> Option<String> {
    let (year, rest) = number(written)?;
    if year > 9999 {
        let day = Date::new(year / 10_000, year / 100 % 100, year % 100)?;
        return Some(timed(day, rest));
    }
    let rest = rest.strip_prefix(['-', '/', '.'])?;
    let (month, rest) = number(rest)?;
    let (day, rest) = number(rest.strip_prefix(['-', '/', '.'])?)?;
    Some(timed(Date::new(year, month, day)?, rest))
}

/// `6 May 2024`, `May 6, 2024`, `Mon, 06 May 2024 10:00:00 GMT`.
fn in_words(written: &str) -> Option<String> {
    let month_at = |word: &str| {
        let word = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == word)
    };
    let mut month = None;
    let (mut day, mut year) = (None, None);
    let mut rest = written;
    while year.is_none() {
        rest = rest.trim_start_matches(|char: char| !char.is_ascii_alphanumeric());
        if let Some((number, after)) = number(rest) {
            match number {
                1..=31 if day.is_none() => day = Some(number),
                1900..=2100 => year = Some(number),
                _ => return None,
            }
            rest = after.trim_start_matches(|char: char| char.is_ascii_alphabetic());
        } else {
            let end = rest.find(|char: char| !char.is_alphabetic()).unwrap_or(rest.len());
            let word = rest.get(..end).filter(|word| !word.is_empty())?;
            month = month.or_else(|| month_at(word));
            rest = &rest[end..];
        }
    }
    let month = u32::try_from(month?).ok()? + 1;
    Some(timed(Date::new(year?, month, day?)?, rest))
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A day and what stands behind it, as a time in UTC if that is a time with a zone.
fn timed(day: Date, rest: &str) -> String {
    time(day, rest).unwrap_or_else(|| day.text())
}

fn time(day: Date, rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(['T', 't', ' ', ','])?.trim_ascii_start();
    let (hour, rest) = number(rest)?;
    let (minute, rest) = number(rest.strip_prefix(':')?)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest)?,
        None => (0, rest),
    };
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => number(fraction).map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let minutes = i64::from(hour * 60 + minute) - zone(rest.trim_ascii())?;
    let (day, minutes) = match minutes {
        ..0 => (day.before()?, minutes + 24 * 60),
        1440.. => (day.after()?, minutes - 24 * 60),
        _ => (day, minutes),
    };
    // A leap second is the next one to most readers.
    let second = second.min(59);
    Some(format!("{}T{:02}:{:02}:{second:02}Z", day.text(), minutes / 60, minutes % 60))
}

/// Minutes ahead of UTC.
fn zone(written: &str) -> Option<i64> {
    if written.eq_ignore_ascii_case("z")
        || written.eq_ignore_ascii_case("gmt")
        || written.eq_ignore_ascii_case("utc")
    {
        return Some(0);
    }
    let sign = if written.starts_with('+') { 1 } else { -1 };
    let digits = written.strip_prefix(['+', '-', '−'])?;
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() == 4 && digits.is_ascii() => digits.split_at(2),
        None => (digits, "0"),
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..=14).contains(&hours) && (0..=59).contains(&minutes))
        .then_some(sign * (hours * 60 + minutes))
}

/// The number at the beginning, at most nine digits of it, and the rest.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let digits = text.get(..end).filter(|digits| (1..=9).contains(&digits.len()))?;
    Some((digits.parse().ok()?, &text[end..]))
}
