//! The document as text: a line for each block, lists with a dash, cells with a tab between them,
//! code as it stands.

use super::tree::{Node, What};
use super::weigh::Scales;
use crate::entities::{Place, decode};
use crate::words::{Gap, Words};

/// What an open block does when it ends.
struct Opened {
    end: usize,
    what: What,
    /// It is one line, whatever blocks are in it.
    is_line: bool,
}

/// Writes what is in a node and not left out.
pub(super) fn write(scales: &Scales<'_, '_>, root: usize, words: &mut Words) {
    let nodes = scales.nodes;
    let mut open: Vec<Opened> = Vec::new();
    let mut lines = 0_usize;
    let mut code = 0_usize;
    let mut place = root;
    while place < nodes[root].end {
        let node = &nodes[place];
        while let Some(opened) = open.pop_if(|opened| opened.end <= place) {
            close(&opened, &mut lines, &mut code, words);
        }
        if scales.is_out[place] {
            place = node.end;
            continue;
        }
        match node.what {
            What::Text | What::LinkText | What::HereText if code > 0 => {
                words.push_code(&decode(node.text, Place::Text));
            }
            What::HereText | What::LinkText if is_sign(node.text) => {}
            What::Text | What::LinkText | What::HereText => {
                words.push(&decode(node.text, Place::Text));
            }
            What::Inline => {}
            What::Break if code > 0 => words.push_code("\n"),
            What::Break => words.gap(if lines > 0 { Gap::Space } else { Gap::Line }),
            _ => {
                let is_line = node.what == What::Cell && !node.is_structured;
                match node.what {
                    What::Cell => words.gap(Gap::Cell),
                    _ if lines > 0 => words.gap(Gap::Space),
                    _ => words.gap(Gap::Line),
                }
                if node.what == What::Item {
                    words.mark("- ");
                }
                lines += usize::from(is_line);
                code += usize::from(node.what == What::Code);
                open.push(Opened { end: node.end, what: node.what, is_line });
            }
        }
        place += 1;
    }
}

fn close(opened: &Opened, lines: &mut usize, code: &mut usize, words: &mut Words) {
    if opened.what == What::Item {
        words.mark("");
    }
    *lines -= usize::from(opened.is_line);
    *code -= usize::from(opened.what == What::Code);
    let gap = match opened.what {
        What::Cell => Gap::Cell,
        _ if *lines > 0 => Gap::Space,
        _ => Gap::Line,
    };
    words.gap(gap);
}

/// Whether a link is a mere sign for itself, as headings have it.
fn is_sign(text: &str) -> bool {
    matches!(
        text.trim(),
        "¶" | "#"
            | "§"
            | "🔗"
            | "&para;"
            | "&sect;"
            | "&#182;"
            | "&#x00B6;"
            | "More..."
            | "More…"
            | "Read more"
            | "[edit]"
    )
}

/// The text of a node in one line, left out or not.
pub(super) fn line(nodes: &[Node<'_>], place: usize, bytes_max: usize) -> String {
    let mut words = Words::new(bytes_max);
    for node in &nodes[place..nodes[place].end] {
        if node.what.is_text() {
            if !(node.what != What::Text && is_sign(node.text)) {
                words.push(&decode(node.text, Place::Text));
            }
        } else if node.what != What::Inline {
            words.gap(Gap::Space);
        }
    }
    words.into_text()
}

/// The text at the beginning of a block, up to the next one in it, with that of its links or
/// without.
pub(super) fn own_line(nodes: &[Node<'_>], place: usize, links: bool, bytes_max: usize) -> String {
    let inside = &nodes[place + 1..nodes[place].end];
    let mut words = Words::new(bytes_max);
    for node in inside.iter().take_while(|node| !node.what.is_block()) {
        if node.what == What::Text || links && node.what.is_text() && !is_sign(node.text) {
            words.push(&decode(node.text, Place::Text));
        }
    }
    words.into_text()
}
