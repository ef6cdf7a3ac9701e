//! Which order is best: crawls of graphs that are known in whole, in virtual time.
//!
//! A [`Graph`] is that of a crawl, or is [`generate`]d from a seed. The orders and budgets are
//! those of the crawl itself, judged as Cho, Garcia-Molina and Page (1998) do: by the `PageRank`,
//! in the whole graph, of what was fetched so far. Castillo et al. (2005) add politeness, without
//! which greedy orders look better than they are.
//!
//! Nothing here knows URLs, files or clocks; chance comes from a seed.

mod chance;
mod graph;
mod web;

pub use graph::Graph;
pub use web::generate;
