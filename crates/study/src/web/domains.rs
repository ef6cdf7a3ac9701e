//! The domains of a generated web: how large, how famous, of which subject, of which farm.

use crate::chance::{Chance, whole};
use crate::graph::{number, place};

/// Pages of a domain, in the mean.
const PAGES: u32 = 50;
/// How the sizes of domains fall off, and how much larger than the smallest one can be.
const SIZE_POWER: f64 = 1.15;
const SIZE_MAX: f64 = 1_000.0;
/// How fame falls off, and how much more famous than another of its size a domain can be.
const FAME_POWER: f64 = 1.2;
const FAME_MAX: f64 = 2_000.0;
/// Domains of one subject, in the mean.
const KIN: u32 = 100;
/// One domain of so many is spam.
const SPAM: u32 = 20;
/// Domains of a farm, in the mean.
const FARM: u32 = 25;

/// All domains, by number. The numbers say nothing of size or fame.
pub(super) struct Domains {
    /// The first page of each; one more than there are domains.
    homes: Vec<u32>,
    farm_of: Vec<Option<u32>>,
    kin_of: Vec<u32>,
    farms: Vec<Vec<u32>>,
    /// All that are no spam, and the same by subject.
    normal: Famous,
    kin: Vec<Famous>,
}

/// Domains that are drawn by their fame.
#[derive(Default)]
struct Famous {
    domains: Vec<u32>,
    /// The fame of each and of all before it.
    sums: Vec<f64>,
}

impl Famous {
    fn add(&mut self, domain: u32, fame: f64) {
        self.domains.push(domain);
        self.sums.push(self.sums.last().copied().unwrap_or_default() + fame);
    }

    fn draw(&self, chance: &mut Chance) -> u32 {
        let point = self.sums.last().copied().unwrap_or_default() * chance.part();
        let at = self.sums.partition_point(|sum| *sum <= point);
        self.domains[at.min(self.domains.len() - 1)]
    }

    fn fame(&self, at: usize) -> f64 {
        self.sums[at] - at.checked_sub(1).map_or(0.0, |before| self.sums[before])
    }
}

impl Domains {
    /// Those of so many pages.
    pub(super) fn draw(pages: u32, chance: &mut Chance) -> Self {
        let count = (pages / PAGES).max(20);
        let weights: Vec<f64> = (0..count).map(|_| chance.pareto(SIZE_POWER, SIZE_MAX)).collect();
        let total: f64 = weights.iter().sum();
        let mut homes = vec![0];
        let mut sum = 0.0;
        for (domain, weight) in (1..=count).zip(&weights) {
            sum += weight;
            // Each has a page at least, and leaves one for each that follows.
            let end = whole(f64::from(pages) * sum / total);
            let least = homes.last().copied().unwrap_or_default() + 1;
            homes.push(end.clamp(least, pages - (count - domain)));
        }
        homes[place(count)] = pages;
        let farms = (count / SPAM / FARM).max(1);
        let spam = (count / SPAM).max(2);
        let subjects = (count / KIN).max(1);
        let mut domains = Self {
            homes,
            farm_of: vec![None; place(count)],
            kin_of: (0..count).map(|_| chance.below(subjects)).collect(),
            farms: vec![Vec::new(); place(farms)],
            normal: Famous::default(),
            kin: (0..subjects).map(|_| Famous::default()).collect(),
        };
        for number in 0..spam {
            let mut domain = chance.below(count);
            while domains.farm_of[place(domain)].is_some() {
                domain = chance.below(count);
            }
            domains.farm_of[place(domain)] = Some(number % farms);
            domains.farms[place(number % farms)].push(domain);
        }
        for (domain, weight) in (0..count).zip(&weights) {
            let fame = weight.sqrt() * chance.pareto(FAME_POWER, FAME_MAX);
            if domains.farm_of[place(domain)].is_none() {
                domains.normal.add(domain, fame);
                domains.kin[place(domains.kin_of[place(domain)])].add(domain, fame);
            }
        }
        domains
    }

    pub(super) fn count(&self) -> u32 {
        number(self.farm_of.len())
    }

    pub(super) fn farms(&self) -> u32 {
        number(self.farms.len())
    }

    /// The number of a domain's first page.
    pub(super) fn home(&self, domain: u32) -> u32 {
        self.homes[place(domain)]
    }

    pub(super) fn size(&self, domain: u32) -> u32 {
        self.homes[place(domain) + 1] - self.homes[place(domain)]
    }

    /// The farm of a domain that is spam.
    pub(super) fn farm_of(&self, domain: u32) -> Option<u32> {
        self.farm_of[place(domain)]
    }

    /// All that are no spam.
    pub(super) fn normal(&self) -> &[u32] {
        &self.normal.domains
    }

    /// Those that are no spam, the most famous first.
    pub(super) fn by_fame(&self) -> Vec<u32> {
        let fames = (0..self.normal.domains.len()).map(|at| self.normal.fame(at));
        let mut famous: Vec<(f64, u32)> = fames.zip(self.normal.domains.iter().copied()).collect();
        famous.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        famous.into_iter().map(|(_, domain)| domain).collect()
    }

    /// A domain that is linked to: one of any subject, or of that of a domain.
    pub(super) fn famous(&self, kin: Option<u32>, chance: &mut Chance) -> u32 {
        match kin {
            Some(domain) => self.kin[place(self.kin_of[place(domain)])].draw(chance),
            None => self.normal.draw(chance),
        }
    }

    /// A domain of a farm.
    pub(super) fn of_farm(&self, farm: u32, chance: &mut Chance) -> u32 {
        let domains = &self.farms[place(farm)];
        domains[place(chance.below(number(domains.len())))]
    }

    /// A page of a domain.
    pub(super) fn any_page(&self, domain: u32, chance: &mut Chance) -> u32 {
        self.home(domain) + chance.below(self.size(domain))
    }
}
