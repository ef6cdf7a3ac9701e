//! Which pages there are: targets, kinds, and the tree of links inside each host.

use super::links::{Markup, Nearness};
use super::pages::NOFOLLOW;
use super::{Charset, Coding, Declared, Directive, Framing, Host, HostId, Kind};
use super::{Link, Page, PageId, Spelling, Web};
use crate::chance::Chance;

const CHARSETS: [Charset; 10] = [
    Charset::Cyrillic(Declared::Header),
    Charset::Japanese(Declared::Meta),
    Charset::Chinese(Declared::HttpEquiv),
    Charset::Utf16Le,
    Charset::Utf8Bom,
    Charset::Cyrillic(Declared::Meta),
    Charset::Japanese(Declared::Header),
    Charset::Chinese(Declared::Header),
    Charset::Utf16Be,
    Charset::Cyrillic(Declared::HttpEquiv),
];
const HARMLESS: [Directive; 3] =
    [Directive::Noindex, Directive::OtherbotMeta, Directive::OtherbotHeader];
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];
const DIRS: [&str; 9] = [
    "/",
    "/news/",
    "/docs/guide/",
    "/a/b/c/",
    "/~keeper/",
    "/men%C3%BC/",
    "/2024/harbour/",
    "/people/",
    "/shelf/left/top/",
];
const NAMES: [&str; 8] = ["chart", "log", "note", "tide", "light", "reef", "crew", "knot"];
/// Hops of the longest redirect chain, one below what crawlers follow at most.
const CHAIN_MAX: usize = 4;

