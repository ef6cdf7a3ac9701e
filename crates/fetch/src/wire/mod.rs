//! The protocols spoken on a connection, each over a tee that records what went by.

mod head;
mod http1;
mod tee;

pub(crate) use head::head_length;
pub(crate) use http1::Http1;
pub(crate) use tee::Stream;
