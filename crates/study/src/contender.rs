//! Who is compared: the orders of the crawl, and two yardsticks.

use rhumb_order::{DomainSigns, ORDERS, Order, PageSigns, Unknown};

use crate::chance::mix;

/// Which ranks an order is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranks {
    None,
    /// Over what was fetched so far.
    Partial,
    /// Over the whole graph, which no crawl knows.
    Final,
}

/// An order, with what it is shown.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    pub(crate) order: &'static dyn Order,
    pub(crate) ranks: Ranks,
}

impl Contender {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.order.name()
    }

    /// Whether no crawl can have it.
    pub fn is_yardstick(self) -> bool {
        YARDSTICKS.contains(&self.name())
    }
}

/// The names of what no crawl can have or should want: the best page by its final rank among those
/// that were met, and any page.
pub const YARDSTICKS: [&str; 2] = ["omniscient", "random"];

/// The contender of this name.
pub fn contender(name: &str) -> Result<Contender, Unknown> {
    match name {
        "omniscient" => Ok(Contender { order: &Omniscient, ranks: Ranks::Final }),
        "random" => Ok(Contender { order: &Random, ranks: Ranks::None }),
        name => {
            let order = rhumb_order::order(name).map_err(|unknown| {
                let known = format!("{}, {}", unknown.known, YARDSTICKS.join(", "));
                Unknown { known, ..unknown }
            })?;
            let ranks = if order.needs_rank() { Ranks::Partial } else { Ranks::None };
            Ok(Contender { order, ranks })
        }
    }
}

/// The names of all orders of the crawl.
pub fn orders() -> Vec<&'static str> {
    ORDERS.iter().map(|order| order.name()).collect()
}

#[derive(Debug)]
struct Omniscient;

impl Order for Omniscient {
    fn name(&self) -> &'static str {
        YARDSTICKS[0]
    }

    fn about(&self) -> &'static str {
        "the greatest rank in the whole graph, which no crawl knows"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.rank)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}

#[derive(Debug)]
struct Random;

impl Order for Random {
    fn name(&self) -> &'static str {
        YARDSTICKS[1]
    }

    fn about(&self) -> &'static str {
        "any page"
    }

    #[expect(clippy::cast_precision_loss, reason = "any number will do")]
    fn page(&self, page: &PageSigns) -> f64 {
        mix(page.met + 1) as f64
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        domain.best
    }
}
