//! Which URLs one script makes: the same but for numbers, ids and dates.

use rhumb_web::CanonUrl;

/// How much of a template is kept, in bytes: enough to recognise it.
const TEMPLATE_BYTES_MAX: usize = 256;

/// Opaque tokens of a URL that are looked at; one that has more is made by nobody for long.
const TOKENS_MAX: usize = 4;

/// The years of which calendars of people speak, from this one to two after the present.
const YEAR_MIN: u16 = 1990;
const YEARS_AHEAD_MAX: u16 = 2;

/// What a URL has in common with those that the same script makes: numbers become `#`, ids `@`,
/// a last segment in letters `*`, and of a query only the names are left.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Template(String);

impl Template {
    /// The template of a URL.
    pub fn of(url: &CanonUrl) -> Self {
        let mut text = String::with_capacity(64);
        let path = url.path();
        let path = path.strip_prefix('/').unwrap_or(path);
        // A script is what its query belongs to, and a folder what is in it.
        let last = path.rsplit('/').next().filter(|it| !it.is_empty() && url.query().is_none());
        let count = path.split('/').count();
        for (at, segment) in path.split('/').enumerate() {
            text.push('/');
            let is_last = at + 1 == count && last.is_some();
            push_segment(&mut text, segment, is_last);
        }
        let names = url.query().unwrap_or_default().split('&');
        let mut before = "";
        for (at, pair) in names.filter(|pair| !pair.is_empty()).enumerate() {
            let name = pair.split('=').next().unwrap_or_default();
            if at == 0 || name != before {
                text.push(if at == 0 { '?' } else { '&' });
                push_digitless(&mut text, name);
            }
            before = name;
        }
        text.truncate(text.floor_char_boundary(TEMPLATE_BYTES_MAX));
        Self(text)
    }

    /// As it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn push_segment(text: &mut String, segment: &str, is_last: bool) {
    let (name, hung) = segment.split_once(';').map_or((segment, None), |(a, b)| (a, Some(b)));
    if is_id(name) {
        text.push('@');
    } else if is_last && !name.bytes().any(|byte| byte.is_ascii_digit()) {
        text.push('*');
        if let Some((_, kind)) = name.rsplit_once('.') {
            text.push('.');
            text.push_str(kind);
        }
    } else {
        push_digitless(text, name);
    }
    if let Some(hung) = hung {
        text.push(';');
        text.push_str(hung.split('=').next().unwrap_or_default());
    }
}

/// Adds a text with `#` for every run of digits.
fn push_digitless(text: &mut String, part: &str) {
    let mut is_number = false;
    for letter in part.chars() {
        let is_digit = letter.is_ascii_digit();
        if !is_digit {
            text.push(letter);
        } else if !is_number {
            text.push('#');
        }
        is_number = is_digit;
    }
}

/// Whether a text is an id: letters and digits mixed, a UUID, or too long for a word.
fn is_id(text: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    if text.len() >= 32 && text.bytes().all(is_hex) {
        return true;
    }
    let count = |is: fn(&u8) -> bool| text.bytes().filter(is).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    if digits + letters != text.len() || letters == 0 {
        return false;
    }
    // `item17` is a name and a number.
    let is_edge = |pair: &&[u8]| pair[0].is_ascii_digit() != pair[1].is_ascii_digit();
    let is_mixed = || text.as_bytes().windows(2).filter(is_edge).count() >= 2;
    let is_hex = || text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.len() {
        0..6 => false,
        6..8 => digits >= 2 && letters >= 2 && is_mixed(),
        8..24 => digits >= 2 && is_mixed() || digits >= 1 && is_hex(),
        _ => true,
    }
}

/// Whether a text is a number that nobody counts up to: a moment, or one that was drawn.
fn is_long_number(text: &str, digits: usize) -> bool {
    text.len() >= digits && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An opaque part of a URL, which may be a session id: it is one if the page is the same under
/// another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where such parts stand: `/2` is the third segment, `?sid` a parameter.
    pub slot: String,
    /// The URL without it.
    pub rest: String,
}

impl Token {
    /// The opaque parts of a URL, each by itself; and all at once, if there are several.
    pub fn all(url: &CanonUrl) -> Vec<Self> {
        let slots = slots(url);
        let mut tokens: Vec<Self> =
            slots.iter().map(|slot| without(url, std::slice::from_ref(slot))).collect();
        if slots.len() > 1 {
            tokens.push(without(url, &slots));
        }
        tokens
    }
}

/// The places of the opaque parts in the path and query, and how each place is called.
fn slots(url: &CanonUrl) -> Vec<(std::ops::Range<usize>, String)> {
    let text = url.path_and_query();
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let mut slots = Vec::new();
    let mut start = 0;
    for (at, segment) in path.split('/').enumerate() {
        if let Some((name, hung)) = segment.split_once(';') {
            let (key, value) = hung.split_once('=').unwrap_or((hung, ""));
            let from = start + name.len() + 1 + key.len() + 1;
            if is_id(value) || is_long_number(value, 6) {
                slots.push((from..from + value.len(), format!(";{key}")));
            }
        } else if is_id(segment) || is_long_number(segment, 8) {
            slots.push((start..start + segment.len(), format!("/{at}")));
        }
        start += segment.len() + 1;
    }
    start = path.len() + 1;
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_id(value) || is_long_number(value, 6) {
            let from = start + name.len() + 1;
            slots.push((from..from + value.len(), format!("?{name}")));
        }
        start += pair.len() + 1;
    }
    slots.truncate(TOKENS_MAX);
    slots
}

