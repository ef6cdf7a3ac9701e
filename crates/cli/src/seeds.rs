//! Seeds: URLs, files of URLs, and stdin.

use std::io::Read;
use std::path::Path;

use rhumb_web::{Canon, CanonUrl};

use crate::fault::Fault;

/// The largest file of seeds that is read.
const SEED_BYTES_MAX: u64 = 1 << 30;

/// Reads every word of the command line: a URL, a file with one URL a line, or `-`.
pub(crate) fn read(words: &[String], canon: Canon) -> Result<Vec<CanonUrl>, Fault> {
    let mut seeds = Vec::new();
    for word in words {
        if word == "-" {
            seeds.extend(lines("stdin", std::io::stdin().lock(), canon)?);
            continue;
        }
        match CanonUrl::parse_with(word, canon) {
            Ok(url) => seeds.push(url),
            Err(error) => seeds.extend(file(word, &error.to_string(), canon)?),
        }
    }
    let mut met = std::collections::HashSet::new();
    seeds.retain(|url| met.insert(url.clone()));
    if seeds.is_empty() {
        return Err(Fault::usage("there is no seed", "rhumb crawl https://example.org"));
    }
    Ok(seeds)
}

fn file(word: &str, why_no_url: &str, canon: Canon) -> Result<Vec<CanonUrl>, Fault> {
    let path = Path::new(word);
    if !path.exists() {
        let with_scheme = format!("https://{word}");
        let advice = match CanonUrl::parse(&with_scheme) {
            Ok(url) if !word.contains("://") => format!("rhumb crawl {url}"),
            _ => "rhumb crawl https://example.org, or a file with one URL a line".to_owned(),
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
    lines(word, file, canon)
}

/// One URL a line; empty lines and lines that begin with `#` do not count.
fn lines(name: &str, source: impl Read, canon: Canon) -> Result<Vec<CanonUrl>, Fault> {
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
        let url = CanonUrl::parse_with(line, canon).map_err(|error| {
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
