//! The cash of pages that wait, so that a crawl that goes on has it again.
//!
//! Once a minute it is taken down, one partition a turn, and written on another thread; once more
//! when the crawl ends. A kill loses what was given and taken since: a page that was fetched in
//! that time keeps its cash until it is among the poorer half of a full purse.

use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_order::Coins;
use rhumb_web::{PartitionId, Span, Tick, UrlKey};
use tokio::sync::mpsc;

use super::super::desk::Notice;
use super::super::keeping::guarded;
use super::sheet::{Opened, Row, Sheet};
use crate::store::StoreError;

/// The file of cash in a crawl's folder.
const FILE: &str = "cash";
const MAGIC: [u8; 8] = *b"rhcash\x00\x01";
/// From the end of one writing to the next.
const WRITE_EVERY: Span = Span::seconds(60);

/// A page, its partition and what it has.
type Page = (PartitionId, UrlKey, Coins);

/// When cash was written, and what is taken down for the next time.
#[derive(Debug)]
pub(super) struct Cash {
    rows: Vec<Row>,
    /// The partition that is taken down next.
    next: usize,
    /// None before the first.
    written_at: Option<Tick>,
    is_writing: bool,
    sheet: Sheet,
}

impl Cash {
    pub(super) fn new(disk: SharedDisk, folder: &Path) -> Self {
        let sheet = Sheet::new(disk, folder, FILE, MAGIC);
        Self { rows: Vec::new(), next: 0, written_at: None, is_writing: false, sheet }
    }

    /// What was written last, if it is whole.
    pub(super) fn read(&self) -> Vec<Page> {
        let opened = self.sheet.open();
        let rows = opened.iter().flat_map(Opened::rows);
        rows.map_while(Result::ok).map(page).collect()
    }

    /// The partition that is to be taken down in this turn; at the end all of them are, in as many
    /// turns as it takes.
    pub(super) fn wants(&mut self, now: Tick, is_end: bool) -> Option<PartitionId> {
        let since = *self.written_at.get_or_insert(now);
        let is_due = is_end || self.next > 0 || now.since(since) >= WRITE_EVERY;
        let id = u16::try_from(self.next).expect("partitions are counted with 16 bits");
        (is_due && !self.is_writing).then_some(PartitionId(id))
    }

    /// Takes a partition down, one of so many; after the last all are written on another thread.
    pub(super) fn take_down(
        &mut self,
        id: PartitionId,
        count: usize,
        coins: impl Iterator<Item = (UrlKey, Coins)>,
        notices: impl FnOnce() -> mpsc::Sender<Notice>,
    ) {
        self.rows.extend(coins.map(|(key, coins)| row((id, key, coins))));
        self.next += 1;
        if self.next < count {
            return;
        }
        (self.next, self.is_writing) = (0, true);
        let (rows, sheet, notices) =
            (std::mem::take(&mut self.rows), self.sheet.clone(), notices());
        tokio::task::spawn_blocking(move || {
            let written = guarded(|| {
                sheet.write(0, rows.into_iter().map(Ok)).map_err(|source| {
                    let path = sheet.path().to_owned();
                    StoreError::Io { doing: "write", path, source }
                })
            });
            notices.blocking_send(Notice::CashWritten(written)).ok();
        });
    }

    pub(super) fn written(&mut self, now: Tick) {
        (self.written_at, self.is_writing) = (Some(now), false);
    }

    pub(super) fn is_writing(&self) -> bool {
        self.is_writing
    }

    /// Removes it from a crawl's folder.
    pub(super) fn forget(disk: &SharedDisk, folder: &Path) -> std::io::Result<()> {
        Self::new(SharedDisk::clone(disk), folder).sheet.remove()
    }
}

/// Links beyond what 16 bits count are as good as that many.
fn row((id, key, coins): Page) -> Row {
    let in_links = u16::try_from(coins.in_links).unwrap_or(u16::MAX);
    let rest = u64::from(id.0) << 16 | u64::from(in_links);
    [key.0, u64::from(coins.cash.to_bits()) << 32 | rest]
}

fn page([key, rest]: Row) -> Page {
    let bits = |from: u32| u16::try_from(rest >> from & 0xffff).expect("16 bits were left");
    let cash = f32::from_bits(u32::try_from(rest >> 32).expect("32 bits were left"));
    (PartitionId(bits(16)), UrlKey(key), Coins { cash, in_links: u32::from(bits(0)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_have_is_read_as_it_was_written_and_begins_anew_where_the_file_is_damaged() {
        let folder = tempfile::tempdir().expect("a folder");
        let cash = Cash::new(rhumb_disk::real(), folder.path());
        assert_eq!(cash.read(), []);
        let pages: Vec<Page> = [(0, 1, 0.75, 3), (63, u64::MAX, 1e-9, 65_535), (4_095, 7, 0.0, 0)]
            .map(|(id, key, cash, in_links)| {
                (PartitionId(id), UrlKey(key), Coins { cash, in_links })
            })
            .to_vec();
        cash.sheet.write(0, pages.iter().map(|it| Ok(row(*it)))).expect("written");
        assert_eq!(cash.read(), pages);
        let mut bytes = std::fs::read(cash.sheet.path()).expect("read");
        bytes[30] ^= 1;
        std::fs::write(cash.sheet.path(), bytes).expect("written");
        assert_eq!(cash.read(), []);
        let many = (PartitionId(9), UrlKey(1), Coins { cash: 2.0, in_links: 1_000_000 });
        assert_eq!(page(row(many)).2, Coins { cash: 2.0, in_links: 65_535 });
    }

    #[tokio::test]
    async fn it_is_written_once_a_minute_in_as_many_turns_as_there_are_partitions() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cash = Cash::new(rhumb_disk::real(), folder.path());
        let (notices, mut inbox) = mpsc::channel(1);
        let coins = Coins { cash: 0.5, in_links: 1 };
        assert_eq!(cash.wants(Tick(5), false), None);
        assert_eq!(cash.wants(Tick(60_004), false), None);
        for id in [0, 1, 2].map(PartitionId) {
            assert_eq!(cash.wants(Tick(60_005), false), Some(id));
            let of_it = std::iter::once((UrlKey(u64::from(id.0)), coins));
            cash.take_down(id, 3, of_it, || notices.clone());
        }
        assert_eq!(cash.wants(Tick(200_000), true), None, "it is being written");
        assert!(matches!(inbox.recv().await, Some(Notice::CashWritten(Ok(())))));
        cash.written(Tick(200_000));
        assert_eq!(cash.read().len(), 3);
        assert_eq!(cash.wants(Tick(201_000), false), None);
        assert_eq!(cash.wants(Tick(201_000), true), Some(PartitionId(0)));
    }
}
