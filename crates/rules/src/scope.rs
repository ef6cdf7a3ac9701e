//! What a crawl is about: the places that its seeds opened, and the user's own patterns.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use regex::Regex;
use rhumb_web::{Candidate, CanonUrl, Errand};
use serde::{Deserialize, Serialize};

use crate::verdict::{Reason, Verdict};

/// How far around its seeds a crawl goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// The seeds alone, and what they redirect to.
    Page,
    /// The folder of each seed: its site, and its path up to the last slash.
    Prefix,
    /// The site of each seed, by http and https alike; `www.` is another site.
    #[default]
    Host,
    /// The pay-level domain of each seed.
    Domain,
    /// The whole web.
    Any,
}

impl ScopeKind {
    /// Every kind, from the narrowest to the widest.
    pub const ALL: [Self; 5] = [Self::Page, Self::Prefix, Self::Host, Self::Domain, Self::Any];

    /// As users write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Prefix => "prefix",
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Any => "any",
        }
    }
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope {0:?}, use page, prefix, host, domain or any")]
pub struct UnknownScope(String);

impl FromStr for ScopeKind {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|kind| kind.word() == word);
        found.ok_or_else(|| UnknownScope(word.to_owned()))
    }
}

/// Which URLs a crawl wants.
#[derive(Clone, Debug)]
pub struct Scope {
    kind: ScopeKind,
    /// Sites, or hosts with all their ports, that are judged by a kind of their own.
    sites: HashMap<Box<str>, ScopeKind>,
    roots: Roots,
    /// Where there are any, a URL must match one of them; seeds and their redirects need not.
    pub include: Vec<Regex>,
    /// A URL must match none of them; seeds need not obey.
    pub exclude: Vec<Regex>,
    /// Links from the nearest seed, at most.
    pub max_depth: Option<u16>,
}

/// What the seeds opened, as every kind looks it up: which kinds are asked may change.
#[derive(Clone, Debug, Default)]
struct Roots {
    /// Seeds as URLs, their folders and their sites: none of these can be taken for another.
    places: HashSet<Box<str>>,
    domains: HashSet<Box<str>>,
    /// The most slashes in a folder: no longer folder of a URL need be looked up.
    deepest: usize,
}

impl Roots {
    fn insert(&mut self, seed: &CanonUrl) {
        let folder = folders(seed).last().unwrap_or_default();
        for place in [seed.as_str(), folder, seed.authority()] {
            insert(&mut self.places, place);
        }
        insert(&mut self.domains, seed.pld().as_str());
        self.deepest = self.deepest.max(folders(seed).count());
    }
}

/// Many seeds share a site: what is there already is not copied.
fn insert(set: &mut HashSet<Box<str>>, text: &str) {
    if !set.contains(text) {
        set.insert(Box::from(text));
    }
}

impl Scope {
    /// A scope without roots yet.
    pub fn new(kind: ScopeKind) -> Self {
        Self {
            kind,
            sites: HashMap::new(),
            roots: Roots::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            max_depth: None,
        }
    }

    /// How far it goes.
    pub fn kind(&self) -> ScopeKind {
        self.kind
    }

    /// How far it goes on the site of this URL.
    pub fn kind_for(&self, url: &CanonUrl) -> ScopeKind {
        if self.sites.is_empty() {
            return self.kind;
        }
        let own = self.sites.get(url.authority()).or_else(|| self.sites.get(url.host()));
        own.copied().unwrap_or(self.kind)
    }

    /// From now on these sites have kinds of their own, and no others: `example.org:8080` names a
    /// site, `example.org` a host with all its ports.
    pub fn set_sites(&mut self, sites: Vec<(String, ScopeKind)>) {
        self.sites = sites.into_iter().map(|(site, kind)| (Box::from(site), kind)).collect();
    }

    /// Opens the surroundings of a seed, or of what a seed redirects to.
    pub fn add_root(&mut self, seed: &CanonUrl) {
        self.roots.insert(seed);
    }

