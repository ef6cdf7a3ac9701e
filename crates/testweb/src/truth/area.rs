//! A directory whose pages a host's robots.txt closes, or leaves open, by construction.

/// A place on a host: every page put here is disallowed, or none is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// The directory, with both slashes, in canonical escaping.
    pub dir: &'static str,
    /// How the page's target ends.
    pub tail: &'static str,
    /// Robots.txt disallows what lies here.
    pub closed: bool,
}

pub(super) const fn closed(dir: &'static str) -> Area {
    Area { dir, tail: ".html", closed: true }
}

pub(super) const fn open(dir: &'static str) -> Area {
    Area { dir, tail: ".html", closed: false }
}
