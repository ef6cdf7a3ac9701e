//! What users are promised, tried with the real binary on real sockets.

mod coverage;
mod crawling;
mod oneshot;
mod peer;
mod run;
mod static_site;
mod usage;
