//! Whenever the power fails: what was synced is there, and the graph is the old one or the new one.

use rhumb_disk::SharedDisk;
use rhumb_rank::{Graph, LinkStore, RankSettings, Ranks, compute};

use crate::history::{History, Model, Say, folder, stored, tell};

fn history(length: u8) -> History {
    let links = |at: u8| (1..6).map(|step| at.wrapping_mul(step) % 40).collect();
    (0..length).map(|at| (at % 40, Say::Links(links(at)))).collect()
}

#[test]
fn a_crash_while_building_leaves_the_old_graph_and_ranks_or_the_new_ones() {
    let (old, new) = (history(30), history(90));
    let settings = RankSettings::default();
    let (mut olds, mut news) = (0, 0);
    for operations in 0.. {
        let (simulated, disk, _) = stored(&old);
        let end = LinkStore::open(&disk, folder(), stored(&old).2).unwrap().end();
        let graph = Graph::build(&disk, folder(), end, 2_000).unwrap();
        let before = compute(&disk, folder(), &graph, &settings, 2_000).unwrap().generation;
        let mut store = LinkStore::open(&disk, folder(), end).unwrap();
        new[30..].iter().for_each(|(number, say)| tell(&mut store, *number, say));
        let later = store.sync().unwrap();

        simulated.fail_after(operations);
        let rebuilt = rebuild(&disk, later, &settings);
        simulated.crash();

        let graph = Graph::open(&disk, folder()).unwrap().unwrap();
        let ranks = Ranks::open(&disk, folder()).unwrap().unwrap();
        let is_new = graph.built_at() == later;
        assert_eq!(Model::read(&graph), Model::of(if is_new { &new } else { &old }));
        assert!(is_new || graph.built_at() == end);
        if ranks.built_at() == end {
            assert_eq!(ranks.generation(), before);
            olds += 1;
        } else {
            assert!(is_new && ranks.built_at() == later && ranks.generation() != before);
            news += 1;
        }
        let again = rebuild(&disk, later, &settings).unwrap();
        assert_eq!(Ranks::newest(&disk, folder()).unwrap(), Some(again));
        if let Ok(generation) = rebuilt {
            assert_eq!(generation, again);
            break;
        }
    }
    assert!(olds > 10 && news > 0, "{olds} old, {news} new");
}

fn rebuild(
    disk: &SharedDisk,
    end: u64,
    settings: &RankSettings,
) -> Result<u64, rhumb_rank::RankError> {
    let graph = Graph::build(disk, folder(), end, 2_000)?;
    compute(disk, folder(), &graph, settings, 2_000).map(|figures| figures.generation)
}

#[test]
fn a_crash_while_appending_leaves_all_that_was_synced() {
    let history = history(100);
    for operations in 0..40 {
        let (simulated, disk, committed) = stored(&history[..20].to_vec());
        simulated.fail_after(operations);
        let mut end = committed;
        let mut synced = 20;
        if let Ok(mut store) = LinkStore::open(&disk, folder(), end) {
            for (at, (number, say)) in history.iter().enumerate().skip(20) {
                tell(&mut store, *number, say);
                match store.sync() {
                    Ok(reached) => (end, synced) = (reached, at + 1),
                    Err(_) => break,
                }
            }
        }
        simulated.crash();
        let store = LinkStore::open(&disk, folder(), end).unwrap();
        assert_eq!(store.size_bytes(), end);
        let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
        assert_eq!(Model::read(&graph), Model::of(&history[..synced]));
    }
}

#[test]
fn a_graph_of_more_than_was_committed_is_removed_with_its_ranks() {
    let (_, disk, end) = stored(&history(50));
    let graph = Graph::build(&disk, folder(), end, 1 << 16).unwrap();
    compute(&disk, folder(), &graph, &RankSettings::default(), 1 << 16).unwrap();
    LinkStore::open(&disk, folder(), end).unwrap();
    assert!(Graph::open(&disk, folder()).unwrap().is_some());
    LinkStore::open(&disk, folder(), 8).unwrap();
    assert!(Graph::open(&disk, folder()).unwrap().is_none());
    assert!(Ranks::open(&disk, folder()).unwrap().is_none());
}
