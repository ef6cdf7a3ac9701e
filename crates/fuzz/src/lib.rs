//! What holds for every input of every parser: a property for each, as one function of bytes.
//!
//! A [`Target`] is a property and the words that its inputs are made of. The package in `fuzz/`
//! lets libFuzzer look for inputs that break one (`cargo x fuzz`), and the tests of this room run
//! each over its corpus and over seeded [`mutate`]d copies of it, so that both hold the same code.
//!
//! The first line of an input is what the rest is read by, where a parser is told something:
//! a page's address, a path, a charset, a content coding. This room never fetches.

mod archived;
mod documents;
mod logged;
mod mutation;
mod pages;
mod rules;
mod urls;

use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

pub use mutation::{Chance, mutate};

/// A parser, and what must hold for it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also that of the folder of its corpus.
    pub name: &'static str,
    /// The property: panics where it does not hold.
    pub property: fn(&[u8]),
    /// What its inputs are made of.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "url", property: urls::url, words: urls::WORDS },
    Target { name: "robots", property: rules::robots, words: rules::WORDS },
    Target { name: "html", property: pages::html, words: pages::TAGS },
    Target { name: "sitemap", property: pages::sitemap, words: pages::LIST_WORDS },
    Target { name: "charset", property: pages::charset, words: pages::CHARSETS },
    Target { name: "coding", property: archived::coding, words: archived::CODINGS },
    Target { name: "http", property: archived::http, words: archived::HTTP_WORDS },
    Target { name: "warc", property: archived::warc, words: archived::WARC_WORDS },
    Target { name: "kind", property: documents::kind, words: documents::WORDS },
    Target { name: "pdf", property: documents::pdf, words: documents::PDF_WORDS },
    Target { name: "docx", property: documents::docx, words: documents::WORDS },
    Target { name: "xlsx", property: documents::xlsx, words: documents::WORDS },
    Target { name: "pptx", property: documents::pptx, words: documents::WORDS },
    Target { name: "odt", property: documents::odt, words: documents::WORDS },
    Target { name: "rtf", property: documents::rtf, words: documents::RTF_WORDS },
    Target { name: "log", property: logged::log, words: &[] },
    Target { name: "row", property: logged::row, words: &[] },
];

impl Target {
    /// The target of that name.
    pub fn named(name: &str) -> Option<Self> {
        TARGETS.iter().find(|target| target.name == name).copied()
    }

    /// Holds the property against an input; panics where it does not hold, or where code of ours
    /// panicked and somebody caught that.
    pub fn check(&self, input: &[u8]) {
        (self.property)(input);
        assert!(!PANICKED.load(Ordering::Relaxed), "a panic of ours was caught by somebody");
    }
}

static PANICKED: AtomicBool = AtomicBool::new(false);

/// From now on, panics of libraries that are caught are passed over in silence, and those of ours
/// are told, and remembered even where they are caught.
pub fn watch_panics() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_ours = |file: &str| file.contains("crates/") && !file.contains("registry");
        if info.location().is_some_and(|location| is_ours(location.file())) {
            PANICKED.store(true, Ordering::Relaxed);
            tell(info);
        }
    }));
}

/// The first line of an input, and the rest.
fn first_line(input: &[u8]) -> (String, &[u8]) {
    let mut parts = input.splitn(2, |byte| *byte == b'\n');
    let first = parts.next().unwrap_or_default();
    (String::from_utf8_lossy(first).into_owned(), parts.next().unwrap_or_default())
}

/// Where inputs are said to be from.
fn somewhere() -> rhumb_web::CanonUrl {
    rhumb_web::CanonUrl::parse("http://h.example/dir/page?a=1").expect("a URL")
}
