//! Histories of a small web, and what they mean without files, sorting or numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_rank::{Graph, LinkStore, Said, Source};
use rhumb_web::UrlKey;

pub(crate) fn folder() -> &'static Path {
    Path::new("links")
}

/// What a document says, by small numbers.
#[derive(Clone, Debug)]
pub(crate) enum Say {
    Links(Vec<u8>),
    Moved(u8),
    Gone,
}

pub(crate) type History = Vec<(u8, Say)>;

/// Most link, some move (also to themselves, in chains and in loops), some go.
pub(crate) fn histories() -> impl Strategy<Value = History> {
    let say = prop_oneof![
        6 => vec(0..40u8, 0..12).prop_map(Say::Links),
        2 => (0..40u8).prop_map(Say::Moved),
        1 => Just(Say::Gone),
    ];
    vec((0..40u8, say), 0..120)
}

/// Spreads small numbers over all keys, as a hash does.
pub(crate) fn key(number: u8) -> UrlKey {
    UrlKey((u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

pub(crate) fn source(number: u8) -> Source {
    Source { key: key(number), site: u64::from(number % 9), domain: u64::from(number % 9 / 2) }
}

pub(crate) fn tell(store: &mut LinkStore, number: u8, say: &Say) {
    let links: Vec<UrlKey>;
    let said = match say {
        Say::Links(numbers) => {
            links = numbers.iter().map(|number| key(*number)).collect();
            Said::Links(&links)
        }
        Say::Moved(to) => Said::Moved(key(*to)),
        Say::Gone => Said::Gone,
    };
    store.append(source(number), &said).unwrap();
}

/// A disk with the store of a history, and where it ends.
pub(crate) fn stored(history: &History) -> (SimulatedDisk, SharedDisk, u64) {
    let simulated = SimulatedDisk::new(3);
    let disk: SharedDisk = Arc::new(simulated.clone());
    let mut store = LinkStore::open(&disk, folder(), 0).unwrap();
    for (at, (number, say)) in history.iter().enumerate() {
        tell(&mut store, *number, say);
        if at % 7 == 0 {
            store.sync().unwrap();
        }
    }
    let end = store.sync().unwrap();
    (simulated, disk, end)
}

/// The same as a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) nodes: BTreeSet<UrlKey>,
    /// Every key that leads to a node.
    pub(crate) names: BTreeMap<UrlKey, UrlKey>,
    pub(crate) edges: BTreeSet<(UrlKey, UrlKey)>,
}

impl Model {
    pub(crate) fn of(history: &[(u8, Say)]) -> Self {
        let last: BTreeMap<u8, &Say> = history.iter().map(|(number, say)| (*number, say)).collect();
        let lead = |start: u8| {
            let mut at = start;
            for _ in 0..=8 {
                match last.get(&at) {
                    Some(Say::Links(_)) => return Some(key(at)),
                    Some(Say::Moved(to)) => at = *to,
                    Some(Say::Gone) | None => return None,
                }
            }
            None
        };
        let mut model = Self::default();
        for (number, say) in &last {
            if let Some(end) = lead(*number) {
                model.names.insert(key(*number), end);
            }
            if let Say::Links(links) = say {
                model.nodes.insert(key(*number));
                let ends = links.iter().filter_map(|link| lead(*link));
                model.edges.extend(ends.map(|end| (key(*number), end)));
            }
        }
        model.edges.retain(|(from, to)| from != to);
        model
    }

    /// What a graph says of itself, read in every way that it can be.
    pub(crate) fn read(graph: &Graph) -> Self {
        let keys = graph.keys().unwrap();
        let key = |node: u32| keys[usize::try_from(node).unwrap()];
        let mut names = BTreeMap::new();
        graph
            .each_name(|name, node| {
                names.insert(name, key(node));
                Ok(())
            })
            .unwrap();
        let (mut edges, mut back) = (BTreeSet::new(), BTreeSet::new());
        let mut links = graph.links();
        while let Some((from, to)) = links.advance().unwrap() {
            edges.extend(to.iter().map(|to| (key(from), key(*to))));
        }
        let mut links = graph.back_links();
        while let Some((to, from)) = links.advance().unwrap() {
            back.extend(from.iter().map(|from| (key(*from), key(to))));
        }
        assert_eq!(edges, back, "both ways are the same links");
        assert_eq!(u64::try_from(edges.len()).unwrap(), graph.edges());
        Self { nodes: keys.into_iter().collect(), names, edges }
    }
}
