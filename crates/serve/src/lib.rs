//! What programs ask a crawl over HTTP: its metrics, on an address of this machine.
//!
//! It answers from a [`Status`](rhumb_crawl::ask::Status) that it is handed, and never reads a
//! file of the crawl nor decides anything for it. It never goes out to the web, and never names a
//! host: the web has too many of them for labels. The format is Prometheus' text format 0.0.4.

pub mod metrics;
