//! Find it again: the index of a crawl, and questions to it.
//!
//! [`Index`] is the one writer: it takes documents in, gathers the texts of links to each, keeps
//! the link graph, and makes all of it durable and visible in one commit together with the cursor
//! of its reader. [`Searcher`] answers queries, in any process, without a lock: candidates by the
//! words that must match, then a full score whose parts add up.
//!
//! It never fetches, never parses a page and never reads the archive; it reads no clock.
//! Scores follow Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond"
//! (2009); texts of links count as in Brin and Page (1998), with one vote per domain.

mod anchors;
mod answer;
mod ask;
mod commitment;
mod document;
mod entry;
mod error;
mod lookup;
mod names;
mod packed;
mod schema;
mod searches;
mod searching;
mod snippet;
mod spelling;
mod words;
mod writing;

pub use answer::{Answer, Facets, Held, Hit, Loosened, Neighbour, Part, RESULTS_MAX, Want};
pub use ask::{Node, Query, QueryError};
pub use document::{Cursor, Document, OutLink, Place};
pub use error::IndexError;
pub use searches::Searches;
pub use searching::{Searcher, Weights};
pub use snippet::Snippet;
pub use words::{Analyser, Word};
pub use writing::{Index, IndexSettings};
