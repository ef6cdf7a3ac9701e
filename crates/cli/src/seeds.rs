//! Seeds: URLs, files of URLs, and stdin.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use rhumb_web::{Canon, CanonUrl};

use crate::fault::Fault;

/// The largest file of seeds that is read.
const SEED_BYTES_MAX: u64 = 1 << 30;

/// Reads every word of the command line: a URL, a file with one URL a line, or `-`. The URLs keep
/// their queries: [`canonical`] brings them to the form that the crawl wants.
pub(crate) fn read(words: &[String]) -> Result<Vec<CanonUrl>, Fault> {
    let mut seeds = Vec::new();
    for word in words {
        if word == "-" {
            seeds.extend(lines("stdin", std::io::stdin().lock())?);
            continue;
        }
        match CanonUrl::parse_with(word, Canon::KeepQuery) {
            Ok(url) => seeds.push(url),
            Err(error) => seeds.extend(file(word, &error.to_string())?),
        }
    }
    Ok(seeds)
}

/// Seeds in the form that a crawl wants, each once, in their order.
pub(crate) fn canonical<'a>(
    texts: impl IntoIterator<Item = &'a str>,
    canon: Canon,
) -> Result<Vec<CanonUrl>, Fault> {
    let mut seeds = Vec::new();
    let mut met = HashSet::new();
    for text in texts {
        let url = CanonUrl::parse_with(text, canon).map_err(|error| {
            Fault::usage(format!("the seed {text:?} is no URL: {error}"), "https://example.org/")
        })?;
        if met.insert(url.clone()) {
            seeds.push(url);
        }
    }
    Ok(seeds)
}

fn file(word: &str, why_no_url: &str) -> Result<Vec<CanonUrl>, Fault> {
    let path = Path::new(word);
    if !path.exists() {
        let with_scheme = format!("https://{word}");
        let advice = match CanonUrl::parse(&with_scheme) {
            Ok(url) if !word.contains("://") => url.to_string(),
            _ => "a URL such as https://example.org, or a file with one URL a line".to_owned(),
        };
        let what = format!("{word:?} is no URL ({why_no_url}), and no file of that name exists");
        return Err(Fault::usage(what, advice));
    }
    let opened = std::fs::File::open(path).and_then(|file| {
        // A folder opens, and only fails when it is read.
        if file.metadata()?.is_dir() {
            Err(std::io::ErrorKind::IsADirectory.into())
        } else {
            Ok(file)
        }
    });
    let file = opened.map_err(|error| {
        Fault::usage(
            format!("cannot read the seed file {word}: {error}"),
            "a text file that you may read, with one URL a line",
        )
    })?;
    lines(word, file)
}

/// One URL a line; empty lines and lines that begin with `#` do not count.
fn lines(name: &str, source: impl Read) -> Result<Vec<CanonUrl>, Fault> {
    let mut bytes = Vec::new();
    let read = source.take(SEED_BYTES_MAX).read_to_end(&mut bytes);
    read.map_err(|error| {
        Fault::usage(format!("cannot read seeds from {name}: {error}"), "one URL a line")
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut seeds = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let url = CanonUrl::parse_with(line, Canon::KeepQuery).map_err(|error| {
            let shown: String = line.chars().filter(|c| !c.is_control()).take(80).collect();
            Fault::usage(
                format!("{name}, line {}: {shown:?} is no URL: {error}", number + 1),
                "one URL a line, with http:// or https://; # begins a comment",
            )
        })?;
        seeds.push(url);
    }
    Ok(seeds)
}
