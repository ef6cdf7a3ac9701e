//! Whether a title or a link's text *is* what was asked: both as one number.

use crate::words::Analyser;

/// Longer texts are no names.
const WORDS_MAX: usize = 32;
/// What stands between the name of a page and that of its site.
const SEPARATORS: [&str; 8] = [" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « "];
/// Pieces of a title that are looked at.
const PIECES_MAX: usize = 4;
/// What stands before the number of a part of a book.
const DIVISIONS: [&str; 5] = ["chapter", "part", "section", "appendix", "annex"];

/// The numbers of a title: of all of it and of its pieces, with and without a number of chapter.
pub(crate) fn of_title(analyser: &mut Analyser, title: &str, language: Option<&str>) -> Vec<u64> {
    let mut names = Vec::new();
    let mut pieces = vec![title];
    for separator in SEPARATORS {
        if title.contains(separator) {
            pieces.extend(title.split(separator).take(PIECES_MAX));
        }
    }
    for piece in pieces {
        let words = words(analyser, piece, language);
        names.extend(number(words.iter().map(|(_, stem)| stem)));
        names.extend(number(words[numbering(&words)..].iter().map(|(_, stem)| stem)));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The number of a text; none if it has no words or too many.
pub(crate) fn of_text(analyser: &mut Analyser, text: &str, language: Option<&str>) -> Option<u64> {
    number(words(analyser, text, language).iter().map(|(_, stem)| stem))
}

/// Words as written and their stems; none if there are too many.
fn words(analyser: &mut Analyser, text: &str, language: Option<&str>) -> Vec<(String, String)> {
    let mut words = Vec::new();
    analyser.each(text, language, |word| {
        if !word.is_whole && words.len() <= WORDS_MAX {
            words.push((word.raw.to_owned(), word.stem.to_owned()));
        }
    });
    if words.len() > WORDS_MAX {
        words.clear();
    }
    words
}

/// How many words at the beginning only number the text.
fn numbering(words: &[(String, String)]) -> usize {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut count = 0;
    if let [(division, _), (number, _), ..] = words
        && DIVISIONS.contains(&division.as_str())
        && (is_number(number) || number.len() == 1)
    {
        count = 2;
    }
    count + words[count..].iter().take_while(|(word, _)| is_number(word)).count()
}

fn number<'a>(stems: impl Iterator<Item = &'a String>) -> Option<u64> {
    let mut stems = stems.peekable();
    stems.peek()?;
    Some(stems.fold(0xCBF2_9CE4_8422_2325, |hash, stem| {
        let bytes = stem.bytes().chain([b' ']);
        bytes.fold(hash, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, query: &str, expect: bool) {
        let mut analyser = Analyser::new();
        let asked = of_text(&mut analyser, query, Some("en")).expect("it has words");
        let found = of_title(&mut analyser, title, Some("en")).contains(&asked);
        assert_eq!(found, expect, "{title} against {query}");
    }

    #[test]
    fn a_title_is_known_without_its_number_and_without_its_site() {
        check("String Functions", "string function", true);
        check("9.4. String Functions", "string functions", true);
        check("Chapter 9. Functions", "functions", true);
        check("Appendix B. Date Support", "date support", true);
        check("String Functions | The Manual", "string functions", true);
        check("Manual - String Functions", "string functions", true);
        check("pg_dump", "pg dump", true);
        check("String Functions", "string", false);
        check("2024", "2024", true);
    }

    #[test]
    fn a_text_without_words_has_no_name() {
        let mut analyser = Analyser::new();
        assert_eq!(of_text(&mut analyser, " …", None), None);
        assert_eq!(of_text(&mut analyser, &"word ".repeat(100), None), None);
        assert!(of_title(&mut analyser, "", None).is_empty());
    }
}
