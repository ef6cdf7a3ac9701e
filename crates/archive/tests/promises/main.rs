//! What the archive promises.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a broken test fails where it breaks")]
#![expect(clippy::print_stdout, reason = "a promise that was not checked says so")]

mod broken;
mod conformance;
mod files;
mod forgetting;
mod power;
mod round_trip;
mod samples;
mod spans;
mod tools;
mod verifier;
mod versions;
