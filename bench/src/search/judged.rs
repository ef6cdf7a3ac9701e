//! What answers are worth: where the first right page stands.

use std::fmt::{self, Display};

/// Right pages are looked for among so many.
pub const DEPTH: usize = 10;

/// Success and mean reciprocal rank, both within the first ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The share of queries with a right page.
    pub success: f64,
    /// The mean of one over the place of the first right page, none counting as zero.
    pub reciprocal: f64,
}

impl Judged {
    /// Of the places of the first right pages, from 1.
    pub fn of(places: impl IntoIterator<Item = Option<usize>>) -> Self {
        let (mut count, mut found, mut sum) = (0.0, 0.0, 0.0);
        for place in places {
            count += 1.0;
            if let Some(place) = place.and_then(|it| u32::try_from(it).ok()) {
                found += 1.0;
                sum += 1.0 / f64::from(place);
            }
        }
        Self { success: found / count, reciprocal: sum / count }
    }

    /// What tuning raises: both count.
    pub fn worth(self) -> f64 {
        self.success + self.reciprocal
    }
}

impl Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "success@10 {:.4}  MRR@10 {:.4}", self.success, self.reciprocal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_right_page_counts_by_its_place() {
        let judged = Judged::of([Some(1), Some(4), None, Some(2)]);
        assert_eq!(judged, Judged { success: 0.75, reciprocal: 1.75 / 4.0 });
    }
}
