//! The rows of the tables: how sites, URLs and the crawl itself are written down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhumb_archive::Position;
use rhumb_frontier::backlog::{Backlog, BacklogError, SegmentInfo};
use rhumb_frontier::{DomainKey, RowHead, SiteKey};
use rhumb_seen::{Novelty, RunInfo, Seen, SeenSet};
use rhumb_web::{CanonUrl, HashKey, PartitionId, Scheme, Tick, UrlKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Mirrors, StoreError, Suspects};
use crate::partition::{Dossier, PayloadDigest, PayloadRow, RobotsRow, UrlRecord, late};
use crate::tables::{Table, Tables};

/// The format of rows and lines. A later one must still read the earlier: since the second a site's
/// row tells what came back from its shelves before its turn.
pub(super) const FORMAT: u32 = 2;

/// What a crawl is from its creation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Of rows and lines.
    pub format: u32,
    /// Into how many shares it is split.
    pub partitions: u16,
    /// The secret of its hashes.
    pub hash: HashKey,
    /// Its creation, in milliseconds since 1970.
    pub born_ms: u64,
}

impl Identity {
    /// Of a crawl that is created now.
    pub fn new(partitions: u16, hash: HashKey, born_ms: u64) -> Self {
        Self { format: FORMAT, partitions, hash, born_ms }
    }
}

/// What a checkpoint says of the whole crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ledger {
    /// When it was taken.
    pub(super) at: Tick,
    /// The end of the archive.
    pub(super) archive: Position,
    /// Places to which seeds moved.
    pub(super) roots: Vec<CanonUrl>,
    /// The number of the next file.
    pub(super) next_file: u64,
    /// The runs of the seen-set.
    pub(super) runs: Vec<RunInfo>,
    /// The keys that are in no run yet.
    pub(super) young: Option<RunInfo>,
    /// The segments of the backlog.
    pub(super) segments: Vec<SegmentInfo>,
    /// The files of the sieve.
    #[serde(deserialize_with = "late")]
    pub(super) sieve: rhumb_likeness::Ledger,
    /// Sites with the same pages.
    #[serde(deserialize_with = "late")]
    pub(super) mirrors: Mirrors,
    /// How often the ceiling of all domains was raised.
    #[serde(deserialize_with = "late")]
    pub(super) level: u32,
    /// Templates that were taken for traps.
    #[serde(deserialize_with = "late")]
    pub(super) suspects: Suspects,
}

/// Keys of the table of the crawl itself.
pub(super) const IDENTITY: &[u8] = b"identity";
pub(super) const LEDGER: &[u8] = b"ledger";

/// What the keys of payloads begin with.
pub(super) const PAYLOAD: &[u8] = b"payload/";

pub(super) fn payload_key(digest: &PayloadDigest) -> Vec<u8> {
    [PAYLOAD, digest].concat()
}

/// What the keys of domains begin with.
pub(super) const DOMAIN: &[u8] = b"domain/";

pub(super) fn domain_key(id: PartitionId, domain: DomainKey) -> Vec<u8> {
    [DOMAIN, &id.0.to_be_bytes(), &domain.0.to_be_bytes()].concat()
}

/// The partition and the domain in the key of a row.
pub(super) fn parse_domain_key(bytes: &[u8]) -> Option<(PartitionId, DomainKey)> {
    let (id, domain) = bytes.strip_prefix(DOMAIN)?.split_first_chunk()?;
    let domain = DomainKey(u64::from_be_bytes(domain.try_into().ok()?));
    Some((PartitionId(u16::from_be_bytes(*id)), domain))
}

pub(super) fn partition_key(id: PartitionId) -> Vec<u8> {
    [b"partition/".as_slice(), &id.0.to_be_bytes()].concat()
}

/// The key of a site's row, of a robots.txt's, of a URL's: in their order.
pub(super) fn row_key(key: u64) -> Vec<u8> {
    key.to_be_bytes().to_vec()
}

/// The site in the key of a row.
pub(super) fn parse_site_key(bytes: &[u8]) -> Option<SiteKey> {
    Some(SiteKey(u64::from_be_bytes(bytes.try_into().ok()?)))
}

pub(super) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("a row can always be written down")
}

pub(super) fn decode<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(bytes).map_err(|_| StoreError::Row(name.to_owned()))
}

/// The row of a site: what the opening of a crawl needs comes first, what crawls of before do not
/// have last.
pub(super) fn encode_site(dossier: &Dossier) -> Vec<u8> {
    let head = encode(&dossier.head());
    let row = postcard::to_extend(dossier, head).expect("a row can always be written down");
    let choices = dossier.state.choices();
    postcard::to_extend(&choices, row).expect("a row can always be written down")
}

pub(super) fn decode_site_head(bytes: &[u8]) -> Result<RowHead, StoreError> {
    let read = postcard::take_from_bytes(bytes);
    read.map(|(head, _)| head).map_err(|_| StoreError::Row("of a site".to_owned()))
}

