//! Rust text with comments and literals blanked out, so that a word found in it is code.

/// Blanks every comment, string and character; lines stay where they are.
pub(super) fn code(text: &str) -> String {
    let mut blanked = Blanker { text: text.as_bytes(), at: 0, out: Vec::with_capacity(text.len()) };
    while blanked.at < blanked.text.len() {
        blanked.step();
    }
    String::from_utf8_lossy(&blanked.out).into_owned()
}

/// The same without inline `#[cfg(test)]` modules: what ships.
pub(super) fn product(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find("#[cfg(test)]") {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        let end = block_end(after);
        out.extend(after.get(..end).unwrap_or(after).chars().filter(|&c| c == '\n'));
        rest = after.get(end..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// Where the item that an attribute stands on ends: its semicolon, or its closing brace.
fn block_end(item: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in item.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

struct Blanker<'a> {
    text: &'a [u8],
    at: usize,
    out: Vec<u8>,
}

impl Blanker<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn keep(&mut self) {
        self.out.extend(self.rest().first().copied());
        self.at += 1;
    }

    fn blank(&mut self, count: usize) {
        for _ in 0..count {
            self.out.extend(self.rest().first().map(|&b| if b == b'\n' { b } else { b' ' }));
            self.at += 1;
        }
    }

    fn step(&mut self) {
        let rest = self.rest();
        if rest.starts_with(b"//") {
            let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            self.blank(length);
        } else if rest.starts_with(b"/*") {
            self.block_comment();
        } else if let Some(hashes) = self.raw_string() {
            self.raw(hashes);
        } else if rest.starts_with(b"\"") {
            self.string();
        } else if rest.starts_with(b"'") {
            self.character();
        } else {
            self.keep();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            if self.rest().starts_with(b"/*") {
                depth += 1;
                self.blank(2);
            } else if self.rest().starts_with(b"*/") {
                depth -= 1;
                self.blank(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.blank(1);
            }
        }
    }

    /// How many hashes a raw string that starts here has.
    fn raw_string(&self) -> Option<usize> {
        let after = self.rest().strip_prefix(b"r")?;
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at)).copied();
        if before
            .is_some_and(|b| (b.is_ascii_alphanumeric() || b == b'_') && b != b'b' && b != b'c')
        {
            return None;
        }
        let hashes = after.iter().take_while(|&&b| b == b'#').count();
        (after.get(hashes) == Some(&b'"')).then_some(hashes)
    }

    fn raw(&mut self, hashes: usize) {
        let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
        self.blank(hashes + 2);
        while self.at < self.text.len() && !self.rest().starts_with(&end) {
            self.blank(1);
        }
        self.blank(end.len());
    }

    fn string(&mut self) {
        self.blank(1);
        while self.at < self.text.len() {
            match self.rest().first() {
                Some(b'\\') => self.blank(2),
                Some(b'"') => return self.blank(1),
                _ => self.blank(1),
            }
        }
    }

    /// A character, or the quote of a lifetime.
    fn character(&mut self) {
        let rest = self.rest();
        let length = if rest.get(1) == Some(&b'\\') {
            rest.iter().skip(3).position(|&b| b == b'\'').map(|at| at + 4)
        } else {
            // A character is at most four bytes long; in `<'a, 'b>` the next quote is no end.
            let first = std::str::from_utf8(rest.get(1..5.min(rest.len())).unwrap_or_default());
            let valid = match first {
                Ok(text) => text,
                Err(e) => std::str::from_utf8(&rest[1..=e.valid_up_to()]).unwrap_or_default(),
            };
            let width = valid.chars().next().map_or(0, char::len_utf8);
            (width > 0 && rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        };
        match length {
            Some(length) => self.blank(length),
            None => self.keep(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let seen = code(text);
        assert_eq!(seen.split_whitespace().collect::<Vec<_>>().join(" "), expect);
        assert_eq!(seen.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn comments_are_blanked() {
        check("a // b\nc", "a c");
        check("a /* b /* c */ d */ e", "a e");
        check("a /* b", "a");
    }

    #[test]
    fn literals_are_blanked() {
        check(r#"a "b \" // c" d"#, "a d");
        check("a r\"b\\\" d", "a d");
        check("a r#\"b \" c\"# d", "a d");
        check("a br#\"b \" c\"# d", "a b d");
        check("x('\"') y", "x( ) y");
        check("x('\\'') y('é') z", "x( ) y( ) z");
        check("\"never closed\nb", "");
    }

    #[test]
    fn lifetimes_and_names_with_r_stay() {
        check("fn f<'a, 'b>(x: &'a str)", "fn f<'a, 'b>(x: &'a str)");
        check("var\"b\" c", "var c");
    }

    #[test]
    fn a_test_module_does_not_ship() {
        let check = |text: &str, expect: &str| {
            assert_eq!(product(text).split_whitespace().collect::<Vec<_>>().join(" "), expect);
        };
        check("a #[cfg(test)] mod tests { fn b() { c } } d", "a d");
        check("a #[cfg(test)] mod tests; d", "a d");
        check("a #[cfg(test)] mod tests { never closed", "a");
    }
}
