//! Who links to whom, in which markup, spelling and variant.

use super::{Kind, PageId, Scheme, Web};
use crate::chance::Chance;

/// The element that carries a link. All of these are to be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// `<a href="…">`.
    Anchor,
    /// `<a href='…'>`.
    SingleQuoted,
    /// `<a href=…>`.
    Unquoted,
    /// `<A HREF="…">`.
    Capitals,
    /// Line ends between and inside attributes.
    LineEnds,
    /// Tags that are not closed, closed twice or nested wrongly around the link.
    Broken,
    /// A second href, which a browser does not see.
    TwiceHref,
    /// An image map.
    Area,
    /// An inline frame.
    Iframe,
    /// Inside `<noscript>`.
    Noscript,
    /// `<link rel=next>`.
    Next,
    /// A frame of a frameset.
    Frame,
    /// A meta refresh.
    Refresh,
}

/// How much of the URL is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// All of it.
    Absolute,
    /// From `//host` on.
    ProtocolRelative,
    /// From the path on.
    Root,
    /// Relative to the page, or to its base.
    Relative,
}

/// A different text for the same page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The canonical text.
    Plain,
    /// A fragment is added.
    Fragment,
    /// Tracking parameters are added.
    Tracking,
    /// A session parameter is added.
    Session,
    /// Other escapes for the same octets.
    Escapes,
    /// `.` and `..` segments are added.
    Dots,
    /// Scheme and host in capitals.
    CapitalHost,
    /// A `?` with nothing behind it.
    EmptyQuery,
    /// Numeric character references.
    References,
}

/// A link from one page to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The page meant.
    pub to: PageId,
    /// The element.
    pub markup: Markup,
    /// How much is written.
    pub spelling: Spelling,
    /// With what detour.
    pub variant: Variant,
}

const MARKUPS: [Markup; 18] = [
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::Anchor,
    Markup::SingleQuoted,
    Markup::Unquoted,
    Markup::Capitals,
    Markup::LineEnds,
    Markup::Broken,
    Markup::TwiceHref,
    Markup::Area,
    Markup::Iframe,
    Markup::Noscript,
    Markup::Next,
];
const VARIANTS: [Variant; 8] = [
    Variant::Fragment,
    Variant::Tracking,
    Variant::Session,
    Variant::Escapes,
    Variant::Dots,
    Variant::CapitalHost,
    Variant::EmptyQuery,
    Variant::References,
];

impl Link {
    /// A link in a markup, spelling and variant of chance.
    pub(super) fn any(chance: &mut Chance, to: PageId, near: Nearness) -> Self {
        let spelling = match near {
            Nearness::SameHost => chance.pick(&[
                Spelling::Relative,
                Spelling::Relative,
                Spelling::Root,
                Spelling::Root,
                Spelling::Absolute,
            ]),
            Nearness::SameScheme if chance.percent(20) => Spelling::ProtocolRelative,
            Nearness::SameScheme | Nearness::Far => Spelling::Absolute,
        };
        let markup = chance.pick(&MARKUPS);
        let variant = if chance.percent(35) { chance.pick(&VARIANTS) } else { Variant::Plain };
        Self { to, markup, spelling, variant }
    }

    /// The same link as a page of another kind carries it.
    pub(super) fn within(mut self, markup: Markup) -> Self {
        self.markup = markup;
        self
    }

    /// The text names its host, so that it means the same page wherever the body lies.
    pub(super) fn names_host(self) -> bool {
        matches!(self.spelling, Spelling::Absolute | Spelling::ProtocolRelative)
            || self.variant == Variant::CapitalHost
    }
}

/// How much of its URL a link's source and target share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    SameHost,
    SameScheme,
    Far,
}

pub(super) fn nearness(web: &Web, from: PageId, to: PageId) -> Nearness {
    let scheme = |id| -> Scheme { web.host_of(id).scheme };
    if web.page(from).host == web.page(to).host {
        Nearness::SameHost
    } else if scheme(from) == scheme(to) {
        Nearness::SameScheme
    } else {
        Nearness::Far
    }
}

/// Adds the links between hosts, and more of those inside.
pub(super) fn generate(web: &mut Web) {
    let mut chance = Chance::new(web.spec.seed, 0x11C5);
    lead_to_every_host(web, &mut chance);
    for at in 0..web.pages.len() {
        let from = PageId(u32::try_from(at).expect("few pages"));
        if !web.page(from).is_ordinary() {
            continue;
        }
        for _ in 0..chance.below(3) {
            let range = web.host_of(from).pages.clone();
            add(web, &mut chance, from, range);
        }
        for _ in 0..chance.below(3) {
            let host = chance.skewed(web.hosts.len());
            let range = web.hosts[host].pages.clone();
            add(web, &mut chance, from, range);
        }
    }
    send_redirects_abroad(web, &mut chance);
}

/// Every first page is linked from an ordinary page of a good host before it, or is a seed.
fn lead_to_every_host(web: &mut Web, chance: &mut Chance) {
    let mut parents = vec![0];
    for at in 1..web.hosts.len() {
        let parent = parents[chance.skewed(parents.len())];
        let range = web.hosts[parent].pages.clone();
        let fit = |id: &PageId| web.page(*id).is_ordinary();
        let stems: Vec<PageId> = range.map(PageId).filter(fit).collect();
        let from = chance.pick(&stems);
        let to = web.hosts[at].home();
        link(web, chance, from, to);
        if web.hosts[at].is_parent() {
            parents.push(at);
        }
    }
}

fn range_below(chance: &mut Chance, range: &std::ops::Range<u32>) -> u32 {
    u32::try_from(chance.below(range.len())).expect("below the range")
}

/// One more link into `range`, unless chance hits a page that is to stay hidden.
fn add(web: &mut Web, chance: &mut Chance, from: PageId, range: std::ops::Range<u32>) {
    if range.is_empty() {
        return;
    }
    let to = PageId(range.start + u32::try_from(chance.skewed(range.len())).expect("in range"));
    if !web.page(to).hidden {
        link(web, chance, from, to);
    }
}

pub(super) fn link(web: &mut Web, chance: &mut Chance, from: PageId, to: PageId) {
    let near = nearness(web, from, to);
    let mut link = Link::any(chance, to, near);
    let page = &mut web.pages[from.0 as usize];
    if page.frameset {
        link = link.within(Markup::Frame);
    }
    page.links.push(link);
}

/// Some redirects that stand alone lead to another host.
fn send_redirects_abroad(web: &mut Web, chance: &mut Chance) {
    for at in 0..web.pages.len() {
        let Kind::Redirect { abroad: true, .. } = web.pages[at].kind else { continue };
        let host = chance.skewed(web.hosts.len());
        let range = web.hosts[host].pages.clone();
        if range.is_empty() {
            continue;
        }
        let target = PageId(range.start + range_below(chance, &range));
        let page = web.page(target);
        if matches!(page.kind, Kind::Html)
            && !page.hidden
            && let Kind::Redirect { to, spelling, .. } = &mut web.pages[at].kind
        {
            *to = target;
            *spelling = Spelling::Absolute;
        }
    }
}
