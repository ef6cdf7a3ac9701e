//! What is promised of orders, budgets and trust.

mod example;
mod orders;
mod trust;
