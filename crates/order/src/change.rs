//! How often a page changes, from when it was seen and what had changed by then.
//!
//! A visit tells whether a page has changed since the one before, not how often. Cho and
//! Garcia-Molina (Estimating Frequency of Change, 2003) take changes for a Poisson process and
//! solve for the rate that makes such observations likeliest, with half an unchanged interval
//! added: without it a page that changed every time has no rate, and few visits give one that is
//! far off. Here that half interval is one of the page's site, as a Gamma prior: where the pages of
//! a site change, one that was not seen to change may have been lucky. The more alike the pages of a
//! site are, the more than half an interval it weighs.
//!
//! Times have no unit of their own: a rate is in changes per whatever the lengths are in.

/// Usual intervals that a prior weighs at least: as many as the correction.
const WEIGHT_MIN: f64 = 0.5;
/// And at most: what was seen of a page itself must count.
const WEIGHT_MAX: f64 = 20.0;
/// With fewer pairs of intervals of one page nothing is said of how alike pages are.
const PAIRS_MIN: f64 = 50.0;
/// A rate is as good as found when its bounds are so near to each other.
const EXACT: f64 = 1e-9;
/// Halvings of the way between both bounds at most; a double has no more digits.
const HALVINGS_MAX: u32 = 64;

/// The time between two visits of a page, and what they showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// How long it was: more than nothing.
    pub length: f64,
    /// Whether the page was another at its end.
    pub has_changed: bool,
}

/// What is believed of a page before anything was seen of it: a Gamma distribution of its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Changes that were seen, as it were.
    changes: f64,
    /// In this time.
    time: f64,
}

impl Prior {
    /// What the intervals of these pages of a site say of any page of it; nothing where there are
    /// none.
    pub fn of<'a>(pages: impl Iterator<Item = &'a [Interval]>) -> Option<Self> {
        let (mut all, mut seen) = (Vec::new(), Pairs::default());
        for page in pages {
            seen.add(page);
            all.extend_from_slice(page);
        }
        let usual = mean(&all)?;
        let rate = solve(&all, Self { changes: 0.0, time: WEIGHT_MIN * usual });
        let time = seen.weight() * usual;
        Some(Self { changes: rate * time, time })
    }

    /// The rate of a page of which nothing else is known.
    pub fn rate(&self) -> f64 {
        self.changes / self.time
    }
}

/// How often two intervals of one page have both a change, which tells how alike pages are: where
/// all change at one rate as often as chance would have it, where some change always and others
/// never as often as one of the two.
#[derive(Clone, Copy, Debug, Default)]
struct Pairs {
    intervals: f64,
    changed: f64,
    met: f64,
    both: f64,
}

impl Pairs {
    fn add(&mut self, page: &[Interval]) {
        let (all, changed) = (count(page.iter()), count(page.iter().filter(|it| it.has_changed)));
        self.intervals += all;
        self.changed += changed;
        self.met += all * (all - 1.0);
        self.both += changed * (changed - 1.0);
    }

