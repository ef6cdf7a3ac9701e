//! Trust and votes of the domains that were met, computed anew as they grow.

use std::collections::HashSet;

use rhumb_order::{Crowd, Standing, trust};

use crate::graph::{number, place};

/// What flows on along a link, as in [`trust`].
const DAMPING: f32 = 0.85;
/// A domain that was not met.
const UNMET: u32 = u32::MAX;

/// Who links to whom, and what follows from it. Domains have numbers by when they were met.
#[derive(Debug)]
pub(super) struct Standings {
    numbers: Vec<u32>,
    links: Vec<(u32, u32)>,
    linked: HashSet<(u32, u32)>,
    /// Other domains that each links to.
    outs: Vec<u32>,
    all: Vec<Standing>,
    crowd: Crowd,
    seeds: u32,
    /// Domains and links at the last computation.
    computed: (usize, usize),
}

impl Standings {
    /// Of so many domains, of which these are trusted; all others are to be met.
    pub(super) fn new(domains: u32, seeds: impl Iterator<Item = u32>) -> Self {
        let mut this = Self {
            numbers: vec![UNMET; place(domains)],
            links: Vec::new(),
            linked: HashSet::new(),
            outs: Vec::new(),
            all: Vec::new(),
            crowd: Crowd::default(),
            seeds: 0,
            computed: (0, 0),
        };
        for seed in seeds {
            this.meet(seed, None);
        }
        this.seeds = number(this.all.len());
        this.compute();
        this
    }

    /// A page of one domain links to a page of another.
    pub(super) fn link(&mut self, from: u32, to: u32) {
        if from == to {
            return;
        }
        let from = self.meet(from, None);
        let is_new = self.numbers[place(to)] == UNMET;
        let link = (from, if is_new { number(self.outs.len()) } else { self.numbers[place(to)] });
        if self.linked.insert(link) {
            self.links.push(link);
            self.outs[place(from)] += 1;
            if is_new {
                self.meet(to, Some(from));
            }
        }
    }

    /// Computes anew if they have grown by a tenth, and says whether they had.
    pub(super) fn refresh(&mut self) -> bool {
        let (domains, links) = self.computed;
        let is_due = self.all.len() * 10 > domains * 11 || self.links.len() * 10 > links * 11;
        if is_due {
            self.compute();
        }
        is_due
    }

    pub(super) fn of(&self, domain: u32) -> Standing {
        self.numbers
            .get(place(domain))
            .and_then(|number| self.all.get(place(*number)))
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn crowd(&self) -> Crowd {
        self.crowd
    }

    /// The number of a domain. One that is new has what its first linker gives it, until the flow
    /// is computed anew.
    fn meet(&mut self, domain: u32, from: Option<u32>) -> u32 {
        if self.numbers[place(domain)] == UNMET {
            self.numbers[place(domain)] = number(self.all.len());
            let standing = from.map(|from| {
                let parts = f64::from(self.outs[place(from)].max(1));
                let given = f64::from(DAMPING * self.all[place(from)].trust) / parts;
                #[expect(clippy::cast_possible_truncation, reason = "it is an estimate")]
                let trust = given as f32;
                Standing { trust, votes: 1 }
            });
            self.all.push(standing.unwrap_or_default());
            self.outs.push(0);
        }
        self.numbers[place(domain)]
    }

    fn compute(&mut self) {
        self.computed = (self.all.len(), self.links.len());
        let seeds: Vec<u32> = (0..self.seeds).collect();
        let trust = trust(number(self.all.len()), self.links.clone(), &seeds);
        self.all = trust.standings;
        self.crowd = Crowd { level: self.crowd.level, ..trust.crowd };
    }

    pub(super) fn raise(&mut self) {
        self.crowd.level += 1;
    }
}
