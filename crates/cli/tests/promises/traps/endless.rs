//! Eight kinds of traps and one more, with real pages beside them.

use std::collections::BTreeSet;

use crate::content::{page, prose};
use crate::raw::{RawServer, missing};

/// Real pages beside each trap.
const PAGES: u64 = 12;

/// A site with a trap on it.
pub(super) struct Endless {
    pub(super) name: &'static str,
    /// What it is to be taken for.
    pub(super) kind: &'static str,
    pub(super) server: RawServer,
    /// What a target shows: the number of a real page, or none if that is the trap.
    real: fn(&str) -> Option<u64>,
}

impl Endless {
    /// A site with real pages under `/real/`, and a trap that begins at `entry`.
    fn new(
        (name, kind): (&'static str, &'static str),
        entry: &'static str,
        trap: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let server = RawServer::start(move |target| {
            if let Some(answer) = trap(target) {
                return answer;
            }
            let real = |n: &u64| target == format!("/real/{n}");
            match (1..=PAGES).find(real) {
                Some(n) => page("Real", &prose(n * 77, 60), &[]),
                None if target == "/" => {
                    let real = (1..=PAGES).map(|n| format!("/real/{n}"));
                    page(
                        "Home",
                        &prose(99, 50),
                        &real.chain([entry.to_owned()]).collect::<Vec<_>>(),
                    )
                }
                None => missing(),
            }
        });
        let real = |target: &str| target.strip_prefix("/real/")?.parse().ok();
        Self { name, kind, server, real }
    }

    /// The real pages that were not asked for, and how many requests went into the trap.
    pub(super) fn count(&self) -> (Vec<u64>, usize) {
        let (mut met, mut wasted) = (BTreeSet::new(), 0);
        for target in self.server.asked() {
            match (self.real)(&target) {
                Some(number) => wasted += usize::from(!met.insert(number)),
                None if target == "/" || target == "/robots.txt" => {}
                None => wasted += 1,
            }
        }
        ((1..=PAGES).filter(|n| !met.contains(n)).collect(), wasted)
    }
}

pub(super) fn all() -> Vec<Endless> {
    let mut all = vec![calendar(), folder(), growing(), tandem(), counter(), gone(), pagination()];
    all.extend([in_path(), in_query()]);
    all
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Months with their names, forward and back.
fn calendar() -> Endless {
    Endless::new(("calendar", "trap-calendar"), "/cal/2026/11", |target| {
        let (year, month) = target.strip_prefix("/cal/")?.split_once('/')?;
        let at = year.parse::<u64>().ok()? * 12 + month.parse::<u64>().ok()? - 1;
        let link = |at: u64| format!("/cal/{}/{}", at / 12, at % 12 + 1);
        let name = MONTHS[usize::try_from(at % 12).ok()?];
        let text = format!("{name} {year}: no events in this month");
        Some(page("Calendar", &text, &[link(at - 1), link(at + 1)]))
    })
}

/// A link that is relative by mistake.
fn folder() -> Endless {
    Endless::new(("endless folder", "trap-relative-link"), "/down/", |target| {
        let depth = target.strip_prefix("/down/")?.matches('/').count();
        Some(page("Folder", &format!("You are here: {target}"), &[format!("{}/", depth + 1)]))
    })
}

/// A search that hangs on what was searched for.
fn growing() -> Endless {
    Endless::new(("growing query", "trap-growing-query"), "/find?q=sea", |target| {
        let query = target.strip_prefix("/find?q=")?;
        let words = format!("Nothing was found for {query}, try another search");
        Some(page("Search", &words, &[format!("/find?q={query}+and")]))
    })
}

/// The same folders again and again.
fn tandem() -> Endless {
    Endless::new(("tandem segments", "trap-tandem-segments"), "/loop/a/b/", |target| {
        target.strip_prefix("/loop/")?;
        Some(page("Loop", "Round and round", &["a/b/".to_owned()]))
    })
}

/// A number that counts up.
fn counter() -> Endless {
    Endless::new(("counter", "trap-repeated-page"), "/n/1", |target| {
        let number: u64 = target.strip_prefix("/n/")?.parse().ok()?;
        let links = [number + 1, number + 2].map(|n| format!("/n/{n}"));
        Some(page("Counter", "This is the page that you asked for", &links))
    })
}

/// There is nothing, says a page with status 200, and has suggestions.
fn gone() -> Endless {
    Endless::new(("soft 404", "trap-template"), "/x/first", |target| {
        let word = target.strip_prefix("/x/")?;
        let seed =
            word.bytes().fold(5_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        let next = prose(seed, 2);
        let links: Vec<String> = next.split_whitespace().map(|it| format!("/x/{it}q")).collect();
        let html = format!("<title>Not found</title><p>Sorry, {word} could not be found. Try ");
        let links = links.iter().map(|it| format!("<a href={it}>another page</a> "));
        Some(crate::raw::ok("text/html", &(html + &links.collect::<String>())))
    })
}

/// The last page of a list, for ever.
fn pagination() -> Endless {
    Endless::new(("endless pagination", "trap-repeated-page"), "/all?page=1", |target| {
        let at: u64 = target.strip_prefix("/all?page=")?.parse().ok()?;
        let mut links: Vec<String> = (1..=PAGES).map(|n| format!("/real/{n}")).collect();
        links.push(format!("/all?page={}", at + 1));
        Some(page("All", &format!("Page {at}"), &links))
    })
}

/// Ids that no page had before.
fn fresh() -> impl Fn() -> String + Send + Sync {
    let next = std::sync::atomic::AtomicU64::new(1);
    move || {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        format!("{:08x}", number.wrapping_mul(0x9e37_79b9) & 0xffff_ffff)
    }
}

/// A site that names every visitor anew in all of its links.
fn session(
    name: &'static str,
    link: impl Fn(&str, u64) -> String + Send + Sync + 'static,
    real: fn(&str) -> Option<u64>,
) -> Endless {
    let id = fresh();
    let links = move || (1..=PAGES).map(|n| link(&id(), n)).collect::<Vec<_>>();
    let server = RawServer::start(move |target| match real(target) {
        Some(n) if n <= PAGES => page("Real", &prose(n * 131, 60), &links()),
        _ if target == "/" => page("Home", &prose(98, 50), &links()),
        _ => missing(),
    });
    Endless { name, kind: "trap-session-id", server, real }
}

fn in_path() -> Endless {
    session(
        "session id in path",
        |id, n| format!("/s/{id}/page/{n}"),
        |target| target.strip_prefix("/s/")?.split_once("/page/")?.1.parse().ok(),
    )
}

fn in_query() -> Endless {
    session(
        "session id in query",
        |id, n| format!("/page{n}?visit={id}"),
        |target| target.strip_prefix("/page")?.split_once("?visit=")?.0.parse().ok(),
    )
}