    /// How many intervals of a page itself weigh as much as what its site says: of chances with
    /// the correlation ρ, as in a beta-binomial distribution, (1 − ρ) ÷ ρ.
    fn weight(&self) -> f64 {
        let chance = self.changed / self.intervals;
        let spread = chance * (1.0 - chance);
        if self.met < PAIRS_MIN || spread <= 0.0 {
            return WEIGHT_MIN;
        }
        let alike = (self.both / self.met - chance * chance) / spread;
        let alike = alike.max(f64::EPSILON);
        ((1.0 - alike) / alike).clamp(WEIGHT_MIN, WEIGHT_MAX)
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody visits a page that often")]
fn count<'a>(intervals: impl Iterator<Item = &'a Interval>) -> f64 {
    intervals.count() as f64
}

/// The rate at which a page changes that was seen in these intervals, whatever their order; none
/// where nothing was seen and nothing is believed.
pub fn rate(intervals: &[Interval], prior: Option<Prior>) -> Option<f64> {
    let Some(own) = mean(intervals) else { return prior.map(|prior| prior.rate()) };
    let prior = prior.unwrap_or(Prior { changes: 0.0, time: WEIGHT_MIN * own });
    Some(solve(intervals, prior))
}

/// How likely a page of this rate has changed after so much time.
pub fn chance(rate: f64, age: f64) -> f64 {
    -(-rate * age.max(0.0)).exp_m1()
}

fn mean(intervals: &[Interval]) -> Option<f64> {
    let all: f64 = intervals.iter().map(|it| it.length).sum();
    (!intervals.is_empty()).then(|| all / count(intervals.iter()))
}

/// The likeliest rate: where Σ t ÷ (e^(rate × t) − 1) over changed intervals, with the prior's
/// changes ÷ rate, is the time that passed without a change, with the prior's.
fn solve(intervals: &[Interval], prior: Prior) -> f64 {
    let (mut changes, mut uncertain, mut quiet) = (prior.changes, 0.0, prior.time);
    for interval in intervals {
        if interval.has_changed {
            changes += 1.0;
            uncertain += interval.length;
        } else {
            quiet += interval.length;
        }
    }
    if changes <= 0.0 {
        return 0.0;
    }
    // A change came somewhere within its interval. 1/y − 1/2 < 1/(e^y − 1) < 1/y bounds the sum.
    let (mut low, mut high) = (changes / (quiet + uncertain / 2.0), changes / quiet);
    for _ in 0..HALVINGS_MAX {
        let rate = f64::midpoint(low, high);
        let changed = intervals.iter().filter(|it| it.has_changed);
        let told: f64 = changed.map(|it| it.length / (rate * it.length).exp_m1()).sum();
        if told + prior.changes / rate > quiet {
            low = rate;
        } else {
            high = rate;
        }
        if high - low <= EXACT * high {
            break;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chance from a seed: splitmix64.
    struct Chance(u64);

    impl Chance {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            f64::from(u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap()) / 4_294_967_296.0
        }

        /// A page that changes at this rate, visited so often with such lengths between.
        fn page(&mut self, rate: f64, visits: usize, length: impl Fn(f64) -> f64) -> Vec<Interval> {
            let mut interval = || {
                let length = length(self.next());
                Interval { length, has_changed: self.next() < chance(rate, length) }
            };
            (0..visits).map(|_| interval()).collect()
        }
    }

    fn seen(intervals: &[(f64, bool)]) -> Vec<Interval> {
        let interval = |&(length, has_changed): &(f64, bool)| Interval { length, has_changed };
        intervals.iter().map(interval).collect()
    }

    fn of_site(pages: &[Vec<Interval>]) -> Option<Prior> {
        Prior::of(pages.iter().map(Vec::as_slice))
    }

    fn near(one: f64, other: f64, part: f64) -> bool {
        (one - other).abs() <= part * other.abs()
    }

    #[test]
    fn equal_intervals_give_the_corrected_estimator_of_cho_and_garcia_molina() {
        for visits in [1_u32, 2, 5, 20] {
            for changes in 0..=visits {
                let intervals: Vec<Interval> = (0..visits)
                    .map(|at| Interval { length: 7.0, has_changed: at < changes })
                    .collect();
                let part = (f64::from(visits - changes) + 0.5) / (f64::from(visits) + 0.5);
                let expect = -part.ln() / 7.0;
                let told = rate(&intervals, None).unwrap();
                assert!(near(told, expect, 1e-6) || expect == 0.0 && told == 0.0, "{told}");
            }
        }
    }

    #[test]
    fn simulated_pages_are_told_their_rate_whether_visits_are_regular_or_not() {
        for (name, length) in
            [("regular", (|_| 1.0) as fn(f64) -> f64), ("irregular", |chance| 0.3 + 1.4 * chance)]
        {
            for (seed, truth) in [(1, 0.2), (2, 0.5), (3, 1.0), (4, 2.0)] {
                let mut random = Chance(seed);
                let pages = 4_000;
                let told = (0..pages).map(|_| rate(&random.page(truth, 20, length), None).unwrap());
                let mean = told.sum::<f64>() / f64::from(pages);
                assert!(near(mean, truth, 0.04), "{name}: {mean} instead of {truth}");
            }
        }
    }

    #[test]
    fn with_few_visits_the_pages_of_the_site_bring_the_rate_nearer_to_the_truth() {
        for (seed, truth) in [(1, 0.2), (2, 0.5), (3, 1.0), (4, 2.0)] {
            let mut random = Chance(seed);
            let pages: Vec<_> = (0..2_000).map(|_| random.page(truth, 2, |_| 1.0)).collect();
            let prior = of_site(&pages).unwrap();
            assert!(near(prior.rate(), truth, 0.1), "{} instead of {truth}", prior.rate());
            let error = |prior| {
                let errors = pages.iter().map(|it| (rate(it, prior).unwrap() - truth).powi(2));
                errors.sum::<f64>()
            };
            assert!(error(Some(prior)) < error(None), "{truth}");
        }
    }

    #[test]
    fn on_a_site_of_busy_and_of_quiet_pages_each_is_told_by_itself() {
        let page = |at: u32| seen(&[(1.0, at.is_multiple_of(10)); 2]);
        let pages: Vec<_> = (0..200).map(page).collect();
        let prior = of_site(&pages);
        let chance_of = |page: &[Interval]| chance(rate(page, prior).unwrap(), 1.0);
        let (busy, quiet) = (chance_of(&pages[0]), chance_of(&pages[1]));
        assert!(busy > 0.75 && quiet < 0.05, "{busy} {quiet}");
    }

    #[test]
    fn a_rate_has_the_unit_of_its_times() {
        let days = seen(&[(1.0, true), (3.0, false), (0.5, true), (2.0, true)]);
        let scaled = |by: f64| -> Vec<Interval> {
            days.iter().map(|it| Interval { length: it.length * by, ..*it }).collect()
        };
        let daily = rate(&days, of_site(std::slice::from_ref(&days))).unwrap();
        for by in [86_400.0, 1e-9, 1e12] {
            let told = rate(&scaled(by), of_site(&[scaled(by)])).unwrap();
            assert!(near(told * by, daily, 1e-6), "{by}: {told}");
        }
    }

    #[test]
    fn a_page_that_was_seen_once_has_the_rate_of_its_site_or_none() {
        assert_eq!(rate(&[], None), None);
        assert_eq!(of_site(&[]), None);
        let prior = of_site(&[seen(&[(1.0, true), (1.0, false), (1.0, false)])]).unwrap();
        assert_eq!(rate(&[], Some(prior)), Some(prior.rate()));
        assert!(prior.rate() > 0.0);
    }

    #[test]
    fn whatever_was_seen_a_rate_is_finite_and_grows_with_every_change() {
        let mut random = Chance(7);
        for round in 0..2_000_u32 {
            let visits = usize::try_from(1 + round % 12).unwrap();
            let mut intervals = random.page(1.0, visits, |chance| (chance * 20.0 - 10.0).exp());
            let site = random.page(f64::from(round % 7), 5, |chance| 0.1 + chance);
            for prior in [None, of_site(&[site])] {
                let told = rate(&intervals, prior).unwrap();
                assert!(told.is_finite() && told >= 0.0, "{told} of {intervals:?}");
            }
            let before = rate(&intervals, None).unwrap();
            if let Some(quiet) = intervals.iter_mut().find(|it| !it.has_changed) {
                quiet.has_changed = true;
                let after = rate(&intervals, None).unwrap();
                assert!(after > before, "{after} after {before}: {intervals:?}");
            }
        }
    }

    #[test]
    fn a_chance_grows_with_age_from_nothing_to_certainty() {
        assert!(chance(0.0, 1e9).abs() < f64::EPSILON);
        assert!(chance(2.0, -5.0).abs() < f64::EPSILON);
        assert!(near(chance(0.5, 2.0), 1.0 - (-1.0_f64).exp(), 1e-12));
        assert!(near(chance(3.0, 1e9), 1.0, 1e-12));
    }
}
