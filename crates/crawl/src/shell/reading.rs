//! An answer is read: what it says of the site, which links it has, what is kept of it.

use std::collections::HashMap;
use std::time::Duration;

use rhumb_formats::{Extract, Kind};
use rhumb_frontier::DomainKey;
use rhumb_likeness::Sketch;
use rhumb_page::{Facts, Format, Page};
use rhumb_rules::{
    ROBOTS_BYTES_MAX, Reason, Robots, Rules, SITEMAPS_MAX, Verdict, of_header, of_meta,
};
use rhumb_web::{
    Candidate, Canon, CanonUrl, Cut, Directive, Directives, Errand, Exchange, HashKey, Link,
    LinkKind, PartitionId, Span,
};

use super::CrawlSettings;
use super::cloaking::Sample;
use super::report::{Report, What};
use super::saying::saying;
use crate::partition::{Answer, Content, Told};

/// Indexes of sitemaps within indexes; the protocol has none, some sites have one.
const SITEMAP_LEVELS_MAX: u16 = 2;

/// Bytes of links of one page that are followed: a page names them shorter than they are, and a
/// fact must hold them all. A sitemap of the protocol's largest size has about as many.
const LINK_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Other domains of a page's links that count.
const OUTWARD_MAX: usize = 256;

/// Links of one page with the shape of a trap that are told of by themselves.
const TRAPPED_MAX: usize = 16;

/// Reads answers for one crawl.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// The name that directives may speak to.
    agent: String,
    canon: Canon,
    hash: HashKey,
    partitions: u16,
    /// Whether refused links are wanted one by one.
    tells_refusals: bool,
    /// The pages that are compared with what a browser is shown.
    pub(super) sample: Sample,
}

/// What came of an answer.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) answer: Answer,
    pub(super) refusals: Vec<Report>,
    /// Whether it is a page of HTML.
    pub(super) is_html: bool,
    /// Bytes of the links that the rules admit.
    link_bytes: usize,
    /// The domain of what was asked for.
    domain: Option<DomainKey>,
}

impl Reader {
    pub(super) fn new(settings: &CrawlSettings) -> Self {
        Self {
            agent: settings.agent.clone(),
            canon: settings.canon,
            hash: settings.hash,
            partitions: settings.partitions,
            tells_refusals: settings.tells_refusals,
            sample: Sample::new(settings.hash, settings.cloaking_sample),
        }
    }

    pub(super) fn read(
        &self,
        candidate: &Candidate,
        exchange: &Exchange,
        document: Option<(Kind, Extract)>,
        rules: &Rules,
    ) -> Reading {
        let status = exchange.status;
        let bytes = u64::try_from(exchange.body.len()).expect("a length fits 64 bits");
        let domain = Some(DomainKey::of_url(self.hash, &candidate.url));
        let mut reading = Reading { domain, ..Reading::default() };
        reading.answer.status = status;
        reading.answer.bytes = bytes;
        reading.answer.cut = exchange.cut;
        if matches!(status, 429 | 503) {
            reading.answer.pushback = Some(retry_after(exchange));
        }
        let is_robots = matches!(candidate.errand, Errand::Robots { .. });
        match status {
            304 => {}
            300..400 => self.redirect(candidate, exchange, rules, &mut reading),
            200..300 if is_robots => self.robots(exchange, rules, &mut reading),
            200..300 => self.page(candidate, exchange, document, rules, &mut reading),
            _ => self.gate(candidate, exchange, &mut reading),
        }
        reading
    }

    fn redirect(
        &self,
        candidate: &Candidate,
        exchange: &Exchange,
        rules: &Rules,
        reading: &mut Reading,
    ) {
        let Some(location) = exchange.header("location") else { return };
        let Ok(url) = candidate.url.join(location, self.canon) else {
            *reading.answer.refused.entry(Reason::BadUrl).or_default() += 1;
            return;
        };
        let is_forgotten = rules.forgotten.covers(&url);
        if matches!(candidate.errand, Errand::Robots { .. }) {
            reading.answer.robots_moved = Some(url).filter(|_| !is_forgotten);
            reading.answer.robots_is_withheld = is_forgotten;
            return;
        }
        if url == candidate.url {
            reading.answer.self_redirect = true;
            return;
        }
        reading.answer.moved_to = Some(url.clone()).filter(|_| !is_forgotten);
        let is_seed = candidate.depth == 0 && candidate.errand == Errand::Page;
        let target = Candidate { url, hops: candidate.hops + 1, ..candidate.clone() };
        if is_seed && rules.judge(&target) == Verdict::Admit {
            reading.answer.root = Some(target.url.clone());
        }
        self.judge(target, rules, reading);
    }

