//! A survey: what sitemaps list, and what a small sample of pages shows.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use rhumb_rules::{HOPS_MAX, Rules, Verdict, of_header, of_meta};
use rhumb_web::{
    Candidate, Canon, CanonUrl, Directive, Directives, Errand, Exchange, HashKey, Span, UrlKey,
};

use super::visitor::{Visitor, Why};

/// Sitemaps that are read; the rest is taken to be like them.
pub(super) const SITEMAPS_MAX: u64 = 20;
/// Pages that are looked at.
pub(super) const PAGES_MAX: usize = 10;
/// Pages known and not looked at that are kept to choose from.
const POOL_MAX: usize = 64;
/// The sample is the same every time: the URLs whose hashes are smallest, which is as good as
/// chance.
const HASH: HashKey = HashKey(0, 0);

/// One page that was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Of its body.
    pub(super) bytes: u64,
    /// Of its answer as it came.
    pub(super) received: u64,
    /// It came compressed.
    pub(super) is_coded: bool,
    /// It is text.
    pub(super) is_text: bool,
    /// How long it took.
    pub(super) took: Span,
}

pub(super) struct Survey {
    visitor: Visitor,
    rules: Rules,
    canon: Canon,
    /// Where the crawl begins, redirects followed.
    pub(super) start: CanonUrl,
    /// There is a robots.txt.
    pub(super) has_robots: bool,
    /// URLs of sitemaps, in scope and allowed.
    pub(super) listed: HashSet<UrlKey>,
    /// How many of the pages looked at link to a URL that is wanted.
    pub(super) found: HashMap<UrlKey, u32>,
    closed: HashSet<UrlKey>,
    pub(super) sitemaps_read: u64,
    /// Sitemaps known and not read.
    pub(super) sitemaps_left: u64,
    pub(super) samples: Vec<Sample>,
    /// No known page is left to look at: the survey is a whole crawl.
    pub(super) is_whole: bool,
    pool: BTreeMap<UrlKey, CanonUrl>,
    visited: HashSet<UrlKey>,
}

impl Survey {
    /// Looks around from a URL. An error means that not one page could be had.
    pub(super) async fn make(
        visitor: Visitor,
        rules: Rules,
        canon: Canon,
        url: CanonUrl,
    ) -> Result<Self, Why> {
        let mut survey = Self {
            visitor,
            rules,
            canon,
            start: url,
            has_robots: false,
            listed: HashSet::new(),
            found: HashMap::new(),
            closed: HashSet::new(),
            sitemaps_read: 0,
            sitemaps_left: 0,
            samples: Vec::new(),
            is_whole: false,
            pool: BTreeMap::new(),
            visited: HashSet::new(),
        };
        let first = survey.arrive().await;
        let known = survey.visitor.known(&survey.start.origin());
        survey.has_robots = known.is_some_and(|known| known.is_found);
        let sitemaps = known.map(|known| known.sitemaps.clone()).unwrap_or_default();
        survey.read_sitemaps(sitemaps).await;
        let start = survey.start.clone();
        let failed = match first {
            Ok(exchange) => {
                survey.meet(&start);
                survey.take(&start, &exchange);
                None
            }
            Err(why) => Some(why),
        };
        survey.visited.insert(start.key(HASH));
        survey.pool.remove(&start.key(HASH));
        survey.sample().await;
        match failed {
            Some(why) if survey.samples.is_empty() => Err(why),
            _ => Ok(survey),
        }
    }

    /// Fetches the first page, wherever it redirects to; that moves the start.
    async fn arrive(&mut self) -> Result<Box<Exchange>, Why> {
        // One more than the hops: a page may redirect to itself once, to set a cookie.
        let mut hops = 0;
        for _ in 0..=HOPS_MAX + 1 {
            let exchange = self.visitor.visit(&self.start).await?;
            match exchange.status {
                200..300 => return Ok(exchange),
                300..400 => {}
                status => return Err(Why::new(format!("http-{status}"), &self.start)),
            }
            let place = exchange.header("location");
            let target = place.and_then(|place| self.start.join(place, self.canon).ok());
            let target = target.ok_or_else(|| Why::new("bad-url", &self.start))?;
            hops += u8::from(target != self.start);
            let candidate = Candidate::new(target, Errand::Page, 0, hops);
            if let Verdict::Refuse(reason) = self.rules.judge(&candidate) {
                return Err(Why::new(reason.word(), &candidate.url));
            }
            self.rules.scope.add_root(&candidate.url);
            self.start = candidate.url;
        }
        Err(Why::new("too-many-hops", &self.start))
    }