pub(super) fn decode_site(bytes: &[u8]) -> Result<Dossier, StoreError> {
    let unreadable = |_| StoreError::Row("of a site".to_owned());
    let (_, rest) = postcard::take_from_bytes::<RowHead>(bytes).map_err(unreadable)?;
    let (mut dossier, rest) = postcard::take_from_bytes::<Dossier>(rest).map_err(unreadable)?;
    if !rest.is_empty() {
        dossier.state.set_choices(postcard::from_bytes(rest).map_err(unreadable)?);
    }
    Ok(dossier)
}

/// Reads a cold site from the tables, with its robots.txt. A site that was never in memory has no
/// row: none.
pub(crate) fn read_site(tables: &dyn Tables, key: SiteKey) -> Result<Option<Dossier>, StoreError> {
    let Some(bytes) = tables.get(Table::Sites, &row_key(key.0))? else {
        return Ok(None);
    };
    let mut dossier = decode_site(&bytes)?;
    for (scheme, robots) in [Scheme::Http, Scheme::Https].into_iter().zip(&mut dossier.robots) {
        let Some((_, file)) = robots else { continue };
        let row = tables.get(Table::Robots, &row_key(key.lane(scheme).0))?;
        *file = row.map(|row| decode::<RobotsRow>("of a robots.txt", &row)).transpose()?;
    }
    Ok(Some(dossier))
}

/// All sites that have a row, as it is; without their robots.txt files.
pub(crate) fn sites(
    tables: &dyn Tables,
) -> impl Iterator<Item = Result<(SiteKey, Dossier), StoreError>> {
    tables.range(Table::Sites, &[]).map(|row| {
        let (key, value) = row?;
        let key = parse_site_key(&key).ok_or_else(|| StoreError::Row("of a site".to_owned()))?;
        Ok((key, decode_site(&value)?))
    })
}

/// The templates that were taken for traps, by the newest checkpoint.
pub(crate) fn read_suspects(tables: &dyn Tables) -> Result<Suspects, StoreError> {
    let row = tables.get(Table::Meta, LEDGER)?;
    let ledger: Option<Ledger> = row.map(|row| decode("of the crawl", &row)).transpose()?;
    Ok(ledger.map(|ledger| ledger.suspects).unwrap_or_default())
}

/// What became of a URL, as far as the tables know.
pub(crate) fn read_record(
    tables: &dyn Tables,
    key: UrlKey,
) -> Result<Option<UrlRecord>, StoreError> {
    let row = tables.get(Table::Urls, &row_key(key.0))?;
    row.map(|row| decode("of a URL", &row)).transpose()
}

/// What became of all URLs, as far as the tables know.
pub(crate) fn records(
    tables: &dyn Tables,
) -> impl Iterator<Item = Result<(UrlKey, UrlRecord), StoreError>> {
    tables.range(Table::Urls, &[]).map(|row| {
        let (key, value) = row?;
        let key = key.try_into().map_err(|_| StoreError::Row("of a URL".to_owned()))?;
        Ok((UrlKey(u64::from_be_bytes(key)), decode("of a URL", &value)?))
    })
}

/// The URL of the capture that first had a payload, and when that began, in milliseconds since
/// 1970, as far as the tables know.
pub(crate) fn read_payload(
    tables: &dyn Tables,
    digest: &PayloadDigest,
) -> Result<Option<(CanonUrl, u64)>, StoreError> {
    let Some(row) = tables.get(Table::Meta, &payload_key(digest))? else { return Ok(None) };
    let row: PayloadRow = decode("of a payload", &row)?;
    let record = read_record(tables, row.url)?;
    Ok(record.and_then(|record| record.story.url).map(|url| (url, row.kept_ms)))
}

/// A read of a cold site, to be run on another thread. The name of one that has no row is in the
/// entries that wait for it.
pub fn load_site(
    tables: Arc<dyn Tables>,
    backlog: &Backlog,
    key: SiteKey,
) -> impl FnOnce() -> Result<Dossier, StoreError> + Send + use<> {
    let lanes = [Scheme::Http, Scheme::Https].map(|scheme| backlog.read(key.lane(scheme), 0, 1));
    move || {
        if let Some(dossier) = read_site(&*tables, key)? {
            return Ok(dossier);
        }
        for lane in lanes {
            match lane.run() {
                Ok(stock) => {
                    if let Some((_, first)) = stock.entries.first() {
                        return Ok(Dossier::new(first.url().site()));
                    }
                }
                // It may have entries in its other lane only.
                Err(BacklogError::Absent { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(StoreError::ShelfLost(format!("site {:016x}", key.0)))
    }
}

/// The one seen-set of a process, as all its partitions hold it.
#[derive(Clone, Debug)]
pub struct SeenHandle(Arc<Mutex<SeenSet>>);

impl SeenHandle {
    /// Around a set.
    pub fn new(set: SeenSet) -> Self {
        Self(Arc::new(Mutex::new(set)))
    }

    /// The set itself. What it guards is whole between statements.
    pub fn lock(&self) -> MutexGuard<'_, SeenSet> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen for SeenHandle {
    fn meet(&mut self, key: UrlKey) -> Novelty {
        self.lock().meet(key)
    }

    fn insert(&mut self, key: UrlKey) {
        self.lock().insert(key);
    }
}
