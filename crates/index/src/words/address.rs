//! The words of a URL: the names in its host, its path and the values of its query.

use rhumb_web::{CanonUrl, registrable};

use super::stems::Snowball;
use super::{Analyser, Initials, Word};

/// What says how a page is made, not what it is about.
const EXTENSIONS: [&str; 10] =
    ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "cgi", "do"];
/// The name of a page that stands for its folder.
const FOLDER_PAGES: [&str; 3] = ["index", "default", "home"];
/// More of a URL is not read.
const TEXT_BYTES_MAX: usize = 1_024;

impl Analyser {
    /// Hands over the words of a URL and gives back the position after the last. Where they begin
    /// and end is told in a text that is not kept.
    pub fn each_of_url(
        &mut self,
        url: &CanonUrl,
        language: Option<&str>,
        take: impl FnMut(Word<'_>),
    ) -> usize {
        let mut text = String::new();
        push_host(&mut text, url.host());
        let segments: Vec<&str> = url.path().split('/').collect();
        for (index, segment) in segments.iter().enumerate() {
            let is_last = index + 1 == segments.len();
            let decoded = decoded(segment);
            push_segment(&mut text, if is_last { page_name(&decoded) } else { &decoded });
        }
        for pair in url.query().unwrap_or_default().split('&') {
            let (_, value) = pair.split_once('=').unwrap_or(("", pair));
            push_segment(&mut text, &decoded(value));
        }
        text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
        self.each_with(&text, Snowball::of(language), 0, Initials::ALL, take)
    }
}

/// The labels before the public suffix, but no `www` and no address.
fn push_host(text: &mut String, host: &str) {
    let Some(domain) = registrable(host) else {
        return;
    };
    let suffix = domain.find('.').map_or(0, |dot| domain.len() - dot);
    for label in host[..host.len() - suffix].split('.').filter(|label| *label != "www") {
        push_segment(text, label);
    }
}

/// The name of a page without its extension; nothing if it stands for its folder.
fn page_name(segment: &str) -> &str {
    let name = match segment.rsplit_once('.') {
        Some((name, extension)) if is_any(&EXTENSIONS, extension) => name,
        _ => segment,
    };
    if is_any(&FOLDER_PAGES, name) { "" } else { name }
}

fn is_any(known: &[&str], name: &str) -> bool {
    known.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// Puts a segment in as it stands, and after it the parts of names such as `getUserName2`.
fn push_segment(text: &mut String, segment: &str) {
    if segment.is_empty() || text.len() > TEXT_BYTES_MAX {
        return;
    }
    text.push_str(segment);
    text.push(' ');
    for run in segment.split(|letter: char| !letter.is_alphanumeric()) {
        let start = text.len();
        let mut before = None;
        for letter in run.chars() {
            if before.is_some_and(|before| is_seam(before, letter)) {
                text.push(' ');
            }
            text.push(letter);
            before = Some(letter);
        }
        if text.len() == start + run.len() {
            text.truncate(start);
        } else {
            text.push(' ');
        }
    }
}

fn is_seam(before: char, letter: char) -> bool {
    before.is_lowercase() && letter.is_uppercase() || before.is_numeric() != letter.is_numeric()
}

/// A part of a URL without its percent signs; what is not UTF-8 becomes a sign.
fn decoded(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, after @ ..] = rest {
        let byte = match after {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        (bytes.push(byte.map_or(*first, |(high, low)| high << 4 | low)));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).replace('+', " ")
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
