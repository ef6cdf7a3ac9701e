//! Reads a query from left to right, once.

use std::ops::Range;

use super::field::{self, Field};
use super::{
    Node, QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_PHRASES_MAX, QUERY_PREFIXES_MAX, QUERY_WORDS_MAX,
    Query, QueryError,
};
use crate::words::{has_letters, pieces};

/// What begins and ends a phrase.
const QUOTES: [char; 5] = ['"', '“', '”', '„', '＂'];
/// A prefix of fewer letters begins too many words.
const PREFIX_LETTERS_MIN: usize = 2;

pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    if text.len() > QUERY_BYTES_MAX {
        let what = format!("the query has {} bytes, more than {QUERY_BYTES_MAX}", text.len());
        let place = text.floor_char_boundary(QUERY_BYTES_MAX)..text.len();
        return Err(QueryError::new(what, "search for fewer words", place));
    }
    let mut parser =
        Parser { text, at: 0, depth: 0, words: 0, prefixes: 0, phrases: 0, hint: None };
    let root = parser.all()?;
    if let Some(place) = parser.sign(')') {
        let advice = "remove it, or put what it belongs to in quotes";
        return Err(QueryError::new("a parenthesis is closed that was not opened", advice, place));
    }
    let all = 0..text.len();
    let Some(root) = root else {
        let advice = "give a word of letters or digits to look for";
        return Err(QueryError::new("the query has no words", advice, all));
    };
    if !root.demands() {
        let advice = "add a word that pages must have";
        return Err(QueryError::new("the query only says what pages must not have", advice, all));
    }
    Ok(Query { root, hint: parser.hint })
}

/// What stands between two items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Bar,
}

