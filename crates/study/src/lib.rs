//! Which order is best: crawls of graphs that are known in whole, in virtual time.
//!
//! A [`Graph`] is that of a crawl, or is [`generate`]d from a seed. The orders and budgets are
//! those of the crawl itself, judged as Cho, Garcia-Molina and Page (1998) do: by the `PageRank`,
//! in the whole graph, of what was fetched so far. Castillo et al. (2005) add politeness, without
//! which greedy orders look better than they are.
//!
//! A [`Run`] is one crawl, as an iterator of its fetches; [`trials`] runs many at once and keeps
//! of each a [`Trial`]; [`plot()`] draws them.
//!
//! Nothing here knows URLs, files or clocks; chance comes from a seed.

mod chance;
mod contender;
mod farm;
mod graph;
mod plot;
mod rank;
mod run;
mod trial;
mod web;

pub use contender::{Contender, YARDSTICKS, contender, orders};
pub use farm::FarmSpec;
pub use graph::Graph;
pub use plot::plot;
pub use rank::pagerank;
pub use run::{Fetch, Known, Plan, Run};
pub use trial::{FARM_AT, Point, Trial, trials};
pub use web::generate;
