//! What a gatherer must know of its crawl.

use std::path::PathBuf;
use std::time::Duration;

use rhumb_formats::FormatsSettings;
use rhumb_index::Searches;
use rhumb_web::{Canon, HashKey};

/// How a crawl is read for its index.
#[derive(Clone, Debug)]
pub struct GatherSettings {
    /// The folder of the crawl.
    pub folder: PathBuf,
    /// The folder of the index.
    pub index: PathBuf,
    /// Bytes of memory that the index may take for what is not committed.
    pub memory: usize,
    /// The secret of the crawl's hashes.
    pub hash: HashKey,
    /// How the crawl writes its URLs.
    pub canon: Canon,
    /// The name to which directives may speak.
    pub agent: String,
    /// Who reads documents that are no pages; where nobody does they are left out.
    pub formats: Option<FormatsSettings>,
    /// Threads that may be at work.
    pub threads: usize,
    /// What a running crawl brings can be found within this time.
    pub commit_every: Duration,
    /// Searches in the same process, which go before it.
    pub searches: Searches,
}

impl Default for GatherSettings {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            index: PathBuf::new(),
            memory: 64 << 20,
            hash: HashKey(0, 0),
            canon: Canon::Full,
            agent: "rhumb".to_owned(),
            formats: None,
            threads: 1,
            commit_every: Duration::from_secs(2),
            searches: Searches::default(),
        }
    }
}
