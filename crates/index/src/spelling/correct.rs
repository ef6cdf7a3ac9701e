//! A whole query with its slips mended.

use tantivy::TantivyError;

use super::Spelling;
use crate::ask::{Node, Query};
use crate::words::{Analyser, Sought, folded};

/// Mends the words of a query.
struct Mending<'a> {
    spelling: &'a Spelling<'a>,
    analyser: &'a mut Analyser,
    languages: &'a [String],
    has_changed: bool,
}

impl Spelling<'_> {
    /// The query as it may have been meant, if any of its words is a slip. Exclusions stay.
    pub(crate) fn correct(
        &self,
        analyser: &mut Analyser,
        query: &Query,
        languages: &[String],
    ) -> Result<Option<Query>, TantivyError> {
        let mut mending = Mending { spelling: self, analyser, languages, has_changed: false };
        let root = mending.node(&query.root)?;
        Ok(mending.has_changed.then_some(Query { root, hint: None }))
    }
}

impl Mending<'_> {
    fn node(&mut self, node: &Node) -> Result<Node, TantivyError> {
        Ok(match node {
            Node::Word(word) => match self.words(word)? {
                words if words == *word => node.clone(),
                words => Node::words(&words),
            },
            Node::Phrase(phrase) => {
                let words: Vec<String> =
                    phrase.split(' ').map(|word| self.words(word)).collect::<Result<_, _>>()?;
                Node::Phrase(words.join(" "))
            }
            Node::InTitle(inner) => match self.node(inner)? {
                Node::All(_) => node.clone(),
                inner => Node::InTitle(Box::new(inner)),
            },
            Node::All(nodes) => self.all(nodes)?,
            Node::Any(nodes) => {
                Node::Any(nodes.iter().map(|node| self.node(node)).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    /// Joins neighbours that are one word, then mends each.
    fn all(&mut self, nodes: &[Node]) -> Result<Node, TantivyError> {
        let mut mended = Vec::with_capacity(nodes.len());
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            at += 1;
            if let (Node::Word(left), Some(Node::Word(right))) = (node, nodes.get(at))
                && let Some(joined) = self.spelling.joined(&folded(left), &folded(right))?
            {
                self.has_changed = true;
                mended.push(Node::Word(joined));
                at += 1;
                continue;
            }
            mended.push(self.node(node)?);
        }
        Ok(Node::all(mended).unwrap_or_else(|| Node::All(nodes.to_vec())))
    }

    /// What was meant by a word: itself, another, or two.
    fn words(&mut self, word: &str) -> Result<String, TantivyError> {
        let sought = self.analyser.sought(word, self.languages);
        let [part] = sought.row.as_slice() else { return Ok(word.to_owned()) };
        let meant = self.spelling.suggest(&part.raw)?;
        let Some(meant) = meant.filter(|meant| !self.is_same(&sought, meant)) else {
            return Ok(word.to_owned());
        };
        self.has_changed = true;
        Ok(meant)
    }

    /// Whether another word finds the same pages.
    fn is_same(&mut self, sought: &Sought, meant: &str) -> bool {
        let other = self.analyser.sought(meant, self.languages);
        let stems =
            |sought: &Sought| sought.row.first().and_then(|part| part.stems.first().cloned());
        sought.row.len() == other.row.len() && stems(sought) == stems(&other)
    }
}
