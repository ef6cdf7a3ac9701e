//! robots.txt: the first line is a path, the rest is the file.

use rhumb_rules::{
    DELAY_MAX, Reading, Robots, RobotsFor, SITEMAPS_MAX, of_header, of_meta, path_as_written,
};

use crate::{first_line, somewhere};

pub(crate) const WORDS: &[&str] = &[
    "user-agent: ",
    "*",
    "rhumb",
    "disallow: ",
    "allow: ",
    "/",
    "$",
    "%2f",
    "%",
    "sitemap: ",
    "crawl-delay: ",
    "request-rate: 1/5",
    "visit-time: 0600-0845",
    "host: ",
    "content-signal: ",
    "#",
    "\r",
    "\r\n",
    "\u{feff}",
    "\0",
    "noindex",
    "unavailable_after: ",
    "99999999999999999999",
];

const MINUTES: [u16; 3] = [0, 719, 1_439];

pub(crate) fn robots(input: &[u8]) {
    let (path, file) = first_line(input);
    let robots = Robots::parse(file);
    assert!(robots.sitemaps().len() <= SITEMAPS_MAX);
    assert!(robots.sitemap_urls(&somewhere()).len() <= SITEMAPS_MAX);
    let lines = file.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    // The same file as other systems write it.
    let is_plain = !file.contains(&b'\r') && !file.contains(&0) && !is_wide(file);
    let elsewhere = is_plain.then(|| Robots::parse(&with_crlf(file)));
    for reading in [Reading::Standard, Reading::Reference] {
        for agent in ["rhumb", "*", "", "googlebot-news"] {
            let view = robots.for_agent_by(agent, reading);
            let verdict = view.judge(&path);
            assert_eq!(verdict.line.is_some(), verdict.rule.is_some());
            let line = verdict.line.and_then(|line| usize::try_from(line).ok());
            assert!(line.is_none_or(|line| (1..=lines).contains(&line)), "{line:?} of {lines}");
            for minute in MINUTES {
                assert!(view.gap(minute).is_none_or(|gap| gap <= DELAY_MAX));
                assert!(view.closed_until(minute).is_none_or(|wait| wait < 1_440));
            }
            let bytes = postcard::to_stdvec(&view).expect("it can be written");
            let back: RobotsFor = postcard::from_bytes(&bytes).expect("it can be read");
            assert_eq!(back.judge(&path), verdict, "what was written is read back");
            if let Some(elsewhere) = &elsewhere {
                let view = elsewhere.for_agent_by(agent, reading);
                assert_eq!(view.judge(&path), verdict, "line ends change nothing");
            }
        }
    }
    assert!(path_as_written(&path).starts_with('/'));
    let text = String::from_utf8_lossy(file);
    let _ = (of_meta("rhumb", &path, &text), of_header("rhumb", &text));
}

/// Whether it may be in an encoding of two bytes a letter, or is too long to grow.
fn is_wide(file: &[u8]) -> bool {
    file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff") || file.len() > 100_000
}

fn with_crlf(file: &[u8]) -> Vec<u8> {
    file.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..])
}
