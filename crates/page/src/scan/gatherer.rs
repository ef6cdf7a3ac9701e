//! What a scan keeps while tags, text and comments go by.

use std::borrow::Cow;

use rhumb_web::{LinkKind, URL_BYTES_MAX};

use super::name::Name;
use super::open::{Namespace, Open, breaks_out};
use super::paint::Paint;
use super::tag::Tag;
use super::{Concealed, LINKS_MAX, hash_of, refresh, relation};
use crate::entities::{Place, decode};
use crate::words::{Gap, Words, cut};

/// How much of a title is kept.
const TITLE_BYTES_MAX: usize = 1024;
/// How much of a link's text is kept.
const ANCHOR_BYTES_MAX: usize = 256;
/// The most metas of one page.
const METAS_MAX: usize = 256;
/// How much of a meta's name or content is kept.
const META_BYTES_MAX: usize = 4096;
/// How much of a language tag is kept.
const LANGUAGE_BYTES_MAX: usize = 64;
/// How much of the text is kept that nobody sees: enough to know what it is like.
const CONCEALED_BYTES_MAX: usize = 4096;

/// A link before the base is known.
pub(super) struct RawLink<'a> {
    pub(super) href: Cow<'a, str>,
    pub(super) kind: LinkKind,
    pub(super) text: String,
    pub(super) nofollow: bool,
}

/// What has to be undone when an element ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// The number of the anchor that it closes.
    anchor: Option<usize>,
    /// It stands apart from the text after it.
    pub(super) gap: Option<Gap>,
    opened: Inside,
}

impl Ending {
    /// Whether the element changes what the links and the text in it are.
    pub(super) fn has_effect(&self) -> bool {
        self.opened != Inside::default()
    }
}

/// How many open elements of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Inside {
    /// Those that are not drawn: templates, and scripts and styles of SVG.
    hidden: usize,
    nofollows: usize,
    noindexes: usize,
    /// Those that say how they are drawn.
    paints: usize,
}

impl Inside {
    fn leave(&mut self, opened: Self) {
        self.hidden = self.hidden.saturating_sub(opened.hidden);
        self.nofollows = self.nofollows.saturating_sub(opened.nofollows);
        self.noindexes = self.noindexes.saturating_sub(opened.noindexes);
        self.paints = self.paints.saturating_sub(opened.paints);
    }
}

/// Whether we stand between googleoff and googleon.
#[derive(Clone, Copy, Default)]
struct Off {
    text: bool,
    anchor: bool,
}

/// What the content of an element is that is no markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    Title,
    /// What stands for scripts or frames, which is markup to us.
    Fallback,
    Ignored,
    /// Text without references, to the end of the page.
    Plain,
}

/// An anchor that is open.
struct Anchor {
    number: usize,
    /// The place of its link, if it has one that was kept.
    link: Option<usize>,
    words: Words,
}

/// What was open around a fallback.
pub(super) struct Outside {
    open: Open,
    inside: Inside,
    anchors: usize,
}

/// Collects what a page says, in the order in which it says it.
pub(super) struct Gatherer<'a> {
    pub(super) title: Option<Words>,
    pub(super) base: Option<Cow<'a, str>>,
    pub(super) language: Option<String>,
    pub(super) links: Vec<RawLink<'a>>,
    pub(super) metas: Vec<(String, String)>,
    /// The visible text, where it is wanted.
    pub(super) text: Option<Words>,
    /// The seconds after which the first refresh leads away, outside of fallbacks.
    pub(super) refresh_after: Option<u32>,
    pub(super) concealed: Concealed,
    pub(super) concealed_words: Words,
    /// How what comes now is drawn, the outermost first.
    paints: Vec<Paint>,
    /// How it is drawn outside of all those.
    paint: Paint,
    /// A hash of the file names of all its pictures; in any order.
    pub(super) pictures: u64,
    cut: bool,
    /// Inside `noscript` or `noframes`: links count, text does not.
    in_fallback: bool,
    /// The first refresh was met. A flag, for to look through the links at every meta would cost
    /// their product.
    has_refresh: bool,
    anchor: Option<Anchor>,
    anchors: usize,
    open: Open,
    inside: Inside,
    off: Off,
}

