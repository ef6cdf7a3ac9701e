//! What a scan keeps while tags, text and comments go by.

use std::borrow::Cow;

use lol_html::html_content::TextType;
use rhumb_web::{LinkKind, URL_BYTES_MAX};

use super::tag::Tag;
use super::{FALLBACKS_MAX, LINKS_MAX, TEXT_BYTES_MAX, refresh, relation};
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

/// A link before the base is known.
pub(super) struct RawLink {
    pub(super) href: String,
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
    gap: Option<Gap>,
    opened: Inside,
    /// It held text that is no markup to the parser.
    raw: bool,
}

/// How many open elements of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Inside {
    templates: usize,
    nofollows: usize,
    noindexes: usize,
}

impl Inside {
    fn leave(&mut self, opened: Self) {
        self.templates = self.templates.saturating_sub(opened.templates);
        self.nofollows = self.nofollows.saturating_sub(opened.nofollows);
        self.noindexes = self.noindexes.saturating_sub(opened.noindexes);
    }
}

/// Whether we stand between googleoff and googleon.
#[derive(Clone, Copy, Default)]
struct Off {
    text: bool,
    anchor: bool,
}

/// What the raw text that comes now belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raw {
    Title,
    Fallback,
    Ignored,
}

/// Collects what a page says, in the order in which it says it.
pub(super) struct Gatherer {
    pub(super) title: Option<Words>,
    pub(super) base: Option<String>,
    pub(super) language: Option<String>,
    pub(super) links: Vec<RawLink>,
    pub(super) metas: Vec<(String, String)>,
    pub(super) text: Words,
    pub(super) cut: bool,
    /// Inside `noscript` or `noframes`: links count, text does not.
    in_fallback: bool,
    /// The first refresh was met. A flag, for to look through the links at every meta would cost
    /// their product.
    has_refresh: bool,
    /// The open anchor: its number, its link if it has one that was kept, and its text.
    anchor: Option<(usize, Option<usize>, Words)>,
    anchors: usize,
    raw: Raw,
    fallback: String,
    fallbacks: usize,
    inside: Inside,
    off: Off,
}

impl Default for Gatherer {
    fn default() -> Self {
        Self::new()
    }
}

