//! How far the archive reaches, as the log remembers it.

use serde::{Deserialize, Serialize};

/// A place between two records. The default is the place before all of them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Position {
    /// The serial number of the file, from 1 on.
    pub serial: u32,
    /// How much of the file lies before it.
    pub end: u64,
}

/// What of an older run is kept when an archive is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Every whole record.
    Everything,
    /// What lies before this place: the rest was written, but nobody knows of it.
    UpTo(Position),
}
