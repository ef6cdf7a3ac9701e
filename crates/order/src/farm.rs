//! Link farms: domains that link to each other, and hardly to or from anybody else.
//!
//! Two domains are suspicious if each links to the other and they share nearly all neighbours: in
//! the web at large who links to me is another than who links to those that I link to. Honest
//! neighbours (the sites of a university, of a project) link to each other too, but are known to
//! others, and know others. After Wu and Davison, "Identifying link farm spam pages" (2005).

/// The part of a domain's links that must be returned for it to be in a farm.
const RECIPROCITY: f32 = 0.7;
/// The part of the neighbours of two domains that must be common to both (Jaccard).
const COMMON: f32 = 0.8;
/// A domain with fewer neighbours is in nobody's farm: three friends who link to each other are
/// friends.
const NEIGHBOURS_MIN: usize = 6;
/// A domain with more neighbours is known to the world.
const NEIGHBOURS_MAX: usize = 4_096;
/// Neighbours that a domain is compared with. In a farm any of them will do.
const COMPARED_MAX: usize = 32;
/// Domains that are as suspicious together as any number of them.
const PARTNERS: f32 = 8.0;

/// How suspicious each of so many domains is of being in a link farm, from 0 to 1. Links may come
/// in any order and more than once; links of a domain to itself do not count.
///
/// Each domain is compared with few others, and neighbours of more than a few thousand are not
/// looked at, so that it takes hardly longer than to sort the links.
pub fn farms(domains: u32, links: &[(u32, u32)]) -> Vec<f32> {
    let graph = Graph::of(domains, links);
    let mut suspicion = vec![0.0; place(domains)];
    for (domain, suspicion) in (0..domains).zip(&mut suspicion) {
        if graph.is_suspect(domain) {
            *suspicion = graph.suspicion(domain);
        }
    }
    suspicion
}

/// Who is linked with whom, in either direction.
struct Graph {
    /// Where the neighbours of each domain begin, and at last where all end.
    begins: Vec<usize>,
    /// Neighbours, sorted for each domain, and whether the links between both are returned.
    neighbours: Vec<(u32, Way)>,
}

/// In which directions two domains link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Out,
    In,
    Both,
}

impl Graph {
    fn of(domains: u32, links: &[(u32, u32)]) -> Self {
        let is_link = |(from, to): &&(u32, u32)| from != to && *from < domains && *to < domains;
        let mut ends = Vec::with_capacity(2 * links.len());
        for (from, to) in links.iter().filter(is_link) {
            ends.extend([(*from, *to, Way::Out), (*to, *from, Way::In)]);
        }
        ends.sort_unstable();
        ends.dedup();
        let pairs = ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
        let rows: Vec<_> = pairs
            .map(|pair| {
                (pair[0].0, (pair[0].1, if pair.len() > 1 { Way::Both } else { pair[0].2 }))
            })
            .collect();
        let mut begins = vec![0; place(domains) + 1];
        for (domain, _) in &rows {
            begins[place(*domain) + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        Self { begins, neighbours: rows.into_iter().map(|(_, neighbour)| neighbour).collect() }
    }

    fn neighbours(&self, domain: u32) -> &[(u32, Way)] {
        let at = place(domain);
        &self.neighbours[self.begins[at]..self.begins[at + 1]]
    }

    /// Whether a domain has neighbours as those of a farm have: not few, not many, and most of
    /// those that it links to link back.
    fn is_suspect(&self, domain: u32) -> bool {
        let neighbours = self.neighbours(domain);
        let count = |wanted: Way| neighbours.iter().filter(|(_, way)| *way == wanted).count();
        let (both, out) = (count(Way::Both), count(Way::Out));
        (NEIGHBOURS_MIN..=NEIGHBOURS_MAX).contains(&neighbours.len())
            && share(both, both + out) > RECIPROCITY
    }

    /// How many of those that it is compared with are its likes.
    fn suspicion(&self, domain: u32) -> f32 {
        let own = self.neighbours(domain);
        let partners = own.iter().filter(|(_, way)| *way == Way::Both);
        // From all over the list, so that a farm in which everybody knows a few is met.
        let step = partners.clone().count().div_ceil(COMPARED_MAX).max(1);
        let compared = partners.step_by(step).take(COMPARED_MAX);
        let likes = compared
            .filter(|(other, _)| self.is_suspect(*other))
            .filter(|(other, _)| common(domain, own, *other, self.neighbours(*other)) > COMMON)
            .count();
        (share(likes, 1) / PARTNERS).min(1.0)
    }
}

/// The part of the neighbours of two domains that is common to both; each counts as its own
/// neighbour, for both have each other.
fn common(a: u32, of_a: &[(u32, Way)], b: u32, of_b: &[(u32, Way)]) -> f32 {
    let (mut at_a, mut at_b, mut both) = (0, 0, 0);
    while at_a < of_a.len() && at_b < of_b.len() {
        let (left, right) = (of_a[at_a].0, of_b[at_b].0);
        both += usize::from(left == right);
        at_a += usize::from(left <= right);
        at_b += usize::from(right <= left);
    }
    let has = |of: &[(u32, Way)], whom: u32| of.binary_search_by_key(&whom, |it| it.0).is_ok();
    both += usize::from(has(of_a, b)) + usize::from(has(of_b, a));
    share(both, of_a.len() + of_b.len() + 2 - both)
}

fn place(domain: u32) -> usize {
    usize::try_from(domain).expect("32 bits fit a place")
}

#[expect(clippy::cast_precision_loss, reason = "of some thousands none is lost")]
fn share(part: usize, all: usize) -> f32 {
    part as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::farms;

    /// The suspicion from which on a domain is taken for one of a farm.
    const SUSPECTED: f32 = 0.5;
    const DOMAINS: u32 = 20_000;

    /// Numbers that look like chance.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            u32::try_from((self.0 >> 33) % u64::from(end)).expect("below 32 bits")
        }

        fn holds(&mut self, percent: u32) -> bool {
            self.below(100) < percent
        }
    }

