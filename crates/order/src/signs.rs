//! What an order and a budget look at.

/// What is known of a page that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageSigns {
    /// Links from the nearest seed.
    pub depth: u16,
    /// How many pages were met before it.
    pub met: u64,
    /// OPIC cash: what the pages that link to it have given.
    pub cash: f32,
    /// Links to it that were seen.
    pub in_links: u32,
    /// Its `PageRank` in the graph of what was fetched, where an order asks for it.
    pub rank: f32,
}

/// What is known of a domain with pages that wait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DomainSigns {
    /// What its best page is worth, as the order has it.
    pub best: f64,
    /// Pages that wait.
    pub pending: u64,
    /// Pages that were fetched.
    pub fetched: u64,
    /// Links on the pages that were fetched.
    pub links: u64,
    /// Other domains that link to it.
    pub votes: u32,
    /// Its part of the trust that flows from the seeds; all parts sum to 1.
    pub trust: f32,
    /// Of the pages that were fetched, how many said something new: from 0 to 1.
    pub novelty: f32,
}

/// What is known of all domains together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crowd {
    /// How many are known.
    pub domains: u64,
    /// The most votes that one has.
    pub votes_max: u32,
    /// The votes of the last of those that stand out: see [`crate::BUDGETS`].
    pub votes_floor: u32,
    /// How often the ceiling was raised.
    pub level: u32,
}
