//! Documents made for one test.

use std::fmt::Write as _;

/// A package of entries that are not packed.
pub(crate) fn package<N: AsRef<str>, B: AsRef<[u8]>>(entries: &[(N, B)]) -> Vec<u8> {
    let (mut body, mut central) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let (name, content) = (name.as_ref().as_bytes(), content.as_ref());
        let size = u32::try_from(content.len()).expect("a small entry").to_le_bytes();
        let name_size = u16::try_from(name.len()).expect("a short name").to_le_bytes();
        let offset = u32::try_from(body.len()).expect("a small package").to_le_bytes();
        // Version, flags, method, time, date and checksum, which nobody looks at here.
        let head = [&[0; 14][..], &size, &size, &name_size, &[0; 2]].concat();
        body.extend([b"PK\x03\x04", &head[..], name, content].concat());
        central.extend([b"PK\x01\x02\0\0", &head[..], &[0; 10], &offset, name].concat());
    }
    let start = u32::try_from(body.len()).expect("a small package").to_le_bytes();
    let size = u32::try_from(central.len()).expect("a small package").to_le_bytes();
    body.extend([&central[..], b"PK\x05\x06", &[0; 8], &size, &start, &[0; 2]].concat());
    body
}

/// The part that names others: identifier, kind and target of each; a target with a scheme is
/// outside.
pub(crate) fn relations(relations: &[(&str, &str, &str)]) -> String {
    let mut text = "<Relationships>".to_owned();
    for (id, kind, target) in relations {
        let mode = if target.contains("://") { " TargetMode=\"External\"" } else { "" };
        let line =
            format!("<Relationship Id=\"{id}\" Type=\"x/{kind}\" Target=\"{target}\"{mode}/>");
        text.push_str(&line);
    }
    text + "</Relationships>"
}

/// A PDF of these objects, numbered from 1; the first is the catalog, the last says what it is.
pub(crate) fn pdf<O: AsRef<[u8]>>(objects: &[O]) -> Vec<u8> {
    let mut body = b"%PDF-1.7\n".to_vec();
    let mut places = String::new();
    for (place, object) in objects.iter().enumerate() {
        writeln!(places, "{:010} 00000 n ", body.len()).expect("a string takes all");
        body.extend(format!("{} 0 obj\n", place + 1).bytes());
        body.extend([object.as_ref(), b"\nendobj\n"].concat());
    }
    let (count, start) = (objects.len(), body.len());
    let size = count + 1;
    let tail = format!(
        "xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n<</Size {size}/Root 1 0 R/Info {count} 0 \
         R>>\nstartxref\n{start}\n%%EOF\n"
    );
    body.extend(tail.bytes());
    body
}

/// A stream with these words in its dictionary.
pub(crate) fn stream(words: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<</Length {}{words}>>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}
