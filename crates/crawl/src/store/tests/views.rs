//! A view is what an opening finds, and changes nothing; a focus is a part of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_disk::Disk;
use rhumb_frontier::Entry;
use rhumb_seen::Bucket;
use rhumb_web::{Candidate, CanonUrl, PartitionId, Scheme, Site};

use super::life::{Chance, End, World, pages, sites};
use crate::partition::State;
use crate::store::opening::{doubtful, ledger};
use crate::store::replay::wake;
use crate::store::rows::encode;
use crate::store::{
    ARCHIVE, BACKLOG, LOG, Opened, SEEN, SeenHandle, StoreError, StoreSettings, TABLES, View, open,
    view,
};
use crate::tables::{Batch, FjallTables, Row, Table, Tables};

const SEEDS: u64 = 60;
const LIVES: u64 = 4;
const STEPS: u64 = 900;
const FOLDERS: [&str; 4] = [LOG, ARCHIVE, SEEN, BACKLOG];

/// Shows a reader crawls that ended in every way.
fn for_all_ends(mut read: impl FnMut(&World)) {
    for seed in 0..SEEDS {
        let mut world = World::new(seed);
        let mut chance = Chance(!seed);
        for _ in 0..LIVES {
            let end = [End::Clean, End::Kill, End::PowerCut][chance.index(3)];
            world.live(chance.below(STEPS), end);
            read(&world);
        }
    }
}

fn view_of(world: &World, focus: Option<&Site>) -> View {
    view(&world.shared_disk(), &world.shared_tables(), &world.settings, focus).unwrap()
}

fn rows(world: &World) -> Vec<Row> {
    let of = |table| world.tables.range(table, &[]).map(Result::unwrap).collect::<Vec<Row>>();
    Table::ALL.into_iter().flat_map(of).collect()
}

#[test]
fn a_view_is_what_an_opening_finds() {
    let (mut compared, mut replayed, mut sent) = (0, 0, 0);
    for_all_ends(|world| {
        let (before, kept) = (world.disk.operations(), rows(world));
        let view = view_of(world, None);
        assert_eq!(world.disk.operations(), before, "the disk was changed");
        assert_eq!(rows(world), kept);
        let (disk, tables) = (world.shared_disk(), world.shared_tables());
        let from = tables.offset().unwrap().unwrap();
        let archive = ledger(&*tables).unwrap().archive;
        let cut = doubtful(&disk, &world.settings, from, archive).unwrap();
        assert_eq!(world.disk.operations(), before, "the disk was changed");
        let opened = open(&disk, &tables, &world.settings).unwrap();
        if cut.is_none() {
            compared += 1;
            replayed += usize::from(view.last > view.holdings.ledger.at);
            sent += view.parcels.len();
            check_opened(view, opened);
        }
    });
    assert!(compared > 150 && replayed > 100 && sent > 20, "{compared} {replayed} {sent}");
}

fn check_opened(mut view: View, mut opened: Opened) {
    assert_eq!(view.identity, opened.identity);
    assert_eq!((view.last, view.is_clean), (opened.last, opened.is_clean));
    assert_eq!(view.parcels, opened.parcels);
    assert_eq!(view.archive, opened.store.known);
    assert!(view.holdings.roots().eq(opened.holdings.roots()));
    assert_eq!(view.holdings.backlog.segments(), opened.holdings.backlog.segments());
    assert_eq!(view.holdings.backlog.bytes(), opened.holdings.backlog.bytes());
    for (state, found) in view.states.iter_mut().zip(&mut opened.states) {
        assert_eq!(state.frontier(), found.frontier());
        assert_eq!(encode(&state.row()), encode(&found.row()));
        for (site, _) in found.frontier().sites() {
            assert_eq!(state.dossier(site), found.dossier(site));
        }
        assert_eq!(state.take_records(), found.take_records());
    }
    let hash = view.identity.hash;
    let urls = sites().flat_map(|site| pages(&site).collect::<Vec<_>>());
    for key in urls.map(|url| url.key(hash)).step_by(7) {
        let pass = opened.holdings.seen.lock().pass(Bucket::of(key));
        let is_new = pass.find_new(&[key]).unwrap()[0];
        assert_eq!(view.is_seen(key).unwrap(), !is_new);
    }
}

#[test]
fn a_focus_sees_of_its_site_what_the_whole_view_sees() {
    let mut counts = [0; 6];
    for_all_ends(|world| {
        let mut whole = view_of(world, None);
        for site in sites() {
            let before = world.disk.operations();
            let focus = view_of(world, Some(&site));
            assert_eq!(world.disk.operations(), before, "the disk was changed");
            check_focus(&site, &mut whole, &focus, &mut counts);
        }
    });
    assert!(counts.into_iter().all(|count| count > 20), "{counts:?}");
}

