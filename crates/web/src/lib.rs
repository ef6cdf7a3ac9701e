//! The shared nouns of a crawl: what two rooms both speak of lives here.
//!
//! A [`CanonUrl`] is a URL in its one canonical form; holding one is the proof that it parsed.
//! It belongs to a [`Site`] (whose clock is kept), a [`Pld`] (whose partition owns it) and an
//! [`Origin`] (whose robots.txt speaks for it). A [`Ticket`] is the right to one fetch, and an
//! [`Outcome`] is what the web made of it.
//!
//! This room never touches a clock, a socket or a file. URLs follow the WHATWG URL standard.

mod directive;
mod exchange;
mod key;
mod link;
mod mark;
mod site;
mod tick;
mod ticket;
mod url;
pub mod words;

pub use directive::{Directive, Directives};
pub use exchange::{Cut, Exchange, Failure, Hold, Outcome, Phase, Phases, Protocol, Tls};
pub use key::{HashKey, PartitionId, UrlKey};
pub use link::{Link, LinkKind};
pub use mark::Mark;
pub use site::{Origin, Pld, Scheme, Site, registrable};
pub use tick::{Span, Tick};
pub use ticket::{Candidate, Copies, Epoch, Errand, Found, Ticket, TicketNumber, Visit};
pub use url::{Canon, CanonUrl, QueryCharset, URL_BYTES_MAX, UrlError, standard};
