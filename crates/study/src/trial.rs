//! What a crawl of a graph was worth, point by point; and many of them at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::graph::place;
use crate::run::{Known, Plan, Run};

/// Points that are kept of a crawl, beside those that are asked for.
const POINTS: u32 = 200;
/// Parts of the normal web, in per cent, at which a farm is measured; at the last it ends.
pub const FARM_AT: [u32; 4] = [50, 90, 95, 99];
/// A crawl with a farm ends after so many times the pages of the graph.
const FARM_FETCHES: u64 = 4;

/// How a crawl stood.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Pages that were fetched.
    pub fetched: u64,
    /// The rank of all of them.
    pub mass: f64,
    /// How many of them were spam, the farm's included.
    pub spam: u64,
    /// How many of them were the farm's.
    pub farm: u64,
    /// How often the ceiling was raised.
    pub level: u32,
    /// Virtual seconds since the beginning.
    pub seconds: f64,
}

impl Point {
    /// The part of pages that were spam.
    pub fn spam_share(&self) -> f64 {
        ratio(self.spam, self.fetched)
    }

    /// The part of pages that were the farm's.
    pub fn farm_share(&self) -> f64 {
        ratio(self.farm, self.fetched)
    }
}

fn ratio(part: u64, of: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of pages are far below 2⁵²")]
    let (part, of) = (part as f64, of.max(1) as f64);
    part / of
}

/// A crawl as it went.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Its order.
    pub order: &'static str,
    /// Its budget.
    pub budget: &'static str,
    /// The pages of the graph.
    pub pages: u32,
    /// How it stood, from its beginning to its end.
    pub points: Vec<Point>,
    /// How it stood when these parts of the normal web were fetched; none that it never reached.
    pub farm: Vec<(u32, Option<Point>)>,
}

impl Trial {
    /// How it stood when so many pages in a hundred were fetched; at its end, where that came
    /// first.
    pub fn at(&self, percent: f64) -> Point {
        let goal = crate::run::share(self.pages, percent);
        let at = self.points.partition_point(|point| point.fetched < goal);
        self.points.get(at).or(self.points.last()).copied().unwrap_or_default()
    }

    /// Runs a crawl to its end; it is to be known how it stood at these parts in a hundred.
    pub fn run(known: &Known, plan: Plan, at: &[f64]) -> Self {
        let graph = &known.graph;
        let pages = graph.pages();
        let mut goals: Vec<u64> =
            (0..=POINTS).map(|it| u64::from(it) * u64::from(pages) / u64::from(POINTS)).collect();
        goals.extend(at.iter().map(|percent| crate::run::share(pages, *percent)));
        goals.sort_unstable();
        goals.dedup();
        let reachable = graph.reachable();
        let is_normal = |page: u32| page < pages && !graph.is_spam(page);
        let all = (0..pages).filter(|page| is_normal(*page) && reachable[place(*page)]).count();
        let all = u64::try_from(all).expect("a length fits 64 bits");
        let mut trial = Self {
            order: plan.contender.name(),
            budget: plan.budget.name(),
            pages,
            points: vec![Point::default()],
            farm: Vec::new(),
        };
        let (mut now, mut normal) = (Point::default(), 0_u64);
        let mut goals = goals.into_iter().skip_while(|goal| *goal == 0).peekable();
        let mut parts = FARM_AT.iter().copied().peekable();
        for fetch in Run::new(known, plan) {
            now.fetched += 1;
            now.mass += crate::run::rank_of(&known.ranks, fetch.page);
            now.farm += u64::from(fetch.page >= pages);
            now.spam += u64::from(fetch.page >= pages || graph.is_spam(fetch.page));
            now.level = fetch.level;
            now.seconds = crate::run::seconds(fetch.at_us);
            normal += u64::from(is_normal(fetch.page));
            if goals.next_if(|goal| *goal <= now.fetched).is_some() {
                trial.points.push(now);
            }
            if plan.farm.is_some() {
                while let Some(part) = parts.next_if(|it| normal * 100 >= all * u64::from(*it)) {
                    trial.farm.push((part, Some(now)));
                }
                let fetched_max = u64::from(pages) * FARM_FETCHES;
                if parts.peek().is_none() || now.fetched >= fetched_max {
                    break;
                }
            }
        }
        if plan.farm.is_some() {
            trial.farm.extend(parts.map(|part| (part, None)));
        }
        if trial.points.last() != Some(&now) {
            trial.points.push(now);
        }
        trial
    }
}

/// Runs all plans on a graph, as many at once as there are cores, and tells of each that has ended.
pub fn trials(
    known: &Known,
    plans: &[Plan],
    at: &[f64],
    ended: impl Fn(&Trial) + Sync,
) -> Vec<Trial> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Trial)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..cores.min(plans.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = plans.get(number) else { break };
                    let trial = Trial::run(known, *plan, at);
                    ended(&trial);
                    done.lock().expect("no trial holds it while it fails").push((number, trial));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no trial holds it while it fails");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, trial)| trial).collect()
}
