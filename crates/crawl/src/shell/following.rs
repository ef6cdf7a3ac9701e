//! What a running crawl tells whoever reads its archive behind it.
//!
//! It never waits for who hears it: what waits is a few bytes a page, and less than that where the
//! reader keeps up.

use std::sync::mpsc::Sender;

use rhumb_archive::Position;
use rhumb_web::{Errand, HashKey, Mark, UrlKey};

use super::meter::Stopwatch;
use crate::partition::{Fact, Settlement};

/// Who reads the archive behind a crawl.
#[derive(Debug)]
pub struct Follower {
    /// Where it hears the news.
    pub news: Sender<News>,
    /// Where it notes how long its pages take.
    pub took: Stopwatch,
}

/// What is known now. It is told once the facts are written: a kill takes none of it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// What was found of the page whose records end there; told before those are known.
    Told {
        /// Which page.
        key: UrlKey,
        /// Where its records end.
        end: Position,
        /// The page that had the same before.
        original: Option<UrlKey>,
        /// That it is not what its status says.
        mark: Option<Mark>,
    },
    /// The archive is known up to here.
    Kept(Position),
    /// A page whose records are known was taken for an original and is none.
    Likened {
        /// Which page.
        key: UrlKey,
        /// Its original.
        original: UrlKey,
    },
}

/// The news in the facts of one batch.
#[derive(Debug, Default)]
pub(super) struct Told {
    news: Vec<News>,
    kept: Option<Position>,
    late: Vec<News>,
}

impl Told {
    /// Takes in what a fact says.
    pub(super) fn note(&mut self, fact: &Fact, hash: HashKey) {
        match fact {
            Fact::Settled(settled) => {
                let Some(end) = settled.kept else { return };
                self.kept = self.kept.max(Some(end));
                let told = &settled.more.content.told;
                let (original, mark) = (told.twin.map(|twin| twin.of), told.mark);
                let is_page = settled.entry.candidate.errand == Errand::Page
                    && matches!(settled.result, Settlement::Answered(200..300));
                if is_page && (original.is_some() || mark.is_some()) {
                    let key = settled.entry.url().key(hash);
                    self.news.push(News::Told { key, end, original, mark });
                }
            }
            Fact::Likened { url, twin, .. } => {
                self.late.push(News::Likened { key: *url, original: twin.of });
            }
            _ => {}
        }
    }
    /// Tells it, now that the facts are written.
    pub(super) fn tell(self, follower: &Sender<News>) {
        let kept = self.kept.map(News::Kept);
        for one in self.news.into_iter().chain(kept).chain(self.late) {
            // Who does not listen any more misses nothing.
            follower.send(one).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::mpsc::channel;

    use rhumb_frontier::{Entry, Manner, SiteKey};
    use rhumb_likeness::{Likeness, Twin};
    use rhumb_web::{Candidate, CanonUrl, Span, TicketNumber};

    use super::*;
    use crate::partition::{More, Settled};

    const HASH: HashKey = HashKey(5, 6);

    fn url() -> CanonUrl {
        CanonUrl::parse("http://a.test/").unwrap()
    }

    fn settled(errand: Errand, status: u16, end: u64) -> Settled {
        Settled {
            number: TicketNumber(0),
            entry: Entry::new(Candidate::new(url(), errand, 0, 0)),
            result: Settlement::Answered(status),
            bytes: 0,
            cut: None,
            took: Span::ZERO,
            manner: Manner::default(),
            again: None,
            parcels: Vec::new(),
            refused: BTreeMap::new(),
            root: None,
            digest: None,
            kept: Some(Position { serial: 1, end }),
            more: More::default(),
        }
    }

    fn check(facts: &[Fact], expect: &[News]) {
        let mut told = Told::default();
        for fact in facts {
            told.note(fact, HASH);
        }
        let (sender, news) = channel();
        told.tell(&sender);
        drop(sender);
        assert_eq!(news.iter().collect::<Vec<_>>(), expect);
    }

    #[test]
    fn verdicts_come_before_the_records_that_they_are_on_and_late_ones_behind() {
        let twin = Twin { of: UrlKey(7), site: 0, how: Likeness::Near, same_path: false };
        let late = Fact::Likened { url: UrlKey(9), site: SiteKey(0), twin };
        let mut marked = settled(Errand::Page, 200, 80);
        marked.more.content.told.mark = Some(Mark::Parked);
        let mut copied = settled(Errand::Page, 200, 160);
        copied.more.content.told.twin = Some(twin);
        let facts = [late, Fact::Settled(Box::new(marked)), Fact::Settled(Box::new(copied))];
        let (key, original) = (url().key(HASH), UrlKey(7));
        let [first, last] = [80, 160].map(|end| Position { serial: 1, end });
        let expect = [
            News::Told { key, end: first, original: None, mark: Some(Mark::Parked) },
            News::Told { key, end: last, original: Some(original), mark: None },
            News::Kept(last),
            News::Likened { key: UrlKey(9), original },
        ];
        check(&facts, &expect);
    }

    #[test]
    fn of_what_is_no_page_only_its_records_are_told() {
        let mut gate = settled(Errand::Page, 403, 80);
        gate.more.content.told.mark = Some(Mark::Challenge);
        let plain = settled(Errand::Sitemap, 200, 160);
        let facts = [Fact::Settled(Box::new(plain)), Fact::Settled(Box::new(gate))];
        check(&facts, &[News::Kept(Position { serial: 1, end: 160 })]);
        check(&[Fact::Recalled(TicketNumber(3))], &[]);
    }
}
