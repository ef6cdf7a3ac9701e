//! What a page asks of those who fetched it.

use serde::{Deserialize, Serialize};

/// One wish, from meta robots, X-Robots-Tag or a robots class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Directive {
    /// Keep it out of the index.
    NoIndex,
    /// Follow none of its links.
    NoFollow,
    /// Show no cached copy.
    NoArchive,
    /// Show no text of it.
    NoSnippet,
    /// Offer no translation.
    NoTranslate,
    /// Do not index its images.
    NoImageIndex,
    /// Not for training models.
    NoAi,
    /// Its images not for training models.
    NoImageAi,
}

impl Directive {
    /// Every directive, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::NoIndex,
        Self::NoFollow,
        Self::NoArchive,
        Self::NoSnippet,
        Self::NoTranslate,
        Self::NoImageIndex,
        Self::NoAi,
        Self::NoImageAi,
    ];

    /// As pages write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NoIndex => "noindex",
            Self::NoFollow => "nofollow",
            Self::NoArchive => "noarchive",
            Self::NoSnippet => "nosnippet",
            Self::NoTranslate => "notranslate",
            Self::NoImageIndex => "noimageindex",
            Self::NoAi => "noai",
            Self::NoImageAi => "noimageai",
        }
    }
}

/// A set of directives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directives(u8);

impl Directives {
    /// No wish at all.
    pub const NONE: Self = Self(0);

    /// Adds one.
    pub fn insert(&mut self, directive: Directive) {
        self.0 |= 1 << directive as u8;
    }

    /// Whether it is among them.
    pub fn has(self, directive: Directive) -> bool {
        self.0 & (1 << directive as u8) != 0
    }

    /// All of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = Directive> {
        Directive::ALL.into_iter().filter(move |directive| self.has(*directive))
    }
}

const _: () = assert!(Directive::ALL.len() <= 8, "every directive has its bit");
