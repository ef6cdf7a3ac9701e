//! A graph is what the last words of all documents say, however little memory it is built in.

use proptest::prelude::*;
use rhumb_rank::{Graph, Neighbours};
use rhumb_web::UrlKey;

use crate::history::{History, Model, Say, folder, histories, key, source, stored};

fn check(history: &History, memory: usize) {
    let (_, disk, end) = stored(history);
    let graph = Graph::build(&disk, folder(), end, memory).unwrap();
    let model = Model::of(history);
    assert_eq!(Model::read(&graph), model);
    assert_eq!(graph.built_at(), end);
    for number in 0..40 {
        let key = key(number);
        let node = graph.node(key).unwrap();
        assert_eq!(
            node.map(|node| graph.source(node).unwrap().key),
            model.names.get(&key).copied()
        );
        if model.nodes.contains(&key) {
            assert_eq!(graph.source(node.unwrap()).unwrap(), source(number));
        }
        let end = model.names.get(&key);
        let out = model.edges.iter().filter(|(from, _)| Some(from) == end).map(|(_, to)| *to);
        check_links(&graph.out_links(key, 100).unwrap(), out);
        let into = model.edges.iter().filter(|(_, to)| Some(to) == end).map(|(from, _)| *from);
        check_links(&graph.in_links(key, 100).unwrap(), into);
    }
}

pub(crate) fn check_links(found: &Neighbours, expect: impl Iterator<Item = UrlKey>) {
    let mut keys = found.keys.clone();
    keys.sort_unstable();
    assert_eq!(keys, expect.collect::<Vec<_>>());
    assert_eq!(found.total, u64::try_from(keys.len()).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_graph_is_what_the_last_words_say(history in histories(), memory in 0..40_000usize) {
        check(&history, memory);
    }
}

#[test]
fn a_chain_of_eight_moves_is_followed_and_one_of_nine_is_not() {
    let chain = |moves: u8| -> History {
        let mut history: History = (0..moves).map(|at| (at, Say::Moved(at + 1))).collect();
        history.extend([(moves, Say::Links(vec![])), (30, Say::Links(vec![0]))]);
        history
    };
    assert_eq!(Model::of(&chain(8)).edges.len(), 1);
    check(&chain(8), 1 << 20);
    assert_eq!(Model::of(&chain(9)).edges.len(), 0);
    check(&chain(9), 1 << 20);
}