    /// A web in which who has links gets more of them: each domain links to 1 to 20 others, half
    /// of them by where another link leads, and a tenth of all links is returned.
    fn web(chance: &mut Chance) -> Vec<(u32, u32)> {
        let mut links: Vec<(u32, u32)> = Vec::new();
        for from in 1..DOMAINS {
            for _ in 0..=chance.below(20) {
                let to = if links.is_empty() || chance.holds(50) {
                    chance.below(from)
                } else {
                    let met = chance.below(u32::try_from(links.len()).expect("few"));
                    links[usize::try_from(met).expect("few")].1
                };
                links.push((from, to));
                if chance.holds(10) {
                    links.push((to, from));
                }
            }
        }
        links
    }

    /// Links among so many domains, of which each pair is linked in both directions by chance.
    fn cluster(
        links: &mut Vec<(u32, u32)>,
        first: u32,
        count: u32,
        percent: u32,
        chance: &mut Chance,
    ) {
        for from in first..first + count {
            for to in first..first + count {
                if from != to && chance.holds(percent) {
                    links.push((from, to));
                }
            }
        }
    }

    fn suspected(suspicion: &[f32], first: u32, count: u32) -> usize {
        let domains = (first..first + count).map(|at| usize::try_from(at).expect("few"));
        domains.filter(|at| suspicion[*at] >= SUSPECTED).count()
    }

    #[test]
    fn farms_in_a_web_are_found_and_hardly_anybody_else() {
        let mut chance = Chance(1);
        let mut links = web(&mut chance);
        let (mut first, mut farmers) = (DOMAINS, 0);
        for count in [20, 60, 200] {
            // Nearly all link to each other, a few to and from outside, all to one that they serve.
            cluster(&mut links, first, count, 96, &mut chance);
            for member in first..first + count {
                links.push((member, 7));
                if chance.holds(20) {
                    links.push((member, chance.below(DOMAINS)));
                }
                if chance.holds(10) {
                    links.push((chance.below(DOMAINS), member));
                }
            }
            first += count;
            farmers += usize::try_from(count).expect("few");
        }
        let suspicion = farms(first, &links);
        let found = suspected(&suspicion, DOMAINS, first - DOMAINS);
        let others = suspected(&suspicion, 0, DOMAINS);
        println!("recall {found} of {farmers}, precision {found} of {}", found + others);
        assert!(found * 10 >= farmers * 9, "{found} of {farmers}");
        assert!(others * 100 <= found, "{others} others");
        assert!(suspicion.iter().all(|it| (0.0..=1.0).contains(it)));
    }

    #[test]
    fn honest_clusters_are_hardly_suspected() {
        let mut chance = Chance(2);
        let mut links = web(&mut chance);
        // The sites of a university: a portal that all link to and that links to all, institutes
        // that know some of the others, and papers that are read elsewhere.
        let (university, institutes) = (DOMAINS, 80);
        cluster(&mut links, university, institutes, 25, &mut chance);
        // The sites of a project: all have the same bar of links, each has readers of its own.
        let (project, sites) = (university + institutes, 12);
        cluster(&mut links, project, sites, 100, &mut chance);
        for site in university..project + sites {
            links.extend([(university, site), (site, university)]);
            for _ in 0..5 + chance.below(30) {
                links.push((chance.below(DOMAINS), site));
            }
            for _ in 0..chance.below(15) {
                links.push((site, chance.below(DOMAINS)));
            }
        }
        let suspicion = farms(project + sites, &links);
        let found = suspected(&suspicion, university, institutes + sites);
        println!("{found} of {} honest neighbours are suspected", institutes + sites);
        assert!(found <= 2, "{found}");
    }

    #[test]
    fn friends_and_strangers_are_not_suspected() {
        assert_eq!(farms(0, &[]), [0.0; 0]);
        assert_eq!(farms(3, &[(0, 0), (0, 9), (9, 0), (0, 1), (0, 1)]), [0.0; 3]);
        let mut chance = Chance(3);
        let mut friends = Vec::new();
        cluster(&mut friends, 0, 5, 100, &mut chance);
        assert_eq!(farms(5, &friends), [0.0; 5]);
        // Twenty that link to each other and to nobody else are a farm, in whatever order.
        let mut farm = Vec::new();
        cluster(&mut farm, 0, 20, 100, &mut chance);
        let all = farms(20, &farm);
        assert_eq!(all, [1.0; 20]);
        farm.reverse();
        farm.extend_from_within(..50);
        assert_eq!(farms(20, &farm), all);
    }
}
