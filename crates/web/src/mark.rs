//! What a page turned out to be although its status does not say so.

use serde::{Deserialize, Serialize};

/// A page that is not what its status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// It says that there is nothing there.
    SoftError,
    /// The domain has no site of its own: it is for sale, or shows advertisements.
    Parked,
    /// It asks for a proof that a person is looking, or keeps us out.
    Challenge,
}

impl Mark {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::SoftError => "soft-404",
            Self::Parked => "parked",
            Self::Challenge => "challenge",
        }
    }
}
