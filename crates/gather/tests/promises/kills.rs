//! Whenever a gatherer is killed, the next one comes to the same index.
//!
//! A kill leaves the folder as it is at that moment: so it is copied again and again while an index
//! is made, and each copy is read on to the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use rhumb_gather::{GatherSettings, Gatherer};

use crate::maker::{Maker, held, page};

const PAGES: usize = 1_500;
const COPIES_MAX: usize = 40;

/// The files of a folder, each with its length and its last change.
type Listing = BTreeMap<PathBuf, (u64, SystemTime)>;

fn listing(folder: &Path) -> Listing {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        match entry.metadata() {
            Ok(about) if about.is_dir() => found.extend(listing(&entry.path())),
            Ok(about) => {
                found.insert(entry.path(), (about.len(), about.modified().unwrap()));
            }
            Err(_) => {}
        }
    }
    found
}

/// Copies a folder of which this is the listing, and says whether nothing changed meanwhile: only
/// then it is one moment.
fn copy(from: &Path, to: &Path, listed: &Listing) -> bool {
    for path in listed.keys() {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        if fs::copy(path, target).is_err() {
            return false;
        }
    }
    *listed == listing(from)
}

/// A crawl with a bit of everything: pages that change, go, move and are the same as others.
fn made() -> Maker {
    let mut maker = Maker::rotating(100_000);
    for number in 0..PAGES {
        let to = format!("http://{}.test/{}", ["a", "b", "c"][number % 3], number % 401);
        let next = format!("http://a.test/{}", number * 7 % 401);
        match number % 11 {
            3 => maker.answer(&to, 404, "", ""),
            5 => maker.answer(&to, 301, &format!("Location: {next}\n"), ""),
            7 => maker.page(&to, &page("Same", "as others", &[&next])),
            _ => maker.page(&to, &page(&format!("Page {number}"), "words of it", &[&next])),
        };
    }
    maker
}

#[test]
fn after_a_kill_at_any_moment_the_index_is_as_if_it_were_made_anew() {
    let maker = made();
    let expect = maker.made_anew();
    assert!(expect.len() > 300, "{}", expect.len());
    let copies = tempfile::tempdir().unwrap();
    // Little memory: commits come often.
    let settings = |index: &Path| GatherSettings { memory: 400_000, ..maker.settings(index) };
    let mut gatherer = Gatherer::open(settings(&maker.index())).unwrap();
    let is_done = AtomicBool::new(false);
    let moments = std::thread::scope(|scope| {
        let copying = scope.spawn(|| {
            let (mut moments, mut last) = (Vec::new(), Listing::new());
            while !is_done.load(Ordering::SeqCst) && moments.len() < COPIES_MAX {
                let now = listing(&maker.index());
                let to = copies.path().join(moments.len().to_string());
                if now == last {
                    std::thread::yield_now();
                } else if copy(&maker.index(), &to, &now) {
                    moments.push(to);
                    last = now;
                } else if to.exists() {
                    fs::remove_dir_all(&to).unwrap();
                }
            }
            moments
        });
        gatherer.catch_up(None, &mut |_| {}).unwrap();
        is_done.store(true, Ordering::SeqCst);
        copying.join().unwrap()
    });
    drop(gatherer);
    assert_eq!(held(&maker.index()), expect);
    println!("{} moments", moments.len());
    assert!(!moments.is_empty());
    for index in moments {
        Gatherer::open(settings(&index)).unwrap().catch_up(None, &mut |_| {}).unwrap();
        assert_eq!(held(&index), expect, "{}", index.display());
    }
}
