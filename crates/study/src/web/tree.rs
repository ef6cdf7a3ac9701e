//! How the pages of a domain hang together: each is linked from one that is nearer to the home
//! page, and some follow each other in long rows.

use crate::chance::Chance;
use crate::graph::{number, place};

/// The part of pages that follow the page before them: the next page of a list.
const ROWS: f64 = 0.15;
/// How much earlier pages are preferred as parents.
const EARLY: f64 = 1.3;
/// The part of pages that link to the home page, to their parent, and to the page after them.
const TO_HOME: f64 = 0.8;
const TO_PARENT: f64 = 0.7;
const TO_NEXT: f64 = 0.5;

/// The pages of a domain, the home page first, with the one that each hangs on.
pub(super) struct Tree {
    parents: Vec<u32>,
    /// The pages by their parents.
    children: Vec<(u32, u32)>,
}

impl Tree {
    /// One of so many pages.
    pub(super) fn draw(pages: u32, chance: &mut Chance) -> Self {
        let mut parents = vec![0];
        for page in 1..pages {
            let is_next = chance.happens(ROWS);
            parents.push(if is_next { page - 1 } else { chance.early(page, EARLY) });
        }
        let mut children: Vec<(u32, u32)> = parents.iter().copied().zip(0..pages).skip(1).collect();
        children.sort_unstable();
        Self { parents, children }
    }

    /// Adds the links of a page to its neighbours, where the home page has this number.
    pub(super) fn links_of(&self, page: u32, home: u32, links: &mut Vec<u32>, chance: &mut Chance) {
        let start = self.children.partition_point(|(parent, _)| *parent < page);
        let children = self.children[start..].iter().take_while(|(parent, _)| *parent == page);
        links.extend(children.map(|(_, child)| home + child));
        if chance.happens(TO_HOME) {
            links.push(home);
        }
        if chance.happens(TO_PARENT) {
            links.push(home + self.parents[place(page)]);
        }
        if chance.happens(TO_NEXT) && page + 1 < number(self.parents.len()) {
            links.push(home + page + 1);
        }
    }
}
