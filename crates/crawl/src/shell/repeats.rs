//! Pages that a site shows again and again, changed in digits only: calendars, counters, endless
//! folders.

use std::collections::HashMap;

/// Links to its own site are followed from so many pages of one shape; a site that needs more of
/// them lists its pages elsewhere too.
const REPEATS_MAX: u16 = 256;
/// The same where pages have hardly any words: galleries and small catalogues look like that.
const TERSE_REPEATS_MAX: u16 = 1_000;
/// Fewer words are hardly any.
const TERSE_WORDS: u32 = 8;
/// Shapes that are remembered at least.
const SHAPES_MAX: usize = 100_000;

/// How often each shape was met lately. After a restart it begins anew: a trap costs as much
/// again, and no more.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    young: HashMap<u64, u16>,
    old: HashMap<u64, u16>,
}

impl Repeats {
    /// Notes a page of a shape with so many words, and says whether there were enough of them
    /// before.
    pub(super) fn is_one_too_many(&mut self, shape: u64, words: u32) -> bool {
        let most = if words < TERSE_WORDS { TERSE_REPEATS_MAX } else { REPEATS_MAX };
        let before = self.young.remove(&shape).or_else(|| self.old.remove(&shape)).unwrap_or(0);
        if self.young.len() >= SHAPES_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(shape, before.saturating_add(1));
        before >= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: u32, most: u16) {
        let mut repeats = Repeats::default();
        let told: Vec<bool> = (0..=most).map(|_| repeats.is_one_too_many(7, words)).collect();
        let (last, before) = told.split_last().unwrap();
        assert!(*last && before.iter().all(|it| !it));
        assert!(!repeats.is_one_too_many(8, words));
    }

    #[test]
    fn a_shape_is_one_too_many_from_its_limit_on_and_later_where_there_are_few_words() {
        check(TERSE_WORDS, REPEATS_MAX);
        check(TERSE_WORDS - 1, TERSE_REPEATS_MAX);
    }

    #[test]
    fn a_shape_that_comes_often_is_remembered_among_any_number_of_others() {
        let mut repeats = Repeats::default();
        let mut others = 1_u64..;
        for _ in 0..REPEATS_MAX {
            assert!(!repeats.is_one_too_many(0, TERSE_WORDS));
            for other in others.by_ref().take(SHAPES_MAX / 16) {
                repeats.is_one_too_many(other, TERSE_WORDS);
            }
        }
        assert!(repeats.is_one_too_many(0, TERSE_WORDS));
        assert!(repeats.young.len() <= SHAPES_MAX && repeats.old.len() <= SHAPES_MAX);
    }
}
