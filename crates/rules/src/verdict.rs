//! One verdict with a reason, and the one place that asks scope and traps in their order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rhumb_web::{Candidate, Errand};
use serde::{Deserialize, Serialize};

use crate::forgotten::Forgotten;
use crate::scope::Scope;
use crate::trap::Trap;

/// Redirects in a row that are followed; RFC 9309 §2.3.1.2 asks for as many on robots.txt.
pub const HOPS_MAX: u8 = 5;

/// Whether a URL is to be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// It is.
    Admit,
    /// It is not, and why.
    Refuse(Reason),
}

/// Why a URL is not fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Reason {
    /// It belongs to no root of the crawl.
    OutOfScope,
    /// An exclude pattern matches it.
    Excluded,
    /// There are include patterns, and none matches it.
    NotIncluded,
    /// It lies too many links from a seed.
    TooDeep,
    /// Too many redirects led to it.
    TooManyHops,
    /// It has the shape of a trap.
    Trap(Trap),
    /// A rule of its robots.txt.
    Robots,
    /// The page that links to it asks not to follow.
    NoFollow,
    /// Its name leads to an address that is not public.
    PrivateAddress,
    /// A URL of something that is not fetched by HTTP.
    NotHttp,
    /// The text is no URL.
    BadUrl,
    /// Its page has more links, in bytes, than are followed.
    TooManyLinks,
    /// It, or its host, was taken down.
    Forgotten,
}

impl Reason {
    /// Every reason, in the order in which they are shown.
    pub const ALL: [Self; 23] = [
        Self::OutOfScope,
        Self::Excluded,
        Self::NotIncluded,
        Self::TooDeep,
        Self::TooManyHops,
        Self::Trap(Trap::LongUrl),
        Self::Trap(Trap::ManySegments),
        Self::Trap(Trap::TandemSegments),
        Self::Trap(Trap::RepeatedSegment),
        Self::Trap(Trap::RepeatedPage),
        Self::Trap(Trap::Calendar),
        Self::Trap(Trap::GrowingQuery),
        Self::Trap(Trap::SessionId),
        Self::Trap(Trap::Template),
        Self::Trap(Trap::RelativeLink),
        Self::Trap(Trap::Deep),
        Self::Robots,
        Self::NoFollow,
        Self::PrivateAddress,
        Self::NotHttp,
        Self::BadUrl,
        Self::TooManyLinks,
        Self::Forgotten,
    ];

    /// The one word for it in events, summaries and tests.
    pub fn word(self) -> &'static str {
        match self {
            Self::OutOfScope => "out-of-scope",
            Self::Excluded => "excluded",
            Self::NotIncluded => "not-included",
            Self::TooDeep => "too-deep",
            Self::TooManyHops => "too-many-hops",
            Self::Trap(Trap::LongUrl) => "trap-long-url",
            Self::Trap(Trap::ManySegments) => "trap-many-segments",
            Self::Trap(Trap::TandemSegments) => "trap-tandem-segments",
            Self::Trap(Trap::RepeatedSegment) => "trap-repeated-segment",
            Self::Trap(Trap::RepeatedPage) => "trap-repeated-page",
            Self::Trap(Trap::Calendar) => "trap-calendar",
            Self::Trap(Trap::GrowingQuery) => "trap-growing-query",
            Self::Trap(Trap::SessionId) => "trap-session-id",
            Self::Trap(Trap::Template) => "trap-template",
            Self::Trap(Trap::RelativeLink) => "trap-relative-link",
            Self::Trap(Trap::Deep) => "trap-deep",
            Self::Robots => "robots",
            Self::NoFollow => "nofollow",
            Self::PrivateAddress => "private-address",
            Self::NotHttp => "not-http",
            Self::BadUrl => "bad-url",
            Self::TooManyLinks => "too-many-links",
            Self::Forgotten => "forgotten",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that stands for no reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no reason for a refusal is called {0:?}")]
pub struct UnknownReason(String);

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(word: &str) -> Result<Self, UnknownReason> {
        let found = Self::ALL.into_iter().find(|reason| reason.word() == word);
        found.ok_or_else(|| UnknownReason(word.to_owned()))
    }
}

impl TryFrom<String> for Reason {
    type Error = UnknownReason;

    fn try_from(word: String) -> Result<Self, UnknownReason> {
        word.parse()
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.word().to_owned()
    }
}

/// What a crawl wants: everything that can be judged from a URL alone, before robots.txt is known.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What the crawl is about.
    pub scope: Scope,
    /// What it was told to forget.
    pub forgotten: Arc<Forgotten>,
}

