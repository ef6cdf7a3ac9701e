//! Where a payload lies, looked up line by line: for the few who ask for one that is far away.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use memchr::memmem;

/// The longest line that is looked at; one that a URL makes longer names no payload to us.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// The file and the offset of the record with this payload, by the lines of one index.
pub(crate) fn payload_in(path: &Path, digest: &str) -> io::Result<Option<(String, u64)>> {
    let needle = memmem::Finder::new(digest.as_bytes());
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        // A line without its end is being written.
        if line.len() > LINE_BYTES_MAX || needle.find(&line).is_none() || !line.ends_with(b"}\n") {
            continue;
        }
        let Ok(line) = std::str::from_utf8(&line) else { continue };
        let value = |name: &str| {
            let (_, rest) = line.rsplit_once(&format!("\"{name}\": \""))?;
            rest.split('"').next()
        };
        if value("digest") == Some(digest)
            && value("mime") != Some("warc/revisit")
            && let (Some(file), Some(Ok(offset))) =
                (value("filename"), value("offset").map(str::parse))
        {
            return Ok(Some((file.to_owned(), offset)));
        }
    }
}
