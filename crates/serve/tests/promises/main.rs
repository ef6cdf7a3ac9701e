//! What people and programs that ask a house are promised.
mod api;
mod copying;
mod dashing;
mod endpoint;
mod format;
mod gate;
mod grammar;
mod house;
mod schema;
mod searching;
mod stock;
mod strings;
mod webmaster;
mod wholeness;
