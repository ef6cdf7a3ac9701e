//! Mentions of URLs that are no links for a robot, and the entrances of traps.

use crate::chance::Chance;
use crate::spec::Shape;
use crate::truth::{Kind, Markup, PageId, Web};

/// Where a body mentions a URL that is not to be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoy {
    Comment,
    Script,
    Style,
    Template,
    Textarea,
    Title,
    PostForm,
    RelNofollow,
    NofollowClass,
}

const DECOYS: [Decoy; 9] = [
    Decoy::Comment,
    Decoy::Script,
    Decoy::Style,
    Decoy::Template,
    Decoy::Textarea,
    Decoy::Title,
    Decoy::PostForm,
    Decoy::RelNofollow,
    Decoy::NofollowClass,
];

/// All decoys lie under this path.
pub(crate) const PREFIX: &str = "/decoy/";
/// All endless pages lie under this path.
pub(crate) const TRAP_PREFIX: &str = "/trap/";
/// First pages of the endless paths.
pub(crate) const TRAPS: [&str; 3] = ["/trap/deep/", "/trap/loop/a/b/", "/trap/list?s=x"];
/// First page of a calendar that robots.txt closes.
pub(crate) const CALENDAR: &str = "/calendar/2026/1.html";

impl Decoy {
    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Script => "script",
            Self::Style => "style",
            Self::Template => "template",
            Self::Textarea => "textarea",
            Self::Title => "title",
            Self::PostForm => "post-form",
            Self::RelNofollow => "rel-nofollow",
            Self::NofollowClass => "nofollow-class",
        }
    }

    pub(super) fn html(self, body: PageId) -> String {
        let url = target(self.name(), body);
        match self {
            Self::Comment => format!("<!-- <a href=\"{url}\">old</a> -->\n"),
            Self::Script => format!(
                "<script>var next = \"{url}\"; document.write('<a href=\"{url}\">x</a>');</script>\n"
            ),
            Self::Style => format!(
                "<style>p {{ background: url({url}) }} /* <a href=\"{url}\">x</a> */</style>\n"
            ),
            Self::Template => {
                format!("<template><p><a href=\"{url}\">later</a></p></template>\n")
            }
            Self::Textarea => format!("<textarea><a href=\"{url}\">x</a></textarea>\n"),
            Self::Title => format!(" <a href=\"{url}\">x</a>"),
            Self::PostForm => format!(
                "<form method=\"POST\" action=\"{url}\"><input name=\"q\"><button>Go</button></form>\n"
            ),
            Self::RelNofollow => {
                format!("<p><a rel=\"external NoFollow\" href=\"{url}\">ad</a></p>\n")
            }
            Self::NofollowClass => format!(
                "<div class=\"box robots-nofollow\"><p>see <a href=\"{url}\">this</a></p></div>\n"
            ),
        }
    }
}

pub(super) fn target(why: &str, body: PageId) -> String {
    format!("{PREFIX}{why}/{}.html", body.0)
}

/// At most two decoys for a body.
pub(super) fn chosen(web: &Web, body: PageId) -> impl Iterator<Item = Decoy> + use<> {
    let mut chance = Chance::new(web.spec.seed, 0xDEC0_0000_0000 + u64::from(body.0));
    let none = web.page(body).frameset || web.spec.shape == Shape::Even;
    let count = if none { 0 } else { chance.below(3) };
    let first = chance.below(DECOYS.len());
    (0..count).map(move |n| DECOYS[(first + n * 4) % DECOYS.len()])
}

/// The decoys that a page mentions, as targets on its own host.
pub(crate) fn targets(web: &Web, id: PageId) -> Vec<String> {
    let page = web.page(id);
    let body = page.body_of;
    match page.kind {
        Kind::Text => return vec![target("plain-text", body)],
        Kind::Redirect { .. } | Kind::Gone(_) => return Vec::new(),
        Kind::Html | Kind::Wall => {}
    }
    let mut all: Vec<String> = chosen(web, body).map(|d| target(d.name(), body)).collect();
    if page.directive.forbids_links() {
        all.push(target("directive", body));
    }
    let twice = web.page(body).links.iter().filter(|l| l.markup == Markup::TwiceHref);
    all.extend(twice.map(|l| target("second-href", l.to)));
    all
}
