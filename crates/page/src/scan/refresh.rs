//! The content of a meta refresh, by the HTML standard's shared declarative refresh steps.

/// The address that it leads to; nothing where it only reloads or is no refresh at all.
pub fn target(content: &str) -> Option<&str> {
    let is_digit = |char: char| char.is_ascii_digit();
    let content = content.trim_ascii_start();
    if !content.starts_with(|char: char| is_digit(char) || char == '.') {
        return None;
    }
    let rest = content.trim_start_matches(|char: char| is_digit(char) || char == '.');
    if !rest.starts_with(|char: char| matches!(char, ';' | ',') || char.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    if rest.is_empty() {
        return None;
    }
    let Some(value) = after_url_equals(rest) else {
        return Some(rest);
    };
    let Some(quote) = value.chars().next().filter(|char| matches!(char, '"' | '\'')) else {
        return Some(value);
    };
    let value = &value[1..];
    Some(value.split_once(quote).map_or(value, |(quoted, _)| quoted))
}

/// The seconds after which it does so; a part of one is none.
pub(crate) fn seconds(content: &str) -> Option<u32> {
    let content = content.trim_ascii_start();
    let end = content.find(|char: char| !char.is_ascii_digit()).unwrap_or(content.len());
    match &content[..end] {
        "" => content.starts_with('.').then_some(0),
        digits => Some(digits.parse().unwrap_or(u32::MAX)),
    }
}

/// What follows `url =`. A text that does not start with a `u` may be quoted all the same;
/// one that starts with it and goes on differently is taken as it stands.
fn after_url_equals(text: &str) -> Option<&str> {
    if !text.starts_with(['u', 'U']) {
        return Some(text);
    }
    let rest = text.get(..3).filter(|word| word.eq_ignore_ascii_case("url")).map(|_| &text[3..])?;
    rest.trim_ascii_start().strip_prefix('=').map(str::trim_ascii_start)
}

#[cfg(test)]
mod tests {
    use super::{seconds, target};

    fn check(content: &str, expect: Option<&str>) {
        assert_eq!(target(content), expect, "{content}");
    }

    #[test]
    fn the_address_is_found_in_every_spelling_that_browsers_take() {
        for content in [
            "0; url=/next",
            "0;URL=/next",
            " 5 , url = /next",
            "5 url=/next",
            "1.5; url='/next'",
            "1; url=\"/next\" ignored",
            "0; /next",
            "0; '/next'",
            ".5;/next",
            "0;url='/next",
        ] {
            check(content, Some("/next"));
        }
        check("0; urn:x", Some("urn:x"));
        check("0; url /next", Some("url /next"));
    }

    #[test]
    fn a_reload_or_a_mistake_leads_nowhere() {
        for content in
            ["", "5", "5;", "5 , ", "url=/next", "x; url=/next", "5x; url=/next", "-1;/a"]
        {
            check(content, None);
        }
    }
    #[test]
    fn the_time_until_then_is_in_whole_seconds() {
        for (content, expect) in
            [("0; /a", 0), (" 5,/a", 5), ("1.9; /a", 1), (".5;/a", 0), ("99999999999;/a", u32::MAX)]
        {
            assert_eq!(seconds(content), Some(expect), "{content}");
        }
        assert_eq!(seconds("url=/a"), None);
    }
}
