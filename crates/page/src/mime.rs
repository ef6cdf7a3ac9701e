//! A media type, by the MIME Sniffing standard: essence and charset, no other parameter.

/// What a Content-Type header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mime {
    /// Type and subtype in lower case: `text/html`.
    pub essence: String,
    /// The charset parameter as written.
    pub charset: Option<String>,
}

impl Mime {
    /// Reads a header's value; nothing where the standard says failure.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.trim_matches(is_space);
        let (kind, rest) = header.split_once('/')?;
        let (subtype, parameters) = rest.split_once(';').unwrap_or((rest, ""));
        let subtype = subtype.trim_end_matches(is_space);
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let essence = format!("{kind}/{subtype}").to_ascii_lowercase();
        Some(Self { essence, charset: charset_parameter(parameters) })
    }

    /// Whether it is some kind of XML.
    pub fn is_xml(&self) -> bool {
        matches!(self.essence.as_str(), "text/xml" | "application/xml")
            || self.essence.ends_with("+xml")
    }
}

fn charset_parameter(mut rest: &str) -> Option<String> {
    while !rest.is_empty() {
        rest = rest.trim_start_matches(is_space);
        let end = rest.find([';', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let Some(after) = after.strip_prefix('=') else {
            rest = after.strip_prefix(';').unwrap_or("");
            continue;
        };
        let (value, left) = if let Some(quoted) = after.strip_prefix('"') {
            quoted_value(quoted)
        } else {
            let (value, left) = after.split_once(';').unwrap_or((after, ""));
            (value.trim_end_matches(is_space).to_owned(), left)
        };
        let empty = value.is_empty() && !after.starts_with('"');
        if name.eq_ignore_ascii_case("charset") && !empty && value.chars().all(may_be_quoted) {
            return Some(value);
        }
        rest = left;
    }
    None
}

/// The text of a quoted string whose first quote is gone, and what follows the next semicolon.
fn quoted_value(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                end = at;
                break;
            }
            '\\' => value.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, text[end..].split_once(';').map_or("", |(_, left)| left))
}

fn is_space(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' ')
}

fn is_token(text: &str) -> bool {
    let mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || mark(byte))
}

fn may_be_quoted(char: char) -> bool {
    matches!(char, '\t' | ' '..='~' | '\u{80}'..='\u{ff}')
}

#[cfg(test)]
mod tests {
    use super::Mime;

    fn check(header: &str, expect: Option<(&str, Option<&str>)>) {
        let found = Mime::parse(header);
        let found = found.as_ref().map(|mime| (mime.essence.as_str(), mime.charset.as_deref()));
        assert_eq!(found, expect, "{header}");
    }

    #[test]
    fn essence_and_charset_are_read_past_other_parameters() {
        check("Text/HTML", Some(("text/html", None)));
        check("text/html; x=1; Charset=utf-8 ; y", Some(("text/html", Some("utf-8"))));
        check("text/html;x=\"a;charset=b\";charset=c", Some(("text/html", Some("c"))));
        check("text/html;charset=\"g\\bk\"", Some(("text/html", Some("gbk"))));
        check("html", None);
        check("text/ht ml", None);
    }
}
