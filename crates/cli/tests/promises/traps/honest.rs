//! Sites of people that look a bit like traps: everything on them is to be fetched.

use std::collections::BTreeSet;

use crate::content::{page, prose};
use crate::raw::{RawServer, missing, ok};

/// A site, and every target of it that is a page.
pub(super) struct Honest {
    pub(super) name: &'static str,
    pub(super) server: RawServer,
    pub(super) pages: BTreeSet<String>,
}

impl Honest {
    /// A site whose pages are those for which there is one; the home page leads to all of them.
    fn new(
        name: &'static str,
        pages: impl IntoIterator<Item = String>,
        answer: fn(&str) -> Option<Vec<u8>>,
    ) -> Self {
        let server = RawServer::start(move |target| answer(target).unwrap_or_else(missing));
        Self { name, server, pages: pages.into_iter().chain(["/".to_owned()]).collect() }
    }
}

pub(super) fn all() -> Vec<Honest> {
    vec![archive(), list(), catalogue(), forum(), wiki(), tree(), gallery()]
}

fn hashed(sum: u64, byte: u8) -> u64 {
    sum.wrapping_mul(31).wrapping_add(u64::from(byte))
}

fn number(target: &str, prefix: &str) -> Option<u64> {
    target.strip_prefix(prefix)?.parse().ok()
}

/// Posts by year and month, also of years before the web; months have nothing but links.
fn archive() -> Honest {
    let months = || (1..=60).map(|n| format!("/{}/{:02}/", 1980 + n / 12, n % 12 + 1));
    let posts = months().flat_map(|month| (1..=4).map(move |day| format!("{month}{day}")));
    Honest::new("date archive", months().chain(posts), |target| {
        let month = |n: u64| format!("/{}/{:02}/", 1980 + n / 12, n % 12 + 1);
        let index = (1..=60).position(|n| target.starts_with(&month(n)));
        Some(match (target, index) {
            ("/", _) => page("Archive", &prose(1, 40), &[month(1)]),
            (target, Some(at)) if target.ends_with('/') => {
                let mut links: Vec<String> = (1..=4).map(|day| format!("{target}{day}")).collect();
                // From month to month only, as a calendar leads.
                links.extend((at < 59).then(|| month(u64::try_from(at).ok().map_or(0, |n| n + 2))));
                page("Month", &format!("Posts of {target}"), &links)
            }
            (target, Some(_)) => {
                let seed = target.bytes().fold(7_u64, hashed);
                page("Post", &prose(seed, 70), &[])
            }
            _ => return None,
        })
    })
}

/// A list that goes from page to page, with nothing but numbers on it; what it lists has text.
fn list() -> Honest {
    let lists = (1..=60).map(|n| format!("/list?page={n}"));
    let items = (1..=480).map(|n| format!("/item/{n}"));
    Honest::new("paginated list", lists.chain(items), |target| {
        if target == "/" {
            return Some(page("Shop", &prose(2, 40), &["/list?page=1".to_owned()]));
        }
        if let Some(item) = number(target, "/item/") {
            return Some(page("Item", &prose(10_000 + item, 60), &[]));
        }
        let at = number(target, "/list?page=")?;
        let mut links: Vec<String> = (at * 8 - 7..=at * 8).map(|n| format!("/item/{n}")).collect();
        links.extend((at > 1).then(|| format!("/list?page={}", at - 1)));
        links.extend((at < 60).then(|| format!("/list?page={}", at + 1)));
        Some(page("List", &format!("Page {at} of 60"), &links))
    })
}

