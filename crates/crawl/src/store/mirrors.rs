//! Sites that show the same pages under the same paths.

use std::collections::BTreeMap;

use rhumb_frontier::SiteKey;
use rhumb_likeness::Twin;
use serde::{Deserialize, Serialize};

/// Pairs of sites that are watched at once.
const PAIRS_MAX: usize = 4_096;
/// Common pages below which nothing is said of two sites.
const PAGES_MIN: u32 = 8;

/// How many pages two sites have in common, by what was met so far. When too many pairs are
/// watched each loses one, and those with none left go (Misra and Gries 1982): a pair that has
/// much in common stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirrors(BTreeMap<(SiteKey, SiteKey), u32>);

impl Mirrors {
    /// Notes that a page of a site has a twin.
    pub fn note(&mut self, site: SiteKey, twin: &Twin) {
        let other = SiteKey(twin.site);
        if !twin.same_path || other == site {
            return;
        }
        if self.0.len() >= PAIRS_MAX {
            self.0.values_mut().for_each(|pages| *pages -= 1);
            self.0.retain(|_, pages| *pages > 0);
        }
        *self.0.entry((site.min(other), site.max(other))).or_default() += 1;
    }

    /// Pairs that may be mirrors, with the pages that they have in common: most first.
    pub fn pairs(&self) -> Vec<(SiteKey, SiteKey, u32)> {
        let pairs = self.0.iter().filter(|(_, pages)| **pages >= PAGES_MIN);
        let mut pairs: Vec<_> = pairs.map(|((a, b), pages)| (*a, *b, *pages)).collect();
        pairs.sort_unstable_by_key(|(_, _, pages)| std::cmp::Reverse(*pages));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use rhumb_likeness::Likeness;
    use rhumb_web::UrlKey;

    use super::*;

    fn twin(site: u64, same_path: bool) -> Twin {
        Twin { of: UrlKey(1), site, how: Likeness::Same, same_path }
    }

    #[test]
    fn two_sites_are_one_pair_whichever_was_first() {
        let mut mirrors = Mirrors::default();
        for _ in 0..4 {
            mirrors.note(SiteKey(2), &twin(4, true));
            mirrors.note(SiteKey(4), &twin(2, true));
            mirrors.note(SiteKey(2), &twin(4, false));
            mirrors.note(SiteKey(2), &twin(2, true));
            mirrors.note(SiteKey(2), &twin(8, true));
        }
        assert_eq!(mirrors.pairs(), [(SiteKey(2), SiteKey(4), 8)]);
    }

    #[test]
    fn a_large_pair_stays_among_any_number_of_small_ones() {
        let mut mirrors = Mirrors::default();
        for other in 0..50_000 {
            mirrors.note(SiteKey(2), &twin(4, true));
            mirrors.note(SiteKey(6), &twin(1_000 + 2 * other, true));
        }
        assert!(mirrors.0.len() <= PAIRS_MAX);
        assert!(mirrors.pairs()[0].2 > 40_000);
    }
}
