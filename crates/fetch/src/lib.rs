//! The only door to the web: one request, one answer, and the bytes of both as they went.
//!
//! [`Fetcher::run`] takes a ticket to an [`Outcome`](rhumb_web::Outcome) and cannot fail: whatever
//! a server, a resolver or a proxy does wrong is data, and every wait and every size has a limit.
//! It keeps a few idle connections a site, one cookie jar a site, the names it looked up, and one
//! gate an address, all bounded; and so are the bytes of all bodies in flight together.
//!
//! It never follows a redirect, never sends a request twice, never reads robots.txt or the
//! environment, and never connects to an address that it did not check.
//!
//! HTTP/1.1 is RFC 9112, HTTP/2 RFC 9113, content codings RFC 9110 §8.4, cookies RFC 6265.

mod address;
mod bodies;
mod connect;
mod cookies;
mod decode;
mod dns;
mod exchange;
mod fetcher;
mod gate;
mod pool;
mod recent;
mod request;
mod settings;
mod wire;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use address::{Networks, NetworksError};
pub use decode::decoded;
pub use fetcher::Fetcher;
pub use request::{BROWSER_AGENT, Conditions};
pub use rustls::RootCertStore;
pub use settings::{FetchSettings, ProxyError, ProxyUrl, SetupError};

/// Takes a lock; what it guards is whole between statements, so a panic elsewhere spoils nothing.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
