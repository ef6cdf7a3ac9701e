//! A page as one list of blocks and texts in the page's order: a tree without pointers, for every
//! node knows where its inside ends.
//!
//! Only blocks become nodes, and inline elements that nobody sees or that name an author; the others are remembered while
//! they are open. Which end tag ends what follows the HTML standard as far as blocks depend on it.

use super::hint::{self, Role};
use crate::about::Clues;
use crate::scan::{Name, Tag, Token, Tokens, breaks_out};

/// The most nodes of one page; what comes behind is left out.
pub(super) const NODES_MAX: usize = 1 << 18;
/// The most elements inside one another; deeper ones are taken for part of the innermost.
const OPEN_MAX: usize = 512;

/// What a node is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Text,
    /// Text of a link to another page.
    LinkText,
    /// Text of a link within the page.
    HereText,
    /// An inline element that is left out, or whose text may be needed.
    Inline,
    Break,
    Block,
    Paragraph,
    /// A heading and its level.
    Heading(u8),
    List,
    Item,
    Table,
    Row,
    Cell,
    Code,
}

impl What {
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::LinkText | Self::HereText)
    }

    pub(super) fn is_block(self) -> bool {
        !self.is_text() && !matches!(self, Self::Inline | Self::Break)
    }

    /// Whether it can be a part of a page, such as its navigation.
    fn is_container(self) -> bool {
        matches!(
            self,
            Self::Block
                | Self::Paragraph
                | Self::List
                | Self::Item
                | Self::Table
                | Self::Row
                | Self::Cell
        )
    }

    /// Whether its presence makes a table cell more than a line.
    fn is_structure(self) -> bool {
        matches!(self, Self::Heading(_) | Self::List | Self::Table | Self::Code)
    }
}

/// One node.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) what: What,
    pub(super) role: Role,
    /// Whether it holds headings, lists, tables or code.
    pub(super) is_structured: bool,
    /// The place behind its inside.
    pub(super) end: usize,
    /// The text, as written.
    pub(super) text: &'a str,
}

/// An element that is open.
struct Opened {
    name: Name,
    /// Its place, if it became a node.
    node: Option<usize>,
    is_block: bool,
    is_link: bool,
}

/// A page as nodes; the first holds all others.
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Whether some maximum left something out.
    pub(super) cut: bool,
}

/// Takes the tokens of a page in.
struct Builder<'a, 'c> {
    nodes: Vec<Node<'a>>,
    open: Vec<Opened>,
    clues: &'c mut Clues<'a>,
    /// What a text of the innermost link is.
    link: Option<What>,
    /// The name of what is passed over, and how many of it are open.
    skipped: Option<(Name, usize)>,
    code: usize,
}

impl<'a> Tree<'a> {
    /// Reads a page, and lets the clues see what goes by.
    pub(super) fn of(html: &'a str, is_xml: bool, clues: &mut Clues<'a>) -> Self {
        let mut builder = Builder {
            nodes: Vec::with_capacity((html.len() / 32).min(NODES_MAX)),
            open: Vec::new(),
            clues,
            link: None,
            skipped: None,
            code: 0,
        };
        builder.put(What::Block, Role::Plain, "");
        let mut tokens = Tokens::new(html, is_xml);
        while builder.nodes.len() < NODES_MAX
            && let Some(token) = tokens.next(builder.skipped.is_some())
        {
            match token {
                Token::Start(name) => builder.start(name, &mut tokens),
                Token::End(name) => builder.end(name),
                Token::Text(text) => builder.text(text),
                Token::Comment(_) => {}
            }
        }
        builder.close_to(0);
        let mut nodes = builder.nodes;
        nodes[0].end = nodes.len();
        let cut = nodes.len() == NODES_MAX;
        Self { nodes, cut }
    }
}