    /// Whether the candidate is wanted, as far as its URL, errand and depth can say.
    pub fn judge(&self, candidate: &Candidate) -> Verdict {
        let (is_start, is_redirected) = (candidate.depth == 0, candidate.hops > 0);
        let is_inside = match candidate.errand {
            Errand::Robots { .. } => return Verdict::Admit,
            Errand::Sitemap if self.is_sitemap_inside(&candidate.url) => return Verdict::Admit,
            Errand::Sitemap => return Verdict::Refuse(Reason::OutOfScope),
            Errand::Page | Errand::Compared(_) if is_start && !is_redirected => {
                return Verdict::Admit;
            }
            // A redirect of a seed moves the root, wherever it leads.
            Errand::Page | Errand::Compared(_) => is_start || self.is_inside(&candidate.url),
        };
        let text = candidate.url.as_str();
        let matches = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(text));
        if !is_inside {
            Verdict::Refuse(Reason::OutOfScope)
        } else if self.max_depth.is_some_and(|max| candidate.depth > max) {
            Verdict::Refuse(Reason::TooDeep)
        } else if matches(&self.exclude) {
            Verdict::Refuse(Reason::Excluded)
        } else if !is_start && !self.include.is_empty() && !matches(&self.include) {
            Verdict::Refuse(Reason::NotIncluded)
        } else {
            Verdict::Admit
        }
    }

    fn is_inside(&self, url: &CanonUrl) -> bool {
        let Roots { places, domains, deepest } = &self.roots;
        match self.kind_for(url) {
            ScopeKind::Page => places.contains(url.as_str()),
            ScopeKind::Prefix => folders(url).take(*deepest).any(|folder| places.contains(folder)),
            ScopeKind::Host => places.contains(url.authority()),
            ScopeKind::Domain => domains.contains(url.pld().as_str()),
            ScopeKind::Any => true,
        }
    }

    fn is_sitemap_inside(&self, url: &CanonUrl) -> bool {
        match self.kind_for(url) {
            ScopeKind::Page => false,
            ScopeKind::Prefix => self.roots.places.contains(url.authority()),
            ScopeKind::Host | ScopeKind::Domain | ScopeKind::Any => self.is_inside(url),
        }
    }
}

