//! What the lines of an index tell: where a payload lies, which captures of a URL there are.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::push_json;

/// The longest line that is looked at; one that a URL makes longer names nothing to us.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Where lines are read one after the other, because that is faster than to go to and fro.
const NEAR_BYTES: u64 = 16 * 1024;

/// In which order the lines of an index are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// In none yet: the file grows.
    Open,
    /// Sorted.
    Sorted,
}

/// Shows the lines of a key, one after the other, until one is enough.
pub(crate) fn each_line(
    path: &Path,
    key: &str,
    order: Order,
    mut is_enough: impl FnMut(&Line<'_>) -> bool,
) -> io::Result<()> {
    let mut lines = BufReader::new(File::open(path)?);
    if order == Order::Sorted {
        go_near(&mut lines, key)?;
    }
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line)? {
        if key_of(&line) == key.as_bytes() {
            if Line::read(&line).is_some_and(|line| is_enough(&line)) {
                return Ok(());
            }
        } else if order == Order::Sorted && !is_before(&line, key) {
            return Ok(());
        }
    }
    Ok(())
}

/// Goes to a line that stands a little before those of a key.
fn go_near(lines: &mut BufReader<File>, key: &str) -> io::Result<()> {
    let (mut low, mut high) = (0, lines.get_ref().metadata()?.len());
    let mut line = Vec::new();
    // Every line that begins before `low` comes before the key.
    while high.saturating_sub(low) > NEAR_BYTES {
        let middle = low + (high - low) / 2;
        lines.seek(SeekFrom::Start(middle))?;
        // The rest of a line that begins before.
        next_line(lines, &mut line)?;
        if next_line(lines, &mut line)? && is_before(&line, key) {
            low = middle;
        } else {
            high = middle;
        }
    }
    lines.seek(SeekFrom::Start(low))?;
    if low > 0 {
        next_line(lines, &mut line)?;
    }
    Ok(())
}

/// The file and the offset of the record with this key and payload.
pub(crate) fn payload_in(
    path: &Path,
    key: &str,
    order: Order,
    digest: &str,
) -> io::Result<Option<(String, u64)>> {
    let mut found = None;
    each_line(path, key, order, |line| {
        if line.value("digest") == Some(digest) && !line.is_revisit() {
            found = line.place();
        }
        found.is_some()
    })?;
    Ok(found)
}

/// Reads a line with its end; false behind the last one. What is too long for a line of ours comes
/// in pieces.
pub(crate) fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = u64::try_from(LINE_BYTES_MAX).expect("a length fits 64 bits") + 1;
    Ok(lines.by_ref().take(most).read_until(b'\n', line)? > 0)
}

/// What a line is sorted by first.
fn key_of(line: &[u8]) -> &[u8] {
    line.split(|byte| *byte == b' ').next().unwrap_or_default()
}

/// Whether a line stands before all lines of a key: those are sorted as a whole, with the space
/// behind the key.
fn is_before(line: &[u8], key: &str) -> bool {
    line.iter().lt(key.as_bytes().iter().chain(b" "))
}

/// A whole line of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a>(&'a str);

impl<'a> Line<'a> {
    /// A line with its end; one without is being written.
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        if line.len() > LINE_BYTES_MAX || !line.ends_with(b"}\n") {
            return None;
        }
        str::from_utf8(line).ok().map(Self)
    }

    /// What it is sorted by first.
    pub(crate) fn key(&self) -> &'a str {
        self.0.split(' ').next().unwrap_or_default()
    }

    /// The URL, unless it has a sign that JSON must escape: none in canonical form has.
    pub(crate) fn url(&self) -> Option<&'a str> {
        let (_, rest) = self.0.split_once(" {\"url\": \"")?;
        rest.split('"').next().filter(|url| !url.contains('\\'))
    }

    /// When the record was made, in digits.
    pub(crate) fn stamp(&self) -> Option<&'a str> {
        let stamp = self.0.split(' ').nth(1)?;
        stamp.bytes().all(|byte| byte.is_ascii_digit()).then_some(stamp)
    }

    /// Whether it is of this very URL: others may have the same key.
    pub(crate) fn is_of(&self, url: &str) -> bool {
        let mut quoted = String::with_capacity(url.len() + 2);
        push_json(&mut quoted, url);
        let told = self.0.split_once(" {\"url\": ").map(|(_, rest)| rest);
        told.is_some_and(|rest| rest.starts_with(&quoted))
    }

    /// A value as it is written; quotation marks in it are not, so no other value can pose as it.
    pub(crate) fn value(&self, name: &str) -> Option<&'a str> {
        let (_, rest) = self.0.rsplit_once(&format!("\"{name}\": \""))?;
        rest.split('"').next()
    }

    /// Whether the payload lies elsewhere.
    pub(crate) fn is_revisit(&self) -> bool {
        self.value("mime") == Some("warc/revisit")
    }

    /// The file and the offset of the record.
    pub(crate) fn place(&self) -> Option<(String, u64)> {
        Some((self.value("filename")?.to_owned(), self.value("offset")?.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(key: &str, moment: usize, mime: &str, digest: &str, offset: usize) -> String {
        format!(
            "{key} {moment:014} {{\"url\": \"x\", \"mime\": \"{mime}\", \"digest\": \"{digest}\", \
             \"length\": \"5\", \"offset\": \"{offset}\", \"filename\": \"f.warc.gz\"}}\n"
        )
    }

    #[test]
    fn a_payload_is_found_in_any_order_of_the_lines() {
        let folder = tempfile::tempdir().unwrap();
        let (open, sorted) = (folder.path().join("open"), folder.path().join("sorted"));
        for count in [0, 1, 2, 700] {
            let key = |number: usize| format!("test,a)/{}", number * 7_919 % 1_000);
            let mut lines = Vec::new();
            for number in 0..count {
                let digest = format!("sha1:{number}");
                lines.push(line(&key(number), 1, "warc/revisit", &digest, 0));
                lines.push(line(&key(number), 2, "text/html", "sha1:OTHER", 0));
                lines.push(line(&key(number), 3, "text/html", &digest, number));
                // Keys that begin alike, before and behind in the order of bytes.
                lines.push(line(&format!("{}!", key(number)), 3, "text/html", &digest, 0));
            }
            fs::write(&open, lines.concat()).unwrap();
            lines.sort_unstable();
            fs::write(&sorted, lines.concat()).unwrap();
            for number in 0..count + 5 {
                let (key, digest) = (key(number), format!("sha1:{number}"));
                let place = u64::try_from(number).unwrap();
                let expect = (number < count).then(|| ("f.warc.gz".to_owned(), place));
                for (path, order) in [(&sorted, Order::Sorted), (&open, Order::Open)] {
                    let found = |digest| payload_in(path, &key, order, digest).unwrap();
                    assert_eq!(found(&digest), expect, "{number}");
                    assert_eq!(found("sha1:NONE"), None);
                }
            }
        }
    }
}