pub(super) fn generate(web: &mut Web) {
    for at in 0..web.hosts.len() {
        let id = HostId(u32::try_from(at).expect("few hosts"));
        let host = web.hosts[at].clone();
        let start = web.pages.len();
        if let Some(original) = host.mirror_of {
            reserve_mirror(web, id, original);
        } else if let Some(original) = host.twin_of {
            add_twin(web, id, original);
        } else {
            let chance = Chance::new(web.spec.seed, 0x9A6E_0000 + at as u64);
            let walls = web.spec.cookie_walls;
            let pages = std::mem::take(&mut web.pages);
            let builder =
                Builder { id, host, start, chance, pages, stems: Vec::new(), failed: false };
            web.pages = builder.build(walls);
        }
        web.hosts[at].pages = number(start)..number(web.pages.len());
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 pages")
}

/// Builds the pages of one host onto the list of all.
struct Builder {
    id: HostId,
    host: Host,
    start: usize,
    chance: Chance,
    pages: Vec<Page>,
    stems: Vec<PageId>,
    failed: bool,
}

impl Builder {
    fn build(mut self, walls: bool) -> Vec<Page> {
        self.stem("/".to_owned());
        let size = self.host.size;
        if self.id.0 == 0 {
            self.redirect_loop();
        }
        if walls && self.host.cookie {
            let wall = self.add("/wall/".to_owned(), Kind::Wall);
            self.link_from_stem(wall);
        }
        while self.pages.len() - self.start < size {
            self.next();
        }
        self.pages
    }

    fn next(&mut self) {
        match self.chance.below(100) {
            0..3 => self.redirect_chain(),
            3..6 => self.redirect_abroad(),
            6..8 => self.refresh(),
            8..11 => self.gone(),
            11..19 => self.area(),
            19..22 => self.duplicate(),
            22..25 => self.near_duplicate(),
            25..29 => self.nofollow(),
            29..32 => {
                let page = self.linked_stem();
                self.page(page).directive = self.chance_of(&HARMLESS);
            }
            32..38 => {
                let page = self.linked_stem();
                let turn = self.stems.len() + self.id.0 as usize;
                self.page(page).charset = CHARSETS[turn % CHARSETS.len()];
            }
            38..40 => {
                let target = format!("/files/readme-{}.txt", self.pages.len() - self.start);
                let page = self.add(target, Kind::Text);
                self.link_from_stem(page);
            }
            40..46 if self.host.sitemap.is_some() => {
                let target = self.target();
                let page = self.stem(target);
                self.page(page).hidden = true;
                self.page(page).in_sitemap = true;
            }
            46..50 => {
                let page = self.linked_stem();
                self.page(page).base = true;
            }
            50..53 => {
                let page = self.linked_stem();
                self.page(page).frameset = true;
            }
            _ => {
                let page = self.linked_stem();
                self.page(page).in_sitemap = page.0.is_multiple_of(3);
            }
        }
    }

    fn chance_of<T: Copy>(&mut self, of: &[T]) -> T {
        self.chance.pick(of)
    }

    fn page(&mut self, id: PageId) -> &mut Page {
        &mut self.pages[id.0 as usize]
    }

    fn next_id(&self) -> PageId {
        PageId(number(self.pages.len()))
    }

    fn add(&mut self, target: String, kind: Kind) -> PageId {
        let id = self.next_id();
        let coding = match self.chance.below(20) {
            0..3 => Coding::Gzip,
            3 => Coding::Brotli,
            4 => Coding::Zstd,
            _ => Coding::Identity,
        };
        let framing = match self.chance.below(40) {
            0..10 => Framing::Chunked,
            10 => Framing::UntilClose,
            11 => Framing::LengthAndClose,
            _ => Framing::Length,
        };
        self.pages.push(Page {
            host: self.id,
            target,
            kind,
            links: Vec::new(),
            closed: false,
            in_sitemap: false,
            body_of: id,
            text_of: id,
            charset: Charset::Utf8,
            coding,
            framing,
            directive: Directive::None,
            base: false,
            frameset: false,
            is_stem: false,
            hidden: false,
        });
        id
    }

    /// A target that no other page of the host has.
    fn target(&mut self) -> String {
        let dir = self.chance_of(&DIRS);
        let name = self.chance_of(&NAMES);
        let n = self.pages.len() - self.start;
        match self.chance.below(20) {
            0..3 => format!("{dir}{name}-{n}/"),
            3 => format!("{dir}list?page={n}&sort=a"),
            4 => format!("{dir}list?sort=z&page={n}"),
            5 => format!("{dir}show?id={n}"),
            6..8 => format!("{dir}{name}-{n}"),
            _ => format!("{dir}{name}-{n}.html"),
        }
    }

    /// An ordinary page that others may hang on.
    fn stem(&mut self, target: String) -> PageId {
        let id = self.add(target, Kind::Html);
        self.page(id).is_stem = true;
        self.stems.push(id);
        id
    }

    fn linked_stem(&mut self) -> PageId {
        let parent = self.parent();
        let target = self.target();
        let id = self.stem(target);
        self.link(parent, id);
        id
    }

    fn parent(&mut self) -> PageId {
        let at = self.chance.skewed(self.stems.len());
        self.stems[at]
    }

    fn link(&mut self, from: PageId, to: PageId) {
        let mut link = Link::any(&mut self.chance, to, Nearness::SameHost);
        if self.page(from).frameset {
            link = link.within(Markup::Frame);
        }
        self.page(from).links.push(link);
    }

    fn link_from_stem(&mut self, to: PageId) {
        let parent = self.parent();
        self.link(parent, to);
    }

    fn redirect(&mut self, to: PageId, abroad: bool) -> PageId {
        let status = self.chance_of(&STATUSES);
        let spelling = self.chance_of(&[Spelling::Absolute, Spelling::Root, Spelling::Relative]);
        let n = self.pages.len() - self.start;
        let dir = self.chance_of(&DIRS);
        self.add(format!("{dir}moved-{n}"), Kind::Redirect { status, to, spelling, abroad })
    }

    /// One to four hops, then a page that nothing else leads to for now.
    fn redirect_chain(&mut self) {
        let parent = self.parent();
        let hops = 1 + self.chance.below(CHAIN_MAX);
        let first = self.next_id();
        for _ in 0..hops {
            let next = PageId(self.next_id().0 + 1);
            self.redirect(next, false);
        }
        let target = self.target();
        self.stem(target);
        self.link(parent, first);
    }

    fn redirect_abroad(&mut self) {
        let parent = self.parent();
        let home = PageId(number(self.start));
        let page = self.redirect(home, true);
        self.link(parent, page);
    }

    fn redirect_loop(&mut self) {
        let first = self.next_id();
        let second = self.redirect(PageId(first.0 + 1), false);
        debug_assert_eq!(first, second);
        self.redirect(first, false);
        self.link_from_stem(first);
    }

    fn refresh(&mut self) {
        let parent = self.parent();
        let target = self.target();
        let page = self.add(target, Kind::Html);
        let target = self.target();
        let next = self.stem(target);
        let link = Link::any(&mut self.chance, next, Nearness::SameHost).within(Markup::Refresh);
        self.page(page).links.push(link);
        self.link(parent, page);
    }

    /// At most one 500 a host: more in a row would be a reason to leave the host alone.
    fn gone(&mut self) {
        let status = if self.failed { self.chance_of(&[404, 410]) } else { 500 };
        self.failed = true;
        let n = self.pages.len() - self.start;
        let page = self.add(format!("/lost/page-{n}.html"), Kind::Gone(status));
        self.link_from_stem(page);
    }

    /// A page where robots.txt has something to say; what hangs on a closed one stays unknown.
    fn area(&mut self) {
        let area = self.chance_of(self.host.robots.areas());
        let n = self.pages.len() - self.start;
        let parent = self.parent();
        let target = format!("{}{}-{n}{}", area.dir, self.chance_of(&NAMES), area.tail);
        if !area.closed {
            let page = self.stem(target);
            self.link(parent, page);
            return;
        }
        let page = self.add(target, Kind::Html);
        self.page(page).closed = true;
        self.link(parent, page);
        if self.chance.percent(30) {
            let target = self.target();
            let child = self.add(target, Kind::Html);
            self.page(child).hidden = true;
            self.link(page, child);
        }
    }

    /// In the same folder, so that relative links mean the same.
    fn copy_of(&mut self, original: PageId) -> PageId {
        let n = self.pages.len() - self.start;
        let path = self.page(original).target.clone();
        let path = path.split('?').next().unwrap_or_default();
        let dir = &path[..=path.rfind('/').unwrap_or(0)];
        let target = format!("{dir}copy-{n}.html");
        let copy =
            Page { target, is_stem: false, links: Vec::new(), ..self.page(original).clone() };
        self.pages.push(copy);
        PageId(number(self.pages.len() - 1))
    }

    fn duplicate(&mut self) {
        let original = self.parent();
        let copy = self.copy_of(original);
        self.page(copy).body_of = original;
        self.page(copy).in_sitemap = false;
        self.page(copy).hidden = false;
        self.link_from_stem(copy);
    }

    fn near_duplicate(&mut self) {
        let original = self.parent();
        let copy = self.copy_of(original);
        self.page(copy).body_of = copy;
        self.page(copy).text_of = original;
        self.page(copy).in_sitemap = false;
        self.page(copy).hidden = false;
        self.link_from_stem(copy);
    }

    /// Its body has decoys only, and a link home that is not to be followed either.
    fn nofollow(&mut self) {
        let parent = self.parent();
        let target = self.target();
        let page = self.add(target, Kind::Html);
        let turn = page.0 as usize % NOFOLLOW.len();
        self.page(page).directive = NOFOLLOW[turn];
        let home = PageId(number(self.start));
        self.link(page, home);
        self.link(parent, page);
    }
}

/// The http pages of an https host: one redirect to its first page and one to another.
fn add_twin(web: &mut Web, id: HostId, original: HostId) {
    let host = web.host(original);
    let home = host.home();
    let range = host.pages.clone();
    let last = range.rev().map(PageId).find(|&p| web.page(p).is_stem).unwrap_or(home);
    for (target, to) in [("/", home), ("/old.html", last)] {
        let kind = Kind::Redirect { status: 301, to, spelling: Spelling::Absolute, abroad: false };
        let page = Page {
            host: id,
            target: target.to_owned(),
            kind,
            links: Vec::new(),
            is_stem: false,
            hidden: false,
            in_sitemap: false,
            closed: false,
            ..web.page(home).clone()
        };
        web.pages.push(page);
    }
}

/// Takes the mirror's places among the pages; links come when the original has all of its own.
fn reserve_mirror(web: &mut Web, id: HostId, original: HostId) {
    let range = web.host(original).pages.clone();
    for at in range {
        let page = web.page(PageId(at)).clone();
        web.pages.push(Page { host: id, closed: false, is_stem: false, links: Vec::new(), ..page });
    }
}

/// Gives copies and mirrors the links of their originals.
pub(super) fn mirror(web: &mut Web) {
    for at in 0..web.pages.len() {
        let page = &web.pages[at];
        let (body, text) = (page.body_of, page.text_of);
        let original = if body.0 as usize == at { text } else { body };
        if original.0 as usize != at && web.hosts[page.host.0 as usize].mirror_of.is_none() {
            web.pages[at].links = web.page(original).links.clone();
        }
    }
    for at in 0..web.hosts.len() {
        let Some(original) = web.hosts[at].mirror_of else { continue };
        let (from, to) = (web.host(original).pages.clone(), web.hosts[at].pages.start);
        let moved = |id: PageId, stays: bool| {
            if stays || !from.contains(&id.0) { id } else { PageId(id.0 - from.start + to) }
        };
        for offset in 0..from.end - from.start {
            let model = web.page(PageId(from.start + offset)).clone();
            let page = &mut web.pages[(to + offset) as usize];
            page.links = model
                .links
                .iter()
                .map(|l| Link { to: moved(l.to, l.names_host()), ..*l })
                .collect();
            if let Kind::Redirect { status, to, spelling, abroad } = model.kind {
                let to = moved(to, spelling == Spelling::Absolute);
                page.kind = Kind::Redirect { status, to, spelling, abroad };
            }
        }
    }
}
