//! A damaged file is an error that names it, or one whose damaged part nobody read.

use std::path::Path;

use rhumb_disk::{Disk, SharedDisk};
use rhumb_rank::{Graph, RankError, RankSettings, Ranks, compute};

use crate::history::{History, Model, Say, folder, stored};

fn history() -> History {
    (0..40).map(|at| (at, Say::Links((0..at).collect()))).collect()
}

/// Reads everything that there is.
fn read(disk: &SharedDisk, end: u64) -> Result<(), RankError> {
    Ranks::open(disk, folder())?;
    let graph = Graph::open(disk, folder())?.unwrap();
    graph.keys()?;
    graph.each_name(|_, _| Ok(()))?;
    for mut links in [graph.links(), graph.back_links()] {
        while links.advance()?.is_some() {}
    }
    Graph::build(disk, folder(), end, 1 << 16).map(|_| ())
}

#[test]
fn every_damaged_byte_of_every_file_is_noticed_and_the_file_named() {
    for name in ["links", "graph", "ranks"] {
        let path = folder().join(name);
        let (simulated, disk, end) = stored(&history());
        let build = || {
            let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
            compute(&disk, folder(), &graph, &RankSettings::default(), 1 << 16).unwrap();
        };
        build();
        let length = simulated.open(&path).unwrap().length().unwrap();
        for offset in 0..length {
            simulated.flip(&path, offset).unwrap();
            let error = read(&disk, end).expect_err("damage is noticed").to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
            simulated.flip(&path, offset).unwrap();
        }
        read(&disk, end).unwrap();
    }
}

#[test]
fn a_file_that_ends_early_is_noticed() {
    for name in ["links", "graph", "ranks"] {
        let path = folder().join(name);
        let (simulated, disk, end) = stored(&history());
        let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
        compute(&disk, folder(), &graph, &RankSettings::default(), 1 << 16).unwrap();
        for _ in 0..200 {
            let mut file = simulated.open(&path).unwrap();
            let length = file.length().unwrap();
            file.cut(length - length.min(7)).unwrap();
            let error = read(&disk, end).expect_err("damage is noticed").to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
        }
    }
}

#[test]
fn a_damaged_graph_is_removed_when_the_store_is_opened_and_can_be_built_again() {
    let (simulated, disk, end) = stored(&history());
    Graph::build(&disk, folder(), end, 1 << 16).unwrap();
    simulated.flip(Path::new("links/graph"), 7).unwrap();
    let error = Graph::open(&disk, folder()).unwrap_err().to_string();
    assert_eq!(error, "links/graph has format 254, which this version does not read");
    rhumb_rank::LinkStore::open(&disk, folder(), end).unwrap();
    assert!(Graph::open(&disk, folder()).unwrap().is_none());
    let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
    assert_eq!(Model::read(&graph), Model::of(&history()));
}
