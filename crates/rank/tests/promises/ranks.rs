//! Ranks are those of the plain formulas, and the file of them says so by key.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rhumb_disk::SharedDisk;
use rhumb_rank::{Graph, Level, RankSettings, Ranks, collapse, compute, krank, pagerank};

use crate::history::{Model, folder, histories, key, source, stored};

const DAMPING: f64 = 0.85;

/// The plain formula: `votes` says what all links together give to a page.
fn plain(
    shares: &[f64],
    outs: &[usize],
    votes: impl Fn(usize, &dyn Fn(usize) -> f64) -> f64,
) -> Vec<f64> {
    let mut ranks = shares.to_vec();
    for _ in 0..300 {
        let given = |page: usize| ranks[page] / number(outs[page]);
        let got: Vec<f64> = (0..ranks.len()).map(|page| DAMPING * votes(page, &given)).collect();
        let lost = 1.0 - got.iter().sum::<f64>();
        ranks = got.iter().zip(shares).map(|(got, share)| got + lost * share).collect();
    }
    ranks
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// All edges by node, the domain of every node.
fn read(graph: &Graph) -> (Vec<(usize, usize)>, Vec<u64>) {
    let mut edges = Vec::new();
    let mut links = graph.links();
    while let Some((from, to)) = links.advance().unwrap() {
        let place = |node: u32| usize::try_from(node).unwrap();
        edges.extend(to.iter().map(|to| (place(from), place(*to))));
    }
    let mut domains = Vec::new();
    graph.each_source(|source| domains.push(source.domain)).unwrap();
    (edges, domains)
}

fn plain_pagerank(graph: &Graph) -> Vec<f64> {
    let (edges, domains) = read(graph);
    let outs = outs(&edges, domains.len());
    let shares = vec![1.0 / number(domains.len()); domains.len()];
    plain(&shares, &outs, |page, given| {
        edges.iter().filter(|(_, to)| *to == page).map(|(from, _)| given(*from)).sum()
    })
}

fn plain_krank(graph: &Graph) -> Vec<f64> {
    let (edges, domains) = read(graph);
    let outs = outs(&edges, domains.len());
    let mut sizes = BTreeMap::new();
    for domain in &domains {
        *sizes.entry(*domain).or_insert(0) += 1;
    }
    let shares: Vec<f64> =
        domains.iter().map(|domain| 1.0 / number(sizes.len()) / number(sizes[domain])).collect();
    plain(&shares, &outs, |page, given| {
        let mut by_domain: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (from, _) in edges.iter().filter(|(_, to)| *to == page) {
            by_domain.entry(domains[*from]).or_default().push(given(*from));
        }
        let vote = |(domain, given): (&u64, &Vec<f64>)| {
            let sum = given.iter().sum::<f64>();
            if *domain == domains[page] { sum } else { sum / number(given.len()) }
        };
        by_domain.iter().map(vote).sum()
    })
}

fn outs(edges: &[(usize, usize)], nodes: usize) -> Vec<usize> {
    let mut outs = vec![0; nodes];
    for (from, _) in edges {
        outs[*from] += 1;
    }
    outs
}

fn check_values(found: &[f64], expect: &[f64]) {
    assert_eq!(found.len(), expect.len());
    for (found, expect) in found.iter().zip(expect) {
        assert!((found - expect).abs() < 1e-7, "{found} is not {expect}");
    }
}

/// The file says of every key what the ranks say of the node that it leads to.
fn check_file(disk: &SharedDisk, graph: &Graph, model: &Model) {
    let settings = RankSettings::default();
    let figures = compute(disk, folder(), graph, &settings, 1 << 16).unwrap();
    let ranks = Ranks::open(disk, folder()).unwrap().unwrap();
    assert_eq!(ranks.generation(), figures.generation);
    assert_eq!(Ranks::newest(disk, folder()).unwrap(), Some(figures.generation));
    assert_eq!((ranks.len(), ranks.built_at()), (model.names.len(), graph.built_at()));
    let pages = pagerank(graph, &settings).unwrap().values;
    let sites = collapse(disk, folder(), graph, Level::Site, 1 << 16).unwrap();
    let site_values = krank(&sites, &settings).unwrap().values;
    for page in 0..40 {
        let Some(standing) = ranks.get(key(page)) else {
            assert!(!model.names.contains_key(&key(page)));
            continue;
        };
        let node = graph.node(key(page)).unwrap().unwrap();
        let value = pages[usize::try_from(node).unwrap()];
        let shares = f64::from(standing.page).exp() / number(pages.len());
        assert!((shares - value).abs() < 1e-6, "{shares} is not {value}");
        if model.nodes.contains(&key(page)) {
            let site = sites.node(rhumb_web::UrlKey(source(page).site)).unwrap().unwrap();
            let value = site_values[usize::try_from(site).unwrap()];
            let shares = f64::from(standing.site).exp() / number(site_values.len());
            assert!((shares - value).abs() < 1e-6, "{shares} is not {value}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn ranks_are_those_of_the_plain_formulas(history in histories()) {
        let (_, disk, end) = stored(&history);
        let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
        let settings = RankSettings::default();
        check_values(&pagerank(&graph, &settings).unwrap().values, &plain_pagerank(&graph));
        check_values(&krank(&graph, &settings).unwrap().values, &plain_krank(&graph));
        for level in [Level::Site, Level::Domain] {
            let graph = collapse(&disk, folder(), &graph, level, 1 << 16).unwrap();
            check_values(&pagerank(&graph, &settings).unwrap().values, &plain_pagerank(&graph));
            check_values(&krank(&graph, &settings).unwrap().values, &plain_krank(&graph));
        }
        check_file(&disk, &graph, &Model::of(&history));
    }
}
