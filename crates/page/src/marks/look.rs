//! What is looked at of a page: its title, the text beside its links, its scripts and forms.

use std::collections::HashSet;

use memchr::{memchr_iter, memmem};

use super::loads::{Load, loads};
use super::phrases::{GATE_TITLES, List, Lists, MILD_TITLES, NAMES, phrases};
use super::{Facts, OWN_BYTES_MAX};
use crate::Page;
use crate::words::cut;

/// How much of a title is looked at.
const TITLE_BYTES_MAX: usize = 256;
/// A page with less text of its own is nearly empty.
const EMPTY_BYTES: usize = 160;
/// How far scripts and forms are looked for.
const BODY_BYTES_MAX: usize = 128 * 1024;
/// How many of them are looked at.
const ELEMENTS_MAX: usize = 128;
/// How much of each is looked at.
const ELEMENT_BYTES_MAX: usize = 768;
/// The elements by which a page loads something from elsewhere, or asks something.
const ELEMENTS: [&str; 5] = ["script", "iframe", "frame", "form", "noscript"];

/// A page as the signs are looked for in it. All text is in lower case.
pub(super) struct Look<'a> {
    pub(super) page: &'a Page,
    pub(super) facts: &'a Facts<'a>,
    pub(super) title: String,
    /// What the title says by itself or in one of its parts: of the lists of titles only.
    pub(super) titled: Lists,
    /// The lines that are not just links.
    pub(super) text: String,
    /// What the text has.
    pub(super) told: Lists,
}

impl<'a> Look<'a> {
    /// Looks at a page; nothing if it has too much to say to get a mark.
    pub(super) fn at(page: &'a Page, facts: &'a Facts<'a>) -> Option<Self> {
        let title = page.scan.title.as_deref().unwrap_or_default();
        let title = plain(cut(title, TITLE_BYTES_MAX));
        let titled = titles(&title);
        let is_short = page.scan.text.len() <= OWN_BYTES_MAX;
        // Menus can be long, but whoever has them names his errors.
        if !is_short && (titled == Lists::default() || own_bytes(page) > OWN_BYTES_MAX) {
            return None;
        }
        let is_plain = titled == Lists::default();
        let text = if is_plain { plain(&page.scan.text) } else { plain(&own_text(page)) };
        let told = phrases(&text);
        Some(Self { page, facts, title, titled, text, told })
    }

    pub(super) fn is_nearly_empty(&self) -> bool {
        self.text.len() < EMPTY_BYTES
    }

    /// Whether it asks not to be found.
    pub(super) fn is_noindex(&self) -> bool {
        let metas = self.page.scan.metas.iter().filter(|(name, _)| name == "robots");
        let metas = metas.map(|(_, content)| content.as_str());
        let headers = self.facts.headers.iter().filter(|(name, _)| *name == "x-robots-tag");
        let mut wishes = metas.chain(headers.map(|(_, value)| *value));
        wishes.any(|wish| contains(&wish.to_ascii_lowercase(), "noindex"))
    }

    /// What the scripts, frames and forms load.
    pub(super) fn loads(&self, mut tell: impl FnMut(Load)) {
        self.elements(|element| loads(element, &mut tell));
    }

    /// What stands in place of scripts, which is no visible text.
    pub(super) fn told_without_scripts(&self) -> Lists {
        let mut told = Lists::default();
        self.elements(|element| {
            if is_element(element, "noscript") || is_element(element, "iframe") {
                told.add_all(phrases(&plain(&String::from_utf8_lossy(element))));
            }
        });
        told
    }

    /// The beginnings of the scripts, frames and forms, as written.
    fn elements(&self, mut tell: impl FnMut(&[u8])) {
        let body = &self.facts.body[..self.facts.body.len().min(BODY_BYTES_MAX)];
        let tags = memchr_iter(b'<', body).map(|at| &body[at + 1..]);
        let is_wanted = |tag: &&[u8]| ELEMENTS.iter().any(|name| is_element(tag, name));
        for element in tags.filter(is_wanted).take(ELEMENTS_MAX) {
            tell(&element[..element.len().min(ELEMENT_BYTES_MAX)]);
        }
    }
}

fn is_element(element: &[u8], name: &str) -> bool {
    let head = element.get(..name.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
}

/// How many bytes of text are not of links.
fn own_bytes(page: &Page) -> usize {
    let links: usize = page.scan.links.iter().map(|link| link.text.len()).sum();
    page.scan.text.len().saturating_sub(links)
}

/// The lines that are not just the text of a link.
fn own_text(page: &Page) -> String {
    let links: HashSet<&str> = page.scan.links.iter().map(|link| link.text.as_str()).collect();
    let mut own = String::new();
    for line in page.scan.text.lines().filter(|line| !links.contains(line)) {
        own.push_str(cut(line, OWN_BYTES_MAX));
        own.push('\n');
        if own.len() > OWN_BYTES_MAX {
            break;
        }
    }
    own
}

/// A text in lower case and with plain signs.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            'A'..='Z' => plain.push(char.to_ascii_lowercase()),
            '\0'..='\x7f' => plain.push(char),
            '’' | '‘' | '´' => plain.push('\''),
            '…' => plain.push_str("..."),
            '–' | '—' => plain.push('-'),
            '\u{a0}' => plain.push(' '),
            _ => plain.extend(char.to_lowercase()),
        }
    }
    plain
}

pub(super) fn contains(text: &str, phrase: &str) -> bool {
    memmem::find(text.as_bytes(), phrase.as_bytes()).is_some()
}

/// How much may stand in a part of a title beside a phrase.
const BESIDE_BYTES_MAX: usize = 14;

/// The lists that a title is of.
fn titles(title: &str) -> Lists {
    let maybe = phrases(title);
    let mut found = Lists::default();
    for (list, names) in
        [(List::GateTitle, GATE_TITLES), (List::MildTitle, MILD_TITLES), (List::Name, NAMES)]
    {
        if maybe.has(list) && is_named(title, names) {
            found.add(list);
        }
    }
    if is_404(title) {
        found.add(List::Name);
    }
    found
}

/// Whether a line of the text is a heading of an error.
pub(super) fn is_error_heading(line: &str) -> bool {
    is_404(line) || is_named(line, NAMES)
}

/// Whether the number itself is what a title says.
fn is_404(title: &str) -> bool {
    parts(title).any(|part| part.trim_matches(|char: char| !char.is_alphanumeric()) == "404")
}

fn parts(line: &str) -> impl Iterator<Item = &str> {
    let is_sign = |char: char| matches!(char, '|' | '·' | '»' | '«' | ':' | '/' | '•' | '-' | ',');
    std::iter::once(line).chain(line.split(is_sign))
}

/// Whether a line, or a part of it between signs, is one of these phrases or hardly more.
fn is_named(line: &str, phrases: &[&str]) -> bool {
    parts(line).any(|part| {
        let part = part.trim_matches(|char: char| !char.is_alphanumeric());
        phrases
            .iter()
            .any(|phrase| part.len() <= phrase.len() + BESIDE_BYTES_MAX && has_words(part, phrase))
    })
}

/// Whether a text has a phrase that no letter of ASCII stands beside: other scripts may write
/// without spaces.
fn has_words(text: &str, phrase: &str) -> bool {
    memmem::find(text.as_bytes(), phrase.as_bytes()).is_some_and(|at| {
        let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        !is_word(before) && !is_word(text.as_bytes().get(at + phrase.len()))
    })
}