impl<'a> Builder<'a, '_> {
    fn put(&mut self, what: What, role: Role, text: &'a str) -> usize {
        let place = self.nodes.len();
        self.nodes.push(Node { what, role, is_structured: false, end: place + 1, text });
        place
    }

    fn text(&mut self, text: &'a str) {
        if self.skipped.is_some() {
            return;
        }
        // Space at the edge of a block says nothing.
        let after_text = self.nodes.last().is_some_and(|node| node.what.is_text());
        if self.code > 0 || after_text || !text.trim_ascii().is_empty() {
            self.put(self.link.unwrap_or(What::Text), Role::Plain, text);
        }
    }

    fn start(&mut self, name: Name, tokens: &mut Tokens<'a>) {
        let tag = tokens.tag(name);
        if let Some((skipped, count)) = &mut self.skipped {
            if is_foreign(*skipped) && breaks_out(&tag) {
                self.skipped = None;
            } else {
                *count += usize::from(*skipped == name && !tag.is_self_closing);
                return;
            }
        }
        match name.known() {
            b"script" => {
                let is_data = tag.raw("type").is_some_and(is_json_ld);
                let content = tokens.raw_text(name);
                if is_data {
                    self.clues.json_ld(content);
                }
            }
            b"title" => self.clues.title(tokens.raw_text(name)),
            b"style" | b"textarea" | b"iframe" | b"noembed" | b"noscript" | b"noframes"
            | b"xmp" => {
                tokens.raw_text(name);
            }
            b"plaintext" => {
                let rest = tokens.rest();
                self.text(rest);
            }
            b"html" | b"head" | b"body" => {
                self.clues.element(&tag, 0);
            }
            b"svg" | b"template" | b"select" | b"button" | b"audio" | b"video" | b"canvas"
            | b"object" | b"annotation"
                if !tag.is_self_closing =>
            {
                self.skipped = Some((name, 1));
            }
            b"br" => {
                self.put(What::Break, Role::Plain, "");
            }
            b"hr" => {
                self.end_paragraph();
                self.put(What::Break, Role::Plain, "");
            }
            _ => self.open(&tag),
        }
    }

    fn open(&mut self, tag: &Tag<'a, '_>) {
        let what = what(tag.name.known());
        if let Some(what) = what {
            self.imply_ends(tag.name.known(), what);
        }
        let place = self.nodes.len();
        let is_clue = self.clues.element(tag, place);
        if tag.is_empty || is_void(tag.name.known()) || self.open.len() == OPEN_MAX {
            return;
        }
        let is_link = tag.name.known() == b"a";
        if is_link && self.link.is_some() {
            self.end(tag.name);
        }
        let role = hint::role(tag, what.is_some_and(What::is_container));
        let node = match what {
            Some(what) => Some(self.put(what, role, "")),
            None if is_clue || role == Role::Hidden => Some(self.put(What::Inline, role, "")),
            None => None,
        };
        if is_link && let Some(href) = tag.raw("href") {
            let is_here = href.trim_ascii_start().starts_with('#');
            self.link = Some(if is_here { What::HereText } else { What::LinkText });
        }
        self.code += usize::from(what == Some(What::Code));
        self.open.push(Opened { name: tag.name, node, is_block: what.is_some(), is_link });
    }

    /// Ends what a block ends by starting.
    fn imply_ends(&mut self, name: &[u8], what: What) {
        let (ends, passes): (&[&[u8]], &[&[u8]]) = match name {
            b"li" => (&[b"li"], &[b"p", b"div", b"address"]),
            b"dt" | b"dd" => (&[b"dt", b"dd"], &[b"p", b"div", b"address"]),
            b"td" | b"th" => (&[b"td", b"th"], &[]),
            b"tr" => (&[b"tr"], &[b"td", b"th"]),
            b"thead" | b"tbody" | b"tfoot" | b"caption" => {
                (&[b"thead", b"tbody", b"tfoot", b"caption"], &[b"td", b"th", b"tr"])
            }
            _ => (&[], &[]),
        };
        if !ends.is_empty() {
            let blocks = self.open.iter().enumerate().rev().filter(|(_, opened)| opened.is_block);
            for (place, opened) in blocks {
                let known = opened.name.known();
                if ends.contains(&known) {
                    self.close_to(place);
                    break;
                }
                if !passes.contains(&known) && known != b"p" {
                    break;
                }
            }
        }
        if !matches!(what, What::Row | What::Cell) {
            self.end_paragraph();
        }
    }

    fn end_paragraph(&mut self) {
        let block = self.open.iter().rposition(|opened| opened.is_block);
        if let Some(place) = block
            && self.open[place].name.known() == b"p"
        {
            self.close_to(place);
        }
    }

    fn end(&mut self, name: Name) {
        if let Some((skipped, count)) = &mut self.skipped {
            if *skipped == name {
                *count -= 1;
                if *count == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        let own = what(name.known());
        let is_of_table = matches!(own, Some(What::Table | What::Row | What::Cell));
        let mut crossed = false;
        for place in (0..self.open.len()).rev() {
            let opened = &self.open[place];
            if opened.name == name {
                if crossed && opened.node.is_none() {
                    // A link or the like around blocks that outlive it.
                    let gone = self.open.remove(place);
                    self.leave(&gone);
                } else {
                    self.close_to(place);
                }
                return;
            }
            if !opened.is_block {
                continue;
            }
            let is_wall = matches!(what(opened.name.known()), Some(What::Table | What::Cell));
            if is_wall && !is_of_table || own.is_none() && !is_formatting(name.known()) {
                return;
            }
            crossed |= own.is_none();
        }
        if name.known() == b"p" {
            // It makes an empty paragraph.
            self.put(What::Break, Role::Plain, "");
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some(opened) = self.open.pop()
        {
            self.leave(&opened);
        }
    }

    fn leave(&mut self, opened: &Opened) {
        if opened.is_link {
            self.link = None;
        }
        let Some(place) = opened.node else { return };
        self.nodes[place].end = self.nodes.len();
        let Node { what, is_structured, .. } = self.nodes[place];
        self.code -= usize::from(what == What::Code);
        if (is_structured || what.is_structure())
            && let Some(outer) = self.open.iter().rev().find_map(|opened| opened.node)
        {
            self.nodes[outer].is_structured = true;
        }
    }
}

fn is_json_ld(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case("application/ld+json")
}

fn is_foreign(name: Name) -> bool {
    matches!(name.known(), b"svg" | b"annotation")
}

fn is_formatting(name: &[u8]) -> bool {
    matches!(
        name,
        b"a" | b"b"
            | b"big"
            | b"code"
            | b"em"
            | b"font"
            | b"i"
            | b"nobr"
            | b"s"
            | b"small"
            | b"strike"
            | b"strong"
            | b"tt"
            | b"u"
    )
}

fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"col"
            | b"embed"
            | b"img"
            | b"input"
            | b"keygen"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// What an element is if it is a block.
fn what(name: &[u8]) -> Option<What> {
    Some(match name {
        b"p" => What::Paragraph,
        b"h1" => What::Heading(1),
        b"h2" => What::Heading(2),
        b"h3" => What::Heading(3),
        b"h4" => What::Heading(4),
        b"h5" => What::Heading(5),
        b"h6" => What::Heading(6),
        b"ul" | b"ol" | b"dl" | b"menu" | b"dir" => What::List,
        b"li" => What::Item,
        b"table" => What::Table,
        b"tr" => What::Row,
        b"td" | b"th" => What::Cell,
        b"pre" | b"listing" => What::Code,
        b"address" | b"article" | b"aside" | b"blockquote" | b"caption" | b"center" | b"dd"
        | b"details" | b"dialog" | b"div" | b"dt" | b"fieldset" | b"figcaption" | b"figure"
        | b"footer" | b"form" | b"header" | b"hgroup" | b"legend" | b"main" | b"nav"
        | b"search" | b"section" | b"summary" | b"tbody" | b"tfoot" | b"thead" => What::Block,
        _ => return None,
    })
}