    fn robots(&self, exchange: &Exchange, rules: &Rules, reading: &mut Reading) {
        // One byte more than is read, so that the reader knows its last line to be torn.
        let body = &exchange.body[..exchange.body.len().min(ROBOTS_BYTES_MAX + 1)];
        reading.answer.robots = Some(body.to_vec());
        reading.answer.etag = exchange.header("etag").map(str::to_owned);
        if exchange.cut.is_some_and(|cut| cut != Cut::Length) {
            return;
        }
        for url in Robots::parse(body).sitemap_urls(&exchange.url) {
            let sitemap = Candidate::new(url, Errand::Sitemap, 0, 0);
            self.judge(sitemap, rules, reading);
        }
    }

    fn page(
        &self,
        candidate: &Candidate,
        exchange: &Exchange,
        document: Option<(Kind, Extract)>,
        rules: &Rules,
        reading: &mut Reading,
    ) {
        let (url, canon) = (&candidate.url, self.canon);
        let is_sitemap = candidate.errand == Errand::Sitemap;
        let mut told = None;
        let mut page = if let Some((kind, extract)) = document {
            told = Some(format!("{}: {}", kind.word(), extract.end.word()));
            Page::of(extract.into_scan(url, canon))
        } else {
            let media_type = exchange.header("content-type");
            rhumb_page::read(&exchange.body, media_type, url, canon, is_sitemap)
        };
        reading.is_html = page.format == Format::Html;
        let directives = self.directives(exchange, &page);
        let nofollow = directives.has(Directive::NoFollow);
        if let Some(target) = exchange.header("refresh").and_then(rhumb_page::refresh_target)
            && let Ok(url) = candidate.url.join(target, self.canon)
        {
            let link = Link { url, kind: LinkKind::Refresh, text: String::new(), nofollow: false };
            page.scan.links.push(link);
        }
        if candidate.errand == Errand::Page {
            let facts = Facts::of(exchange, candidate.hops > 0);
            reading.answer.content = self.content(candidate, &facts, &page);
            let leads_to = rhumb_page::leads_to(&page, &facts);
            reading.answer.leads_to = leads_to.filter(|url| !rules.forgotten.covers(url));
            let words = reading.answer.content.sketch.as_ref().map_or(0, |it| it.blind);
            // Documents are no traps.
            reading.answer.shape = if told.is_none() { words ^ page.scan.outline } else { 0 };
            let scan = &page.scan;
            reading.answer.saying = saying(&scan.text, &candidate.url, &scan.links, scan.pictures);
            reading.answer.outline = scan.outline;
            reading.answer.content.told.document = told;
        }
        let bad = u32::try_from(page.scan.bad_links.len()).unwrap_or(u32::MAX);
        if bad > 0 {
            *reading.answer.refused.entry(Reason::BadUrl).or_default() += bad;
        }
        // What a sitemap lists is as good as linked from the seed, however deep the list lies.
        let depth = if is_sitemap { 1 } else { candidate.depth.saturating_add(1) };
        for (url, link_nofollow) in distinct(page.scan.links, &candidate.url) {
            let target = Candidate::new(url, Errand::Page, depth, 0);
            if nofollow || link_nofollow {
                self.refuse(&target, Reason::NoFollow, reading);
            } else {
                self.judge(target, rules, reading);
            }
        }
        let level = if is_sitemap { candidate.depth.saturating_add(1) } else { 0 };
        for url in page.sitemaps.into_iter().take(SITEMAPS_MAX) {
            let sitemap = Candidate::new(url, Errand::Sitemap, level, 0);
            if level > SITEMAP_LEVELS_MAX {
                self.refuse(&sitemap, Reason::TooDeep, reading);
            } else {
                self.judge(sitemap, rules, reading);
            }
        }
    }

