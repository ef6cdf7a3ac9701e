//! Crawls that end in every way, and what a reader finds of them.

mod life;
mod notes;
mod views;
