//! What a crawl can be asked, while it runs and afterwards: the questions, and the answers as
//! they are told to users.
//!
//! [`Status`] is how a crawl stands, [`Why`] the whole story of one URL, [`SitesPage`] some of its
//! sites. A running crawl answers
//! through its [`Handle`](crate::shell::Handle); a stopped one is read where it lies. Both ways
//! meet here, so that they cannot differ.

mod contents;
mod counting;
mod evidence;
mod mirroring;
mod sites;
mod status;
pub mod stopped;
mod telling;
#[cfg(test)]
mod tests;
mod verdict;
mod why;
mod words;

pub use crate::store::{Suspect, disk_use};
pub use contents::{AboutPage, Contents};
pub(crate) use evidence::Circumstances;
pub use evidence::Evidence;
pub(crate) use evidence::moment;
pub(crate) use sites::{Found, Gathering, Glance, Setting, glance, look};
pub use sites::{SITES_MAX, SITES_READ_MAX, SiteOrder, SiteRow, SitesPage, SitesWanted};
pub use status::{Activity, Mirror, Percentiles, RecentLine, SiteStanding, Status};
pub use telling::Gathered;
pub(crate) use verdict::Strain;
pub use why::{Held, RobotsLine, TryLine, UrlState, Why};
pub use words::hold_words;
