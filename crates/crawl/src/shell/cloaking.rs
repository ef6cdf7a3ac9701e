//! Cloaking: pages that show a browser something else than us.
//!
//! Of a sampled page three copies are fetched, each in its own turn: one as ourselves, one under
//! the headers of a browser, and one more as ourselves, which is the page. What a page changes from
//! one request to the next is no sign of anything, so the difference of our own two is taken off.
//! After Wu and Davison, "Cloaking and redirection: a preliminary study" (2005), with the `SimHash`
//! as the measure of difference.

use rhumb_likeness::Sketch;
use rhumb_web::{CanonUrl, Copies, Errand, HashKey, Mark};

use super::reading::Reading;
use crate::partition::{Answer, Content};

/// Bits by which the copy of a browser must differ more from ours than ours from each other. Texts
/// of which so many are other than in another are not near by the sieve either; texts that have
/// nothing in common differ in about 32 of 64.
const DIFFERENCE: u32 = 12;
/// A shorter text may differ in many bits by one word.
const WORDS_MIN: u32 = 50;
/// Of so many pages the sample takes some.
const WHOLE: u64 = 1_000_000;

/// The pages that are compared: always the same of one crawl, and nobody else knows which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    hash: HashKey,
    per_million: u32,
}

impl Sample {
    pub(super) fn new(hash: HashKey, per_million: u32) -> Self {
        Self { hash, per_million }
    }

    fn has(self, url: &CanonUrl) -> bool {
        let drawn = || self.hash.hash(format!("compared {url}").as_bytes()) % WHOLE;
        self.per_million > 0 && drawn() < u64::from(self.per_million)
    }

    /// Looks at what came for an errand, with the copies before it: it may be a copy itself, or
    /// the page, which is marked if it is cloaked.
    pub(super) fn compare(
        self,
        url: &CanonUrl,
        errand: &Errand,
        copies: Option<Copies>,
        reading: &mut Reading,
    ) {
        let answer = &reading.answer;
        let told = &answer.content.told;
        let is_whole = reading.is_html && answer.status == 200 && answer.cut.is_none();
        let sketch = answer.content.sketch.as_deref().filter(|_| is_whole && told.mark.is_none());
        match copies {
            None if *errand == Errand::Page && self.has(url) => {
                let own = sketch.filter(|sketch| sketch.shingles >= WORDS_MIN);
                if let Some(own) = own.map(|sketch| sketch.simhash) {
                    reading.become_copy(Some(own));
                }
            }
            None | Some(Copies::Both { browser: None, .. }) => {}
            Some(Copies::Own(_)) => {
                let copied = sketch.map(|sketch| sketch.simhash);
                reading.become_copy(copied);
            }
            Some(Copies::Both { own, browser: Some(browser) }) => {
                if sketch.is_some_and(|sketch| is_cloaked(own, browser, sketch)) {
                    reading.answer.content.told.mark = Some(Mark::Cloaked);
                }
            }
        }
    }
}

impl Reading {
    /// Leaves of an answer what its site and its turn need: it is no page.
    fn become_copy(&mut self, copied: Option<u64>) {
        let Answer { status, bytes, cut, pushback, content, .. } = std::mem::take(&mut self.answer);
        let mut kept = Content::default();
        // Whoever doubts a browser is left alone as well.
        kept.told.mark = content.told.mark.filter(|mark| *mark == Mark::Challenge);
        self.answer = Answer {
            status,
            bytes,
            cut,
            pushback,
            content: kept,
            is_copy: true,
            copied,
            ..Answer::default()
        };
        self.refusals.clear();
    }
}

/// Whether a browser is shown something else than we are. Of a page that shows us another text
/// each time nothing can be said.
fn is_cloaked(own: u64, browser: u64, page: &Sketch) -> bool {
    let differ = |a: u64, b: u64| (a ^ b).count_ones();
    let usual = differ(own, page.simhash);
    usual <= DIFFERENCE && differ(browser, own) > usual + DIFFERENCE
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: HashKey = HashKey(1, 2);

    /// Words in an order of their own.
    fn words(seed: u64, count: usize) -> String {
        let mut state = seed;
        let word = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            format!("word{} ", (state >> 33) % 2_000)
        });
        word.take(count).collect()
    }

    #[track_caller]
    fn check(own: &str, browser: &str, again: &str, expect: bool) {
        let simhash = |text: &str| Sketch::of(text).unwrap().simhash;
        let page = Sketch::of(again).unwrap();
        assert_eq!(is_cloaked(simhash(own), simhash(browser), &page), expect);
    }

    #[test]
    fn a_page_with_another_text_for_browsers_is_cloaked() {
        for seed in 1..50 {
            let (own, browser) = (words(seed, 300), words(seed + 1_000, 300));
            check(&own, &browser, &own, true);
            check(&own, &format!("{browser} {}", words(seed, 20)), &own, true);
        }
    }

    #[test]
    fn a_page_that_changes_for_everybody_or_in_part_is_not_cloaked() {
        for seed in 1..50 {
            let [a, b, c] = [0, 1_000, 2_000].map(|more| words(seed + more, 300));
            check(&a, &b, &c, false);
            let advertised = |text: &str| format!("{a} {text}");
            let [one, two] = [3_000, 4_000].map(|more| words(seed + more, 20));
            check(&advertised(&one), &advertised(&two), &advertised(&one), false);
        }
    }

    #[test]
    fn a_sample_has_its_part_of_all_pages_and_always_the_same() {
        let url = |at| CanonUrl::parse(&format!("http://a.test/{at}")).unwrap();
        let count = |per_million| {
            let sample = Sample::new(HASH, per_million);
            (0..10_000).filter(|at| sample.has(&url(*at))).count()
        };
        assert_eq!((count(0), count(1_000_000)), (0, 10_000));
        assert!((50..200).contains(&count(10_000)), "{}", count(10_000));
        assert_eq!(count(10_000), count(10_000));
    }
}
