//! From bytes to records: encodings, line ends, comments, names of lines and their usual typos.

use super::hours::{Rate, Window, delay};
use super::pattern::escape;

/// As much of a file as is read; RFC 9309 §2.5 asks for at least this.
pub const ROBOTS_BYTES_MAX: usize = 500 * 1024;

/// A line that means something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Record {
    /// `User-agent`, its value as written.
    Agent(Box<str>),
    /// `Allow` or `Disallow`.
    Rule(RuleLine),
    /// A line that is for the agents above it, but is no rule.
    Extension(Extension),
    /// `Sitemap`, which is for everybody.
    Sitemap(String),
    /// `Host`, likewise.
    Host(String),
}

/// An Allow or Disallow line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RuleLine {
    pub(super) allow: bool,
    /// Counted from 1.
    pub(super) number: u32,
    /// As written, without comment and outer blanks.
    pub(super) text: Box<str>,
    /// The path pattern, in ASCII.
    pub(super) pattern: Box<str>,
}

/// What a group may say beyond its rules.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Extension {
    CrawlDelay(rhumb_web::Span),
    RequestRate(Rate),
    VisitTime(Window),
    AiUse(Box<str>),
}

#[derive(Clone, Copy)]
enum Key {
    Agent,
    Allow,
    Disallow,
    Sitemap,
    Host,
    CrawlDelay,
    RequestRate,
    VisitTime,
    AiUse,
}

/// The names of lines, with the misspellings that Google's parser and crawler-commons accept.
const KEYS: &[(&str, Key)] = &[
    ("user-agent", Key::Agent),
    ("useragent", Key::Agent),
    ("user agent", Key::Agent),
    ("useg-agent", Key::Agent),
    ("allow", Key::Allow),
    ("disallow", Key::Disallow),
    ("dissallow", Key::Disallow),
    ("dissalow", Key::Disallow),
    ("disalow", Key::Disallow),
    ("diasllow", Key::Disallow),
    ("disallaw", Key::Disallow),
    ("desallow", Key::Disallow),
    ("sitemap", Key::Sitemap),
    ("site-map", Key::Sitemap),
    ("host", Key::Host),
    ("crawl-delay", Key::CrawlDelay),
    ("crawldelay", Key::CrawlDelay),
    ("request-rate", Key::RequestRate),
    ("visit-time", Key::VisitTime),
    ("content-signal", Key::AiUse),
    ("content-signals", Key::AiUse),
    ("content-usage", Key::AiUse),
    ("llm-policy", Key::AiUse),
];

/// The records of a file, in their order.
pub(super) fn read(body: &[u8]) -> Vec<Record> {
    let text = plain(within_limit(body));
    let lines = numbered(&text);
    lines.filter_map(|(number, line)| record(number, line)).collect()
}

/// A line that the limit cuts would be a shorter, wider rule: it is left out whole.
fn within_limit(body: &[u8]) -> &[u8] {
    let Some(head) = body.get(..ROBOTS_BYTES_MAX).filter(|_| body.len() > ROBOTS_BYTES_MAX) else {
        return body;
    };
    if matches!(body[ROBOTS_BYTES_MAX], b'\n' | b'\r') {
        return head;
    }
    let end = head.iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
    &head[..end.map_or(0, |at| at + 1)]
}

/// The file without its byte order mark (whole or torn), UTF-16 as UTF-8, and without NUL bytes,
/// which also makes UTF-16 that lacks its mark readable.
fn plain(body: &[u8]) -> Vec<u8> {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units = body[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let letters = char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER));
        letters.collect::<String>().into_bytes()
    };
    let mut text = match body {
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        _ => {
            let mark = [0xEF, 0xBB, 0xBF].iter().zip(body).take_while(|(a, b)| a == b).count();
            body[mark..].to_vec()
        }
    };
    text.retain(|byte| *byte != 0);
    text
}

/// Lines that end in LF, CR or both, counted from 1.
fn numbered(text: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        rest = end.map(|at| {
            if text[at..].starts_with(b"\r\n") { &text[at + 2..] } else { &text[at + 1..] }
        });
        number += 1;
        Some((number, &text[..end.unwrap_or(text.len())]))
    })
}

fn record(number: u32, line: &[u8]) -> Option<Record> {
    let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
    let (key, value) = split(line)?;
    let text = || String::from_utf8_lossy(value).into_owned();
    let rule = |allow| {
        let text = String::from_utf8_lossy(line).into_owned().into_boxed_str();
        Record::Rule(RuleLine { allow, number, text, pattern: escape(value).into_boxed_str() })
    };
    Some(match key {
        Key::Agent => Record::Agent(text().into_boxed_str()),
        Key::Allow => rule(true),
        Key::Disallow => rule(false),
        Key::Sitemap | Key::Host if value.is_empty() => return None,
        Key::Sitemap => Record::Sitemap(text()),
        Key::Host => Record::Host(text()),
        Key::CrawlDelay => Record::Extension(Extension::CrawlDelay(delay(&text())?)),
        Key::RequestRate => Record::Extension(Extension::RequestRate(Rate::parse(&text())?)),
        Key::VisitTime => Record::Extension(Extension::VisitTime(Window::parse(&text())?)),
        Key::AiUse => {
            let whole = String::from_utf8_lossy(line).into_owned();
            Record::Extension(Extension::AiUse(whole.into_boxed_str()))
        }
    })
}

/// Name and value. Without a colon, or with one that belongs to the value, the first blank parts
/// them, if what follows is one word: `disallow /`.
fn split(line: &[u8]) -> Option<(Key, &[u8])> {
    let colon = line.iter().position(|byte| *byte == b':');
    let by_colon = colon.and_then(|at| Some((key(&line[..at])?, line[at + 1..].trim_ascii())));
    by_colon.or_else(|| {
        let blank = line.iter().position(u8::is_ascii_whitespace)?;
        let value = line[blank..].trim_ascii();
        let is_word = !value.iter().any(u8::is_ascii_whitespace);
        key(&line[..blank]).filter(|_| is_word).map(|key| (key, value))
    })
}

fn key(name: &[u8]) -> Option<Key> {
    let name = name.trim_ascii();
    KEYS.iter().find(|(word, _)| word.as_bytes().eq_ignore_ascii_case(name)).map(|(_, key)| *key)
}
