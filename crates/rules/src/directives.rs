//! Meta robots and X-Robots-Tag, as Google documents them; RFC 9309 leaves them alone.
//!
//! Wishes only ever add up: where one line says `noindex` and another `index`, `noindex` holds, and
//! what is said to all robots holds for ours beside what is said to ours.

use rhumb_web::{Directive, Directives};

/// Directives with a value of their own: the colon after them announces no agent.
const VALUED: &[&str] =
    &["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What `<meta name=… content=…>` asks of the agent; nothing if it speaks to somebody else.
pub fn of_meta(agent: &str, name: &str, content: &str) -> Directives {
    if speaks_to(agent, name.trim()) { words(content) } else { Directives::NONE }
}

/// What one X-Robots-Tag header asks of the agent. A name and a colon (`otherbot: noindex`) address
/// what follows up to the next name; what stands before any name is for everybody.
pub fn of_header(agent: &str, value: &str) -> Directives {
    let mut found = Directives::NONE;
    let mut for_us = true;
    for part in value.split(',').map(str::trim) {
        let wish = match part.split_once(':') {
            Some((name, _)) if VALUED.iter().any(|it| it.eq_ignore_ascii_case(name.trim())) => "",
            Some((name, wish)) if is_agent(name.trim()) => {
                for_us = speaks_to(agent, name.trim());
                wish
            }
            _ => part,
        };
        if for_us {
            found = found.union(words(wish));
        }
    }
    found
}

fn speaks_to(agent: &str, name: &str) -> bool {
    name == "*" || name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(agent)
}

/// The second half of a date (`25 Jun 2010 15:00:00 PST`) has a colon, too.
fn is_agent(name: &str) -> bool {
    name == "*"
        || (name.starts_with(|first: char| first.is_ascii_alphabetic())
            && !name.contains(char::is_whitespace))
}

fn words(content: &str) -> Directives {
    let mut found = Directives::NONE;
    let is_gap = |letter: char| letter == ',' || letter == ';' || letter.is_whitespace();
    for word in content.split(is_gap) {
        if word.eq_ignore_ascii_case("none") {
            found.insert(Directive::NoIndex);
            found.insert(Directive::NoFollow);
        }
        let named = Directive::ALL.into_iter().find(|it| it.word().eq_ignore_ascii_case(word));
        if let Some(directive) = named {
            found.insert(directive);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Directives, expect: &str) {
        let found: Vec<_> = found.iter().map(Directive::word).collect();
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn meta_speaks_to_all_robots_or_to_ours() {
        check(of_meta("rhumb", "robots", "noindex, nofollow"), "noindex nofollow");
        check(of_meta("rhumb", "ROBOTS", "NoIndex"), "noindex");
        check(of_meta("rhumb", "Rhumb", "nofollow"), "nofollow");
        check(of_meta("rhumb", "googlebot", "noindex"), "");
        check(of_meta("rhumb", "description", "noindex"), "");
    }

    #[test]
    fn words_are_read_leniently_and_unknown_ones_ignored() {
        check(of_meta("rhumb", "robots", "none"), "noindex nofollow");
        check(of_meta("rhumb", "robots", "all, index, follow"), "");
        check(of_meta("rhumb", "robots", "noarchive,nosnippet,,noodp"), "noarchive nosnippet");
        check(of_meta("rhumb", "robots", "noindex nofollow"), "noindex nofollow");
        check(of_meta("rhumb", "robots", "noai, noimageai"), "noai noimageai");
        check(of_meta("rhumb", "robots", "index, noindex"), "noindex");
        check(of_meta("rhumb", "robots", ""), "");
    }

    #[test]
    fn a_header_speaks_to_everybody_until_it_names_somebody() {
        check(of_header("rhumb", "noindex"), "noindex");
        check(of_header("rhumb", "rhumb: nofollow"), "nofollow");
        check(of_header("rhumb", "otherbot: noindex, nofollow"), "");
        check(
            of_header("rhumb", "otherbot: noindex, rhumb: nofollow, noarchive"),
            "nofollow noarchive",
        );
        check(of_header("rhumb", "noarchive, otherbot: noindex"), "noarchive");
        check(of_header("rhumb", "otherbot: noindex, *: noarchive"), "noarchive");
        check(of_header("rhumb", "RHUMB : none"), "noindex nofollow");
    }

    #[test]
    fn a_date_is_not_an_agent() {
        check(
            of_header("rhumb", "unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"),
            "noindex",
        );
        let with_comma = "unavailable_after: Friday, 25 Jun 2010 15:00:00 PST, noindex";
        check(of_header("rhumb", with_comma), "noindex");
        check(of_header("rhumb", "max-snippet:-1, max-image-preview:large, nofollow"), "nofollow");
        check(
            of_header("rhumb", "otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"),
            "",
        );
    }
}
