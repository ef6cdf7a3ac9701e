//! Which part of a page is its document: what is clutter goes, then what holds most of the rest
//! and is called so.

use super::hint::Role;
use super::tree::{Node, Tree, What};

/// Bytes of text by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Outside of links.
    pub(super) plain: usize,
    /// Of links to other pages.
    pub(super) links: usize,
    /// Of links within the page.
    pub(super) here: usize,
    /// Of lines that are long and have few links: what people write for others to read.
    prose: usize,
    /// How many such lines.
    lines: usize,
}

impl Weight {
    pub(super) fn all(self) -> usize {
        self.plain + self.links + self.here
    }

    /// Whether at least so many of a hundred bytes are links.
    fn is_linked(self, percent: usize) -> bool {
        (self.links + self.here) * 100 >= self.all() * percent
    }
}

/// A doubtful part with more text than this is no mere notice.
const SMALL_BYTES: usize = 400;

/// How many blocks may be open around a heading that begins a part.
const NODES_BEFORE_HEADING_MAX: usize = 64;
/// A line with fewer bytes is no prose.
const PROSE_BYTES_MIN: usize = 80;
/// A part with fewer lines of prose tells nothing of those beside it.
const PROSE_LINES_MIN: usize = 3;
/// A part beside the document with less text, and no structure, is a label.
const LABEL_BYTES_MAX: usize = 60;

/// A part of a number.
fn percent_of(percent: usize, whole: usize) -> usize {
    whole * percent / 100
}

/// Weights of a page, with what is left out so far.
pub(super) struct Scales<'t, 'a> {
    pub(super) nodes: &'t [Node<'a>],
    /// The weight of everything before each place.
    before: Vec<Weight>,
    /// The bytes of the line of prose that begins at each place.
    prose: Vec<usize>,
    /// What is left out with all that is in it.
    pub(super) is_out: Vec<bool>,
    /// The places of the main part and of articles.
    landmarks: Vec<usize>,
}

