//! A seeded web over real sockets on loopback: what it is, what it serves, and what it saw.
//!
//! [`truth`] makes hosts, pages and links from a [`Spec`] and says what a correct crawler fetches
//! ([`Expected`]); [`Served`] answers DNS, HTTP and HTTPS for it; [`Witness`] tells how the crawler
//! behaved: requests, gaps, concurrency, repeats, violations of robots.txt (RFC 9309).
//! [`Spec::bench`] is the web to time crawlers on; `cargo x web --bench --gzip` serves it.
//! It shares no code with the crawler, parses no HTML and no robots.txt, and never leaves 127/8.
//!
//! To add a page feature: a variant or field in `truth/pages.rs` (or `links.rs`, `hosts.rs`), its
//! share in `Builder::next` of `truth/grow.rs`, its bytes in `body/`, and what a crawler shall make
//! of it in `truth/expected.rs`.

mod body;
mod chance;
pub mod hostile;
mod serve;
mod spec;
pub mod truth;
mod witness;

pub use serve::Served;
pub use spec::{Addresses, Shape, Spec};
pub use truth::{Coding, Directive, Expected, ExpectedPage, PageId, Web};
pub use witness::{HostWitness, Violation, Witness};
