//! What next, and when: the queues of all sites, and the clocks that keep us polite.
//!
//! `BUbiNG`'s workbench fed by Mercator's bands: each site has a queue and one clock; sites wait
//! under a heap of earliest times and, once due, go by what the order of the crawl makes of them,
//! with a biased choice. [`Manner`] is the one place where politeness is computed: gaps, back-off, quarantine.
//!
//! Pure: time is an argument, there is no chance, no lock and no I/O. A site keeps a short head
//! in memory; what does not fit is handed to the caller, who shelves it and refills the site.

mod agenda;
mod appraisal;
pub mod backlog;
mod cold;
mod entry;
mod frontier;
mod key;
mod manner;
mod outage;
mod placement;
mod queue;
mod ranking;
mod rules;
mod shelf;
mod site;
mod standing;
mod takedown;
mod worth;

pub use agenda::BANDS;
pub use cold::{RowHead, Stub};
pub use entry::Entry;
pub use frontier::Frontier;
pub use key::{LaneKey, SiteKey};
pub use manner::{Conduct, Hold, Manner, Manners};
pub use outage::{OUTAGE_SITES_MIN, OUTAGE_WINDOW, Outage};
pub use placement::{Place, Placement, Planner};
pub use queue::{HEAD_MAX, REFILL_BELOW};
pub use ranking::Ranks;
pub use rules::{SiteRule, SiteRules};
pub use shelf::{ChoiceRow, Shelf, Sought, Stock, Taken, Wish};
pub use site::{SiteState, Waiting};
pub use standing::{Standing, Standings};
pub use worth::{Census, DomainCount, DomainKey, Gift, Harvest, Policy};