impl<'a> Gatherer<'a> {
    pub(super) fn new(text: Option<Words>) -> Self {
        Self {
            title: None,
            base: None,
            language: None,
            links: Vec::new(),
            metas: Vec::new(),
            text,
            refresh_after: None,
            concealed: Concealed::default(),
            concealed_words: Words::new(CONCEALED_BYTES_MAX),
            paints: Vec::new(),
            paint: Paint::bare(),
            pictures: 0,
            cut: false,
            in_fallback: false,
            has_refresh: false,
            anchor: None,
            anchors: 0,
            open: Open::default(),
            inside: Inside::default(),
            off: Off::default(),
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut || self.text.as_ref().is_some_and(Words::is_full)
    }

    /// Whether we stand in SVG or `MathML`.
    pub(super) fn is_foreign(&self) -> bool {
        self.open.inner() != Namespace::Html
    }

    /// Takes a start tag in, and says what its content is if that is no markup.
    pub(super) fn start(&mut self, tag: &Tag<'a, '_>) -> Option<Raw> {
        if self.is_foreign() && breaks_out(tag) {
            self.close_to(self.open.depth_of_html());
        }
        if !self.is_foreign() {
            self.close_to(self.open.depth_before(tag));
        }
        let namespace = self.open.namespace(tag);
        let mut ending = self.classes(tag);
        self.paint(tag, &mut ending);
        let name = tag.name.known();
        ending.gap = gap_of(name);
        if let Some(gap) = ending.gap {
            self.gap(gap);
        }
        let mut raw = None;
        if namespace == Namespace::Html {
            self.start_html(tag, &mut ending);
            raw = self.raw(name);
        } else {
            self.start_foreign(tag, &mut ending);
        }
        if let Some(ending) = self.open.push(tag, namespace, ending) {
            self.leave(&ending);
        }
        raw
    }

    fn start_foreign(&mut self, tag: &Tag<'a, '_>, ending: &mut Ending) {
        match tag.name.known() {
            b"a" => {
                let href = tag.value("href").or_else(|| tag.value("xlink:href"));
                ending.anchor = Some(self.open_anchor(tag, href));
            }
            b"script" | b"style" => self.hide(ending),
            _ => {}
        }
    }

    fn hide(&mut self, ending: &mut Ending) {
        self.inside.hidden += 1;
        ending.opened.hidden = 1;
    }

    fn start_html(&mut self, tag: &Tag<'a, '_>, ending: &mut Ending) {
        match tag.name.known() {
            b"a" => ending.anchor = Some(self.open_anchor(tag, tag.value("href"))),
            b"area" => self.link(tag, LinkKind::Area, "href", "alt"),
            b"frame" => self.link(tag, LinkKind::Frame, "src", "title"),
            b"iframe" => self.link(tag, LinkKind::Iframe, "src", "title"),
            b"link" => {
                if let Some(kind) = relation::kind(tag) {
                    self.link(tag, kind, "href", "title");
                } else if tag.lists("rel", "stylesheet") {
                    self.paint = Paint::styled();
                }
            }
            b"style" => self.paint = Paint::styled(),
            b"img" => self.image(tag),
            b"meta" if self.inside.hidden == 0 => self.meta(tag),
            b"base" if self.inside.hidden == 0 && self.base.is_none() => {
                self.base = tag.value("href").map(shortened);
            }
            b"html" => self.language(tag),
            b"template" if !is_shadow_root(tag) => self.hide(ending),
            _ => {}
        }
    }

    /// What the content of an HTML element is if that is no markup.
    fn raw(&mut self, name: &[u8]) -> Option<Raw> {
        match name {
            b"title" if self.inside.hidden == 0 && self.title.is_none() => {
                self.title = Some(Words::new(TITLE_BYTES_MAX));
                Some(Raw::Title)
            }
            b"noscript" | b"noframes" if self.in_fallback => None,
            b"noscript" | b"noframes" if self.inside.hidden == 0 => Some(Raw::Fallback),
            b"plaintext" => Some(Raw::Plain),
            b"title" | b"textarea" | b"script" | b"style" | b"iframe" | b"xmp" | b"noembed"
            | b"noscript" | b"noframes" => Some(Raw::Ignored),
            _ => None,
        }
    }

    /// Takes an end tag in: what it ends, and everything in it that is still open.
    pub(super) fn end(&mut self, name: Name) {
        if self.is_foreign() && matches!(name.known(), b"p" | b"br") {
            self.close_to(self.open.depth_of_html());
        }
        self.close_to(self.open.depth_after(name));
    }

    fn close_to(&mut self, depth: usize) {
        while let Some(ending) = self.open.pop_to(depth) {
            self.leave(&ending);
        }
    }

    fn leave(&mut self, ending: &Ending) {
        if let Some(gap) = ending.gap {
            self.gap(gap);
        }
        let open = self.anchor.as_ref().map(|anchor| anchor.number);
        if ending.anchor.is_some() && ending.anchor == open {
            self.close_anchor();
        }
        self.inside.leave(ending.opened);
        self.paints.truncate(self.inside.paints);
    }

    /// Goes into a fallback that may hold links. Its open ends must not reach beyond it.
    pub(super) fn enter_fallback(&mut self, fallback: &str) -> Option<Outside> {
        if !fallback.contains('<') {
            return None;
        }
        self.in_fallback = true;
        let open = std::mem::take(&mut self.open);
        Some(Outside { open, inside: self.inside, anchors: self.anchors })
    }

    pub(super) fn leave_fallback(&mut self, outside: Outside) {
        self.in_fallback = false;
        self.open = outside.open;
        self.inside = outside.inside;
        self.paints.truncate(self.inside.paints);
        if self.anchor.as_ref().is_some_and(|anchor| anchor.number > outside.anchors) {
            self.close_anchor();
        }
    }

    /// Takes text in, with its references as written.
    pub(super) fn text(&mut self, text: &str) {
        if self.wants_anchor_text() || self.wants_text() {
            self.visible(&decode(text, Place::Text));
        }
    }

    pub(super) fn title(&mut self, text: &str) {
        if let Some(title) = &mut self.title {
            title.push(&decode(text, Place::Text));
        }
    }

    /// Takes the inside of a comment in: the switches of the Google Search Appliance.
    pub(super) fn comment(&mut self, comment: &str) {
        let inside = comment.trim_start_matches("<!--").trim_ascii();
        // Long comments are not switches and need no copy.
        let Some((switch, what)) = inside.split_once(':').filter(|_| inside.len() < 64) else {
            return;
        };
        let off = match switch.trim_ascii() {
            word if word.eq_ignore_ascii_case("googleoff") => true,
            word if word.eq_ignore_ascii_case("googleon") => false,
            _ => return,
        };
        let what = what.trim_ascii().to_ascii_lowercase();
        if matches!(what.as_str(), "all" | "index") {
            self.off.text = off;
        }
        if matches!(what.as_str(), "all" | "anchor") {
            self.off.anchor = off;
        }
    }

    /// Takes text in that has no references.
    pub(super) fn visible(&mut self, text: &str) {
        if self.wants_anchor_text()
            && let Some(anchor) = &mut self.anchor
        {
            anchor.words.push(text);
        }
        if self.wants_text()
            && let Some(words) = &mut self.text
        {
            words.push(text);
            if !self.paints.is_empty() {
                self.conceal(text);
            }
        }
    }

    /// Takes a text in again where nobody sees it.
    fn conceal(&mut self, text: &str) {
        let Some(paint) = self.paints.last().filter(|paint| paint.conceals()) else { return };
        self.concealed.bytes += text.trim_ascii().len();
        if paint.is_disguised() {
            self.concealed.disguised_bytes += text.trim_ascii().len();
        }
        self.concealed_words.push(text);
        // What stands apart is not known any more; nothing grows together by that.
        self.concealed_words.gap(Gap::Space);
    }

    fn wants_text(&self) -> bool {
        let inside = &self.inside;
        self.text.is_some()
            && !self.in_fallback
            && !self.off.text
            && inside.hidden + inside.noindexes == 0
    }

    fn wants_anchor_text(&self) -> bool {
        let has_link = self.anchor.as_ref().is_some_and(|anchor| anchor.link.is_some());
        has_link && !self.off.anchor && self.inside.hidden == 0
    }

    fn gap(&mut self, gap: Gap) {
        if let Some(text) = &mut self.text {
            text.gap(gap);
        }
        if let Some(anchor) = &mut self.anchor {
            anchor.words.gap(Gap::Space);
        }
    }

    fn classes(&mut self, tag: &Tag<'_, '_>) -> Ending {
        let Some(class) = tag.raw("class") else {
            return Ending::default();
        };
        let mut ending = Ending::default();
        for word in class.split_ascii_whitespace() {
            match word {
                "robots-nofollow" => ending.opened.nofollows = 1,
                "robots-noindex" | "robots-nocontent" => ending.opened.noindexes = 1,
                _ => {}
            }
        }
        self.inside.nofollows += ending.opened.nofollows;
        self.inside.noindexes += ending.opened.noindexes;
        ending
    }

    /// Remembers how an element is drawn, if it says so.
    fn paint(&mut self, tag: &Tag<'_, '_>, ending: &mut Ending) {
        if tag.attributes.is_empty() || self.text.is_none() {
            return;
        }
        let around = self.paints.last().unwrap_or(&self.paint);
        if let Some(paint) = around.inside(tag) {
            self.paints.push(paint);
            self.inside.paints += 1;
            ending.opened.paints = 1;
        }
    }

    fn open_anchor(&mut self, tag: &Tag<'a, '_>, href: Option<Cow<'a, str>>) -> usize {
        self.close_anchor();
        self.anchors += 1;
        let link = href.and_then(|href| self.push_link(tag, LinkKind::A, href, String::new()));
        let words = Words::new(ANCHOR_BYTES_MAX);
        self.anchor = Some(Anchor { number: self.anchors, link, words });
        self.anchors
    }

    pub(super) fn close_anchor(&mut self) {
        if let Some(Anchor { link: Some(link), words, .. }) = self.anchor.take() {
            self.links[link].text = words.into_text();
        }
    }

    fn image(&mut self, tag: &Tag<'_, '_>) {
        if let Some(source) = tag.raw("src").filter(|it| !it.starts_with("data:")) {
            let path = source.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            self.pictures = self.pictures.wrapping_add(hash_of(name.bytes()));
        }
        if let Some(Anchor { link: Some(_), words, .. }) = &mut self.anchor
            && !self.off.anchor
            && let Some(alt) = tag.value("alt")
        {
            words.gap(Gap::Space);
            words.push(&alt);
            words.gap(Gap::Space);
        }
    }

    fn link(&mut self, tag: &Tag<'a, '_>, kind: LinkKind, href: &str, text: &str) {
        let Some(href) = tag.value(href) else {
            return;
        };
        let text = tag.value(text).filter(|_| !self.off.anchor);
        let text = text.map(|text| Words::of(&text, ANCHOR_BYTES_MAX)).unwrap_or_default();
        self.push_link(tag, kind, href, text);
    }

    /// Keeps a link and says where, unless it is not drawn or one too many.
    fn push_link(
        &mut self,
        tag: &Tag<'a, '_>,
        kind: LinkKind,
        href: Cow<'a, str>,
        text: String,
    ) -> Option<usize> {
        if self.inside.hidden > 0 {
            return None;
        }
        if self.links.len() == LINKS_MAX {
            self.cut = true;
            return None;
        }
        let nofollow = self.inside.nofollows > 0 || tag.lists("rel", "nofollow");
        self.links.push(RawLink { href: shortened(href), kind, text, nofollow });
        Some(self.links.len() - 1)
    }

    fn meta(&mut self, tag: &Tag<'a, '_>) {
        let Some(content) = tag.value("content") else {
            return;
        };
        if tag.raw("http-equiv").is_some_and(|word| word.eq_ignore_ascii_case("refresh"))
            && !self.has_refresh
            && let Some(target) = refresh::target(&content)
        {
            self.has_refresh = true;
            self.refresh_after = refresh::seconds(&content).filter(|_| !self.in_fallback);
            let target = Cow::Owned(target.to_owned());
            self.push_link(tag, LinkKind::Refresh, target, String::new());
        }
        let Some(name) = tag.value("name") else {
            return;
        };
        if self.metas.len() == METAS_MAX {
            self.cut = true;
            return;
        }
        let name = cut(name.trim_ascii(), META_BYTES_MAX).to_ascii_lowercase();
        self.metas.push((name, cut(content.trim_ascii(), META_BYTES_MAX).to_owned()));
    }

    fn language(&mut self, tag: &Tag<'_, '_>) {
        if self.language.is_none() {
            let language = tag.value("lang").or_else(|| tag.value("xml:lang")).unwrap_or_default();
            let language = cut(language.trim_ascii(), LANGUAGE_BYTES_MAX);
            self.language = Some(language.to_owned()).filter(|language| !language.is_empty());
        }
    }
}

/// Whether a template is drawn, as the inside of the element around it.
fn is_shadow_root(tag: &Tag<'_, '_>) -> bool {
    let is_mode =
        |mode: &str| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed");
    tag.raw("shadowrootmode").is_some_and(is_mode)
}

/// An address, as much as there may be of it: one byte more than a URL may have is enough for it
/// to be refused.
fn shortened(href: Cow<'_, str>) -> Cow<'_, str> {
    match href {
        Cow::Borrowed(href) => Cow::Borrowed(cut(href, URL_BYTES_MAX + 1)),
        Cow::Owned(href) => Cow::Owned(cut(&href, URL_BYTES_MAX + 1).to_owned()),
    }
}

/// How an element stands apart from the text around it.
fn gap_of(name: &[u8]) -> Option<Gap> {
    match name {
        b"td" | b"th" | b"option" | b"button" | b"select" | b"label" | b"legend" => {
            Some(Gap::Space)
        }
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"br" | b"caption"
        | b"center" | b"dd" | b"details" | b"dialog" | b"dir" | b"div" | b"dl" | b"dt"
        | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"h1" | b"h2" | b"h3"
        | b"h4" | b"h5" | b"h6" | b"header" | b"hgroup" | b"hr" | b"li" | b"main" | b"menu"
        | b"nav" | b"ol" | b"p" | b"pre" | b"search" | b"section" | b"summary" | b"table"
        | b"tbody" | b"tfoot" | b"thead" | b"tr" | b"ul" => Some(Gap::Line),
        _ => None,
    }
}