fn check_focus(site: &Site, whole: &mut View, focus: &View, counts: &mut [usize; 6]) {
    let id = site.pld().partition(focus.identity.hash, focus.identity.partitions);
    let own = &mut whole.states[id.index()];
    wake(&*whole.holdings.tables, own, site.clone()).unwrap();
    let found = &focus.states[id.index()];
    assert_eq!(found.dossier(site), own.dossier(site), "{site}");
    assert_eq!(out(found, site), out(own, site), "{site}");
    assert_eq!(waiting(found, site), waiting(own, site), "{site}");
    let shelved = shelf(focus, id, site);
    assert_eq!(shelved, shelf(whole, id, site), "{site}");
    assert_eq!(sent(focus, site), sent(whole, site), "{site}");
    assert!(focus.holdings.roots().eq(whole.holdings.roots()));
    assert_eq!(focus.last, whole.last);
    assert!(focus.is_clean >= whole.is_clean);
    let own = &whole.states[id.index()];
    for url in pages(site) {
        let key = url.key(focus.identity.hash);
        assert_eq!(found.record_of(key), own.record_of(key), "{url}");
        assert_eq!(focus.is_seen(key).unwrap(), whole.is_seen(key).unwrap(), "{url}");
        counts[0] += usize::from(own.record_of(key).is_some());
    }
    counts[1] += out(found, site).len();
    counts[2] += waiting(found, site).len();
    counts[3] += shelved.len();
    counts[4] += sent(focus, site).len();
    counts[5] += focus.holdings.roots().count();
}

fn out(state: &State<SeenHandle>, site: &Site) -> Vec<(u64, Entry)> {
    let out = state.out().map(|(number, out)| (number.0, out.entry.clone()));
    out.filter(|(_, entry)| entry.url().site() == *site).collect()
}

fn waiting(state: &State<SeenHandle>, site: &Site) -> Vec<Candidate> {
    let all = state.waiting_counts().flat_map(|(bucket, _)| state.waiting(bucket));
    all.filter(|candidate| candidate.url.site() == *site).cloned().collect()
}

/// What lies on the shelves of a site.
fn shelf(view: &View, id: PartitionId, site: &Site) -> Vec<CanonUrl> {
    let frontier = view.states[id.index()].frontier();
    let Some(state) = frontier.site(site) else { return Vec::new() };
    let mut urls = Vec::new();
    for (scheme, shelf) in [Scheme::Http, Scheme::Https].into_iter().zip(state.shelves()) {
        let mut at = shelf.taken;
        while at < shelf.put {
            let lane = frontier.key(site).lane(scheme);
            let read = view.holdings.backlog.read(lane, at, 100).run().unwrap();
            at += u64::try_from(read.entries.len()).unwrap();
            let taken = state.taken(scheme);
            let left = read.entries.iter().filter(|(at, _)| !taken.plucked.contains(at));
            urls.extend(left.map(|(_, entry)| entry.url().clone()));
        }
        assert_eq!(at, shelf.put);
    }
    urls
}

fn sent(view: &View, site: &Site) -> Vec<Candidate> {
    let all = view.parcels.iter().flat_map(|parcel| parcel.candidates.iter());
    all.filter(|candidate| candidate.url.site() == *site).cloned().collect()
}

#[test]
fn a_folder_without_a_crawl_is_an_error_of_use_and_stays_as_it_is() {
    let world = World::new(1);
    let error = view(&world.shared_disk(), &world.shared_tables(), &world.settings, None);
    let error = error.unwrap_err();
    assert!(matches!(error, StoreError::NoCrawl(_)) && error.is_usage(), "{error}");
    assert_eq!(error.to_string(), "there is no crawl in crawl yet");
    assert_eq!(world.disk.operations(), 0);
}

/// Every file below a folder but the tables', with what is in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for name in FOLDERS {
        for entry in fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// Puts a simulated crawl on the disk of the machine.
fn put_on_disk(world: &World, folder: &Path) -> Arc<dyn Tables> {
    for name in FOLDERS {
        fs::create_dir(folder.join(name)).unwrap();
        let from = world.settings.folder.join(name);
        for file in world.disk.list(&from).unwrap() {
            let content = world.disk.open(&from.join(&file)).unwrap();
            let mut bytes = vec![0; usize::try_from(content.length().unwrap()).unwrap()];
            content.read_at(0, &mut bytes).unwrap();
            fs::write(folder.join(name).join(file), bytes).unwrap();
        }
    }
    let mut batch = Batch::default();
    for table in Table::ALL {
        for row in world.tables.range(table, &[]) {
            let (key, value) = row.unwrap();
            batch.put(table, key, value);
        }
    }
    let tables = FjallTables::open(&folder.join(TABLES), 1 << 20).unwrap();
    tables.commit(batch, world.tables.offset().unwrap().unwrap()).unwrap();
    Arc::new(tables)
}

#[test]
fn no_byte_of_a_real_crawl_is_changed() {
    let mut world = World::new(3);
    world.live(STEPS, End::Clean);
    world.live(STEPS, End::Kill);
    let folder = tempfile::tempdir().unwrap();
    let tables = put_on_disk(&world, folder.path());
    let before = files(folder.path());
    assert!(before.len() > 4);
    let settings = StoreSettings { folder: folder.path().to_owned(), ..world.settings.clone() };
    let whole = view(&rhumb_disk::real(), &tables, &settings, None).unwrap();
    for site in sites() {
        let focus = view(&rhumb_disk::real(), &tables, &settings, Some(&site)).unwrap();
        assert_eq!(focus.last, whole.last);
        for url in pages(&site) {
            focus.is_seen(url.key(focus.identity.hash)).unwrap();
        }
    }
    assert_eq!(files(folder.path()), before);
}
