//! What users are promised, tried with the real binary on real sockets.

mod archive;
mod asking;
mod auditing;
mod benching;
mod contract;
mod controlling;
mod corners;
mod coverage;
mod crawling;
mod forgetting;
mod golden;
mod hinting;
mod hostile;
mod identity;
mod odd_site;
mod oneshot;
mod peer;
mod planning;
mod raw;
mod resume;
mod run;
mod standing;
mod static_site;
mod survival;
mod talking;
mod usage;
