//! A small web whose pages have bodies: what is there, what links where, who wants what gap.

use std::collections::HashMap;

use rhumb_crawl::partition::{Answer, Content, Finding};
use rhumb_web::{Candidate, CanonUrl, Errand, Failure, HashKey, PartitionId, Span, UrlKey};

use super::contents::Saying;
use crate::chance::Chance;

/// Hosts of a web; some of them share a domain, and so a partition.
const SITES: u64 = 20;
const DOMAINS: u64 = 14;
/// Links of a page beside the one that makes another page reachable.
const LINKS_MAX: u64 = 8;
/// Pages that a crawl begins with.
pub(super) const SEEDS: usize = 3;

/// What a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It answers with its links.
    Plain,
    /// It resets the first connection.
    Flaky,
    /// It asks for quiet the first time.
    Busy,
    /// It moved.
    Moved(usize),
    /// It is gone.
    Missing,
    /// It never answers.
    Dead,
    /// The robots.txt forbids it.
    Forbidden,
}

#[derive(Debug)]
pub(super) struct Page {
    pub(super) url: CanonUrl,
    pub(super) kind: Kind,
    pub(super) saying: Saying,
    links: Vec<usize>,
    asked: u32,
}

/// The robots.txt of a host, the same over http and https.
#[derive(Clone, Copy, Debug)]
struct Robots {
    crawl_delay: Option<u64>,
    is_absent: bool,
    /// It fails so many times first.
    fails: u32,
}

/// What comes of a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) took: Span,
    pub(super) finding: Finding,
    /// The bytes of the answer; none where there is none.
    pub(super) received: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(super) struct Web {
    pub(super) pages: Vec<Page>,
    robots: Vec<Robots>,
    places: HashMap<CanonUrl, usize>,
    keys: HashMap<UrlKey, usize>,
    sites: HashMap<String, usize>,
    hash: HashKey,
    partitions: u16,
    /// Half of all pages lie on one site, more than come back from its shelf at once.
    has_large_site: bool,
}

impl Web {
    pub(super) fn grow(seed: u64, hash: HashKey, partitions: u16) -> Self {
        let mut chance = Chance::new(seed, 21);
        let count = usize::try_from(chance.between(200, 400)).expect("small");
        let mut web = Self {
            pages: Vec::new(),
            robots: (0..SITES).map(|_| Robots::draw(&mut chance)).collect(),
            places: HashMap::new(),
            keys: HashMap::new(),
            sites: (0..SITES).map(|site| (host(site), index(site))).collect(),
            hash,
            partitions,
            has_large_site: seed.is_multiple_of(3),
        };
        let sayings = Saying::draw_all(count, &mut Chance::new(seed, 23));
        for (number, saying) in sayings.into_iter().enumerate() {
            let page = web.draw(number, saying, &mut chance);
            web.places.insert(page.url.clone(), number);
            web.keys.insert(page.url.key(hash), number);
            web.pages.push(page);
        }
        for number in SEEDS..count {
            // Each page is linked from one before it that is sure to be read.
            let mut from = index(chance.below(wide(number)));
            while web.pages[from].kind != Kind::Plain {
                from -= 1;
            }
            web.pages[from].links.push(number);
            let links = chance.below(LINKS_MAX);
            web.pages[number].links.extend((0..links).map(|_| index(chance.skewed(wide(count)))));
        }
        web
    }

    fn draw(&self, number: usize, saying: Saying, chance: &mut Chance) -> Page {
        let is_large = self.has_large_site && chance.per_myriad(5_000);
        let site = if is_large { 0 } else { chance.skewed(SITES) };
        let has_robots = !self.robots[index(site)].is_absent;
        let kind = match chance.below(100) {
            _ if number == 0 => Kind::Plain,
            0..4 => Kind::Flaky,
            4..6 => Kind::Busy,
            6..11 => Kind::Moved(index(chance.below(wide(number)))),
            11..15 => Kind::Missing,
            15 => Kind::Dead,
            16..20 if has_robots => Kind::Forbidden,
            _ => Kind::Plain,
        };
        let scheme =
            if site.is_multiple_of(3) && chance.per_myriad(5_000) { "https" } else { "http" };
        let folder = if kind == Kind::Forbidden { "private/" } else { "" };
        let url = format!("{scheme}://{}/{folder}p{number}", host(site));
        let url = CanonUrl::parse(&url).expect("it is a URL");
        Page { url, kind, saying, links: Vec::new(), asked: 0 }
    }

    pub(super) fn seeds(&self) -> Vec<(PartitionId, Candidate)> {
        (0..SEEDS).map(|page| self.candidate(page, 0, 0)).collect()
    }

    /// The pages that a crawl must find.
    pub(super) fn reachable(&self) -> Vec<usize> {
        let mut found: Vec<usize> = (0..SEEDS).collect();
        let mut is_found = vec![false; self.pages.len()];
        for page in &found {
            is_found[*page] = true;
        }
        let mut next = 0;
        while let Some(page) = found.get(next) {
            next += 1;
            let links = match self.pages[*page].kind {
                Kind::Plain | Kind::Flaky | Kind::Busy => self.pages[*page].links.clone(),
                Kind::Moved(to) => vec![to],
                Kind::Missing | Kind::Dead | Kind::Forbidden => Vec::new(),
            };
            for link in links {
                if !std::mem::replace(&mut is_found[link], true) {
                    found.push(link);
                }
            }
        }
        found
    }