impl Operator {
    /// What it is where nothing stands on one of its sides: people look for operators too.
    fn word(self) -> Option<Node> {
        match self {
            Self::Or => Some(Node::Word("or".to_owned())),
            Self::And => Some(Node::Word("and".to_owned())),
            Self::Bar => None,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    words: usize,
    prefixes: usize,
    phrases: usize,
    hint: Option<String>,
}

impl<'a> Parser<'a> {
    /// Reads up to the end or a closing parenthesis.
    fn all(&mut self) -> Result<Option<Node>, QueryError> {
        let mut nodes: Vec<Node> = Vec::new();
        // What the alternative that is being read has so far.
        let mut any: Vec<Node> = Vec::new();
        let mut pending: Option<Operator> = None;
        while let Some(next) = self.peek() {
            if next == ')' {
                break;
            }
            let start = self.at;
            let operator = self.operator();
            if operator.is_some() && !any.is_empty() && pending.is_none() {
                pending = operator;
                continue;
            }
            let node = match operator {
                Some(operator) => operator.word(),
                None => self.item()?,
            };
            let Some(node) = node else { continue };
            if pending.take().is_some_and(|operator| operator != Operator::And) {
                if any.iter().chain([&node]).any(|node| !node.demands()) {
                    return Err(excluded(start..self.at));
                }
            } else {
                nodes.extend(Node::any(std::mem::take(&mut any)));
            }
            any.push(node);
        }
        nodes.extend(Node::any(any));
        nodes.extend(pending.and_then(Operator::word));
        Ok(Node::all(nodes))
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest().trim_start();
        self.at = self.text.len() - rest.len();
        rest.chars().next()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn sign(&mut self, sign: char) -> Option<Range<usize>> {
        let is_next = self.peek() == Some(sign);
        let place = self.at..self.at + sign.len_utf8();
        is_next.then_some(place)
    }

    /// Reads an operator, if one stands here.
    fn operator(&mut self) -> Option<Operator> {
        let rest = self.rest();
        let bars = rest.len() - rest.trim_start_matches('|').len();
        if bars > 0 {
            self.at += bars;
            return Some(Operator::Bar);
        }
        let names = [("OR", Operator::Or), ("AND", Operator::And)];
        let (name, operator) = names.into_iter().find(|(name, _)| {
            let after = rest.strip_prefix(name).map(|after| after.chars().next());
            after.is_some_and(|next| next.is_none_or(|next| next.is_whitespace() || ends(next)))
        })?;
        self.at += name.len();
        Some(operator)
    }

    /// Reads a word, phrase, field or group, or the exclusion of one; nothing if it has no letters.
    fn item(&mut self) -> Result<Option<Node>, QueryError> {
        let is_excluded = {
            let after = self.rest().strip_prefix('-');
            after.and_then(|after| after.chars().next()).is_some_and(|next| {
                next != '-' && next != ')' && next != '|' && !next.is_whitespace()
            })
        };
        if is_excluded {
            self.at += 1;
        }
        let node = match self.rest().chars().next() {
            Some('(') => self.group()?,
            Some(quote) if QUOTES.contains(&quote) => self.phrase()?,
            _ => self.word()?,
        };
        Ok(if is_excluded { node.map(|node| Node::Not(Box::new(node))) } else { node })
    }

    fn group(&mut self) -> Result<Option<Node>, QueryError> {
        let start = self.at;
        let place = start..start + 1;
        if self.depth == QUERY_DEPTH_MAX {
            let what = format!("parentheses are nested more than {QUERY_DEPTH_MAX} deep");
            return Err(QueryError::new(what, "use fewer of them", place));
        }
        self.at += 1;
        self.depth += 1;
        let node = self.all()?;
        self.depth -= 1;
        if self.sign(')').is_none() {
            let advice = "add ), or put what it belongs to in quotes";
            return Err(QueryError::new("a parenthesis is not closed", advice, place));
        }
        self.at += 1;
        if node.as_ref().is_some_and(|node| !node.demands()) {
            let what = "a group only says what pages must not have";
            let advice = "add a word to it, or write the minus before the group";
            return Err(QueryError::new(what, advice, start..self.at));
        }
        Ok(node)
    }

    /// Reads a phrase.
    fn phrase(&mut self) -> Result<Option<Node>, QueryError> {
        let start = self.at;
        let opening = self.rest().chars().next().map_or(0, char::len_utf8);
        let inner = &self.rest()[opening..];
        let Some(length) = inner.find(QUOTES) else {
            let advice = "add a quote at the end of the phrase";
            return Err(QueryError::new("a quote is not closed", advice, start..start + opening));
        };
        let closing = inner[length..].chars().next().map_or(0, char::len_utf8);
        self.at += opening + length + closing;
        let inner = &inner[..length];
        self.count(inner, start)?;
        if !has_letters(inner) {
            return Ok(None);
        }
        self.phrases += 1;
        if self.phrases > QUERY_PHRASES_MAX {
            let what = format!("the query has more than {QUERY_PHRASES_MAX} phrases");
            return Err(QueryError::new(what, "search for fewer phrases", start..self.at));
        }
        let words: Vec<&str> = inner.split_whitespace().collect();
        Ok(Some(Node::Phrase(words.join(" "))))
    }

    /// Reads a word or a field.
    fn word(&mut self) -> Result<Option<Node>, QueryError> {
        let start = self.at;
        if let Some((name, value)) = field::split(self.rest()) {
            match Field::named(name) {
                Some(field) if !is_end(value) => {
                    self.at += name.len() + 1;
                    return self.field(field, start).map(Some);
                }
                Some(field) => {
                    let hint = format!("{field}: is followed by a space and was taken as a word");
                    self.hint.get_or_insert(hint);
                }
                None if !is_end(value) => {
                    if let Some(field) = Field::meant_by(name) {
                        let hint = format!("{name}: is no field; {field}: is");
                        self.hint.get_or_insert(hint);
                    }
                }
                None => {}
            }
        }
        let word = self.bare();
        self.simple(word, start)
    }

    /// Reads the value of a field.
    fn field(&mut self, field: Field, start: usize) -> Result<Node, QueryError> {
        let quote = self.rest().chars().next().filter(|next| QUOTES.contains(next));
        if matches!(field, Field::InTitle | Field::InUrl) {
            let value = if quote.is_some() {
                self.phrase()?
            } else if self.rest().starts_with('(') {
                None
            } else {
                let at = self.at;
                let word = self.bare();
                self.simple(word, at)?
            };
            let Some(value) = value else {
                let what = format!("{field}: has no word");
                let advice = format!("write {field}:word or {field}:\"some words\"");
                return Err(QueryError::new(what, advice, start..self.at));
            };
            let value = Box::new(value);
            return Ok(match field {
                Field::InTitle => Node::InTitle(value),
                _ => Node::InUrl(value),
            });
        }
        let value = if quote.is_some() {
            let from = self.at;
            drop(self.phrase()?);
            self.text[from..self.at].trim_matches(QUOTES)
        } else {
            self.bare()
        };
        self.count(value, start)?;
        field.node(value).map_err(|(what, advice)| QueryError::new(what, advice, start..self.at))
    }

    /// Reads up to where a word ends. A parenthesis that is opened in it belongs to it.
    fn bare(&mut self) -> &'a str {
        let rest = self.rest();
        let mut depth = 0_usize;
        let end = rest.find(|next: char| match next {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth > 0 => {
                depth -= 1;
                false
            }
            next => next.is_whitespace() || next == ')' || next == '|' || QUOTES.contains(&next),
        });
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// A word or a prefix; nothing if it has no letters.
    fn simple(&mut self, word: &str, start: usize) -> Result<Option<Node>, QueryError> {
        self.count(word, start)?;
        if !has_letters(word) {
            return Ok(None);
        }
        let Some(prefix) = word.strip_suffix('*').filter(|prefix| is_letter_last(prefix)) else {
            return Ok(Some(Node::Word(word.to_owned())));
        };
        let is_joint = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-');
        if let Some(sign) = prefix.chars().find(|sign| !is_joint(*sign)) {
            let what = format!("{word} has {sign} before the *");
            return Err(QueryError::new(what, "write a single word before the *", start..self.at));
        }
        let letters = prefix.chars().filter(|letter| letter.is_alphanumeric()).count();
        // A letter that is a word by itself begins few.
        if letters < PREFIX_LETTERS_MIN && prefix.is_ascii() {
            let what = format!("{word} has fewer than {PREFIX_LETTERS_MIN} letters before the *");
            let advice = format!("write more of the word, or \"{prefix}\" for just that");
            return Err(QueryError::new(what, advice, start..self.at));
        }
        self.prefixes += 1;
        if self.prefixes > QUERY_PREFIXES_MAX {
            let what = format!("the query has more than {QUERY_PREFIXES_MAX} words with a *");
            return Err(QueryError::new(what, "write more of them in full", start..self.at));
        }
        Ok(Some(Node::Prefix(prefix.to_owned())))
    }

    fn count(&mut self, text: &str, start: usize) -> Result<(), QueryError> {
        self.words += pieces(text).max(1);
        if self.words <= QUERY_WORDS_MAX {
            return Ok(());
        }
        let what = format!("the query has more than {QUERY_WORDS_MAX} words");
        Err(QueryError::new(what, "search for fewer words", start..self.at))
    }
}

/// Whether nothing that could be a value stands here.
fn is_end(value: &str) -> bool {
    value.chars().next().is_none_or(|next| next.is_whitespace() || next == ')' || next == '|')
}

fn ends(next: char) -> bool {
    matches!(next, '(' | ')' | '|') || QUOTES.contains(&next)
}

fn is_letter_last(text: &str) -> bool {
    text.chars().next_back().is_some_and(|last| last != '*' && has_letters(&last.to_string()))
}

fn excluded(place: Range<usize>) -> QueryError {
    let advice = "write the exclusion apart: one OR other -not";
    QueryError::new("OR cannot have an exclusion beside it", advice, place)
}
