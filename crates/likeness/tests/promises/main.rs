//! What the sieve promises, each promise in its module.
#![expect(clippy::unwrap_used, reason = "a broken test fails where it breaks")]

mod caller;
mod damage;
mod single;