    /// What a page says, and whether it is what its status says.
    fn content(&self, candidate: &Candidate, facts: &Facts<'_>, page: &Page) -> Content {
        let canonical = page.scan.canonical.as_ref().filter(|it| **it != candidate.url);
        let mark = rhumb_page::mark(page, facts);
        Content {
            sketch: Sketch::of(&page.scan.text).map(Box::new),
            canonical: canonical.map(|url| url.key(self.hash)),
            told: Told { mark: mark.map(|(mark, _)| mark), ..Told::default() },
            kept_ms: None,
        }
    }

    /// An error page may be a gate that wants a person.
    fn gate(&self, candidate: &Candidate, exchange: &Exchange, reading: &mut Reading) {
        if candidate.errand != Errand::Page || !matches!(exchange.status, 403 | 405 | 429 | 503) {
            return;
        }
        let media_type = exchange.header("content-type");
        let page = rhumb_page::read(&exchange.body, media_type, &candidate.url, self.canon, false);
        let mark = rhumb_page::mark(&page, &Facts::of(exchange, candidate.hops > 0));
        reading.answer.content.told.mark = mark.map(|(mark, _)| mark);
    }

    fn directives(&self, exchange: &Exchange, page: &Page) -> Directives {
        let headers = exchange.headers_named("x-robots-tag");
        let headers = headers.map(|value| of_header(&self.agent, value));
        let metas = page.scan.metas.iter();
        let metas = metas.map(|(name, content)| of_meta(&self.agent, name, content));
        headers.chain(metas).fold(Directives::NONE, Directives::union)
    }

    fn judge(&self, target: Candidate, rules: &Rules, reading: &mut Reading) {
        match rules.judge(&target) {
            Verdict::Admit if reading.link_bytes > LINK_BYTES_MAX => {
                self.refuse(&target, Reason::TooManyLinks, reading);
            }
            Verdict::Admit => {
                reading.link_bytes += target.url.as_str().len();
                let owner = owner(&target.url, self.hash, self.partitions);
                let domain = DomainKey::of_url(self.hash, &target.url);
                let outward = &mut reading.answer.outward;
                if Some(domain) != reading.domain
                    && outward.len() < OUTWARD_MAX
                    && !outward.contains(&domain)
                {
                    outward.push(domain);
                }
                reading.answer.candidates.push((owner, target));
            }
            Verdict::Refuse(reason) => {
                if let Reason::Trap(trap) = reason
                    && reading.answer.trapped.len() < TRAPPED_MAX
                {
                    reading.answer.trapped.push((trap, target.url.clone()));
                }
                self.refuse(&target, reason, reading);
            }
        }
    }

    fn refuse(&self, target: &Candidate, reason: Reason, reading: &mut Reading) {
        *reading.answer.refused.entry(reason).or_default() += 1;
        if self.tells_refusals {
            let what = What::Refused(reason);
            let (url, depth) = (target.url.clone(), target.depth);
            reading.refusals.push(Report { url, depth, what, bytes: 0, took: None });
        }
    }
}

/// The partition that owns a URL.
pub(super) fn owner(url: &CanonUrl, hash: HashKey, partitions: u16) -> PartitionId {
    url.pld().partition(hash, partitions)
}

/// Each URL once, without the page itself, in the order of the page; one link that may be
/// followed is enough to follow.
fn distinct(links: Vec<Link>, page: &CanonUrl) -> impl Iterator<Item = (CanonUrl, bool)> {
    let mut firsts: HashMap<&CanonUrl, usize> = HashMap::with_capacity(links.len());
    // Known of the first link to each URL: whether none to it may be followed.
    let mut nofollow: Vec<Option<bool>> = vec![None; links.len()];
    for (at, link) in links.iter().enumerate().filter(|(_, link)| link.url != *page) {
        let first = *firsts.entry(&link.url).or_insert(at);
        nofollow[first] = Some(nofollow[first].unwrap_or(true) && link.nofollow);
    }
    let links = links.into_iter().zip(nofollow);
    links.filter_map(|(link, nofollow)| Some((link.url, nofollow?)))
}

/// Retry-After in both of its forms: seconds, or a date.
fn retry_after(exchange: &Exchange) -> Option<Span> {
    let value = exchange.header("retry-after")?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number holds are still a wish: for as long as can be.
        return Some(Span::seconds(value.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    // The server's own clock, if it tells it, so that a wrong one does no harm.
    let now = exchange.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    let now = now.unwrap_or(exchange.began);
    Some(Span::from(date.duration_since(now).unwrap_or(Duration::ZERO)))
}
