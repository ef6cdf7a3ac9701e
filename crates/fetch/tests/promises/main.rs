//! What the door promises, against real sockets on loopback.

mod bodies;
mod conformance;
mod connections;
mod dns;
mod door;
mod gate;
mod h2server;
mod http2;
mod limits;
mod phases;
mod proxy;
mod server;
mod tls;
mod wire;
