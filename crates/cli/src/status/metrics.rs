//! `--metrics`: where programs ask a crawl for its numbers.

use rhumb_crawl::shell::Handle;
use rhumb_serve::{Listener, metrics};
use tokio::task::JoinHandle;

use crate::address;
use crate::fault::Fault;
use crate::settings::Settings;

/// Takes the address that the user wants metrics on, before anything else is done; none if none
/// is wanted.
pub(crate) fn bind(settings: &Settings) -> Result<Option<Listener>, Fault> {
    address::take("--metrics", settings.metrics.as_deref(), metrics::DEFAULT)
}

/// Answers on it, with the status of the moment, until it is aborted.
pub(crate) fn serve(listener: Listener, handle: &Handle) -> JoinHandle<()> {
    let handle = handle.clone();
    let status = move || {
        let handle = handle.clone();
        async move { handle.status().await }
    };
    tokio::spawn(async move {
        // A system that refuses the socket to us loses its metrics, not its crawl.
        drop(listener.serve(metrics::router(status)).await);
    })
}
