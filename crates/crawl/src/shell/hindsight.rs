//! What earlier crawls say, read once at the opening of a crawl.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use rhumb_order::Forecast;

use super::desk::Desk;
use super::{CrawlError, CrawlSettings};
use crate::earlier::{self, Found, Looking};

/// What a forecast takes beside the frontier, in parts of the frontier's memory: a quarter, a 32nd
/// of all.
const SHARE: usize = 4;

/// Earlier crawls of the same sites, and who hears what was found in them.
pub struct Hindsight {
    /// Their folders.
    pub folders: Vec<PathBuf>,
    /// Is told before anything is requested.
    pub told: Box<dyn FnOnce(Found) + Send>,
}

impl fmt::Debug for Hindsight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hindsight").field("folders", &self.folders).finish_non_exhaustive()
    }
}

/// Reads them for a crawl whose hashes are known; none gives none. It may take a while, in which
/// signals, questions and the display have their turn.
pub(super) async fn look(
    earlier: Option<Hindsight>,
    settings: &CrawlSettings,
) -> Result<Option<Arc<Forecast>>, CrawlError> {
    let Some(Hindsight { folders, told }) = earlier else { return Ok(None) };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let looking = Looking {
        hash: settings.hash,
        canon: settings.canon,
        now_s: now.as_secs(),
        bytes: settings.shares().frontier / SHARE,
    };
    let read = tokio::task::spawn_blocking(move || earlier::read(&folders, looking));
    let read = read.await.map_err(|_| CrawlError::Panicked)?;
    let (forecast, found) = read.map_err(CrawlError::Earlier)?;
    told(found);
    Ok(Some(Arc::new(forecast)))
}

impl Desk {
    /// Tells the partitions what is expected of pages, if anything is.
    pub(super) fn set_forecast(&mut self, forecast: Option<Arc<Forecast>>) {
        let Some(forecast) = forecast else { return };
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_forecast(Arc::clone(&forecast));
        }
    }
}
