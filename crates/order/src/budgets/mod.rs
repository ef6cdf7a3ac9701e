//! The budgets, a file each.

use std::fmt;

use crate::{Crowd, DomainSigns, Unknown};

/// How many pages a domain may have. A domain at its ceiling waits; when all wait the ceiling is
/// raised: [`Crowd::level`] grows by one. So nothing is banned, and nothing idles for ever.
pub trait Budget: fmt::Debug + Send + Sync {
    /// Its name, as users give it.
    fn name(&self) -> &'static str;
    /// What it does, in a few words.
    fn about(&self) -> &'static str;
    /// How many pages of a domain may have been fetched by now.
    fn ceiling(&self, domain: &DomainSigns, crowd: &Crowd) -> u64;
    /// The part of the usual gap that a well-known domain is left alone for: at most 1.
    fn gap(&self, domain: &DomainSigns, crowd: &Crowd) -> f64;
}

/// Makes a module of each file, and one list of the budgets in them.
macro_rules! budgets {
    ($($file:ident::$name:ident,)*) => {
        $(mod $file;)*
        /// Every budget.
        pub static BUDGETS: &[&dyn Budget] = &[$(&$file::$name),*];
    };
}

budgets! {
    trust::Trust,
    star::Star,
    none::None,
}

/// The budget of this name.
pub fn budget(name: &str) -> Result<&'static dyn Budget, Unknown> {
    BUDGETS.iter().copied().find(|budget| budget.name() == name).ok_or_else(|| Unknown {
        what: "budget",
        name: name.to_owned(),
        known: BUDGETS.iter().map(|budget| budget.name()).collect::<Vec<_>>().join(", "),
    })
}

/// A number of pages: whole, and one at least.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer ends at the bounds"
)]
fn pages(value: f64) -> u64 {
    (value as u64).max(1)
}

/// A count as a value.
#[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2⁵²")]
fn count(count: u64) -> f64 {
    count as f64
}