fn without(url: &CanonUrl, slots: &[(std::ops::Range<usize>, String)]) -> Token {
    let text = url.path_and_query();
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for (place, _) in slots {
        rest.push_str(&text[from..place.start]);
        rest.push('@');
        from = place.end;
    }
    rest.push_str(&text[from..]);
    Token { slot: slots.iter().map(|(_, slot)| slot.as_str()).collect(), rest }
}

/// A URL that looks like a page of a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The year of which it speaks, if it names one.
    year: Option<u16>,
}

impl Calendar {
    /// The calendar of a URL: a year beside a month, a date in one piece, or a word that says so.
    pub fn of(url: &CanonUrl) -> Option<Self> {
        let is_sign = |it: char| !it.is_ascii_alphanumeric();
        let (mut year, mut has_month, mut is_told) = (None, false, false);
        for part in url.path_and_query().split(is_sign).filter(|part| !part.is_empty()) {
            match part.len() {
                _ if !part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    is_told |= CALENDAR_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word));
                    has_month |= is_month(part);
                }
                1 | 2 => has_month |= (1..=12).contains(&part.parse().unwrap_or(0)),
                4 | 6 | 8 => {
                    let found = part[..4].parse().ok().filter(|it| (1_000..3_000).contains(it));
                    let month = part.get(4..6).and_then(|month| month.parse().ok());
                    let is_date = month.is_none_or(|it: u8| (1..=12).contains(&it));
                    if is_date && found.is_some() {
                        year = year.or(found);
                        has_month |= month.is_some();
                    }
                }
                _ => {}
            }
        }
        let is_calendar = is_told || (year.is_some() && has_month);
        is_calendar.then_some(Self { year })
    }

    /// Whether it speaks of a year that calendars of people do not reach, seen from this one.
    pub fn is_far(self, this_year: u16) -> bool {
        let near = YEAR_MIN..=this_year.saturating_add(YEARS_AHEAD_MAX);
        self.year.is_some_and(|year| !near.contains(&year))
    }
}

/// Parts of a URL that say that it is a calendar's.
const CALENDAR_WORDS: [&str; 9] =
    ["cal", "calendar", "kalender", "year", "month", "week", "date", "agenda", "daterange"];

/// Names of months as they are written in English, by their beginnings.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn is_month(part: &str) -> bool {
    let full = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    MONTHS.iter().chain(&full).any(|month| part.eq_ignore_ascii_case(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonUrl {
        CanonUrl::parse(&format!("http://a.example{path}")).unwrap()
    }

    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(Template::of(&url(path)).as_str(), expect, "{path}");
    }

    #[test]
    fn numbers_ids_and_values_are_no_part_of_a_template() {
        check("/", "/");
        check("/about", "/*");
        check("/guide/intro.html", "/guide/*.html");
        check("/guide/intro/", "/guide/intro/");
        check("/2024/05/17", "/#/#/#");
        check("/item17.html", "/item#.html");
        check("/item17", "/item#");
        check("/cal.php?y=2031&m=5", "/cal.php?y&m");
        check("/list?tag=a&tag=b&tag=c", "/list?tag");
        check("/s/4f3a9c2e/page/7", "/s/@/page/#");
        check("/v/550e8400-e29b-41d4-a716-446655440000/x", "/v/@/*");
        check("/page;sid=17", "/*;sid");
        assert!(Template::of(&url(&format!("/{}/1", "x/".repeat(400)))).0.len() <= 256);
    }

    #[track_caller]
    fn check_tokens(path: &str, expect: &[(&str, &str)]) {
        let tokens = Token::all(&url(path));
        let found: Vec<_> = tokens.iter().map(|it| (it.slot.as_str(), it.rest.as_str())).collect();
        assert_eq!(found, expect, "{path}");
    }

    #[test]
    fn opaque_parts_are_found_in_paths_and_queries() {
        check_tokens("/article/17?page=2", &[]);
        check_tokens("/python3/intro-to-rust-2024", &[]);
        check_tokens("/s/4f3a9c2e/page", &[("/2", "/s/@/page")]);
        check_tokens("/a?k=9f8e7d6c&p=1", &[("?k", "/a?k=@&p=1")]);
        check_tokens("/a;s=9f8e7d6c?p=1", &[(";s", "/a;s=@?p=1")]);
        check_tokens("/a?t=1700000000", &[("?t", "/a?t=@")]);
        check_tokens(
            "/4f3a9c2e/a?k=9f8e7d6c",
            &[("/1", "/@/a?k=9f8e7d6c"), ("?k", "/4f3a9c2e/a?k=@"), ("/1?k", "/@/a?k=@")],
        );
    }

    #[track_caller]
    fn check_calendar(path: &str, expect: Option<bool>) {
        let far = Calendar::of(&url(path)).map(|it| it.is_far(2026));
        assert_eq!(far, expect, "{path}");
    }

    #[test]
    fn calendars_are_known_by_their_dates_and_names() {
        check_calendar("/2024/05/", Some(false));
        check_calendar("/cal?m=5&y=2028", Some(false));
        check_calendar("/cal?m=5&y=2029", Some(true));
        check_calendar("/day/1848-03-18", Some(true));
        check_calendar("/d/20310518", Some(true));
        check_calendar("/events/may/2031", Some(true));
        check_calendar("/calendar/next", Some(false));
        check_calendar("/item/4711", None);
        check_calendar("/about/2024", None);
        check_calendar("/page?p=5", None);
    }
}
