//! What the engine promises, on real sockets.

mod outage;
mod telling;
