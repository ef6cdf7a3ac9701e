//! What must hold at the end of what a crawl says of likeness: each content has one original, and
//! all other pages that have it lead there.

use std::collections::{BTreeMap, HashMap};

use rhumb_crawl::partition::UrlRecord;
use rhumb_crawl::tables::{Table, Tables};
use rhumb_likeness::{Likeness, Twin};

use super::World;
use super::web::{Kind, wide};

impl World {
    /// Holds the records of all pages that were fetched against what the pages say.
    pub(super) fn check_twins(&mut self) {
        let twins = self.recorded_twins();
        let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for page in self.web.reachable() {
            if matches!(self.web.pages[page].kind, Kind::Plain | Kind::Flaky | Kind::Busy) {
                classes.entry(self.web.pages[page].saying.class).or_default().push(page);
            }
        }
        for (class, pages) in &classes {
            let twin = |page: &usize| twins.get(page).copied().flatten();
            let originals: Vec<usize> =
                pages.iter().copied().filter(|page| twin(page).is_none()).collect();
            if originals.len() != 1 {
                let words = || format!("class {class} of {pages:?} has {originals:?}");
                self.witness.report.violate("originals", words);
                continue;
            }
            for page in pages {
                if let Some(flaw) = self.twin_flaw(*page, &twins, pages.len()) {
                    self.witness.report.violate("twin", || format!("page {page} {flaw}"));
                }
            }
        }
        let recorded = twins.values().filter(|twin| twin.is_some()).count();
        let counted = self.tally.duplicates;
        if wide(recorded) != counted {
            let words = || format!("{counted} are counted, {recorded} have a twin");
            self.witness.report.violate("duplicates", words);
        }
    }

    /// What is wrong with the twin of a page, if there is one.
    fn twin_flaw(
        &self,
        page: usize,
        twins: &HashMap<usize, Option<Twin>>,
        steps_max: usize,
    ) -> Option<String> {
        let is = twins.get(&page).copied().flatten();
        let said = self.witness.twin(page);
        if is != said {
            return Some(format!("has {is:?}, the log says {said:?}"));
        }
        let twin = is?;
        let Some(of) = self.web.page_of(twin.of) else {
            return Some("has a twin that is no page".to_owned());
        };
        let (own, other) = (&self.web.pages[page].saying, &self.web.pages[of].saying);
        let how = match (own.payload == other.payload, own.canonical == Some(of)) {
            (true, _) => Likeness::Same,
            (false, true) => Likeness::Canonical,
            (false, false) if other.canonical == Some(page) => Likeness::Canonical,
            (false, false) => Likeness::Near,
        };
        if of == page || own.class != other.class || how != twin.how {
            return Some(format!("is no such twin of {of}: {twin:?}"));
        }
        let mut at = page;
        for _ in 0..steps_max {
            let Some(Some(twin)) = twins.get(&at) else { break };
            at = self.web.page_of(twin.of)?;
        }
        let leads = matches!(twins.get(&at), Some(None));
        (!leads).then(|| format!("leads by {of} to {at}, which is no original"))
    }

    /// The twin of every page that has a record, as the tables tell.
    fn recorded_twins(&mut self) -> HashMap<usize, Option<Twin>> {
        let mut twins = HashMap::new();
        for row in self.tables.range(Table::Urls, &[]) {
            let record: Option<UrlRecord> =
                row.ok().and_then(|(_, row)| postcard::from_bytes(&row).ok());
            let url = record.as_ref().and_then(|record| record.story.url.as_ref());
            match url.and_then(|url| self.web.page(url)).zip(record.as_ref()) {
                Some((page, record)) => drop(twins.insert(page, record.story.told.twin)),
                None => self.witness.report.violate("record", || format!("{record:?}")),
            }
        }
        twins
    }
}
