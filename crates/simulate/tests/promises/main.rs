//! What the simulator promises, and what it promises of the crawler.

mod history;
mod politeness;
