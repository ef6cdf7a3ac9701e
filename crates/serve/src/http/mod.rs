//! HTTP itself: the [`Listener`], the gate before every page, and how answers are dressed.

mod answer;
mod entry;
mod gate;
mod listener;
mod patient;
mod rates;
#[cfg(test)]
mod tests;

pub(crate) use answer::{Refused, dress};
pub(crate) use entry::routes;
pub use gate::Limits;
pub(crate) use gate::{Gate, is_ours, may_control, pass};
pub use listener::{Listener, bind};
