//! Makes the archive of a crawl, page by page, and shows what an index holds of it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rhumb_archive::{
    About, Archive, ArchiveSettings, Capture, CrawlId, Digest, Earlier, Encoder, Keep, Position,
};
use rhumb_gather::{GatherSettings, Gatherer};
use rhumb_index::{Held, Searcher};
use rhumb_web::{CanonUrl, HashKey, UrlKey};
use tempfile::TempDir;

pub(crate) const HASH: HashKey = HashKey(11, 12);
const CRAWL: CrawlId = CrawlId([3; 16]);

/// A crawl that has nothing but an archive.
pub(crate) struct Maker {
    pub(crate) folder: TempDir,
    archive: Archive,
    encoder: Encoder,
    number: u64,
    kept: HashMap<Digest, Earlier>,
}

pub(crate) fn url(text: &str) -> CanonUrl {
    CanonUrl::parse(text).unwrap()
}

pub(crate) fn key(text: &str) -> UrlKey {
    url(text).key(HASH)
}

/// A page with a title, some words and links to others.
pub(crate) fn page(title: &str, words: &str, links: &[&str]) -> String {
    let links: Vec<_> =
        links.iter().map(|to| format!("<li><a href='{to}'>to {to}</a></li>")).collect();
    let links = links.concat();
    format!(
        "<!doctype html><html lang=en><title>{title}</title><main><h1>{title}</h1><p>{words}</p>\
         </main><nav><ul>{links}</ul></nav></html>"
    )
}

impl Maker {
    pub(crate) fn new() -> Self {
        Self::rotating(u64::MAX)
    }

    /// One whose files grow to so many bytes.
    pub(crate) fn rotating(rotate_bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let prefix = "rhumb".to_owned();
        let settings =
            ArchiveSettings { prefix, rotate_bytes, crawl: CRAWL, about: About::default() };
        let path = folder.path().join("archive");
        let archive = Archive::open(rhumb_disk::real(), &path, settings, Keep::Everything).unwrap();
        let (encoder, number, kept) = (Encoder::new(CRAWL), 0, HashMap::new());
        Self { folder, archive, encoder, number, kept }
    }

    /// Keeps an answer: its status, its headers, a line each, and its body. Says where it ends.
    pub(crate) fn answer(&mut self, to: &str, status: u16, headers: &str, body: &str) -> Position {
        self.answer_for("page", to, status, headers, body)
    }

    /// Keeps a page.
    pub(crate) fn page(&mut self, to: &str, body: &str) -> Position {
        self.answer(to, 200, "Content-Type: text/html\n", body)
    }

    pub(crate) fn answer_for(
        &mut self,
        errand: &str,
        to: &str,
        status: u16,
        headers: &str,
        body: &str,
    ) -> Position {
        let url = url(to);
        let received = format!("HTTP/1.1 {status} Is\n{headers}\n").replace('\n', "\r\n") + body;
        let began = SystemTime::UNIX_EPOCH + Duration::from_secs(1_770_000_000 + self.number);
        let capture = Capture {
            url: &url,
            number: self.number,
            began,
            address: None,
            protocols: vec!["http/1.1"],
            sent: b"GET / HTTP/1.1\r\n\r\n",
            received: received.as_bytes(),
            cut: None,
            fields: vec![("errand", errand.to_owned())],
        };
        self.number += 1;
        let kept = &self.kept;
        let encoded = self.encoder.capture(&capture, |digest| kept.get(digest).cloned());
        let digest = encoded.payload_digest.unwrap();
        self.kept.entry(digest).or_insert_with(|| Earlier { url: url.clone(), began });
        let placed = self.archive.append(&encoded).unwrap();
        self.archive.flush().unwrap();
        placed.end
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn gatherer(&self, index: &Path) -> Gatherer {
        Gatherer::open(self.settings(index)).unwrap()
    }

    pub(crate) fn settings(&self, index: &Path) -> GatherSettings {
        GatherSettings {
            folder: self.folder.path().to_owned(),
            index: index.to_owned(),
            hash: HASH,
            commit_every: Duration::ZERO,
            ..GatherSettings::default()
        }
    }

    /// Reads what is new, and shows what the index holds then.
    pub(crate) fn caught_up(&self) -> BTreeMap<String, Held> {
        let mut gatherer = self.gatherer(&self.index());
        let caught = gatherer.catch_up(None, &mut |_| {}).unwrap();
        let held = held(&self.index());
        assert_eq!(caught.documents, u64::try_from(held.len()).unwrap());
        assert_eq!((caught.missing, caught.flaws.len()), (0, 0));
        held
    }

    /// What an index holds that is made anew.
    pub(crate) fn made_anew(&self) -> BTreeMap<String, Held> {
        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        self.gatherer(&index).catch_up(None, &mut |_| {}).unwrap();
        held(&index)
    }
}

/// All pages of an index.
pub(crate) fn held(index: &Path) -> BTreeMap<String, Held> {
    let mut pages = BTreeMap::new();
    let searcher = Searcher::open(index).unwrap();
    let twice = |held: Held| {
        let before = pages.insert(held.url.to_string(), held);
        assert_eq!(before, None, "a page is held once");
    };
    searcher.each(twice).unwrap();
    pages
}

/// The URLs of what is held.
pub(crate) fn urls(held: &BTreeMap<String, Held>) -> Vec<&str> {
    held.keys().map(String::as_str).collect()
}
