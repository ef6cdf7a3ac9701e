//! What the words of a query are looked up by.

use super::letters::{Kind, kind, push_lower, push_plain};
use super::stems::Snowball;
use super::{Analyser, Initials, Word};

/// What finds a word of a query: any of `whole`, or all of `row`. Both are empty if it has no
/// letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sought {
    /// Stems of the word as one.
    pub(crate) whole: Vec<String>,
    /// The words that it is made of.
    pub(crate) row: Vec<Part>,
    /// They count only in this order, at these places.
    pub(crate) is_near: bool,
}

/// A word of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its place in the row.
    pub(crate) position: usize,
    /// Its stems, one for each way in which texts are stemmed; any of them finds it.
    pub(crate) stems: Vec<String>,
    /// It in lower case and without accents.
    pub(crate) raw: String,
}

impl Analyser {
    /// What a word of a query is looked up by in texts of these languages.
    pub(crate) fn sought(&mut self, text: &str, languages: &[String]) -> Sought {
        let mut sought = self.read(text, languages);
        let signs_matter = !sought.whole.is_empty() && sought.row.len() == 1;
        if signs_matter {
            sought.row.clear();
        }
        sought.is_near = sought.row.len() > 1 && !sought.row.iter().all(|it| is_unspaced(&it.raw));
        sought
    }

    /// What a phrase of a query is looked up by in texts of these languages.
    pub(crate) fn sought_phrase(&mut self, text: &str, languages: &[String]) -> Sought {
        let Sought { whole, row, .. } = self.read(text, languages);
        let signs_matter = !whole.is_empty() && row.len() == 1;
        if signs_matter {
            return Sought { whole, ..Sought::default() };
        }
        let is_near = row.len() > 1;
        Sought { whole: Vec::new(), row, is_near }
    }

    /// Whether texts in a language are stemmed in a way of their own.
    pub(crate) fn has_stems(tag: &str) -> bool {
        Snowball::of(Some(tag)).is_some()
    }

    /// The words of a text, once for each way in which texts of these languages are stemmed: a
    /// page has all its words in the same way.
    pub(crate) fn rows(&mut self, text: &str, languages: &[String]) -> Vec<Vec<Part>> {
        self.readings(text, languages).into_iter().map(|sought| sought.row).collect()
    }

    fn read(&mut self, text: &str, languages: &[String]) -> Sought {
        let mut sought = Sought::default();
        for reading in self.readings(text, languages) {
            sought.unite(reading);
        }
        sought
    }

    fn readings(&mut self, text: &str, languages: &[String]) -> Vec<Sought> {
        let of_languages = languages.iter().filter_map(|tag| Snowball::of(Some(tag)));
        // Texts of unknown language are stemmed as English, those of some languages not at all.
        let stemmers = of_languages.chain(Snowball::of(None)).map(Some).chain([None]);
        let mut seen: Vec<Option<Snowball>> = Vec::new();
        let mut readings = Vec::new();
        for snowball in stemmers {
            if !seen.contains(&snowball) {
                seen.push(snowball);
                let mut reading = Reading::default();
                self.each_with(text, snowball, 0, Initials::ALL, |word| reading.take(word));
                readings.push(reading.finish());
            }
        }
        readings
    }
}

impl Sought {
    /// Adds the stems of another reading of the same text.
    fn unite(&mut self, other: Self) {
        if self.row.is_empty() {
            *self = other;
            return;
        }
        unite(&mut self.whole, other.whole);
        for (part, other) in self.row.iter_mut().zip(other.row) {
            unite(&mut part.stems, other.stems);
        }
    }
}

fn unite(stems: &mut Vec<String>, others: Vec<String>) {
    for other in others {
        if !stems.contains(&other) {
            stems.push(other);
        }
    }
}

/// The words of a text, stemmed one way.
#[derive(Default)]
struct Reading {
    wholes: Vec<(String, usize, usize)>,
    row: Vec<Part>,
    from: usize,
    to: usize,
}

impl Reading {
    fn take(&mut self, word: Word<'_>) {
        if word.is_whole {
            return self.wholes.push((word.stem.to_owned(), word.from, word.to));
        }
        if self.row.is_empty() {
            self.from = word.from;
        }
        self.to = word.to;
        let (stems, raw) = (vec![word.stem.to_owned()], word.raw.to_owned());
        // A pair of letters says more than the letter that it begins with.
        self.row.pop_if(|last| last.position == word.position);
        self.row.push(Part { position: word.position, stems, raw });
    }

    fn finish(mut self) -> Sought {
        let mut whole = Vec::new();
        if let [(stem, from, to)] = self.wholes.as_slice()
            && *from <= self.from
            && *to >= self.to
        {
            whole.push(stem.clone());
        }
        let mut before: Option<(usize, bool)> = None;
        self.row.retain(|part| {
            let is_unspaced = is_unspaced(&part.raw);
            let is_pair = is_unspaced && part.raw.chars().count() == 2;
            let is_covered = is_unspaced && !is_pair && before == Some((part.position, true));
            before = Some((part.position + 1, is_pair));
            !is_covered
        });
        Sought { whole, row: self.row, is_near: false }
    }
}

fn is_unspaced(raw: &str) -> bool {
    raw.starts_with(|letter| kind(letter) == Kind::Unspaced)
}

/// A prefix of a word as words are written: in lower case and without accents.
pub(crate) fn folded(prefix: &str) -> String {
    let mut lower = String::new();
    for letter in prefix.chars() {
        match kind(letter) {
            Kind::Letter | Kind::Unspaced => push_lower(&mut lower, letter),
            Kind::Sign if matches!(letter, '_' | '.' | '+' | '#') => lower.push(letter),
            Kind::Sign | Kind::Mark => {}
        }
    }
    let mut plain = String::new();
    push_plain(&mut plain, &lower);
    plain
}

/// How many words there are at most in a text: runs of letters, each letter where words have no
/// spaces.
pub(crate) fn pieces(text: &str) -> usize {
    let mut is_inside = false;
    let begins = |letter| {
        let kind = kind(letter);
        let was_inside = std::mem::replace(&mut is_inside, kind == Kind::Letter);
        kind == Kind::Unspaced || (kind == Kind::Letter && !was_inside)
    };
    text.chars().map(begins).filter(|begins| *begins).count()
}
