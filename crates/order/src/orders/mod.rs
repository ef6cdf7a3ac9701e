//! The orders, a file each.

use std::fmt;

use crate::{DomainSigns, PageSigns, Unknown};

/// In which order pages are fetched. The greatest goes first; of equals the one that was met first.
pub trait Order: fmt::Debug + Send + Sync {
    /// Its name, as users give it.
    fn name(&self) -> &'static str;
    /// What it does, in a few words.
    fn about(&self) -> &'static str;
    /// What a page is worth among those of its domain.
    fn page(&self, page: &PageSigns) -> f64;
    /// What a domain is worth among those that are due.
    fn domain(&self, domain: &DomainSigns) -> f64;
    /// Whether [`Order::domain`] looks at [`DomainSigns::best`], which costs a look at its pages.
    fn needs_best(&self) -> bool {
        true
    }
    /// Whether it looks at [`PageSigns::rank`], which costs a graph of all links.
    fn needs_rank(&self) -> bool {
        false
    }
}

/// Makes a module of each file, and one list of the orders in them.
macro_rules! orders {
    ($($file:ident::$name:ident,)*) => {
        $(mod $file;)*
        /// Every order.
        pub static ORDERS: &[&dyn Order] = &[$(&$file::$name),*];
    };
}

orders! {
    trust::Trust,
    fair::Fair,
    opic::Opic,
    bfs::Bfs,
    dfs::Dfs,
    sites::Sites,
    indegree::InDegree,
    hubs::Hubs,
    pagerank::PageRank,
}

/// The order of this name.
pub fn order(name: &str) -> Result<&'static dyn Order, Unknown> {
    ORDERS.iter().copied().find(|order| order.name() == name).ok_or_else(|| Unknown {
        what: "order",
        name: name.to_owned(),
        known: ORDERS.iter().map(|order| order.name()).collect::<Vec<_>>().join(", "),
    })
}

/// What is fair between domains: who has more standing comes more often, as its root, and among
/// equals the larger one. Its size counts less, since a domain can have as many pages as it likes:
/// in `rhumb simulate` its third root won 2 % over none, and kept farms back for longer.
fn fair(standing: f64, domain: &DomainSigns) -> f64 {
    let size = count(domain.fetched + domain.pending).max(1.0);
    standing.sqrt() * size.cbrt() / (1.0 + count(domain.fetched))
}

/// A count as a value.
#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2⁵²")]
fn count(count: u64) -> f64 {
    count as f64
}
