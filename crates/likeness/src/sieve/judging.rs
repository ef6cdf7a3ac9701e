//! What a generation has to do with the rows on disk.

use std::collections::BTreeMap;

use super::generation::Generation;
use crate::row::{Relation, Row};
use crate::rows::Reader;
use crate::{Late, LikenessError};

/// Pairs of rows that are looked at together: enough that the disk is read forward.
const PAIRS_MAX: usize = 64 * 1024;

/// Judges the documents of a generation by rows on disk.
pub(super) struct Judge<'a> {
    generation: &'a Generation,
    rows: Reader<'a>,
    /// Rows on disk that documents of the generation have to be compared with.
    pairs: Vec<(u32, u32)>,
    /// Documents that are on disk as they are.
    kept: Vec<u32>,
    best: BTreeMap<u32, Best>,
    /// Rows on disk that documents of the generation stand for now.
    outdated: BTreeMap<u32, u32>,
}

/// The best row of a document so far.
struct Best {
    /// Better ones first, then earlier ones.
    order: (u8, u32),
    yields: bool,
    late: Late,
}

/// What became of the documents of a generation.
pub(super) struct Judgement {
    pub(super) late: Vec<Late>,
    /// The documents that stay, by their numbers in the generation.
    pub(super) originals: Vec<u32>,
    /// The rows on disk that do not.
    pub(super) outdated: Vec<u32>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(generation: &'a Generation, rows: Reader<'a>) -> Self {
        Self {
            generation,
            rows,
            pairs: Vec::new(),
            kept: Vec::new(),
            best: BTreeMap::new(),
            outdated: BTreeMap::new(),
        }
    }

    /// This row on disk shares a key with this document.
    pub(super) fn note(&mut self, row: u32, document: u32) -> Result<(), LikenessError> {
        self.pairs.push((row, document));
        if self.pairs.len() < PAIRS_MAX { Ok(()) } else { self.settle() }
    }

    /// Looks at all rows that were noted.
    pub(super) fn settle(&mut self) -> Result<(), LikenessError> {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.sort_unstable();
        pairs.dedup();
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let number = group[0].0;
            let row = self.rows.read(number)?;
            for (_, document) in group {
                self.compare(*document, number, &row);
            }
        }
        pairs.clear();
        self.pairs = pairs;
        Ok(())
    }

    fn compare(&mut self, number: u32, on_disk: u32, other: &Row) {
        let row = row(self.generation, number);
        match row.relation(other) {
            None => {}
            Some(Relation::Earlier) if row == other => self.kept.push(number),
            Some(Relation::Earlier) => drop(self.outdated.insert(on_disk, number)),
            Some(Relation::Alike { how, rank, yields }) => {
                let order = (rank, on_disk);
                let best = self.best.get(&number);
                if !self.outdated.contains_key(&on_disk)
                    && best.is_none_or(|best| order < best.order)
                {
                    let (twin, original) = if yields { (other, row) } else { (row, other) };
                    let late = twin.late(original, how);
                    self.best.insert(number, Best { order, yields, late });
                }
            }
        }
    }

    /// After all rows were noted: what became of the documents.
    pub(super) fn finish(mut self) -> Result<Judgement, LikenessError> {
        self.settle()?;
        self.kept.sort_unstable();
        let mut best = std::mem::take(&mut self.best);
        best.retain(|number, _| self.kept.binary_search(number).is_err());
        for (number, best) in best.iter().filter(|(_, best)| best.yields) {
            self.outdated.entry(best.order.1).or_insert(*number);
        }
        let mut late: BTreeMap<u32, Late> = BTreeMap::new();
        let mut yielding = Vec::new();
        for (number, best) in best {
            match self.outdated.get(&best.order.1) {
                Some(heir) if *heir == number && best.yields => yielding.push(best.late),
                Some(heir) => late.extend(self.inherit(number, *heir).map(|late| (number, late))),
                None => drop(late.insert(number, best.late)),
            }
        }
        let living = self.generation.living().filter(|(_, row)| !row.is_nothing());
        let originals = living
            .map(|(number, _)| u32::try_from(number).expect("a generation has a maximum"))
            .filter(|number| !late.contains_key(number) && self.kept.binary_search(number).is_err())
            .collect();
        yielding.extend(late.into_values());
        Ok(Judgement { late: yielding, originals, outdated: self.outdated.into_keys().collect() })
    }

    /// The row that a document is like has an heir in the generation, which it may be like as well.
    fn inherit(&self, number: u32, heir: u32) -> Option<Late> {
        let (row, heir) = (row(self.generation, number), row(self.generation, heir));
        match row.relation(heir) {
            Some(Relation::Alike { how, .. }) => Some(row.late(heir, how)),
            _ => None,
        }
    }
}

fn row(generation: &Generation, number: u32) -> &Row {
    generation.row(usize::try_from(number).expect("a row's number"))
}