/// Site and path up to each slash of the path: `a.example/`, `a.example/b/` and so on.
fn folders(url: &CanonUrl) -> impl Iterator<Item = &str> {
    let without_scheme = &url.as_str()[url.scheme().prefix().len()..];
    let path_start = url.authority().len();
    let slashes = url.path().match_indices('/').map(move |(at, _)| path_start + at);
    slashes.map(move |slash| &without_scheme[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: Verdict = Verdict::Refuse(Reason::OutOfScope);

    fn scope(kind: ScopeKind, seeds: &[&str]) -> Scope {
        let mut scope = Scope::new(kind);
        for seed in seeds {
            scope.add_root(&CanonUrl::parse(seed).unwrap());
        }
        scope
    }

    fn page(url: &str, depth: u16) -> Candidate {
        Candidate::new(CanonUrl::parse(url).unwrap(), Errand::Page, depth, 0)
    }

    fn check(scope: &Scope, url: &str, expect: Verdict) {
        assert_eq!(scope.judge(&page(url, 1)), expect, "{url} in {scope:?}");
    }

    #[test]
    fn host_scope_takes_the_site_by_http_and_https_but_not_its_www_or_other_port() {
        let scope = scope(ScopeKind::Host, &["http://a.example/deep/page.html"]);
        check(&scope, "https://a.example/elsewhere", Verdict::Admit);
        check(&scope, "http://www.a.example/", OUT);
        check(&scope, "http://a.example:8080/", OUT);
    }

    #[test]
    fn prefix_scope_takes_the_folder_of_the_seed() {
        let scope = scope(ScopeKind::Prefix, &["http://a.example/docs/en/index.html"]);
        check(&scope, "https://a.example/docs/en/", Verdict::Admit);
        check(&scope, "http://a.example/docs/en/deep/er?x=1", Verdict::Admit);
        check(&scope, "http://a.example/docs/en", OUT);
        check(&scope, "http://a.example/docs/english/", OUT);
        check(&scope, "http://a.example/docs/", OUT);
        check(&scope, "http://b.example/docs/en/", OUT);
        check(&scope, "http://a.example/?/docs/en/", OUT);
    }

    #[test]
    fn domain_scope_takes_every_host_of_the_paid_domain() {
        let scope = scope(ScopeKind::Domain, &["http://www.a.co.uk/", "http://127.0.0.1:81/"]);
        check(&scope, "http://shop.a.co.uk:8080/", Verdict::Admit);
        check(&scope, "http://b.co.uk/", OUT);
        check(&scope, "http://127.0.0.1:82/", Verdict::Admit);
        check(&scope, "http://127.0.0.2/", OUT);
    }

    #[test]
    fn page_scope_takes_the_seeds_and_what_they_redirect_to() {
        let scope = scope(ScopeKind::Page, &["http://a.example/one"]);
        check(&scope, "http://a.example/one", Verdict::Admit);
        check(&scope, "http://a.example/two", OUT);
        let redirected = Candidate { hops: 1, ..page("http://b.example/", 0) };
        assert_eq!(scope.judge(&redirected), Verdict::Admit);
        assert_eq!(scope.judge(&Candidate { depth: 1, ..redirected }), OUT);
    }

    #[test]
    fn a_redirected_seed_opens_its_new_place() {
        let mut scope = scope(ScopeKind::Host, &["http://a.example/"]);
        check(&scope, "http://www.a.example/x", OUT);
        scope.add_root(&CanonUrl::parse("http://www.a.example/").unwrap());
        check(&scope, "http://www.a.example/x", Verdict::Admit);
    }

    #[test]
    fn a_site_with_a_scope_of_its_own_is_judged_by_that_and_all_others_as_before() {
        let seeds = ["http://a.example/docs/one", "http://b.example:81/"];
        let mut scope = scope(ScopeKind::Host, &seeds);
        scope.set_sites(vec![
            ("a.example".to_owned(), ScopeKind::Prefix),
            ("c.example:81".to_owned(), ScopeKind::Any),
            ("www.b.example".to_owned(), ScopeKind::Domain),
        ]);
        check(&scope, "http://a.example/docs/two", Verdict::Admit);
        check(&scope, "http://a.example/news", OUT);
        check(&scope, "http://b.example:81/x", Verdict::Admit);
        check(&scope, "http://c.example:81/", Verdict::Admit);
        check(&scope, "http://c.example/", OUT);
        check(&scope, "http://www.b.example:8080/", Verdict::Admit);
        check(&scope, "http://shop.b.example/", OUT);
        scope.set_sites(vec![("b.example".to_owned(), ScopeKind::Page)]);
        check(&scope, "http://a.example/news", Verdict::Admit);
        check(&scope, "http://b.example:81/", Verdict::Admit);
        check(&scope, "http://b.example:81/x", OUT);
        check(&scope, "http://c.example:81/", OUT);
    }

    #[test]
    fn a_root_that_comes_later_reaches_every_kind() {
        let mut scope = scope(ScopeKind::Page, &[]);
        let sites = ["host", "domain", "prefix"];
        let named = sites.map(|kind| (format!("{kind}.example"), kind.parse().unwrap()));
        scope.set_sites(named.to_vec());
        for kind in sites {
            let inside = format!("http://{kind}.example/d/two");
            check(&scope, &inside, OUT);
            scope.add_root(&CanonUrl::parse(&format!("http://{kind}.example/d/one")).unwrap());
            check(&scope, &inside, Verdict::Admit);
        }
    }

    #[test]
    fn patterns_match_anywhere_in_the_url_and_spare_the_seeds() {
        let mut scope = scope(ScopeKind::Any, &[]);
        scope.include = vec![Regex::new("/wiki/").unwrap(), Regex::new(r"\.pdf$").unwrap()];
        scope.exclude = vec![Regex::new("(?i)talk:").unwrap()];
        check(&scope, "http://a.example/wiki/One", Verdict::Admit);
        check(&scope, "http://a.example/x.pdf", Verdict::Admit);
        check(&scope, "http://a.example/", Verdict::Refuse(Reason::NotIncluded));
        check(&scope, "http://a.example/wiki/Talk:One", Verdict::Refuse(Reason::Excluded));
        let seed = page("http://a.example/talk:", 0);
        assert_eq!(scope.judge(&seed), Verdict::Admit);
        let redirected = Candidate { hops: 1, ..seed };
        assert_eq!(scope.judge(&redirected), Verdict::Refuse(Reason::Excluded));
        let redirected = Candidate { hops: 1, ..page("http://a.example/", 0) };
        assert_eq!(scope.judge(&redirected), Verdict::Admit);
    }

    #[test]
    fn depth_is_counted_from_the_seeds() {
        let mut scope = scope(ScopeKind::Any, &[]);
        scope.max_depth = Some(2);
        assert_eq!(scope.judge(&page("http://a.example/", 2)), Verdict::Admit);
        let deep = scope.judge(&page("http://a.example/", 3));
        assert_eq!(deep, Verdict::Refuse(Reason::TooDeep));
    }

    #[test]
    fn a_sitemap_is_judged_by_its_site_alone() {
        let judge = |kind, url| {
            let mut scope = scope(kind, &["http://a.example/docs/"]);
            scope.exclude = vec![Regex::new("sitemap").unwrap()];
            scope.max_depth = Some(0);
            scope.judge(&Candidate { errand: Errand::Sitemap, ..page(url, 1) })
        };
        let own = "https://a.example/sitemap.xml";
        assert_eq!(judge(ScopeKind::Page, own), OUT);
        for kind in [ScopeKind::Prefix, ScopeKind::Host, ScopeKind::Domain, ScopeKind::Any] {
            assert_eq!(judge(kind, own), Verdict::Admit, "{kind}");
        }
        let foreign = "https://b.example/sitemap.xml";
        for kind in [ScopeKind::Prefix, ScopeKind::Host, ScopeKind::Domain] {
            assert_eq!(judge(kind, foreign), OUT, "{kind}");
        }
        assert_eq!(judge(ScopeKind::Any, foreign), Verdict::Admit);
    }

    #[test]
    fn the_words_of_scopes_are_read_back() {
        for kind in ScopeKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "hosts".parse::<ScopeKind>().unwrap_err();
        assert!(error.to_string().contains("prefix, host, domain"));
    }
}
