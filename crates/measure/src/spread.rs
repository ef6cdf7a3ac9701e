//! Several figures of one thing.

/// The least, the middle and the most of some figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// Half are below it; of an even count the mean of the two in the middle.
    pub middle: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    /// Of these, if there are any.
    pub fn of(mut figures: Vec<f64>) -> Option<Self> {
        figures.sort_by(f64::total_cmp);
        let (least, most) = (*figures.first()?, *figures.last()?);
        let (below, above) = (figures[(figures.len() - 1) / 2], figures[figures.len() / 2]);
        Some(Self { least, middle: f64::midpoint(below, above), most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_middle_of_the_sorted() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { least: 1.0, middle: 2.0, most: 3.0 });
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn the_middle_of_an_even_count_is_between_two() {
        let check = |figures: &[f64], expect| {
            assert_eq!(Spread::of(figures.to_vec()).map(|it| it.middle), Some(expect));
        };
        check(&[4.0, 1.0, 2.0, 9.0], 3.0);
        check(&[2.0, 1.0], 1.5);
    }
}
