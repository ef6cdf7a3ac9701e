//! What was met of one kind of pages, and how many more of them are let through.

/// Of those that are refused one is let through after so many, then after twice as many each time.
pub(super) const GAP_MIN: u32 = 2;
/// Pages that are let through so, in a run; behind these none is.
const PROBES_MAX: u8 = 8;

/// The pages of a template, or those that say the same and link to the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    /// Pages fetched.
    pub(super) pages: u32,
    /// Of those, pages that said something new.
    pub(super) new: u32,
    /// Pages since the last that said something new, or led to it.
    pub(super) run: u32,
    /// The same, by how sure it is that they said nothing.
    pub(super) points: u32,
    pub(super) throttle: Throttle,
    /// How long the last query was.
    query: u32,
    /// How often it was longer than the one before.
    grown: u32,
}

impl Record {
    /// A page said nothing new: so sure is that.
    pub(super) fn note_barren(&mut self, points: u32) {
        self.pages = self.pages.saturating_add(1);
        self.run = self.run.saturating_add(1);
        self.points = self.points.saturating_add(points);
    }

    /// A page said something new.
    pub(super) fn note_new(&mut self) {
        self.pages = self.pages.saturating_add(1);
        self.new = self.new.saturating_add(1);
        self.forgive();
    }

    /// A page led to something new, or was it.
    pub(super) fn forgive(&mut self) {
        (self.run, self.points, self.throttle) = (0, 0, Throttle::default());
    }

    /// Notes the query of a page.
    pub(super) fn note_query(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.grown = self.grown.saturating_add(u32::from(bytes > self.query && self.query > 0));
        self.query = bytes;
    }

    /// Whether its queries grow from page to page; a counter only does so at every tenfold.
    pub(super) fn is_growing(&self) -> bool {
        self.grown >= 3 && self.grown.saturating_mul(4) >= self.pages.saturating_mul(3)
    }
}

/// Lets every second through, then every fourth, every eighth and so on, and in the end none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Throttle {
    refused: u32,
    probes: u8,
}

impl Throttle {
    /// Whether one more is let through; the first after so many that are not.
    pub(super) fn lets_through(&mut self, gap: u32) -> bool {
        if self.probes >= PROBES_MAX || self.refused < gap << self.probes {
            self.refused = self.refused.saturating_add(1);
            return false;
        }
        self.refused = 0;
        self.probes += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ever_fewer_are_let_through_and_in_the_end_none() {
        let mut throttle = Throttle::default();
        let places: Vec<usize> = (0..10_000).filter(|_| throttle.lets_through(GAP_MIN)).collect();
        assert_eq!(places, [2, 7, 16, 33, 66, 131, 260, 517]);
    }

    #[test]
    fn something_new_makes_lenient_again() {
        let mut record = Record::default();
        for _ in 0..9 {
            record.note_barren(40);
            record.throttle.lets_through(GAP_MIN);
        }
        record.note_new();
        assert_eq!((record.run, record.points, record.pages, record.new), (0, 0, 10, 1));
        assert_eq!(record.throttle.refused, 0);
    }

    #[test]
    fn a_query_grows_and_a_counter_does_not() {
        let (mut growing, mut counter) = (Record::default(), Record::default());
        for number in 1..40_usize {
            growing.note_barren(1);
            growing.note_query(number);
            counter.note_barren(1);
            counter.note_query(number.to_string().len());
        }
        assert!(growing.is_growing() && !counter.is_growing());
    }
}
