//! The clicks of the crawl, opened when somebody needs them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rhumb_crawl::clicks::{Clicks, ClicksError};

use crate::http::Refused;

/// Counts clicks, on threads that may block.
#[derive(Debug)]
pub(crate) struct Counter {
    folder: PathBuf,
    clicks: Mutex<Option<Arc<Clicks>>>,
}

impl Counter {
    pub(crate) fn new(folder: PathBuf) -> Arc<Self> {
        Arc::new(Self { folder, clicks: Mutex::new(None) })
    }

    /// Does something with them; their words may name files, so that only the fault is told.
    pub(super) async fn with<T: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&Clicks) -> Result<T, ClicksError> + Send + 'static,
    ) -> Result<T, Refused> {
        let counter = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || f(&*counter.open()?)).await;
        done.ok().and_then(Result::ok).ok_or_else(|| Refused::busy("clicks cannot be counted"))
    }

    fn open(&self) -> Result<Arc<Clicks>, ClicksError> {
        let mut clicks = self.clicks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(clicks) = &*clicks {
            return Ok(Arc::clone(clicks));
        }
        let opened = Arc::new(Clicks::open(&self.folder)?);
        *clicks = Some(Arc::clone(&opened));
        Ok(opened)
    }
}
