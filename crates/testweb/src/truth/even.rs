//! The pages of an even web, and links by which any crawler finds all of them soon.

use super::links::Markup;
use super::{Charset, Coding, Directive, Framing, Host, HostId, Kind};
use super::{Link, Page, PageId, Spelling, Variant, Web};
use crate::chance::Chance;

/// Where a crawl starts: enough hosts to be broad from the first second.
const SEEDS: usize = 16;
/// Every page leads to this many that nothing else needs to lead to.
const FAN_OUT: usize = 8;
/// Links of a page: 31 as a rule, from 23 to 39.
const LINKS_MIN: usize = 23;
const LINKS_SPREAD: usize = 17;
/// Of the links that are not needed, how many of a hundred stay on the host.
const HOME_PERCENT: usize = 55;
/// In a small web chance hits the same pages again and again: a page has fewer links then.
const DRAWS_PER_LINK: usize = 3;

const DIRS: [&str; 8] =
    ["news", "docs/guide", "2024/harbour", "people", "shelf/left", "archive/2019", "shop", "help"];
const NAMES: [&str; 8] = ["chart", "log", "note", "tide", "light", "reef", "crew", "knot"];

pub(super) fn generate(web: &mut Web) {
    for at in 0..web.hosts.len() {
        let id = HostId(number(at));
        let start = number(web.pages.len());
        let framing = if web.spec.closes { Framing::LengthAndClose } else { Framing::Length };
        let pages = (0..number(web.hosts[at].size))
            .map(|n| Page { framing, ..page(id, PageId(start + n), n) });
        web.pages.extend(pages);
        web.hosts[at].pages = start..number(web.pages.len());
    }
    let mut chance = Chance::new(web.spec.seed, 0xE7E4);
    for rank in 0..web.pages.len() {
        let from = dealt(web, rank);
        web.pages[from.0 as usize].links = links(web, &mut chance, rank, from);
    }
    web.seeds = web.hosts.iter().take(SEEDS).map(Host::home).collect();
}

fn number(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 pages")
}

fn page(host: HostId, id: PageId, n: u32) -> Page {
    let turn = n as usize;
    let target = match n {
        0 => "/".to_owned(),
        _ => format!("/{}/{}-{n}.html", DIRS[turn % DIRS.len()], NAMES[turn / 3 % NAMES.len()]),
    };
    Page {
        host,
        target,
        kind: Kind::Html,
        links: Vec::new(),
        closed: false,
        in_sitemap: false,
        body_of: id,
        text_of: id,
        charset: Charset::Utf8,
        coding: Coding::Identity,
        framing: Framing::Length,
        directive: Directive::None,
        base: false,
        frameset: false,
        is_stem: true,
        hidden: false,
    }
}

/// All pages in the order of a hand that deals: the first of every host, then the second of each.
fn dealt(web: &Web, rank: usize) -> PageId {
    let (round, host) = (rank / web.hosts.len(), rank % web.hosts.len());
    PageId(web.hosts[host].pages.start + number(round))
}

/// A heap of dealt pages, so that all are reached and neighbours lie on different hosts; then
/// chance.
fn links(web: &Web, chance: &mut Chance, rank: usize, from: PageId) -> Vec<Link> {
    let wish = LINKS_MIN + chance.below(LINKS_SPREAD);
    let mut targets: Vec<PageId> = Vec::with_capacity(wish);
    let needed = rank * FAN_OUT + 1..=(rank + 1) * FAN_OUT;
    targets.extend(needed.take_while(|r| *r < web.pages.len()).map(|r| dealt(web, r)));
    let home = web.host_of(from).pages.clone();
    let mut draws = wish * DRAWS_PER_LINK;
    while targets.len() < wish && draws > 0 {
        draws -= 1;
        let to = if chance.percent(HOME_PERCENT) {
            home.start + number(chance.below(home.len()))
        } else {
            number(chance.below(web.pages.len()))
        };
        if to != from.0 && !targets.contains(&PageId(to)) {
            targets.push(PageId(to));
        }
    }
    let spelling = |to: PageId| {
        if home.contains(&to.0) { Spelling::Root } else { Spelling::Absolute }
    };
    let link =
        |to| Link { to, markup: Markup::Anchor, spelling: spelling(to), variant: Variant::Plain };
    targets.into_iter().map(link).collect()
}
