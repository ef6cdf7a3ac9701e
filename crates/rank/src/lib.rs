//! What a page is worth: the links between documents, and ranks over them.
//!
//! A [`LinkStore`] keeps what every document says, in the order in which it was read. A [`Graph`]
//! is built from it by sorting outside of memory: the documents by number, their links both ways.
//! [`pagerank`] is Page, Brin, Motwani and Winograd, 1999. [`krank`] gives every registrable
//! domain one vote for a page; K-rank has no public definition, so this reading is our own (see
//! `flow.rs`). [`compute`] writes both for the search, which asks [`Ranks`]. [`Partial`] ranks
//! the pages that a crawl knows, fetched or not.
//!
//! Nothing here knows URLs, words or clocks, starts a thread, or reads what was not committed.

mod error;
mod flow;
mod fresh;
mod graph;
mod neighbours;
mod partial;
mod sorter;
mod standing;
mod store;
mod varint;
mod width;

pub use error::RankError;
pub use flow::{RankSettings, Ranking, krank, pagerank};
pub use graph::{Graph, Level, LinkStream, collapse};
pub use neighbours::{NEIGHBOURS_BYTES_MAX, Neighbours, links_from, links_to};
pub use partial::{Partial, round};
pub use standing::{Figures, Ranks, Standing, compute};
pub use store::{LINKS_MAX, LinkStore, Said, Source};