    pub(super) fn page(&self, url: &CanonUrl) -> Option<usize> {
        self.places.get(url).copied()
    }

    /// The page whose URL has this key.
    pub(super) fn page_of(&self, key: UrlKey) -> Option<usize> {
        self.keys.get(&key).copied()
    }

    pub(super) fn site(&self, url: &CanonUrl) -> usize {
        self.sites[url.host()]
    }

    pub(super) fn site_count(&self) -> usize {
        self.robots.len()
    }

    /// The gap that a host's robots.txt asks for.
    pub(super) fn crawl_delay(&self, site: usize) -> Option<Span> {
        self.robots[site].crawl_delay.map(Span::seconds)
    }

    fn candidate(&self, page: usize, depth: u16, hops: u8) -> (PartitionId, Candidate) {
        let url = self.pages[page].url.clone();
        let owner = url.site().pld().partition(self.hash, self.partitions);
        (owner, Candidate::new(url, Errand::Page, depth, hops))
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, candidate: &Candidate, chance: &mut Chance) -> Reply {
        let is_slow = chance.per_myriad(1_000);
        let took = Span(if is_slow { chance.between(400, 900) } else { chance.between(20, 200) });
        let Some(page) = self.page(&candidate.url) else {
            let site = self.site(&candidate.url);
            return self.robots[site].answer(took);
        };
        let tries = self.pages[page].asked;
        self.pages[page].asked += 1;
        let mut answer = Answer::default();
        match self.pages[page].kind {
            Kind::Dead => return Reply::failed(took, Failure::Connect),
            Kind::Flaky if tries == 0 => return Reply::failed(took, Failure::Reset),
            Kind::Busy if tries == 0 => (answer.status, answer.pushback) = (503, Some(None)),
            Kind::Missing => answer.status = 404,
            Kind::Moved(to) => {
                answer.status = 301;
                let target = self.candidate(to, candidate.depth, candidate.hops.saturating_add(1));
                answer.root = (candidate.depth == 0).then(|| target.1.url.clone());
                answer.candidates.push(target);
            }
            Kind::Plain | Kind::Flaky | Kind::Busy | Kind::Forbidden => {
                answer.status = 200;
                let depth = candidate.depth.saturating_add(1);
                let links = self.pages[page].links.iter();
                let mut links: Vec<usize> = links.copied().filter(|link| *link != page).collect();
                links.sort_unstable();
                links.dedup();
                answer.candidates =
                    links.into_iter().map(|link| self.candidate(link, depth, 0)).collect();
            }
        }
        let saying = &self.pages[page].saying;
        answer.content = Content {
            sketch: saying.sketch.clone().map(Box::new),
            canonical: saying.canonical.map(|page| self.pages[page].url.key(self.hash)),
            ..Content::default()
        };
        Reply::answered(took, answer, &saying.body())
    }
}

impl Robots {
    fn draw(chance: &mut Chance) -> Self {
        let is_absent = chance.per_myriad(3_000);
        let crawl_delay = (!is_absent && chance.per_myriad(4_000)).then(|| chance.between(2, 5));
        let fails = u32::from(chance.per_myriad(1_500));
        Self { crawl_delay, is_absent, fails }
    }

    fn answer(&mut self, took: Span) -> Reply {
        if self.fails > 0 {
            self.fails -= 1;
            return Reply::failed(took, Failure::Reset);
        }
        if self.is_absent {
            return Reply::answered(took, Answer { status: 404, ..Answer::default() }, b"no");
        }
        let mut text = "User-agent: *\nDisallow: /private/\n".to_owned();
        if let Some(delay) = self.crawl_delay {
            text = format!("{text}Crawl-delay: {delay}\n");
        }
        let body = text.into_bytes();
        let answer = Answer { status: 200, robots: Some(body.clone()), ..Answer::default() };
        Reply::answered(took, answer, &body)
    }
}

impl Reply {
    fn failed(took: Span, failure: Failure) -> Self {
        Self { took, finding: Finding::Failed(failure), received: None }
    }

    fn answered(took: Span, mut answer: Answer, body: &[u8]) -> Self {
        answer.bytes = wide(body.len());
        let head =
            format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n\r\n", answer.status, body.len());
        let received = [head.as_bytes(), body].concat();
        Self { took, finding: Finding::Answered(Box::new(answer)), received: Some(received) }
    }
}

fn host(site: u64) -> String {
    format!("s{site}.d{}.test", site % DOMAINS)
}

pub(super) fn index(number: u64) -> usize {
    usize::try_from(number).expect("a simulated web is small")
}

pub(super) fn wide(number: usize) -> u64 {
    u64::try_from(number).expect("a length fits 64 bits")
}
