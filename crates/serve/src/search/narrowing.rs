//! Filters of a query: which it has, and the query with one more or one less.

use rhumb_index::{Node, Query};

/// A query, taken apart into what must all hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrowing(Vec<Node>);

impl Narrowing {
    /// Takes a query apart; one that cannot be understood has no parts.
    pub(super) fn of(query: &str) -> Self {
        match Query::parse(query).map(|query| query.root) {
            Ok(Node::All(nodes)) => Self(nodes),
            Ok(node) => Self(vec![node]),
            Err(_) => Self::default(),
        }
    }

    /// Its filters as they are written, each with the query that is left without it.
    pub(super) fn filters(&self) -> Vec<(String, String)> {
        let filters = self.0.iter().enumerate().filter(|(_, node)| is_filter(node));
        let without = |at: usize| {
            let others = self.0.iter().enumerate().filter(|(other, _)| *other != at);
            written(others.map(|(_, node)| node))
        };
        filters.map(|(at, node)| (node.to_string(), without(at))).collect()
    }

    /// The query with this filter, in place of others of its kind.
    pub(super) fn with(&self, filter: &Node) -> String {
        let kind = std::mem::discriminant(filter);
        let others = self.0.iter().filter(|node| std::mem::discriminant(*node) != kind);
        written(others.chain([filter]))
    }

    /// Whether it has this filter.
    pub(super) fn has(&self, filter: &Node) -> bool {
        self.0.contains(filter)
    }
}

fn is_filter(node: &Node) -> bool {
    match node {
        Node::Site(_) | Node::Lang(_) | Node::Kind(_) | Node::Before(_) | Node::After(_) => true,
        Node::Not(node) => is_filter(node),
        _ => false,
    }
}

fn written<'a>(nodes: impl Iterator<Item = &'a Node>) -> String {
    nodes.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_takes_the_place_of_another_of_its_kind() {
        let check = |query: &str, expect: &str| {
            let with = Narrowing::of(query).with(&Node::Site("b.org".to_owned()));
            assert_eq!(with, expect);
            let query = Query::parse(&with).expect("it can be asked").to_string();
            assert_eq!(Query::parse(&query).expect("again").to_string(), query);
        };
        check("tide", "tide site:b.org");
        check("tide site:a.org lang:en", "tide lang:en site:b.org");
        check("\"spring tide\" -moon", "\"spring tide\" -moon site:b.org");
        check("site:a.org", "site:b.org");
    }

    #[test]
    fn every_filter_can_be_taken_off() {
        let check = |query: &str, expect: &[(&str, &str)]| {
            let filters = Narrowing::of(query).filters();
            let filters: Vec<_> = filters.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(filters, expect);
        };
        check("tide", &[]);
        check("(", &[]);
        check("site:a.org", &[("site:a.org", "")]);
        check(
            "tide type:pdf -lang:de",
            &[("type:pdf", "tide -lang:de"), ("-lang:de", "tide type:pdf")],
        );
        check("tide after:2024", &[("after:2024-01-01", "tide")]);
    }
}
