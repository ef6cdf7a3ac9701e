//! Ranks: where somebody is found who follows links at random and now and then starts anew.
//!
//! Both ranks are the fixed point of `x = d·A·x + lost·v`: a page gives its rank in equal parts
//! to the pages that it links to, and whatever is lost on the way (by starting anew, with chance
//! 1 - d, and at pages without links) is given to all by their shares `v`.
//!
//! [`pagerank`]: every link counts, every page has the same share.
//! [`krank`]: one vote a domain. Every registrable domain has the same share, and its pages have
//! equal parts of it. From its own domain a page gets what every link gives; from another domain
//! it gets the mean of what the links of that domain's pages give, however many they are. So a
//! farm of pages on one domain has the share of one domain, and one vote.

use crate::graph::{Graph, Groups, Level};
use crate::width::place;
use crate::{LinkStream, RankError};

/// How ranks are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSettings {
    /// The chance to follow a link rather than to start anew; below 1.
    pub damping: f64,
    /// Enough when a round changes the ranks, which sum to 1, by less in all. What is missing
    /// then is at most `damping / (1 - damping)` times as much.
    pub tolerance: f64,
    /// Enough after so many rounds in any case.
    pub rounds_max: u32,
}

impl Default for RankSettings {
    fn default() -> Self {
        Self { damping: 0.85, tolerance: 1e-8, rounds_max: 200 }
    }
}

/// Ranks of all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// By the number of the node. They sum to 1.
    pub values: Vec<f64>,
    /// How many rounds it took.
    pub rounds: u32,
    /// What the last round changed.
    pub change: f64,
}

/// `PageRank` of every node: Page et al. 1999, with what nodes without links have given to all
/// alike. Holds 28 bytes a node.
pub fn pagerank(graph: &Graph, settings: &RankSettings) -> Result<Ranking, RankError> {
    let share = 1.0 / f64::from(graph.nodes());
    rank(graph, settings, |_| share, every_link)
}

/// One-vote-per-domain rank of every node: our reading of K-rank. Holds 32 bytes a node, and 12
/// a domain.
pub fn krank(graph: &Graph, settings: &RankSettings) -> Result<Ranking, RankError> {
    let groups = Groups::read(graph, Level::Domain)?;
    let sizes = groups.sizes();
    let domains = f64::from(u32::try_from(sizes.len()).expect("a domain has at least one node"));
    let shares: Vec<f64> = sizes.map(|size| 1.0 / (domains * f64::from(size))).collect();
    rank(
        graph,
        settings,
        |node| shares[place(groups.of[node])],
        |links, given, got| one_vote_a_domain(links, given, got, &groups),
    )
}

/// Rounds until little changes.
fn rank(
    graph: &Graph,
    settings: &RankSettings,
    share: impl Fn(usize) -> f64,
    pull: impl Fn(LinkStream<'_>, &[f64], &mut [f64]) -> Result<(), RankError>,
) -> Result<Ranking, RankError> {
    let outs = degrees(graph)?;
    let parts = |rank: f64, node: usize| rank / f64::from(outs[node].max(1));
    let mut values: Vec<f64> = (0..outs.len()).map(&share).collect();
    let mut given: Vec<f64> = (0..outs.len()).map(|node| parts(values[node], node)).collect();
    let mut got = vec![0.0; outs.len()];
    let (mut rounds, mut change) = (0, f64::from(u8::from(!outs.is_empty())));
    while rounds < settings.rounds_max && change > settings.tolerance {
        got.fill(0.0);
        pull(graph.back_links(), &given, &mut got)?;
        let lost = 1.0 - settings.damping * got.iter().sum::<f64>();
        change = 0.0;
        for (node, got) in got.iter().enumerate() {
            let value = settings.damping * got + lost * share(node);
            change += (value - values[node]).abs();
            values[node] = value;
            given[node] = parts(value, node);
        }
        rounds += 1;
    }
    Ok(Ranking { values, rounds, change })
}

fn every_link(mut links: LinkStream<'_>, given: &[f64], got: &mut [f64]) -> Result<(), RankError> {
    while let Some((node, sources)) = links.advance()? {
        got[place(node)] += sources.iter().map(|source| given[place(*source)]).sum::<f64>();
    }
    Ok(())
}

/// The pages of a domain lie together, and so do they among the sources of a node.
fn one_vote_a_domain(
    mut links: LinkStream<'_>,
    given: &[f64],
    got: &mut [f64],
    domains: &Groups,
) -> Result<(), RankError> {
    let mut vote = Vote::default();
    let (mut at, mut home) = (None, 0..0);
    while let Some((node, sources)) = links.advance()? {
        if let Some(before) = at.replace(node)
            && before != node
        {
            got[place(before)] += vote.end();
        }
        if !home.contains(&node) {
            home = domains.around(node);
        }
        let mut sum = 0.0;
        for source in sources {
            if home.contains(source) {
                sum += given[place(*source)];
                continue;
            }
            if *source >= vote.until {
                sum += vote.end();
                vote.until = domains.around(*source).end;
            }
            vote.sum += given[place(*source)];
            vote.count += 1;
        }
        got[place(node)] += sum;
    }
    if let Some(last) = at {
        got[place(last)] += vote.end();
    }
    Ok(())
}

/// What one domain gives to a node.
#[derive(Default)]
struct Vote {
    /// The first node after those of the domain.
    until: u32,
    sum: f64,
    count: u32,
}

impl Vote {
    fn end(&mut self) -> f64 {
        let mean = self.sum / f64::from(self.count.max(1));
        *self = Self::default();
        mean
    }
}

/// How many links every node has.
fn degrees(graph: &Graph) -> Result<Vec<u32>, RankError> {
    let mut degrees = vec![0; place(graph.nodes())];
    let mut links = graph.links();
    while let Some((node, neighbours)) = links.advance()? {
        degrees[place(node)] += u32::try_from(neighbours.len()).expect("a piece is small");
    }
    Ok(degrees)
}
