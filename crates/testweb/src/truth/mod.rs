//! What the web is: hosts, pages and links, made from the spec alone.
//!
//! Nothing here reads a body or a robots.txt: a page is disallowed because it was put into an area
//! that its host's robots.txt closes, and reachable because the model says so.

mod area;
mod even;
mod expected;
mod grow;
mod hosts;
mod lexicon;
mod links;
mod pages;
mod robots;

pub use area::Area;
pub use expected::{Expected, ExpectedPage};
pub use hosts::{Fault, Host, Scheme, Sitemap};
pub use links::{Link, Markup, Spelling, Variant};
pub use pages::{Charset, Coding, Declared, Directive, Framing, Kind, Page};
pub use robots::Robots;

pub(crate) use lexicon::Lexicon;

use crate::chance::Chance;
use crate::spec::{Shape, Spec};

/// Index of an origin in [`Web::hosts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// Index of a page in [`Web::pages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageId(pub u32);

/// The whole web: the truth that crawls are held against.
#[derive(Debug, Clone)]
pub struct Web {
    /// The wish that it was made from.
    pub spec: Spec,
    /// All origins; an https host with an http twin has two.
    pub hosts: Vec<Host>,
    /// All pages, those of one origin side by side.
    pub pages: Vec<Page>,
    /// Where a crawl starts.
    pub seeds: Vec<PageId>,
    /// Words to pad bodies with.
    pub(crate) filler: String,
    /// The words of an even web.
    pub(crate) lexicon: Option<Lexicon>,
}

/// Length of the padding text that all bodies cut their pieces from.
const FILLER_BYTES: usize = 1 << 16;

impl Web {
    /// Makes the web that `spec` describes.
    pub fn generate(spec: &Spec) -> Self {
        let mut web = Self {
            spec: spec.clone(),
            hosts: Vec::new(),
            pages: Vec::new(),
            seeds: Vec::new(),
            filler: filler(spec.seed),
            lexicon: None,
        };
        match spec.shape {
            Shape::Varied => {
                web.hosts = hosts::generate(spec);
                grow::generate(&mut web);
                links::generate(&mut web);
                grow::mirror(&mut web);
                web.seeds = web.hosts.iter().take(3).map(Host::home).collect();
            }
            Shape::Even => {
                web.hosts = hosts::generate_even(spec);
                even::generate(&mut web);
                web.lexicon = Some(Lexicon::new(spec.seed));
            }
        }
        if let Some(coding) = spec.coding {
            for page in &mut web.pages {
                page.coding = coding;
            }
        }
        web
    }

    /// The origin with this id.
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.0 as usize]
    }

    /// The page with this id.
    pub fn page(&self, id: PageId) -> &Page {
        &self.pages[id.0 as usize]
    }

    /// The origin that a page lies on.
    pub fn host_of(&self, id: PageId) -> &Host {
        self.host(self.page(id).host)
    }

    /// The canonical URL of a page when the web is served on `port`.
    pub fn url(&self, id: PageId, port: u16) -> String {
        let page = self.page(id);
        format!("{}{}", self.host(page.host).origin(port), page.target)
    }

    /// What a correct crawler fetches when the web is served on `port`.
    pub fn expected(&self, port: u16) -> Expected {
        expected::walk(self, port)
    }
}

const WORDS: &str = "anchor ballast beacon bearing bilge binnacle boom bosun bow bridge buoy cabin \
    capstan chart chronometer cleat compass course current deck dock draft ebb fathom fender flag \
    fog galley gale gangway harbour hatch haul hawser heading helm horizon hull island jetty jib \
    keel knot ladder lagoon landfall lantern latitude league ledger lighthouse line locker log \
    longitude lookout mainsail map mast meridian mooring nautical ocean offshore parallel passage \
    pilot pole port quay reef rigging rope rudder sail sailor salt sextant shallow shoal shore \
    signal sounding spar spray star stern storm strait surge swell tack tide tiller timber vessel \
    voyage wake watch wave wharf winch wind yard";

fn filler(seed: u64) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut chance = Chance::new(seed, 0xF111);
    let mut text = String::with_capacity(FILLER_BYTES + 16);
    while text.len() < FILLER_BYTES {
        text.push_str(chance.pick(&words));
        text.push(' ');
    }
    text
}
