//! The words of a query, to be met again in a text.

use std::collections::HashMap;

use crate::ask::{Node, Query};
use crate::words::{Analyser, Initials, Sought, Word, folded};

/// More matches of a text are not looked at.
const MATCHES_MAX: usize = 4_096;

/// Finds the words that a query demands.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    /// Which of the words have this stem.
    stems: HashMap<String, Vec<usize>>,
    /// The same by the words as typed, for texts in languages that few pages have.
    raws: HashMap<String, Vec<usize>>,
    prefixes: Vec<(String, usize)>,
    wanted: Vec<Wanted>,
    /// What all of these begin with.
    initials: Initials,
}

/// A word of a query.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// It counts only beside another word of its row.
    is_near: bool,
    /// It is the first of its row.
    is_first: bool,
}

/// A word of a text that a query demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) from: usize,
    pub(super) to: usize,
    position: usize,
    /// Which word of the query it is.
    pub(super) wanted: usize,
    /// It stands right after the word that is before it in the query.
    pub(super) follows: bool,
}

impl Matcher {
    /// What a query demands of texts in these languages.
    pub(crate) fn new(analyser: &mut Analyser, query: &Query, languages: &[String]) -> Self {
        let mut matcher = Self::default();
        matcher.add(analyser, &query.root, languages);
        let words = matcher.stems.keys().chain(matcher.raws.keys());
        for word in words.chain(matcher.prefixes.iter().map(|(prefix, _)| prefix)) {
            matcher.initials.add(word);
        }
        matcher
    }

    /// What the words begin with that it finds.
    pub(super) fn initials(&self) -> Initials {
        self.initials
    }

    fn add(&mut self, analyser: &mut Analyser, node: &Node, languages: &[String]) {
        match node {
            Node::Word(word) => self.add_sought(&analyser.sought(word, languages)),
            Node::Phrase(phrase) => self.add_sought(&analyser.sought_phrase(phrase, languages)),
            Node::Prefix(prefix) => {
                let wanted = self.want(false, true);
                self.prefixes.push((folded(prefix), wanted));
            }
            Node::InTitle(node) | Node::InUrl(node) => self.add(analyser, node, languages),
            Node::All(nodes) | Node::Any(nodes) => {
                for node in nodes {
                    self.add(analyser, node, languages);
                }
            }
            Node::Not(_)
            | Node::Site(_)
            | Node::Lang(_)
            | Node::Kind(_)
            | Node::Before(_)
            | Node::After(_) => {}
        }
    }

    fn add_sought(&mut self, sought: &Sought) {
        if !sought.whole.is_empty() {
            let wanted = self.want(false, true);
            for stem in &sought.whole {
                self.stems.entry(stem.clone()).or_default().push(wanted);
            }
        }
        for (index, part) in sought.row.iter().enumerate() {
            let wanted = self.want(sought.is_near, index == 0);
            for stem in &part.stems {
                self.stems.entry(stem.clone()).or_default().push(wanted);
            }
            self.raws.entry(part.raw.clone()).or_default().push(wanted);
        }
    }

    fn want(&mut self, is_near: bool, is_first: bool) -> usize {
        self.wanted.push(Wanted { is_near, is_first });
        self.wanted.len() - 1
    }

    /// How many words it looks for.
    pub(super) fn wanted(&self) -> usize {
        self.wanted.len()
    }

    /// Whether each word has a match.
    pub(super) fn has_all(&self, matches: &[Match]) -> bool {
        (0..self.wanted()).all(|wanted| matches.iter().any(|it| it.wanted == wanted))
    }

    /// Adds what a word matches that stands so many bytes and words further on than it says.
    pub(super) fn find(
        &self,
        word: Word<'_>,
        [bytes, words]: [usize; 2],
        matches: &mut Vec<Match>,
    ) {
        let by_stem = self.stems.get(word.stem).map_or(&[][..], Vec::as_slice);
        let by_raw = self.raws.get(word.raw).into_iter().flatten();
        let by_raw = by_raw.filter(|wanted| !by_stem.contains(wanted));
        let prefixes = self.prefixes.iter().filter(|(prefix, _)| word.raw.starts_with(prefix));
        let prefixes = prefixes.map(|(_, wanted)| wanted);
        for &wanted in by_stem.iter().chain(by_raw).chain(prefixes) {
            if matches.len() < MATCHES_MAX {
                let (from, to) = (word.from + bytes, word.to + bytes);
                let position = word.position + words;
                matches.push(Match { from, to, position, wanted, follows: false });
            }
        }
    }

    /// Tells which matches follow on another, and drops those that count only beside another and
    /// stand alone. They are in the order of the text.
    pub(super) fn settle(&self, matches: &mut Vec<Match>) {
        let mut is_kept: Vec<bool> =
            matches.iter().map(|it| !self.wanted[it.wanted].is_near).collect();
        for at in 0..matches.len() {
            let this = matches[at];
            if self.wanted[this.wanted].is_first {
                continue;
            }
            let before = matches[..at].iter().enumerate().rev();
            let mut near = before.take_while(|(_, it)| it.position + 1 >= this.position);
            let found = near
                .find(|(_, it)| it.position + 1 == this.position && it.wanted + 1 == this.wanted);
            if let Some((before, _)) = found {
                is_kept[before] = true;
                is_kept[at] = true;
                matches[at].follows = true;
            }
        }
        let mut kept = is_kept.into_iter();
        matches.retain(|_| kept.next().unwrap_or(true));
    }
}
