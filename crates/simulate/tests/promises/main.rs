//! What the simulator promises, and what it promises of the crawler.

mod crashes;
mod history;
mod politeness;
