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
    /// It is made to be found, and not to be read.
    Spam,
    /// It leads to another domain by itself, and says hardly anything or leads where many lead.
    Doorway,
    /// It shows a browser something else than us.
    Cloaked,
}

impl Mark {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::SoftError => "soft-404",
            Self::Parked => "parked",
            Self::Challenge => "challenge",
            Self::Spam => "spam",
            Self::Doorway => "doorway",
            Self::Cloaked => "cloaked",
        }
    }

    /// Whether a page so marked is none: an index has no place for it. Other marks only say what
    /// kind of page it is.
    pub fn is_no_page(self) -> bool {
        match self {
            Self::SoftError | Self::Parked | Self::Challenge => true,
            Self::Spam | Self::Doorway | Self::Cloaked => false,
        }
    }

    /// Whether a page so marked is made to be found and not to be read: a search finds it behind
    /// others.
    pub fn sinks(self) -> bool {
        match self {
            Self::Spam | Self::Doorway | Self::Cloaked => true,
            Self::SoftError | Self::Parked | Self::Challenge => false,
        }
    }
}
