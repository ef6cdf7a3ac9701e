//! What a test that uses this room may rely on.

mod client;
mod model;
mod sockets;
mod timing;
mod witness;
