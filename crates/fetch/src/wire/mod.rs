//! The protocols spoken on a connection, each over a tee that records what went by.

mod head;
mod http;
mod http1;
mod http2;
mod tee;

pub(crate) use head::final_head;
pub(crate) use http::{Fault, Http, Idle};
pub(crate) use tee::Stream;
