//! The links of a document are those of now, not only those of the last graph.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rhumb_rank::{Graph, LinkStore, links_from, links_to};
use rhumb_web::UrlKey;

use crate::graphs::check_links;
use crate::history::{History, Say, folder, histories, key, stored, tell};

/// The history without moves: those since the graph was built are not followed.
fn unmoved(history: History) -> History {
    let still = |say| if matches!(say, Say::Moved(_)) { Say::Gone } else { say };
    history.into_iter().map(|(number, say)| (number, still(say))).collect()
}

fn check(before: &History, since: &History) {
    let (_, disk, built_at) = stored(before);
    let graph = Graph::build(&disk, folder(), built_at, 1 << 16).unwrap();
    let mut store = LinkStore::open(&disk, folder(), built_at).unwrap();
    for (number, say) in since {
        tell(&mut store, *number, say);
    }
    let end = store.sync().unwrap();
    let last: BTreeMap<u8, &Say> =
        before.iter().chain(since).map(|(number, say)| (*number, say)).collect();
    let named = |number: u8| match last.get(&number) {
        Some(Say::Links(links)) => links.iter().copied().collect(),
        _ => BTreeSet::new(),
    };
    for number in 0..40 {
        // Links to what the graph did not know come with the next graph.
        if graph.node(key(number)).unwrap().is_some() {
            let mut sources: Vec<UrlKey> = (0..40)
                .filter(|from| *from != number && named(*from).contains(&number))
                .map(key)
                .collect();
            sources.sort_unstable();
            let found = links_to(&disk, folder(), Some(&graph), end, key(number), 100).unwrap();
            check_links(&found, sources.into_iter());
        }
        if since.iter().any(|(from, _)| *from == number) {
            let found = links_from(&disk, folder(), Some(&graph), end, key(number), 100).unwrap();
            let mut targets: Vec<UrlKey> = named(number).into_iter().map(key).collect();
            targets.sort_unstable();
            check_links(&found, targets.into_iter());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn links_that_were_said_since_the_graph_was_built_count(
        before in histories(),
        since in histories(),
    ) {
        check(&unmoved(before), &unmoved(since));
    }
}

#[test]
fn without_a_graph_the_store_alone_tells() {
    let (_, disk, end) = stored(&vec![(1, Say::Links(vec![2, 3])), (4, Say::Links(vec![2]))]);
    let into = links_to(&disk, folder(), None, end, key(2), 1).unwrap();
    assert_eq!((into.keys.len(), into.total), (1, 2));
    let out = links_from(&disk, folder(), None, end, key(1), 9).unwrap();
    assert_eq!((out.keys.len(), out.total), (2, 2));
}