impl Gatherer {
    pub(super) fn new() -> Self {
        Self {
            title: None,
            base: None,
            language: None,
            links: Vec::new(),
            metas: Vec::new(),
            text: Words::new(TEXT_BYTES_MAX),
            cut: false,
            in_fallback: false,
            has_refresh: false,
            anchor: None,
            anchors: 0,
            raw: Raw::Ignored,
            fallback: String::new(),
            fallbacks: 0,
            inside: Inside::default(),
            off: Off::default(),
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut || self.text.is_full()
    }

    /// Takes a start tag in, and says what its end tag has to undo.
    pub(super) fn start(&mut self, tag: &Tag<'_, '_>) -> Ending {
        let mut ending = self.classes(tag);
        let name = tag.name();
        if let Some(gap) = gap_of(name) {
            self.gap(gap);
            ending.gap = Some(gap);
        }
        if tag.is_html {
            self.start_html(tag, &mut ending);
        } else if name == b"a" {
            let href = tag.value("href").or_else(|| tag.value("xlink:href"));
            ending.anchor = Some(self.open_anchor(tag, href));
        }
        ending
    }

    fn start_html(&mut self, tag: &Tag<'_, '_>, ending: &mut Ending) {
        match tag.name() {
            b"a" => ending.anchor = Some(self.open_anchor(tag, tag.value("href"))),
            b"area" => self.link(tag, LinkKind::Area, "href", "alt"),
            b"frame" => self.link(tag, LinkKind::Frame, "src", "title"),
            b"iframe" => {
                self.link(tag, LinkKind::Iframe, "src", "title");
                self.raw(Raw::Ignored, ending);
            }
            b"link" => {
                if let Some(kind) = relation::kind(tag) {
                    self.link(tag, kind, "href", "title");
                }
            }
            b"img" => self.image(tag),
            b"meta" if self.inside.templates == 0 => self.meta(tag),
            b"base" if self.inside.templates == 0 && self.base.is_none() => {
                self.base = tag.value("href").map(|href| cut(&href, URL_BYTES_MAX + 1).to_owned());
            }
            b"html" => self.language(tag),
            b"template" => {
                self.inside.templates += 1;
                ending.opened.templates = 1;
            }
            b"title" if self.inside.templates == 0 && self.title.is_none() => {
                self.title = Some(Words::new(TITLE_BYTES_MAX));
                self.raw(Raw::Title, ending);
            }
            b"noscript" | b"noframes" if !self.in_fallback && self.inside.templates == 0 => {
                self.raw(Raw::Fallback, ending);
            }
            b"title" | b"textarea" | b"noscript" | b"noframes" => self.raw(Raw::Ignored, ending),
            _ => {}
        }
    }

    /// Takes an end tag in, and gives out the content of a fallback that ended with it.
    pub(super) fn end(&mut self, ending: &Ending) -> Option<String> {
        if let Some(gap) = ending.gap {
            self.gap(gap);
        }
        let open = self.anchor.as_ref().map(|(number, ..)| *number);
        if ending.anchor.is_some() && ending.anchor == open {
            self.close_anchor();
        }
        self.inside.leave(ending.opened);
        if ending.raw {
            self.raw = Raw::Ignored;
            return self.take_fallback();
        }
        None
    }

    /// The content of the fallback that is under way, if it may hold links.
    pub(super) fn take_fallback(&mut self) -> Option<String> {
        let fallback = std::mem::take(&mut self.fallback);
        if !fallback.contains('<') {
            return None;
        }
        self.fallbacks += 1;
        self.cut |= self.fallbacks > FALLBACKS_MAX;
        (self.fallbacks <= FALLBACKS_MAX).then_some(fallback)
    }

    /// Goes into a fallback, whose open ends must not reach beyond it.
    pub(super) fn enter_fallback(&mut self) -> (Inside, usize) {
        self.in_fallback = true;
        (self.inside, self.anchors)
    }

    pub(super) fn leave_fallback(&mut self, (inside, anchors): (Inside, usize)) {
        self.in_fallback = false;
        self.inside = inside;
        if self.anchor.as_ref().is_some_and(|(number, ..)| *number > anchors) {
            self.close_anchor();
        }
    }

    pub(super) fn text(&mut self, text: &str, kind: TextType) {
        match kind {
            TextType::Data => self.visible(&decode(text, Place::Text)),
            TextType::PlainText => self.visible(text),
            TextType::RCData if self.raw == Raw::Title => {
                if let Some(title) = &mut self.title {
                    title.push(&decode(text, Place::Text));
                }
            }
            TextType::RawText if self.raw == Raw::Fallback => self.fallback.push_str(text),
            _ => {}
        }
    }

    /// Takes a comment in, with its `<!--`: the switches of the Google Search Appliance.
    pub(super) fn comment(&mut self, comment: &str) {
        let inside = comment.trim_start_matches("<!--").trim_end_matches("-->").trim_ascii();
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

    fn visible(&mut self, text: &str) {
        if self.inside.templates > 0 {
            return;
        }
        if let Some((_, Some(_), words)) = &mut self.anchor
            && !self.off.anchor
        {
            words.push(text);
        }
        if !self.in_fallback && self.inside.noindexes == 0 && !self.off.text {
            self.text.push(text);
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.text.gap(gap);
        if let Some((_, _, words)) = &mut self.anchor {
            words.gap(Gap::Space);
        }
    }

    fn raw(&mut self, raw: Raw, ending: &mut Ending) {
        self.raw = raw;
        ending.raw = true;
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

    fn open_anchor(&mut self, tag: &Tag<'_, '_>, href: Option<Cow<'_, str>>) -> usize {
        self.close_anchor();
        self.anchors += 1;
        let link = href.and_then(|href| self.push_link(tag, LinkKind::A, &href, String::new()));
        self.anchor = Some((self.anchors, link, Words::new(ANCHOR_BYTES_MAX)));
        self.anchors
    }

    pub(super) fn close_anchor(&mut self) {
        if let Some((_, Some(link), words)) = self.anchor.take() {
            self.links[link].text = words.into_text();
        }
    }

    fn image(&mut self, tag: &Tag<'_, '_>) {
        if let Some((_, Some(_), words)) = &mut self.anchor
            && !self.off.anchor
            && let Some(alt) = tag.value("alt")
        {
            words.gap(Gap::Space);
            words.push(&alt);
            words.gap(Gap::Space);
        }
    }

    fn link(&mut self, tag: &Tag<'_, '_>, kind: LinkKind, href: &str, text: &str) {
        let Some(href) = tag.value(href) else {
            return;
        };
        let text = tag.value(text).filter(|_| !self.off.anchor);
        let text = text.map(|text| Words::of(&text, ANCHOR_BYTES_MAX)).unwrap_or_default();
        self.push_link(tag, kind, &href, text);
    }

    /// Keeps a link and says where, unless it is inside a template or one too many.
    fn push_link(
        &mut self,
        tag: &Tag<'_, '_>,
        kind: LinkKind,
        href: &str,
        text: String,
    ) -> Option<usize> {
        if self.inside.templates > 0 {
            return None;
        }
        if self.links.len() == LINKS_MAX {
            self.cut = true;
            return None;
        }
        let nofollow = self.inside.nofollows > 0 || tag.lists("rel", "nofollow");
        // One byte more than a URL may have is enough for it to be refused.
        let href = cut(href, URL_BYTES_MAX + 1).to_owned();
        self.links.push(RawLink { href, kind, text, nofollow });
        Some(self.links.len() - 1)
    }

    fn meta(&mut self, tag: &Tag<'_, '_>) {
        let Some(content) = tag.value("content") else {
            return;
        };
        if tag.raw("http-equiv").is_some_and(|word| word.eq_ignore_ascii_case("refresh"))
            && !self.has_refresh
            && let Some(target) = refresh::target(&content)
        {
            self.has_refresh = true;
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