impl<'t, 'a> Scales<'t, 'a> {
    pub(super) fn new(tree: &'t Tree<'a>) -> Self {
        let nodes = &tree.nodes;
        let is_out: Vec<bool> = nodes.iter().map(|node| node.role == Role::Hidden).collect();
        let mut landmarks = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            if matches!(node.role, Role::Main | Role::Article) {
                landmarks.push(place);
            }
        }
        let prose = prose(nodes);
        let mut scales = Self { nodes, before: Vec::new(), prose, is_out, landmarks };
        scales.weigh();
        scales
    }

    /// Leaves out nothing but the nodes with such a role.
    pub(super) fn leave_out(&mut self, is_out: fn(Role) -> bool) {
        self.is_out = self.nodes.iter().map(|node| is_out(node.role)).collect();
    }

    /// Takes all weights anew.
    fn weigh(&mut self) {
        self.before.clear();
        self.before.reserve(self.nodes.len() + 1);
        let mut sum = Weight::default();
        let mut out_to = 0;
        for (place, node) in self.nodes.iter().enumerate() {
            self.before.push(sum);
            if self.is_out[place] {
                out_to = out_to.max(node.end);
            }
            if place < out_to {
                continue;
            }
            let prose = self.prose[place];
            sum.prose += prose;
            sum.lines += usize::from(prose > 0);
            let bytes = node.text.trim_ascii().len();
            match node.what {
                What::Text => sum.plain += bytes,
                What::LinkText => sum.links += bytes,
                What::HereText => sum.here += bytes,
                _ => {}
            }
        }
        self.before.push(sum);
    }

    pub(super) fn weight(&self, place: usize) -> Weight {
        let (start, end) = (self.before[place], self.before[self.nodes[place].end]);
        Weight {
            plain: end.plain - start.plain,
            links: end.links - start.links,
            here: end.here - start.here,
            prose: end.prose - start.prose,
            lines: end.lines - start.lines,
        }
    }

    fn holds_landmark(&self, place: usize) -> bool {
        let next = self.landmarks.partition_point(|landmark| *landmark <= place);
        self.landmarks.get(next).is_some_and(|landmark| *landmark < self.nodes[place].end)
    }

    /// Leaves out what is surely no part of the document.
    pub(super) fn drop_clutter(&mut self) {
        let total = self.weight(0);
        let mut place = 0;
        // Within these, a header or an aside belongs to the document.
        let mut within = 0;
        while let Some(node) = self.nodes.get(place) {
            if !self.is_out[place] {
                let weight = self.weight(place);
                let is_most = weight.plain > percent_of(50, total.plain);
                self.is_out[place] = !is_most
                    && match node.role {
                        Role::Clutter => !self.holds_landmark(place),
                        Role::Doubtful | Role::Label => {
                            !self.holds_landmark(place) && self.is_doubted(place, place < within)
                        }
                        _ => false,
                    };
                if matches!(node.role, Role::Main | Role::Article | Role::Content) {
                    within = within.max(node.end);
                }
            }
            place = if self.is_out[place] { node.end } else { place + 1 };
        }
        self.weigh();
    }

    fn is_doubted(&self, place: usize, is_within: bool) -> bool {
        let weight = self.weight(place);
        if is_within {
            let node = &self.nodes[place];
            let is_label = node.role == Role::Label && !node.is_structured;
            weight.is_linked(60) && !self.starts_with_heading(place)
                || is_label && weight.all() < 2 * LABEL_BYTES_MAX
        } else {
            weight.is_linked(40) || weight.plain < SMALL_BYTES && !self.starts_with_heading(place)
        }
    }

    fn starts_with_heading(&self, place: usize) -> bool {
        let inside = &self.nodes[place + 1..self.nodes[place].end];
        let first =
            inside.iter().take(NODES_BEFORE_HEADING_MAX).find(|node| node.what != What::Block);
        first.is_some_and(|node| matches!(node.what, What::Heading(_)))
    }

    /// The node that holds the document.
    pub(super) fn root(&self) -> usize {
        let root = self.best(0, 30, |role| role == Role::Main);
        let root = self.best(root, 60, |role| role == Role::Article);
        self.best(root, 85, |role| role == Role::Content)
    }

    /// The smallest node within this one that has such a role and at least so much of its text,
    /// or else itself.
    fn best(&self, root: usize, percent: usize, is_wanted: impl Fn(Role) -> bool) -> usize {
        let least = percent_of(percent, self.weight(root).plain).max(1);
        let mut best = root;
        let mut least_plain = usize::MAX;
        let mut place = root + 1;
        while place < self.nodes[root].end {
            let node = &self.nodes[place];
            if self.is_out[place] {
                place = node.end;
                continue;
            }
            if is_wanted(node.role) {
                let plain = self.weight(place).plain;
                if plain >= least && plain < least_plain {
                    (best, least_plain) = (place, plain);
                }
            }
            place += 1;
        }
        best
    }

    /// Leaves out what stands beside the prose of a document and is no part of it: goes down to
    /// where the prose is, and judges what it passes.
    pub(super) fn drop_neighbours(&mut self, root: usize) {
        let is_named = self.nodes[root].role != Role::Plain;
        let mut place = root;
        while let Some(child) = self.prosy_child(place) {
            let mut beside = place + 1;
            while beside < self.nodes[place].end {
                if beside != child && !self.is_out[beside] {
                    self.is_out[beside] = self.is_neighbour(beside, is_named);
                }
                beside = self.nodes[beside].end;
            }
            place = child;
        }
    }

    /// The child that holds most of the prose.
    fn prosy_child(&self, place: usize) -> Option<usize> {
        let least = percent_of(75, self.weight(place).prose);
        let mut child = place + 1;
        while child < self.nodes[place].end {
            let weight = self.weight(child);
            if weight.lines >= PROSE_LINES_MIN && weight.prose >= least && !self.is_out[child] {
                return Some(child);
            }
            child = self.nodes[child].end;
        }
        None
    }

    fn is_neighbour(&self, place: usize, is_named: bool) -> bool {
        let node = &self.nodes[place];
        let weight = self.weight(place);
        match node.what {
            What::Block | What::List | What::Table if is_named => weight.is_linked(80),
            What::Block | What::List | What::Table | What::Cell => {
                let is_label = weight.all() < LABEL_BYTES_MAX && !node.is_structured;
                weight.is_linked(50) || is_label
            }
            _ => false,
        }
    }
}

/// Where lines of prose begin, and how many bytes they have.
fn prose(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut prose = vec![0; nodes.len()];
    let mut ends: Vec<usize> = Vec::new();
    let (mut start, mut line) = (0, Weight::default());
    for (place, node) in nodes.iter().enumerate() {
        let ended = ends.len();
        while ends.pop_if(|end| *end <= place).is_some() {}
        if ends.len() < ended || node.what.is_block() {
            if line.plain >= PROSE_BYTES_MIN && !line.is_linked(40) {
                prose[start] = line.all();
            }
            line = Weight::default();
        }
        if node.what.is_block() {
            ends.push(node.end);
        }
        let bytes = node.text.trim_ascii().len();
        if line.all() == 0 {
            start = place;
        }
        match node.what {
            What::Text => line.plain += bytes,
            What::LinkText => line.links += bytes,
            What::HereText => line.here += bytes,
            _ => {}
        }
    }
    if line.plain >= PROSE_BYTES_MIN && !line.is_linked(40) {
        prose[start] = line.all();
    }
    prose
}
