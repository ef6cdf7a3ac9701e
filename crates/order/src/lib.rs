//! What first: the orders in which pages are fetched, and the budgets that domains have.
//!
//! An [`Order`] says what a page is worth among those of its domain, and what a domain is worth
//! among those that are due. A [`Budget`] says how many pages a domain may have had by now. Both
//! look at signs alone: [`PageSigns`], [`DomainSigns`], [`Crowd`]. Whoever keeps the signs (the
//! frontier of a crawl, the study of a graph) decides where and how exactly.
//!
//! OPIC is Abiteboul, Preda and Cobena, 2003; STAR is Lee, Leonard, Wang and Loguinov, 2008; trust
//! is `TrustRank` (Gyöngyi et al., 2004) on the graph of domains; the [`rate`] at which pages change
//! is Cho and Garcia-Molina, 2003. Nothing here knows URLs, clocks, files or threads.

mod budgets;
mod change;
mod farm;
mod forecast;
mod orders;
mod purse;
mod signs;
mod trust;

pub use budgets::{BUDGETS, Budget, budget};
pub use change::{Interval, Prior, chance, rate};
pub use farm::farms;
pub use forecast::{Forecast, Forecaster, Outlook};
pub use orders::{ORDERS, Order, order};
pub use purse::{Coins, Purse, dividend};
pub use signs::{Crowd, DomainSigns, PageSigns};
pub use trust::{Standing, Trust, trust};

/// The order of a crawl that names none.
pub const ORDER: &str = "trust";
/// The budget of a crawl that names none.
pub const BUDGET: &str = "trust";

/// A name that stands for nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} {name:?}, only {known}")]
pub struct Unknown {
    /// An order or a budget.
    pub what: &'static str,
    /// As it was given.
    pub name: String,
    /// What there is.
    pub known: String,
}
