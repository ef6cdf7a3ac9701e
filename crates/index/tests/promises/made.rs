//! Small indexes to ask.

use rhumb_index::{Answer, Cursor, Document, Index, IndexSettings, OutLink, Place, Searcher, Want};
use rhumb_web::{CanonUrl, HashKey, UrlKey};
use tempfile::TempDir;

pub(crate) const HASH: HashKey = HashKey(11, 12);

/// An index with its folder.
pub(crate) struct Made {
    pub(crate) folder: TempDir,
    pub(crate) index: Index,
}

impl Made {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let index = open(&folder);
        Self { folder, index }
    }

    /// One with these pages, settled.
    pub(crate) fn of(pages: Vec<Document>) -> Self {
        let mut made = Self::new();
        for page in pages {
            made.index.put(page).expect("it is taken in");
        }
        made.settled()
    }

    pub(crate) fn settled(mut self) -> Self {
        self.index.commit(Cursor::default()).expect("it commits");
        self.index.settle().expect("it settles");
        self
    }

    pub(crate) fn searcher(&self) -> Searcher {
        Searcher::open(self.folder.path()).expect("it opens")
    }

    pub(crate) fn ask(&self, query: &str) -> Answer {
        let want = Want { explain: true, facets: true, ..Want::default() };
        self.searcher().search(query, &want).expect("it answers")
    }

    /// The paths of the hits.
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        self.ask(query).hits.iter().map(|hit| hit.url.path().to_owned()).collect()
    }

    pub(crate) fn check(&self, query: &str, expect: &[&str]) {
        let mut found = self.found(query);
        found.sort_unstable();
        assert_eq!(found, expect, "{query}");
    }
}

pub(crate) fn open(folder: &TempDir) -> Index {
    let folder = folder.path().to_owned();
    Index::open(&IndexSettings { folder, memory: 64 << 20, hash: HASH }).expect("it opens")
}

pub(crate) fn key(url: &str) -> UrlKey {
    CanonUrl::parse(url).expect("a URL").key(HASH)
}

pub(crate) fn page(url: &str, title: &str, main: &str) -> Document {
    Document {
        key: key(url),
        url: CanonUrl::parse(url).expect("a URL"),
        title: Some(title.to_owned()),
        headings: Vec::new(),
        description: None,
        main: main.to_owned(),
        language: Some("en".to_owned()),
        kind: "html".to_owned(),
        fetched_ms: 1_750_000_000_000,
        dated_ms: None,
        place: Place::default(),
        digest: None,
        no_snippet: false,
        no_archive: false,
        original: None,
        sinks: false,
        links: Vec::new(),
    }
}

pub(crate) fn linking(mut page: Document, links: &[(&str, &str)]) -> Document {
    let link = |(to, text): &(&str, &str)| OutLink { key: key(to), text: (*text).to_owned() };
    page.links = links.iter().map(link).collect();
    page
}
