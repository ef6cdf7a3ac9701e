//! The document in a page, without what the site puts around it, and what it says about itself.
//!
//! One pass makes a flat [tree]; [words of classes and roles](hint) say what its parts are
//! for; [weights](weigh) of text and links decide; what is left is [written](mod@write) line by line.
//! The signs are those of readability (class words, link density), trafilatura (landmarks first,
//! fall-backs behind) and boilerpipe (a block is judged with its neighbours).

mod hint;
#[cfg(test)]
mod tests;
mod title;
mod tree;
mod weigh;
mod write;

use rhumb_web::{Canon, CanonUrl};

use crate::about::{About, Clues};
use crate::language::{Declared, Language};
use crate::scan::TEXT_BYTES_MAX;
use crate::words::{Gap, Words};
use hint::Role;
use tree::{Tree, What};
use weigh::Scales;

/// How much of a heading or a byline is looked at.
const LINE_BYTES_MAX: usize = 512;
/// The most headings of one document that are kept.
pub const HEADINGS_MAX: usize = 64;
/// The lowest level of headings that are kept: below it they name remarks.
const HEADING_LEVEL_MAX: u8 = 4;

/// The document in a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Article {
    /// Its text: a line for each block, lists with a dash, cells with a tab between them, code as
    /// it stands; at most [`TEXT_BYTES_MAX`].
    pub main: String,
    /// Its headings down to the fourth level, in their order, at most [`HEADINGS_MAX`].
    pub headings: Vec<String>,
    /// Its language, as far as that can be told.
    pub language: Option<Language>,
    /// What it says about itself.
    pub about: About,
    /// Whether some maximum left something out.
    pub cut: bool,
}

impl Article {
    /// A document that is all text, and what it or its answer says of its language.
    pub fn of_text(main: String, document: Option<&str>, answer: Option<&str>) -> Self {
        let language = Language::of(&main, &Declared { html: document, header: answer });
        Self { main, language, ..Self::default() }
    }
}

/// The text of the document in a page.
pub fn main_text(html: &str) -> String {
    let mut clues = Clues::default();
    let tree = Tree::of(html, false, &mut clues);
    text_of(&tree, &clues).main
}

/// The document in a page that was found at this address, with the Content-Language of its answer.
pub fn article(
    html: &str,
    url: &CanonUrl,
    canon: Canon,
    content_language: Option<&str>,
) -> Article {
    article_of(html, false, url, canon, content_language, Language::of)
}

/// The same of a page that may be XML, whose language is told in this way.
pub(crate) fn article_of(
    html: &str,
    is_xml: bool,
    url: &CanonUrl,
    canon: Canon,
    content_language: Option<&str>,
    language: fn(&str, &Declared<'_>) -> Option<Language>,
) -> Article {
    let mut clues = Clues::default();
    let tree = Tree::of(html, is_xml, &mut clues);
    let Written { main, headings, is_full } = text_of(&tree, &clues);
    let byline = clues.author_place.filter(|place| *place < tree.nodes.len());
    let byline = byline.map(|place| write::line(&tree.nodes, place, LINE_BYTES_MAX));
    let meta = clues.meta_language();
    let declared = Declared {
        html: clues.html_language.as_deref().or(meta.as_deref()),
        header: content_language,
    };
    Article {
        language: language(&main, &declared),
        about: clues.about(url, canon, byline),
        cut: tree.cut || is_full,
        main,
        headings,
    }
}

/// The text of a document as it is written out.
struct Written {
    main: String,
    headings: Vec<String>,
    is_full: bool,
}

fn text_of(tree: &Tree<'_>, clues: &Clues<'_>) -> Written {
    let mut scales = Scales::new(tree);
    scales.drop_clutter();
    let mut root = scales.root();
    scales.drop_neighbours(root);
    let mut words = Words::with_room(scales.weight(root).all(), TEXT_BYTES_MAX);
    let mut headings = Vec::new();
    if let Some(title) = title::outside(&scales, root, &clues.title_text()) {
        words.push(&title);
        words.gap(Gap::Line);
        headings.push(title);
    }
    write::write(&scales, root, &mut words);
    // A page that is all clutter, or all hidden until a script comes, still says something.
    for keep in [|role| role == Role::Hidden, |_| false] {
        if words.is_empty() {
            root = 0;
            scales.leave_out(keep);
            write::write(&scales, root, &mut words);
        }
    }
    add_headings(&scales, root, &mut headings);
    let is_full = words.is_full();
    Written { main: words.into_text(), headings, is_full }
}

/// Adds the headings in a node that are not left out.
fn add_headings(scales: &Scales<'_, '_>, root: usize, headings: &mut Vec<String>) {
    let nodes = scales.nodes;
    let mut place = root;
    while place < nodes[root].end && headings.len() < HEADINGS_MAX {
        let node = &nodes[place];
        let is_heading = matches!(node.what, What::Heading(..=HEADING_LEVEL_MAX));
        if is_heading && !scales.is_out[place] {
            let line = write::line(nodes, place, LINE_BYTES_MAX);
            headings.extend(Some(line).filter(|line| !line.is_empty()));
        }
        place = if is_heading || scales.is_out[place] { node.end } else { place + 1 };
    }
}
