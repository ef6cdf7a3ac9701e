//! The fields of a query and what they take.

use std::fmt;

use rhumb_web::CanonUrl;

use super::Node;

/// The milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// The longest name of a kind.
const KIND_CHARS_MAX: usize = 16;

/// Names that other search engines have for the fields.
const OTHER_NAMES: [(&str, Field); 10] = [
    ("host", Field::Site),
    ("domain", Field::Site),
    ("url", Field::InUrl),
    ("allinurl", Field::InUrl),
    ("title", Field::InTitle),
    ("allintitle", Field::InTitle),
    ("language", Field::Lang),
    ("filetype", Field::Type),
    ("until", Field::Before),
    ("since", Field::After),
];

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Site,
    InUrl,
    InTitle,
    Lang,
    Type,
    Before,
    After,
}

impl Field {
    const ALL: [Self; 7] =
        [Self::Site, Self::InUrl, Self::InTitle, Self::Lang, Self::Type, Self::Before, Self::After];

    fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::InUrl => "inurl",
            Self::InTitle => "intitle",
            Self::Lang => "lang",
            Self::Type => "type",
            Self::Before => "before",
            Self::After => "after",
        }
    }

    /// The field of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name().eq_ignore_ascii_case(name))
    }

    /// The field that somebody may mean by this name.
    pub(super) fn meant_by(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let names = Self::ALL.into_iter().map(|field| (field.name(), field)).chain(OTHER_NAMES);
        let mut meant = names.filter(|(other, _)| *other == name || is_slip(other, &name));
        meant.next().map(|(_, field)| field)
    }

    /// What the field demands with this value, or what is wrong with it and what to do.
    pub(super) fn node(self, value: &str) -> Result<Node, (String, String)> {
        match self {
            Self::Site => site(value).map(Node::Site),
            Self::Lang => lang(value).map(Node::Lang),
            Self::Type => kind(value).map(Node::Kind),
            Self::Before => self.date(value).map(Node::Before),
            Self::After => self.date(value).map(Node::After),
            Self::InTitle => Ok(Node::InTitle(Box::new(Node::Word(value.to_owned())))),
            Self::InUrl => Ok(Node::InUrl(Box::new(Node::Word(value.to_owned())))),
        }
    }

    fn date(self, value: &str) -> Result<i64, (String, String)> {
        moment(value).ok_or_else(|| {
            let what = format!("{self}:{value} is no date");
            (what, format!("write {self}:2024, {self}:2024-05 or {self}:2024-05-31"))
        })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// The name before a colon, and what comes after it.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let length = text.find(|letter: char| !letter.is_ascii_alphabetic())?;
    let value = text[length..].strip_prefix(':')?;
    (length > 0).then_some((&text[..length], value))
}

/// Whether one letter was forgotten, added, changed or swapped with its neighbour.
fn is_slip(name: &str, typed: &str) -> bool {
    let (name, typed) = (name.as_bytes(), typed.as_bytes());
    let same = name.iter().zip(typed).take_while(|(a, b)| a == b).count();
    let (name, typed) = (&name[same..], &typed[same..]);
    match (name, typed) {
        ([], [_]) | ([_], []) => true,
        ([_, name_rest @ ..], [_, typed_rest @ ..]) => {
            let is_swapped = name.len() > 1
                && typed.len() > 1
                && (name[0], name[1]) == (typed[1], typed[0])
                && name[2..] == typed[2..];
            // Only longer words: many short ones differ by one letter and mean themselves.
            let is_changed = name_rest == typed_rest && same + name.len() > 4;
            is_changed || name_rest == typed || typed_rest == name || is_swapped
        }
        _ => false,
    }
}

fn site(value: &str) -> Result<String, (String, String)> {
    let bare = value.split_once("://").map_or(value, |(_, rest)| rest);
    let bare = bare.trim_start_matches("*.").trim_start_matches('.');
    let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
    if !path.is_empty() {
        let words: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let advice = format!("write site:{host} inurl:{}", words.join(" inurl:"));
        return Err((format!("site:{value} has a path"), advice));
    }
    let url = CanonUrl::parse(&format!("http://{host}/")).ok();
    let site = url.filter(|url| url.path_and_query() == "/").map(|url| {
        // The ports that are usual are not part of an address, 443 of https like 80 of http.
        let site = url.authority();
        site.strip_suffix(":443").unwrap_or(site).to_owned()
    });
    site.ok_or_else(|| {
        let advice = "write site:example.org".to_owned();
        (format!("site:{value} is no host or domain"), advice)
    })
}

fn lang(value: &str) -> Result<String, (String, String)> {
    let tag = value.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    let is_tag = matches!(tag.len(), 2 | 3) && tag.bytes().all(|byte| byte.is_ascii_lowercase());
    is_tag.then_some(tag).ok_or_else(|| {
        let advice = "write its tag, such as lang:en, lang:de or lang:zh".to_owned();
        (format!("lang:{value} is no tag of a language"), advice)
    })
}

fn kind(value: &str) -> Result<String, (String, String)> {
    let name = value.trim_start_matches('.').to_ascii_lowercase();
    let name = match name.as_str() {
        "htm" | "xhtml" => "html",
        "txt" => "text",
        other => other,
    };
    let is_name = (1..=KIND_CHARS_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then(|| name.to_owned()).ok_or_else(|| {
        let advice = "write type:html, type:pdf, type:docx or type:text".to_owned();
        (format!("type:{value} is no type"), advice)
    })
}

/// The beginning of a year, a month or a day.
fn moment(value: &str) -> Option<i64> {
    let mut parts = value.split('-');
    let mut number = |length: usize, least: i64, default: Option<i64>| {
        let Some(part) = parts.next() else { return default };
        let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|number| is_number && *number >= least)
    };
    let year = number(4, 1, None)?;
    let month = number(2, 1, Some(1)).filter(|month| *month <= 12)?;
    let day = number(2, 1, Some(1))?;
    let days = days_since_1970(year, month, day);
    let is_real = parts.next().is_none() && date_of(days) == (year, month, day);
    is_real.then_some(days * DAY_MS)
}

/// Days of the Gregorian calendar, counted in eras of 400 years that begin in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A moment as the day that it lies in.
pub(super) struct Day(pub(super) i64);

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0.div_euclid(DAY_MS));
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}