fn id(number: u64) -> String {
    format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Products under ids, each leading to the next two.
fn catalogue() -> Honest {
    let pages = (0..300).map(|n| format!("/p/{}", id(n)));
    Honest::new("catalogue", pages, |target| {
        if target == "/" {
            return Some(page("Goods", &prose(3, 40), &[format!("/p/{}", id(0))]));
        }
        let at = (0..300).find(|n| target == format!("/p/{}", id(*n)))?;
        let next = [at + 1, at + 7].into_iter().filter(|n| *n < 300);
        let links: Vec<String> = next.map(|n| format!("/p/{}", id(n))).collect();
        Some(page("Product", &prose(20_000 + at, 50), &links))
    })
}

/// Threads of several pages.
fn forum() -> Honest {
    let threads = (1..=40).flat_map(|t| (1..=5).map(move |p| format!("/thread?p={p}&t={t}")));
    let forum = Honest::new("forum", threads, |target| {
        if target == "/" {
            let threads: Vec<String> = (1..=40).map(|t| format!("/thread?p=1&t={t}")).collect();
            return Some(page("Forum", &prose(4, 40), &threads));
        }
        let (at, thread) = target.strip_prefix("/thread?p=")?.split_once("&t=")?;
        let (at, thread): (u64, u64) = (at.parse().ok()?, thread.parse().ok()?);
        let next = (at < 5).then(|| format!("/thread?p={}&t={thread}", at + 1));
        Some(page("Thread", &prose(30_000 + thread * 10 + at, 60), &Vec::from_iter(next)))
    });
    assert_eq!(forum.pages.len(), 201);
    forum
}

/// Articles with their histories, and a page that says the same for all of them.
fn wiki() -> Honest {
    let paths =
        (1..=120).map(|n| format!("/wiki/{}", prose(n, 1).trim().to_owned() + &n.to_string()));
    let pages: BTreeSet<String> = paths
        .flat_map(|path| ["", "?action=edit", "?action=history"].map(|it| format!("{path}{it}")))
        .collect();
    Honest::new("wiki", pages, |target| {
        let path = |n: u64| format!("/wiki/{}{n}", prose(n, 1).trim());
        if target == "/" {
            return Some(page("Wiki", &prose(5, 40), &[path(1)]));
        }
        let (article, action) = target.split_once('?').unwrap_or((target, ""));
        let at = (1..=120).find(|n| path(*n) == article)?;
        Some(match action {
            "" => {
                let mut links = vec![format!("{article}?action=edit")];
                links.push(format!("{article}?action=history"));
                links.extend([at + 1, at * 2].into_iter().filter(|n| *n <= 120).map(path));
                page("Article", &prose(40_000 + at, 60), &links)
            }
            "action=edit" => page("Edit", "You must log in to edit this page", &[]),
            _ => page("History", &prose(50_000 + at, 30), &[article.to_owned()]),
        })
    })
}

/// A tree of folders, of which only the leaves have much to say.
fn tree() -> Honest {
    let mut pages = vec!["/t/".to_owned()];
    let mut level = pages.clone();
    for _ in 0..5 {
        let below = |folder: &String| ["oak", "elm", "ash"].map(|it| format!("{folder}{it}-x/"));
        level = level.iter().flat_map(below).filter(|it| is_in_tree(it)).collect();
        pages.extend(level.clone());
    }
    Honest::new("deep tree", pages, |target| {
        if target == "/" {
            return Some(page("Tree", &prose(6, 40), &["/t/".to_owned()]));
        }
        is_in_tree(target).then(|| {
            let below = ["oak", "elm", "ash"].map(|it| format!("{target}{it}-x/"));
            let below: Vec<String> = below.into_iter().filter(|it| is_in_tree(it)).collect();
            let seed = target.bytes().fold(9_u64, hashed);
            page("Folder", &prose(seed, 25), &below)
        })
    })
}

/// Whether a folder is one: no name more than twice, and none too deep.
fn is_in_tree(path: &str) -> bool {
    let count = |name: &str| path.matches(name).count();
    path.starts_with("/t/")
        && path.matches('/').count() <= 7
        && ["oak", "elm", "ash"].iter().all(|name| count(name) <= 2)
}

/// Pictures, from one to the next, with no words of their own.
fn gallery() -> Honest {
    let photos = (1..=150).map(|n| format!("/photo/{n}"));
    Honest::new("gallery", photos, |target| {
        if target == "/" {
            return Some(page("Pictures", &prose(8, 40), &["/photo/1".to_owned()]));
        }
        let at = number(target, "/photo/").filter(|n| *n <= 150)?;
        let next =
            if at < 150 { format!("<a href=/photo/{}>next</a>", at + 1) } else { String::new() };
        let html = format!("<title>Picture {at}</title><img src=/img/{at}.jpg> {at} of 150 {next}");
        Some(ok("text/html", &html))
    })
}
