//! Metrics for Prometheus: [`text()`] writes them, a [`Listener`] answers with them.

mod listener;
mod text;

pub use listener::{DEFAULT, Listener, bind};
pub use text::text;
