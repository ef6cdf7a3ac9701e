//! What a crawl can be asked, while it runs and afterwards: the questions, and the answers as
//! they are told to users.
//!
//! [`Status`] is how a crawl stands, [`Why`] the whole story of one URL. A running crawl answers
//! through its [`Handle`](crate::shell::Handle); a stopped one is read where it lies. Both ways
//! meet here, so that they cannot differ.

mod contents;
mod counting;
mod evidence;
mod mirroring;
mod status;
pub mod stopped;
mod telling;
#[cfg(test)]
mod tests;
mod verdict;
mod why;

pub use crate::store::disk_use;
pub use contents::{AboutPage, Contents};
pub(crate) use evidence::Circumstances;
pub use evidence::Evidence;
pub use status::{Activity, Mirror, Percentiles, SiteStanding, Status};
pub use telling::Gathered;
pub(crate) use verdict::Strain;
pub use why::{Held, RobotsLine, TryLine, UrlState, Why};
