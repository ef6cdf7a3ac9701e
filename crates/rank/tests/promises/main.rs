//! What links and ranks promise, each promise in its module.
#![expect(clippy::unwrap_used, reason = "a broken test fails where it breaks")]

mod damage;
mod farm;
mod graphs;
mod history;
mod kills;
mod neighbours;
mod ranks;
