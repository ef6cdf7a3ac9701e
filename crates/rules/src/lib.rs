//! May we fetch it, and do we want to?
//!
//! [`Robots`] reads a robots.txt (RFC 9309) and [`RobotsFor`] judges paths for one agent, naming
//! the line and group that decided. [`Scope`] says what a crawl is about, [`Trap`] what only looks
//! like a page, [`Template`] which URLs are of one kind, [`Forgotten`] what was taken down, and [`Rules`] asks them. [`of_meta`] and
//! [`of_header`] read what a page asks of those who fetched it. Every refusal has a [`Reason`].
//!
//! This room never fetches, never reads a clock and never fails: the web's nonsense is ignored line
//! by line, and what a webmaster can have meant as a refusal is one.

mod directives;
mod forgotten;
mod robots;
mod scope;
mod template;
mod trap;
mod verdict;

pub use directives::{of_header, of_meta};
pub use forgotten::Forgotten;
pub use robots::{
    AI_USE_MAX, DELAY_MAX, ROBOTS_BYTES_MAX, Reading, Robots, RobotsFor, RobotsVerdict,
    SITEMAPS_MAX, WILDCARD_RULES_MAX, path_as_written,
};
pub use scope::{Scope, ScopeKind, UnknownScope};
pub use template::{Calendar, Template, Token};
pub use trap::{
    PARAMETER_NESTING_MAX, PARAMETER_REPEATS_MAX, SEGMENT_REPEATS_MAX, SEGMENTS_MAX,
    TANDEM_REPEATS_MAX, TRAP_BYTES_MAX, Trap,
};
pub use verdict::{HOPS_MAX, Reason, Rules, UnknownReason, Verdict};
