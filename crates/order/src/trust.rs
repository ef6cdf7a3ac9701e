//! Trust and votes of domains: one flow over the graph of who links to whom.

use crate::Crowd;

/// The chance to follow a link rather than to start anew at a seed. Lower than that of `PageRank`:
/// what flows into a farm stays there for less long, and the best pages hardly change their places
/// (docs/simulate.md).
const DAMPING: f64 = 0.7;
/// Rounds of the flow; after twenty less than 4 % of it is on its way.
const ROUNDS: usize = 20;
/// Domains that stand out by their votes: `IRLbot`'s number.
const FOREMOST: usize = 10_000;

/// What a domain has in the eyes of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Its part of the trust.
    pub trust: f32,
    /// Other domains that link to it.
    pub votes: u32,
}

/// The standing of all domains, by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trust {
    /// By number.
    pub standings: Vec<Standing>,
    /// What holds for all of them.
    pub crowd: Crowd,
}

/// The standing of so many domains from the links between them and from those that are trusted.
/// Links may come in any order and more than once; links of a domain to itself do not count.
pub fn trust(domains: u32, mut links: Vec<(u32, u32)>, seeds: &[u32]) -> Trust {
    links.retain(|(from, to)| from != to);
    links.sort_unstable();
    links.dedup();
    let count = usize::try_from(domains).expect("32 bits fit a place");
    let at = |domain: u32| usize::try_from(domain).expect("32 bits fit a place");
    let (mut outs, mut votes) = (vec![0_u32; count], vec![0_u32; count]);
    for (from, to) in &links {
        outs[at(*from)] += 1;
        votes[at(*to)] += 1;
    }
    let mut home = vec![0.0_f64; count];
    let mut seeds: Vec<u32> = seeds.iter().copied().filter(|it| *it < domains).collect();
    seeds.sort_unstable();
    seeds.dedup();
    for seed in &seeds {
        home[at(*seed)] = 1.0 / f64::from(u32::try_from(seeds.len()).expect("fewer than domains"));
    }
    let mut flow = home.clone();
    let mut next = vec![0.0_f64; count];
    for _ in 0..ROUNDS {
        next.fill(0.0);
        for (from, to) in &links {
            next[at(*to)] += flow[at(*from)] / f64::from(outs[at(*from)]);
        }
        // What starts anew, and what domains without links had, goes to the seeds.
        let kept: f64 = DAMPING * next.iter().sum::<f64>();
        let total: f64 = flow.iter().sum();
        for (next, home) in next.iter_mut().zip(&home) {
            *next = DAMPING * *next + (total - kept) * home;
        }
        std::mem::swap(&mut flow, &mut next);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a part of one is precise enough")]
    let standing = |(flow, votes): (&f64, &u32)| Standing { trust: *flow as f32, votes: *votes };
    let standings = flow.iter().zip(&votes).map(standing).collect();
    let mut by_votes = votes;
    let foremost = FOREMOST.min(count.saturating_sub(1));
    let votes_floor = match by_votes.len() {
        0 => 0,
        _ => *by_votes.select_nth_unstable_by(foremost, |a, b| b.cmp(a)).1,
    };
    let votes_max = by_votes.iter().copied().max().unwrap_or_default();
    let crowd = Crowd { domains: u64::from(domains), votes_max, votes_floor, level: 0 };
    Trust { standings, crowd }
}
