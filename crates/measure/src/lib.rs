//! Measures: what one page costs by part ([`parts`]), and what a whole program reaches and takes
//! ([`run`]). Used by `rhumb bench` and by the benchmarks of the project.
//!
//! It never judges a figure, and nothing here is a test: it measures the machine as well.

pub mod parts;
pub mod run;
mod spread;

pub use spread::Spread;