impl Rules {
    /// Rules of a crawl that was told to forget nothing.
    pub fn new(scope: Scope) -> Self {
        Self { scope, forgotten: Arc::default() }
    }

    /// What is forgotten first, seeds too; then hops, scope and traps. A seed as it was typed is
    /// never a trap.
    pub fn judge(&self, candidate: &Candidate) -> Verdict {
        if self.forgotten.covers(&candidate.url) {
            return Verdict::Refuse(Reason::Forgotten);
        }
        let hops = match candidate.errand {
            Errand::Robots { hops, .. } => hops,
            Errand::Page | Errand::Sitemap | Errand::Compared(_) => candidate.hops,
        };
        if hops > HOPS_MAX {
            return Verdict::Refuse(Reason::TooManyHops);
        }
        let verdict = self.scope.judge(candidate);
        let is_seed = candidate.depth == 0 && candidate.hops == 0;
        if verdict != Verdict::Admit || is_seed || candidate.errand != Errand::Page {
            return verdict;
        }
        match Trap::of(&candidate.url) {
            Some(trap) => Verdict::Refuse(Reason::Trap(trap)),
            None => Verdict::Admit,
        }
    }
}

#[cfg(test)]
mod tests {
    use rhumb_web::CanonUrl;

    use super::*;
    use crate::ScopeKind;

    fn check(candidate: &Candidate, expect: Verdict) {
        let rules = Rules::new(Scope::new(ScopeKind::Any));
        assert_eq!(rules.judge(candidate), expect, "{candidate:?}");
    }

    fn page(url: &str, depth: u16, hops: u8) -> Candidate {
        Candidate::new(CanonUrl::parse(url).unwrap(), Errand::Page, depth, hops)
    }

    #[test]
    fn every_reason_has_its_own_word_and_is_read_back_from_it() {
        for reason in Reason::ALL {
            assert_eq!(reason.word().parse(), Ok(reason));
            let json = serde_json::to_string(&reason).unwrap();
            assert_eq!(json, format!("\"{}\"", reason.word()));
            assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), reason);
        }
        assert!("unheard-of".parse::<Reason>().is_err());
    }

    #[test]
    fn five_redirects_are_followed_and_a_sixth_is_not() {
        check(&page("http://a.example/", 1, 5), Verdict::Admit);
        check(&page("http://a.example/", 1, 6), Verdict::Refuse(Reason::TooManyHops));
        let origin = CanonUrl::parse("http://a.example/").unwrap().origin();
        let robots = |hops| Candidate {
            errand: Errand::Robots { origin: origin.clone(), hops },
            ..page("http://b.example/robots.txt", 3, 0)
        };
        check(&robots(5), Verdict::Admit);
        check(&robots(6), Verdict::Refuse(Reason::TooManyHops));
    }

    #[test]
    fn a_trap_is_refused_unless_it_was_typed_as_a_seed() {
        let trap = "http://a.example/x/x/x/";
        check(&page(trap, 1, 0), Verdict::Refuse(Reason::Trap(Trap::TandemSegments)));
        check(&page(trap, 0, 1), Verdict::Refuse(Reason::Trap(Trap::TandemSegments)));
        check(&page(trap, 0, 0), Verdict::Admit);
        let sitemap = Candidate { errand: Errand::Sitemap, ..page(trap, 1, 0) };
        check(&sitemap, Verdict::Admit);
    }

    #[test]
    fn what_is_forgotten_is_refused_before_all_else_even_as_a_seed() {
        let hash = rhumb_web::HashKey(1, 2);
        let mut forgotten = Forgotten::new(hash);
        forgotten.add_name(Forgotten::key_of_name(hash, "a.example"));
        let mut rules = Rules::new(Scope::new(ScopeKind::Any));
        rules.forgotten = Arc::new(forgotten);
        let refused = Verdict::Refuse(Reason::Forgotten);
        for candidate in [page("http://a.example/", 0, 0), page("http://a.example/x/x/x/", 1, 6)] {
            assert_eq!(rules.judge(&candidate), refused, "{candidate:?}");
        }
        let origin = CanonUrl::parse("http://b.example/").unwrap().origin();
        let errand = Errand::Robots { origin, hops: 1 };
        let robots = Candidate { errand, ..page("http://a.example/robots.txt", 0, 0) };
        assert_eq!(rules.judge(&robots), refused);
        assert_eq!(rules.judge(&page("http://b.example/", 1, 0)), Verdict::Admit);
    }
}
