//! Where a payload lies that is far away, by the lines of an index.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// The longest line that is looked at; one that a URL makes longer names no payload to us.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Where lines are read one after the other, because that is faster than to go to and fro.
const NEAR_BYTES: u64 = 16 * 1024;

/// The file and the offset of the record with this key and payload, by the lines of an index that
/// are in no order yet.
pub(crate) fn payload_in(
    path: &Path,
    key: &str,
    digest: &str,
) -> io::Result<Option<(String, u64)>> {
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    while next_line(&mut lines, &mut line)? {
        if key_of(&line) == key.as_bytes()
            && let Some(found) = place_in(&line, digest)
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The same, by the lines of an index that are sorted.
pub(crate) fn payload_sorted(
    path: &Path,
    key: &str,
    digest: &str,
) -> io::Result<Option<(String, u64)>> {
    let file = File::open(path)?;
    let (mut low, mut high) = (0, file.metadata()?.len());
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    // Every line that begins before `low` comes before the key.
    while high.saturating_sub(low) > NEAR_BYTES {
        let middle = low + (high - low) / 2;
        lines.seek(SeekFrom::Start(middle))?;
        // The rest of a line that begins before.
        next_line(&mut lines, &mut line)?;
        if next_line(&mut lines, &mut line)? && is_before(&line, key) {
            low = middle;
        } else {
            high = middle;
        }
    }
    lines.seek(SeekFrom::Start(low))?;
    if low > 0 {
        next_line(&mut lines, &mut line)?;
    }
    while next_line(&mut lines, &mut line)? {
        if key_of(&line) == key.as_bytes() {
            if let Some(found) = place_in(&line, digest) {
                return Ok(Some(found));
            }
        } else if !is_before(&line, key) {
            return Ok(None);
        }
    }
    Ok(None)
}

fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(lines.read_until(b'\n', line)? > 0)
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

/// The place that a line tells, if it is that of the payload itself.
fn place_in(line: &[u8], digest: &str) -> Option<(String, u64)> {
    // A line without its end is being written.
    if line.len() > LINE_BYTES_MAX || !line.ends_with(b"}\n") {
        return None;
    }
    let line = str::from_utf8(line).ok()?;
    let value = |name: &str| {
        let (_, rest) = line.rsplit_once(&format!("\"{name}\": \""))?;
        rest.split('"').next()
    };
    if value("digest") != Some(digest) || value("mime") == Some("warc/revisit") {
        return None;
    }
    Some((value("filename")?.to_owned(), value("offset")?.parse().ok()?))
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
                assert_eq!(payload_sorted(&sorted, &key, &digest).unwrap(), expect, "{number}");
                assert_eq!(payload_in(&open, &key, &digest).unwrap(), expect, "{number}");
                assert_eq!(payload_sorted(&sorted, &key, "sha1:NONE").unwrap(), None);
            }
        }
    }
}