    async fn read_sitemaps(&mut self, sitemaps: Vec<CanonUrl>) {
        let mut queue: VecDeque<CanonUrl> = sitemaps.into();
        let mut met: HashSet<CanonUrl> = queue.iter().cloned().collect();
        while let Some(url) = queue.pop_front() {
            let sitemap = Candidate::new(url, Errand::Sitemap, 0, 0);
            if self.rules.judge(&sitemap) != Verdict::Admit {
                continue;
            }
            if self.sitemaps_read == SITEMAPS_MAX {
                self.sitemaps_left += 1;
                continue;
            }
            let Ok(exchange) = self.visitor.visit(&sitemap.url).await else { continue };
            if exchange.status != 200 {
                continue;
            }
            let media_type = exchange.header("content-type");
            let url = &sitemap.url;
            let page = rhumb_page::read_links(&exchange.body, media_type, url, self.canon, true);
            self.sitemaps_read += 1;
            queue.extend(page.sitemaps.into_iter().filter(|url| met.insert(url.clone())));
            for link in page.scan.links {
                if self.is_wanted(&link.url) {
                    self.listed.insert(link.url.key(HASH));
                    self.offer(link.url);
                }
            }
        }
    }

    /// Looks at pages until there are enough, or no more.
    async fn sample(&mut self) {
        let mut tries = PAGES_MAX * 2;
        while self.samples.len() < PAGES_MAX && tries > 0 {
            let Some((key, url)) = self.pool.pop_first() else {
                self.is_whole = self.sitemaps_left == 0;
                return;
            };
            tries -= 1;
            self.visited.insert(key);
            match self.visitor.visit(&url).await {
                Ok(exchange) if matches!(exchange.status, 429 | 503) => return,
                Ok(exchange) => self.take(&url, &exchange),
                Err(_) => {}
            }
        }
    }

    /// Notes what a page shows.
    fn take(&mut self, url: &CanonUrl, exchange: &Exchange) {
        if (300..400).contains(&exchange.status) {
            let target = exchange.header("location").and_then(|to| url.join(to, self.canon).ok());
            if let Some(target) = target.filter(|target| self.is_wanted(target)) {
                self.meet(&target);
            }
            return;
        }
        if exchange.status != 200 {
            return;
        }
        let media_type = exchange.header("content-type");
        let length = |bytes: &[u8]| u64::try_from(bytes.len()).expect("a length fits 64 bits");
        self.samples.push(Sample {
            bytes: length(&exchange.body),
            received: length(&exchange.received),
            is_coded: exchange.header("content-encoding").is_some(),
            is_text: media_type.is_none_or(is_text),
            took: Span::from(exchange.phases.total),
        });
        let page = rhumb_page::read_links(&exchange.body, media_type, url, self.canon, false);
        let agent = &self.visitor.agent;
        let headers = exchange.headers_named("x-robots-tag").map(|value| of_header(agent, value));
        let metas = page.scan.metas.iter().map(|(name, content)| of_meta(agent, name, content));
        let directives = headers.chain(metas).fold(Directives::NONE, Directives::union);
        if directives.has(Directive::NoFollow) {
            return;
        }
        let links = page.scan.links.into_iter().filter(|link| !link.nofollow);
        let links: HashSet<CanonUrl> = links.map(|link| link.url).collect();
        for link in links {
            if self.is_wanted(&link) {
                self.meet(&link);
            }
        }
    }

    /// A page links to a URL that is wanted.
    fn meet(&mut self, url: &CanonUrl) {
        *self.found.entry(url.key(HASH)).or_default() += 1;
        self.offer(url.clone());
    }

    /// Puts a URL among those from which the sample is drawn.
    fn offer(&mut self, url: CanonUrl) {
        let key = url.key(HASH);
        let is_known = self.visitor.known(&url.origin()).is_some();
        if is_known && !self.visited.contains(&key) {
            self.pool.insert(key, url);
        }
        if self.pool.len() > POOL_MAX {
            self.pool.pop_last();
        }
    }

    /// Whether a crawl would fetch it; what robots.txt closes is counted.
    fn is_wanted(&mut self, url: &CanonUrl) -> bool {
        let candidate = Candidate::new(url.clone(), Errand::Page, 1, 0);
        if self.rules.judge(&candidate) != Verdict::Admit {
            return false;
        }
        let known = self.visitor.known(&url.origin());
        let is_closed = known.is_some_and(|known| !known.rules.judge(url.path_and_query()).allowed);
        if is_closed {
            self.closed.insert(url.key(HASH));
        }
        !is_closed
    }

    /// URLs that robots.txt closes, of those that sitemaps and pages name.
    pub(super) fn disallowed(&self) -> u64 {
        u64::try_from(self.closed.len()).expect("a length fits 64 bits")
    }

    /// The gap that robots.txt asks for.
    pub(super) fn robots_gap(&self) -> Option<Span> {
        self.visitor.robots_gap(&self.start.site())
    }

    /// The mean time of an answer.
    pub(super) fn takes(&self) -> Span {
        let sum: u64 = self.samples.iter().map(|sample| sample.took.0).sum();
        Span(sum / u64::try_from(self.samples.len().max(1)).expect("a length fits 64 bits"))
    }

    /// The quiet time that a crawl would keep between two requests.
    pub(super) fn delay(&self) -> Span {
        self.visitor.manners.gap(self.takes(), self.robots_gap())
    }
}

fn is_text(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    ["text/", "xml", "json", "javascript"].iter().any(|word| media_type.contains(word))
}
