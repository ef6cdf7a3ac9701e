//! The elements that are open, and which of them are foreign: SVG and `MathML`.

use std::collections::VecDeque;

use super::gatherer::Ending;
use super::name::Name;
use super::tag::Tag;

/// The most elements inside one another that are remembered: browsers nest no deeper. Beyond it
/// the outermost are forgotten, those first that nothing hangs on, so that an end tag that ends
/// nothing stays cheap.
const OPEN_MAX: usize = 512;

/// The language that an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    Html,
    Svg,
    MathMl,
}

struct Element {
    name: Name,
    /// The language of what is in it.
    inner: Namespace,
    ending: Ending,
    /// Whether what is in it would be taken for something else without it.
    has_effect: bool,
    is_template: bool,
}

/// Open elements, the innermost last.
#[derive(Default)]
pub(super) struct Open {
    elements: VecDeque<Element>,
}

impl Open {
    /// The language of what comes now.
    pub(super) fn inner(&self) -> Namespace {
        self.elements.back().map_or(Namespace::Html, |element| element.inner)
    }

    /// The language of an element that starts here, unless it breaks out of a foreign one.
    pub(super) fn namespace(&self, tag: &Tag<'_, '_>) -> Namespace {
        match (self.inner(), tag.name.known()) {
            (Namespace::Html, b"svg") => Namespace::Svg,
            (Namespace::Html, b"math") => Namespace::MathMl,
            (here, _) => here,
        }
    }

    /// Opens an element, and gives back what ends by that: itself if it can hold nothing, or the
    /// one that is forgotten for it.
    pub(super) fn push(
        &mut self,
        tag: &Tag<'_, '_>,
        own: Namespace,
        ending: Ending,
    ) -> Option<Ending> {
        let is_html = own == Namespace::Html;
        let is_closed = if is_html { is_void(tag.name.known()) } else { tag.is_self_closing };
        if is_closed || tag.is_empty {
            return Some(ending);
        }
        let inner = if holds_html(tag, own) { Namespace::Html } else { own };
        let element = Element {
            name: tag.name,
            inner,
            ending,
            has_effect: inner != self.inner() || ending.has_effect(),
            is_template: is_html && tag.name.known() == b"template",
        };
        let forgotten = if self.elements.len() == OPEN_MAX { self.forget() } else { None };
        self.elements.push_back(element);
        forgotten
    }

    fn forget(&mut self) -> Option<Ending> {
        let place = self.elements.iter().position(|element| !element.has_effect);
        let mut ending = self.elements.remove(place.unwrap_or(0))?.ending;
        // The text goes on: no line ends here.
        ending.gap = None;
        Some(ending)
    }

    /// How many elements remain open after this end tag. What is in a template ends nothing that
    /// is around it.
    pub(super) fn depth_after(&self, name: Name) -> usize {
        let stops = |element: &Element| element.name == name || element.is_template;
        let place = self.elements.iter().rposition(stops);
        let place = place.filter(|place| self.elements[*place].name == name);
        place.unwrap_or(self.elements.len())
    }

    /// How many elements remain open when this one starts, as far as those whose end tags may be
    /// left out are the innermost.
    pub(super) fn depth_before(&self, tag: &Tag<'_, '_>) -> usize {
        let Some(ends) = implied_ends(tag.name.known()) else {
            return self.elements.len();
        };
        let stays = |element: &Element| !ends.contains(&element.name.known());
        self.elements.iter().rposition(stays).map_or(0, |place| place + 1)
    }

    /// How many elements remain open after all that is foreign was left.
    pub(super) fn depth_of_html(&self) -> usize {
        let place = self.elements.iter().rposition(|element| element.inner == Namespace::Html);
        place.map_or(0, |place| place + 1)
    }

    /// Closes the innermost element if there are more than so many.
    pub(super) fn pop_to(&mut self, depth: usize) -> Option<Ending> {
        let is_deeper = self.elements.len() > depth;
        is_deeper.then(|| self.elements.pop_back())?.map(|element| element.ending)
    }
}

fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
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

/// The elements that end where this one starts, by the standard.
fn implied_ends(name: &[u8]) -> Option<&'static [&'static [u8]]> {
    match name {
        b"p" => Some(&[b"p"]),
        b"li" => Some(&[b"p", b"li"]),
        b"dt" | b"dd" => Some(&[b"p", b"dt", b"dd"]),
        b"td" | b"th" => Some(&[b"p", b"td", b"th"]),
        b"tr" => Some(&[b"p", b"td", b"th", b"tr"]),
        b"option" => Some(&[b"option"]),
        _ => None,
    }
}

/// Whether a foreign element holds HTML again: the standard's integration points.
fn holds_html(tag: &Tag<'_, '_>, own: Namespace) -> bool {
    match (own, tag.name.known()) {
        (Namespace::Svg, b"desc" | b"title" | b"foreignobject")
        | (Namespace::MathMl, b"mi" | b"mo" | b"mn" | b"ms" | b"mtext") => true,
        (Namespace::MathMl, b"annotation-xml") => {
            let is_html = |kind: &str| {
                kind.eq_ignore_ascii_case("text/html")
                    || kind.eq_ignore_ascii_case("application/xhtml+xml")
            };
            tag.raw("encoding").is_some_and(is_html)
        }
        _ => false,
    }
}

/// Whether a tag cannot stand in SVG or `MathML` and ends what is foreign, by the standard.
pub(crate) fn breaks_out(tag: &Tag<'_, '_>) -> bool {
    match tag.name.known() {
        b"b" | b"big" | b"blockquote" | b"body" | b"br" | b"center" | b"code" | b"dd" | b"div"
        | b"dl" | b"dt" | b"em" | b"embed" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6"
        | b"head" | b"hr" | b"i" | b"img" | b"li" | b"listing" | b"menu" | b"meta" | b"nobr"
        | b"ol" | b"p" | b"pre" | b"ruby" | b"s" | b"small" | b"span" | b"strong" | b"strike"
        | b"sub" | b"sup" | b"table" | b"tt" | b"u" | b"ul" | b"var" => true,
        b"font" => ["color", "face", "size"].iter().any(|name| tag.raw(name).is_some()),
        _ => false,
    }
}
