//! What gathering promises: the index holds what the archive says, and nothing else.
#![expect(clippy::unwrap_used, reason = "a broken test fails where it breaks")]

mod crawled;
mod kills;
mod maker;
mod pages;
mod verdicts;
