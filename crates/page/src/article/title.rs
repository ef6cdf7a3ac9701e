//! The heading of a document that stands outside of it, in a header of the page.

use super::hint::Role;
use super::tree::What;
use super::weigh::Scales;
use super::write::own_line;

/// How much of a heading is looked at.
const LINE_BYTES_MAX: usize = 512;
/// How many bytes a part of a title must have to be its heading without being called one.
const HEADING_BYTES_MIN: usize = 4;
/// How many nodes before the document are looked at, and how many of its own.
const NODES_MAX: usize = 300;

/// The line before the document that is more of the page's title than any line of its own.
pub(super) fn outside(scales: &Scales<'_, '_>, root: usize, title: &str) -> Option<String> {
    if root == 0 || title.is_empty() {
        return None;
    }
    let before = root.saturating_sub(NODES_MAX)..root;
    // A link there leads to the whole of which the document is a part, and is named for it;
    // unless it stands in what is called the content.
    let end = scales.nodes[root].end;
    let content = before.clone().find(|place| {
        let node = &scales.nodes[*place];
        node.end >= end && matches!(node.role, Role::Main | Role::Article | Role::Content)
    });
    let content = content.unwrap_or(root);
    let heading = best(scales, content..root, title, true);
    let heading = heading.or_else(|| best(scales, before.start..content, title, false))?;
    let own = best(scales, root..end.min(root + NODES_MAX), title, true);
    own.is_none_or(|own| own.len() < heading.len()).then_some(heading)
}

/// The longest line of a block that is part of the title, with its links or without.
fn best(
    scales: &Scales<'_, '_>,
    places: std::ops::Range<usize>,
    title: &str,
    links: bool,
) -> Option<String> {
    let mut best: Option<String> = None;
    let mut hidden_to = 0;
    for place in places {
        let node = &scales.nodes[place];
        if node.role == Role::Hidden {
            hidden_to = hidden_to.max(node.end);
        }
        let first = scales.nodes[place + 1..node.end].first();
        let has_text = first.is_some_and(|first| !first.what.is_block());
        if place < hidden_to || !node.what.is_block() || !has_text {
            continue;
        }
        let mut line = own_line(scales.nodes, place, links, LINE_BYTES_MAX);
        if !title.contains(&line) {
            // A label may stand behind it.
            let first = first.filter(|first| first.what == What::Text);
            line = first
                .map(|_| super::write::line(scales.nodes, place + 1, LINE_BYTES_MAX))
                .unwrap_or_default();
        }
        let is_heading = matches!(node.what, What::Heading(_));
        let bytes_min = if is_heading { 1 } else { HEADING_BYTES_MIN };
        let is_longer = best.as_ref().is_none_or(|best| best.len() < line.len());
        if is_longer && line.len() >= bytes_min && title.contains(&line) {
            best = Some(line);
        }
    }
    best
}
