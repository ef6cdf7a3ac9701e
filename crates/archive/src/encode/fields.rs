//! Named values: the head of a record, and blocks of `application/warc-fields`.

use std::fmt::Display;
use std::io::Write as _;

/// The room that a block begins with: most need no more.
const BLOCK_BYTES: usize = 256;

/// The block of so many named values.
pub(crate) fn fields_block(fields: &[(impl AsRef<str>, impl Display)]) -> Vec<u8> {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    for (name, value) in fields {
        push_field(&mut block, name.as_ref(), value);
    }
    block
}

/// One named value; a line end in it would begin another, so control characters become spaces.
pub(super) fn push_field(out: &mut Vec<u8>, name: &str, value: impl Display) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    let start = out.len();
    write!(out, "{value}").expect("a buffer takes any bytes");
    for byte in &mut out[start..] {
        if byte.is_ascii_control() {
            *byte = b' ';
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Reads a block of named values back, in their order; a line that is none is passed over.
pub fn fields_of(block: &[u8]) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in String::from_utf8_lossy(block).lines() {
        match (line.split_once(':'), fields.last_mut()) {
            (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (Some((name, value)), _) => {
                fields.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            (None, _) => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(block: &str, expect: &[(&str, &str)]) {
        let fields = fields_of(block.as_bytes());
        let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(fields, expect, "{block:?}");
    }

    #[test]
    fn named_values_are_read_back_as_they_were_written() {
        let fields = [("outcome", "timeout"), ("via", "http://a.test/?b:c")];
        check(&String::from_utf8(fields_block(&fields)).unwrap(), &fields);
        check("", &[]);
    }

    #[test]
    fn lines_of_others_are_joined_and_those_that_are_none_passed_over() {
        check("a: 1\n  and 2\r\n\r\nnot a field\r\nB :x", &[("a", "1 and 2"), ("B", "x")]);
        check("  folded: first\r\n", &[("folded", "first")]);
        check("a:", &[("a", "")]);
    }
}
