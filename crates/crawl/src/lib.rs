//! The engine: pure partitions, and the shell that connects them to the web.
//!
//! A crawl is split into partitions by pay-level domain ([`partition`]): each decides alone, and
//! speaks facts (what happened) and effects (what to do). The [`shell`] logs the facts, starts the
//! effects and brings the answers back as events. It is the only part here that knows time,
//! tasks and files.
//!
//! What a page says is read by `page`, what may be fetched is judged by `rules`, when is decided
//! by `frontier`, and only `fetch` goes out.

pub mod ask;
pub mod audit;
pub mod clicks;
pub mod control;
pub mod earlier;
pub mod forget;
pub mod log;
pub mod partition;
pub mod shell;
pub mod store;
pub mod tables;
