//! Metrics for Prometheus: [`text()`] writes them, [`router()`] answers with them.

mod endpoint;
mod text;

pub(crate) use endpoint::answer;
pub use endpoint::{DEFAULT, router};
pub use text::text;
