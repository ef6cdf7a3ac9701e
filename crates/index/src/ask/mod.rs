//! The language of queries: from what somebody typed to a tree, or to a message that says what to
//! do. Words are left as written; `words` takes them apart later.
//!
//! Everything given must be there: words, "phrases", prefixes (`postg*`), and fields. `OR` (or
//! `|`) binds its two neighbours before that; parentheses group; a minus at the beginning of a
//! word, phrase, field or group excludes it. An unknown field is a word: people paste URLs.

mod error;
mod field;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

pub use self::error::QueryError;

/// More of a query is refused.
const QUERY_BYTES_MAX: usize = 4 * 1_024;
/// How many words a query may have.
const QUERY_WORDS_MAX: usize = 64;
/// How many prefixes a query may have, and how many phrases: each costs time.
const QUERY_PREFIXES_MAX: usize = 8;
const QUERY_PHRASES_MAX: usize = 8;
/// How deep parentheses may be nested.
const QUERY_DEPTH_MAX: usize = 16;

/// A query that could be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What must hold of a page. It demands something: it is never only an exclusion.
    pub root: Node,
    /// Something that may have been meant otherwise, in a sentence.
    pub hint: Option<String>,
}

/// A part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A word, as written; it may be a name such as `std::vec` that has several.
    Word(String),
    /// A word that begins so.
    Prefix(String),
    /// Words in this order.
    Phrase(String),
    /// A word, prefix or phrase of the title.
    InTitle(Box<Self>),
    /// A word, prefix or phrase of the URL.
    InUrl(Box<Self>),
    /// All of these; at least two.
    All(Vec<Self>),
    /// Any of these; at least two, and none is an exclusion.
    Any(Vec<Self>),
    /// Not this.
    Not(Box<Self>),
    /// On this host (with port, if one is given) or under this domain.
    Site(String),
    /// In this language: a primary tag in lower case.
    Lang(String),
    /// Of this kind: `html`, `pdf` and so on.
    Kind(String),
    /// Dated before this moment, in milliseconds since 1970.
    Before(i64),
    /// Dated at this moment or later.
    After(i64),
}

impl Query {
    /// Understands a query.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::parse(text)
    }
}

impl Node {
    /// All words of a text that has nothing else.
    pub(crate) fn words(text: &str) -> Self {
        let words: Vec<Self> = text.split(' ').map(|word| Self::Word(word.to_owned())).collect();
        Self::all(words).unwrap_or_else(|| Self::Word(text.to_owned()))
    }

    /// All of these as one node: nested ones dissolve, and nothing is nothing.
    pub(crate) fn all(nodes: Vec<Self>) -> Option<Self> {
        let nodes = nodes.into_iter().flat_map(|node| match node {
            Self::All(inner) => inner,
            other => vec![other],
        });
        Self::one_or(nodes.collect(), Self::All)
    }

    /// Any of these as one node, likewise.
    fn any(nodes: Vec<Self>) -> Option<Self> {
        let nodes = nodes.into_iter().flat_map(|node| match node {
            Self::Any(inner) => inner,
            other => vec![other],
        });
        Self::one_or(nodes.collect(), Self::Any)
    }

    fn one_or(mut nodes: Vec<Self>, many: fn(Vec<Self>) -> Self) -> Option<Self> {
        let last = nodes.pop()?;
        if nodes.is_empty() {
            return Some(last);
        }
        nodes.push(last);
        Some(many(nodes))
    }

    /// Whether pages are looked for by words in it, rather than only filtered.
    pub(crate) fn has_words(&self) -> bool {
        match self {
            Self::Word(_)
            | Self::Prefix(_)
            | Self::Phrase(_)
            | Self::InTitle(_)
            | Self::InUrl(_) => true,
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().any(Self::has_words),
            Self::Not(_)
            | Self::Site(_)
            | Self::Lang(_)
            | Self::Kind(_)
            | Self::Before(_)
            | Self::After(_) => false,
        }
    }

    /// Whether it demands something, rather than only exclude.
    fn demands(&self) -> bool {
        match self {
            Self::Not(_) => false,
            Self::All(nodes) => nodes.iter().any(Self::demands),
            _ => true,
        }
    }
}

/// As it could have been typed.
impl fmt::Display for Query {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.fmt(out)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => out.write_str(word),
            Self::Prefix(prefix) => write!(out, "{prefix}*"),
            Self::Phrase(phrase) => write!(out, "\"{phrase}\""),
            Self::InTitle(node) => write!(out, "intitle:{node}"),
            Self::InUrl(node) => write!(out, "inurl:{node}"),
            Self::All(nodes) => print(out, nodes, " ", false),
            Self::Any(nodes) => print(out, nodes, " OR ", true),
            Self::Not(node) if matches!(**node, Self::All(_) | Self::Any(_)) => {
                write!(out, "-({node} )")
            }
            Self::Not(node) => write!(out, "-{node}"),
            Self::Site(site) => write!(out, "site:{site}"),
            Self::Lang(tag) => write!(out, "lang:{tag}"),
            Self::Kind(kind) => write!(out, "type:{kind}"),
            Self::Before(moment) => write!(out, "before:{}", field::Day(*moment)),
            Self::After(moment) => write!(out, "after:{}", field::Day(*moment)),
        }
    }
}

fn print(out: &mut fmt::Formatter<'_>, nodes: &[Node], between: &str, is_any: bool) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            out.write_str(between)?;
        }
        match node {
            // The space keeps a parenthesis that a word ends with apart.
            Node::All(_) if is_any => write!(out, "({node} )")?,
            _ => write!(out, "{node}")?,
        }
    }
    Ok(())
}
