//! Heads in the bytes of HTTP/1.1: where they end, and how they are spelled.

use memchr::memchr_iter;

/// Where the answer itself has its head: behind blank lines and interim heads (1xx).
pub(crate) fn final_head(received: &[u8]) -> std::ops::Range<usize> {
    let mut start = 0;
    loop {
        let rest = &received[start..];
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let Some(length) = one_head(&rest[blank..]) else { return start..received.len() };
        let is_interim = rest[blank..].get(9) == Some(&b'1');
        let head = start + blank..start + blank + length;
        if !is_interim {
            return head;
        }
        start = head.end;
    }
}

/// The length of one head with its empty line; lines end in CR LF or in a bare LF.
fn one_head(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).map(|at| at + 1).find_map(|next| match &bytes[next..] {
        [b'\n', ..] => Some(next + 1),
        [b'\r', b'\n', ..] => Some(next + 2),
        _ => None,
    })
}

/// A head of this first line and these headers.
pub(super) fn spelled<'a>(
    line: &str,
    headers: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Vec<u8> {
    let mut head = [line.as_bytes(), b"\r\n"].concat();
    for (name, value) in headers {
        for part in [name.as_bytes(), b": ", value, b"\r\n"] {
            head.extend_from_slice(part);
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, body: &str) {
        assert_eq!(final_head(format!("{head}{body}").as_bytes()).end, head.len(), "{head:?}");
    }

    #[test]
    fn the_body_begins_behind_the_last_head() {
        check("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "\r\n\r\nbody");
        check("HTTP/1.1 200 OK\nA: b\n\n", "body");
        check("HTTP/1.1 200 OK\r\n\r\n", "");
        check("\r\nHTTP/1.1 200 OK\r\n\r\n", "body");
        check(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "x",
        );
    }

    #[test]
    fn an_unfinished_head_is_all_head() {
        check("HTTP/1.1 200 OK\r\nA: b\r\n", "");
        check("", "");
    }
}
