use std::sync::Arc;

use rhumb_disk::SimulatedDisk;

use super::*;
use crate::{LinkStore, Said};

const MEMORY: usize = 1 << 20;

fn page(key: u64, site: u64, domain: u64) -> Source {
    Source { key: UrlKey(key), site, domain }
}

/// A disk with a graph of documents that link to these keys.
fn graph(documents: &[(Source, &[u64])]) -> (SharedDisk, Graph) {
    let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
    let folder = Path::new("links");
    let mut store = LinkStore::open(&disk, folder, 0).unwrap();
    for (source, links) in documents {
        let links: Vec<UrlKey> = links.iter().map(|key| UrlKey(*key)).collect();
        store.append(*source, &Said::Links(&links)).unwrap();
    }
    let end = store.sync().unwrap();
    let graph = Graph::build(&disk, folder, end, MEMORY).unwrap();
    (disk, graph)
}

fn numbers(neighbours: &Neighbours) -> Vec<u64> {
    neighbours.keys.iter().map(|key| key.0).collect()
}

#[test]
fn the_pages_of_a_domain_and_of_a_site_lie_together() {
    let documents = [(5, 2, 1), (4, 1, 1), (3, 9, 0), (2, 2, 1), (1, 1, 1)];
    let documents = documents.map(|(key, site, domain)| (page(key, site, domain), &[][..]));
    let (_, graph) = graph(&documents);
    let keys: Vec<u64> = graph.keys().unwrap().iter().map(|key| key.0).collect();
    assert_eq!(keys, [3, 1, 4, 2, 5]);
    assert_eq!(graph.source(3).unwrap(), page(2, 2, 1));
    assert_eq!(graph.node(UrlKey(5)).unwrap(), Some(4));
    assert_eq!(graph.node(UrlKey(6)).unwrap(), None);
}

#[test]
fn links_are_known_both_ways_up_to_a_limit() {
    let (_, graph) = graph(&[
        (page(1, 1, 1), &[1, 2, 3, 77]),
        (page(2, 1, 1), &[3]),
        (page(3, 2, 2), &[]),
        (page(4, 3, 3), &[3, 1]),
    ]);
    assert_eq!((graph.nodes(), graph.edges()), (4, 5));
    assert_eq!(numbers(&graph.out_links(UrlKey(1), 10).unwrap()), [2, 3]);
    assert_eq!(numbers(&graph.in_links(UrlKey(3), 10).unwrap()), [1, 2, 4]);
    let some = graph.in_links(UrlKey(3), 2).unwrap();
    assert_eq!((numbers(&some), some.total), (vec![1, 2], 3));
    assert_eq!(graph.in_links(UrlKey(77), 2).unwrap(), Neighbours::default());
}

#[test]
fn a_list_beyond_a_block_is_whole() {
    let hub = page(500_000, 1, 9);
    let mut documents = vec![(hub, &[][..])];
    documents.extend((0..40_000).map(|key| (page(key * 3, key, key % 5), &[500_000][..])));
    let (_, graph) = graph(&documents);
    let found = graph.in_links(hub.key, 50_000).unwrap();
    assert_eq!((found.keys.len(), found.total), (40_000, 40_000));
    assert_eq!(graph.out_links(UrlKey(3), 9).unwrap().keys, [hub.key]);
}

#[test]
fn sites_and_domains_are_linked_where_their_pages_are() {
    let (disk, graph) = graph(&[
        (page(1, 11, 100), &[2, 3, 4]),
        (page(2, 11, 100), &[4]),
        (page(3, 12, 100), &[1]),
        (page(4, 21, 200), &[]),
    ]);
    let folder = Path::new("links");
    let sites = collapse(&disk, folder, &graph, Level::Site, MEMORY).unwrap();
    assert_eq!((sites.nodes(), sites.edges()), (3, 3));
    assert_eq!(numbers(&sites.out_links(UrlKey(11), 9).unwrap()), [12, 21]);
    assert_eq!(numbers(&sites.in_links(UrlKey(11), 9).unwrap()), [12]);
    let domains = collapse(&disk, folder, &graph, Level::Domain, MEMORY).unwrap();
    assert_eq!((domains.nodes(), domains.edges()), (2, 1));
    assert_eq!(numbers(&domains.in_links(UrlKey(200), 9).unwrap()), [100]);
    assert_eq!(domains.built_at(), graph.built_at());
}

#[test]
fn a_graph_of_nothing_is_a_graph() {
    let (disk, built) = graph(&[]);
    assert_eq!((built.nodes(), built.edges()), (0, 0));
    assert_eq!(built.in_links(UrlKey(1), 5).unwrap(), Neighbours::default());
    assert!(built.links().advance().unwrap().is_none());
    assert!(Graph::open(&disk, Path::new("elsewhere")).unwrap().is_none());
}
