//! Dates as documents write them, in one form: RFC 3339, in UTC.

/// Hours that a zone may be away from UTC.
const ZONE_HOURS_MAX: i32 = 14;

/// A date as XML has it: a moment in UTC where a zone is told, else the day alone; nothing where
/// there is no such day.
pub(crate) fn moment(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.as_bytes();
    if bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let day = Date::new(number(text, 0, 4)?, number(text, 5, 2)?, number(text, 8, 2)?)?;
    let time = || {
        let (hour, minute) = (number(text, 11, 2)?, number(text, 14, 2)?);
        let marked = matches!(bytes.get(10)?, b'T' | b't' | b' ') && bytes.get(13) == Some(&b':');
        let has_second = bytes.get(16) == Some(&b':');
        let second = if has_second { number(text, 17, 2)? } else { 0 };
        let rest = text.get(if has_second { 19 } else { 16 }..)?;
        let zone = rest.trim_start_matches(|char: char| char == '.' || char.is_ascii_digit());
        marked.then_some(())?;
        day.at([hour, minute, second], zone_minutes(zone)?)
    };
    Some(time().unwrap_or_else(|| day.text()))
}

/// The same as PDF has it: `D:20240506070809+02'00'`.
pub(crate) fn printed_moment(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("D:").unwrap_or(text);
    let day = Date::new(number(text, 0, 4)?, number(text, 4, 2)?, number(text, 6, 2)?)?;
    let time = || {
        let time = [number(text, 8, 2)?, number(text, 10, 2)?, number(text, 12, 2)?];
        let zone = text.get(14..)?.trim_end_matches('\'').replace('\'', ":");
        // Some programs write `Z00'00'`.
        let zone = if zone.starts_with('Z') { "Z" } else { &zone };
        day.at(time, zone_minutes(zone)?)
    };
    Some(time().unwrap_or_else(|| day.text()))
}

/// A day of the calendar.
#[derive(Clone, Copy)]
struct Date {
    year: i32,
    month: i32,
    day: i32,
}

impl Date {
    fn new(year: i32, month: i32, day: i32) -> Option<Self> {
        let valid = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day);
        valid.then_some(Self { year, month, day })
    }

    /// The moment at this hour, minute and second of a zone so many minutes ahead of UTC.
    fn at(self, [hour, minute, second]: [i32; 3], ahead: i32) -> Option<String> {
        // A leap second is the one before to most readers.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let minutes = hour * 60 + minute - ahead;
        let day = match minutes {
            ..0 => self.before()?,
            1440.. => self.after()?,
            _ => self,
        };
        let (minutes, second) = (minutes.rem_euclid(1440), second.min(59));
        Some(format!("{}T{:02}:{:02}:{second:02}Z", day.text(), minutes / 60, minutes % 60))
    }

    fn before(self) -> Option<Self> {
        let Self { year, month, day } = self;
        let (last_year, last_month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
        Self::new(year, month, day - 1)
            .or_else(|| Self::new(last_year, last_month, days_of(last_year, last_month)))
    }

    fn after(self) -> Option<Self> {
        let Self { year, month, day } = self;
        let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        Self::new(year, month, day + 1).or_else(|| Self::new(next_year, next_month, 1))
    }

    fn text(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days_of(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Minutes ahead of UTC: `Z`, `+02:00`, `-03`.
fn zone_minutes(zone: &str) -> Option<i32> {
    let sign = match zone.as_bytes().first()? {
        b'Z' | b'z' if zone.len() == 1 => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = number(zone, 1, 2).filter(|hours| *hours <= ZONE_HOURS_MAX)?;
    let minutes = match zone.len() {
        3 => 0,
        6 if zone.as_bytes()[3] == b':' => number(zone, 4, 2).filter(|minutes| *minutes < 60)?,
        _ => return None,
    };
    Some(sign * (hours * 60 + minutes))
}

/// The number that these digits are.
fn number(text: &str, start: usize, digits: usize) -> Option<i32> {
    let digits = text.get(start..start + digits)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
