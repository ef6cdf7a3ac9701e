//! A kill at any moment loses nothing and doubles nothing.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use tempfile::TempDir;

use super::*;
use crate::{Held, OutLink, Place, Searcher};

const HASH: HashKey = HashKey(1, 2);
const MEMORY: usize = 64 << 20;
const URLS: u64 = 12;

/// Something that a reader of the archive would tell the index.
#[derive(Clone, Debug)]
enum Told {
    Put(Box<Document>),
    Remove(UrlKey),
    Moved(CanonUrl, UrlKey),
    Liken(UrlKey, Option<UrlKey>),
    Sink(UrlKey),
}

fn url(number: u64) -> CanonUrl {
    let (host, domain) = (number % 5, number % 3);
    CanonUrl::parse(&format!("http://host{host}.example{domain}.org/{number}")).unwrap()
}

fn key(number: u64) -> UrlKey {
    url(number).key(HASH)
}

/// Numbers by a seed: those of Knuth's MMIX, the upper half.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn told(&mut self, number: u64) -> Told {
        let of = self.below(URLS);
        let other = self.below(URLS);
        match self.below(10) {
            0 => Told::Remove(key(of)),
            1 => Told::Moved(url(of), key(other)),
            2 => Told::Liken(key(of), (self.below(2) == 0).then_some(key(other))),
            3 => Told::Sink(key(of)),
            _ => Told::Put(Box::new(self.document(of, other, number))),
        }
    }

    fn document(&mut self, of: u64, other: u64, number: u64) -> Document {
        let links = (0..self.below(6)).map(|_| OutLink {
            key: key(self.below(URLS)),
            text: format!("text number {}", self.below(9)),
        });
        Document {
            links: links.collect(),
            key: key(of),
            url: url(of),
            title: Some(format!("page {of} of {number}")),
            headings: vec!["a heading".to_owned()],
            description: None,
            main: "some words of a page".to_owned(),
            language: Some("en".to_owned()),
            kind: "html".to_owned(),
            fetched_ms: number,
            dated_ms: None,
            place: Place { serial: 0, offset: number },
            digest: None,
            no_snippet: false,
            no_archive: false,
            original: (self.below(4) == 0).then_some(key(other)),
            sinks: self.below(8) == 0,
        }
    }
}

fn settings(folder: &Path) -> IndexSettings {
    IndexSettings { folder: folder.to_owned(), memory: MEMORY, hash: HASH }
}

fn open(folder: &Path) -> Index {
    Index::open(&settings(folder)).unwrap()
}

fn tell(index: &mut Index, told: &Told) {
    match told.clone() {
        Told::Put(document) => index.put(*document).unwrap(),
        Told::Remove(key) => index.remove(key).unwrap(),
        Told::Moved(from, to) => index.moved(&from, to).unwrap(),
        Told::Sink(key) => index.sink(key).unwrap(),
        Told::Liken(key, original) => index.liken(key, original).unwrap(),
    }
}

fn cursor(number: usize) -> Cursor {
    Cursor { serial: 0, end: u64::try_from(number).unwrap(), ..Cursor::default() }
}

/// Reads on from where the last commit was, and settles.
fn read_on(folder: &Path, story: &[Told]) -> Vec<Held> {
    let mut index = open(folder);
    let from = usize::try_from(index.cursor().end).unwrap();
    for told in &story[from..] {
        tell(&mut index, told);
    }
    index.commit(cursor(story.len())).unwrap();
    index.settle().unwrap();
    held(folder)
}

fn held(folder: &Path) -> Vec<Held> {
    let mut held = Vec::new();
    Searcher::open(folder).unwrap().each(|it| held.push(it)).unwrap();
    held.sort_unstable_by_key(|it| it.key);
    held
}

fn links(folder: &Path) -> Vec<(UrlKey, Vec<UrlKey>)> {
    let searcher = Searcher::open(folder).unwrap();
    let of = |number| {
        let (links, _) = searcher.out_links(key(number), 100).unwrap();
        (key(number), links.into_iter().map(|link| link.key).collect())
    };
    (0..URLS).map(of).collect()
}

/// What a kill leaves behind: tantivy's threads may still be at work, so that a copy counts only
/// if nothing changed meanwhile.
fn copy(from: &Path, to: &Path) {
    loop {
        let before = files(from);
        let is_whole = before.iter().all(|(file, ..)| {
            let target = to.join(file.strip_prefix(from).unwrap());
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(file, target).is_ok()
        });
        if is_whole && files(from) == before {
            return;
        }
        fs::remove_dir_all(to).unwrap();
    }
}

/// The files of a folder with their lengths and times.
fn files(folder: &Path) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if let Ok(meta) = path.metadata() {
            files.push((path, meta.len(), meta.modified().ok()));
        }
    }
    files.sort_unstable();
    files
}

/// Lives through a story, and a kill at several of its moments.
fn check(seed: u64) {
    let mut dice = Dice(seed);
    let story: Vec<Told> = (0..60).map(|number| dice.told(number)).collect();
    let [live, fresh] = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let mut index = open(live.path());
    let mut killed = Vec::new();
    for (number, told) in story.iter().enumerate() {
        tell(&mut index, told);
        match dice.below(12) {
            0 => index.commit(cursor(number + 1)).unwrap(),
            1 => killed.push(killed_now(live.path())),
            // The moment within a commit at which everything but the words is on disk.
            2 => {
                index.anchors.sync().unwrap();
                index.links.sync().unwrap();
                killed.push(killed_now(live.path()));
            }
            3 => {
                index.commit(cursor(number + 1)).unwrap();
                index.settle().unwrap();
            }
            4 => {
                index.refresh(2).unwrap();
            }
            _ => {}
        }
    }
    index.commit(cursor(story.len())).unwrap();
    index.settle().unwrap();
    drop(index);
    let expect = read_on(fresh.path(), &story);
    assert!(!expect.is_empty(), "seed {seed}");
    assert_eq!(held(live.path()), expect, "seed {seed}, without a kill");
    for (which, killed) in killed.iter().enumerate() {
        assert_eq!(read_on(killed.path(), &story), expect, "seed {seed}, kill {which}");
        assert_eq!(links(killed.path()), links(fresh.path()), "seed {seed}, kill {which}");
    }
}

fn killed_now(live: &Path) -> TempDir {
    let killed = TempDir::new().unwrap();
    copy(live, killed.path());
    killed
}

#[test]
fn whatever_moment_it_is_killed_at_reading_on_ends_in_the_same_index() {
    for seed in [1, 2, 25] {
        check(seed);
    }
}

#[test]
fn a_kill_brings_back_the_last_commit() {
    let [live, killed] = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let mut dice = Dice(7);
    let mut index = open(live.path());
    index.put(dice.document(1, 2, 1)).unwrap();
    index.commit(cursor(1)).unwrap();
    let expect = held(live.path());
    index.put(dice.document(1, 2, 2)).unwrap();
    index.put(dice.document(3, 4, 3)).unwrap();
    index.remove(key(1)).unwrap();
    copy(live.path(), killed.path());
    assert_eq!(held(killed.path()), expect);
    assert_eq!(open(killed.path()).cursor(), cursor(1));
}

#[test]
fn an_index_has_one_writer_and_one_hash() {
    let folder = TempDir::new().unwrap();
    let index = open(folder.path());
    let settings = settings(folder.path());
    assert!(matches!(Index::open(&settings), Err(IndexError::InUse { .. })));
    drop(index);
    let other = IndexSettings { hash: HashKey(3, 4), ..settings };
    assert!(matches!(Index::open(&other), Err(IndexError::Other { .. })));
}

#[test]
fn an_index_that_cannot_be_read_has_to_be_built_again() {
    let check = |damage: &dyn Fn(&Path)| {
        let folder = TempDir::new().unwrap();
        let mut index = open(folder.path());
        index.put(Dice(7).document(1, 2, 1)).unwrap();
        index.commit(cursor(1)).unwrap();
        index.settle().unwrap();
        drop(index);
        damage(folder.path());
        let opened = Index::open(&settings(folder.path()));
        assert!(matches!(opened, Err(IndexError::Other { .. })), "{opened:?}");
    };
    let each = |folder: PathBuf, damage: &dyn Fn(&Path)| {
        for (file, ..) in files(&folder) {
            damage(&file);
        }
    };
    check(&|folder| fs::write(folder.join(WORDS).join("meta.json"), "{}").unwrap());
    check(&|folder| {
        let path = folder.join(WORDS).join("meta.json");
        let meta = fs::read_to_string(&path).unwrap();
        fs::write(path, meta.replace("\"heading\"", "\"footing\"")).unwrap();
    });
    check(&|folder| fs::remove_dir_all(folder.join(ANCHORS)).unwrap());
    check(&|folder| each(folder.join(LINKS), &|file| fs::write(file, "rubbish").unwrap()));
    check(&|folder| each(folder.join(LINKS), &|file| fs::remove_file(file).unwrap()));
}

#[test]
fn texts_of_an_index_whose_words_were_lost_are_forgotten() {
    let folder = TempDir::new().unwrap();
    let mut index = open(folder.path());
    let mut dice = Dice(7);
    let linked = (1..9).map(|number| dice.document(number, 2, number));
    linked.for_each(|document| index.put(document).unwrap());
    index.commit(cursor(1)).unwrap();
    drop(index);
    fs::remove_dir_all(folder.path().join(WORDS)).unwrap();
    let mut index = open(folder.path());
    for number in 0..URLS {
        assert!(index.anchors.said(key(number)).unwrap().anchors.is_empty());
        assert_eq!(index.anchors.alias_of(key(number)).unwrap(), None);
    }
}

#[test]
fn pages_that_are_added_again_wait_for_memory() {
    const COPIES: u64 = 500;
    let folder = TempDir::new().unwrap();
    let settings = IndexSettings { memory: 4 << 20, ..settings(folder.path()) };
    let mut index = Index::open(&settings).unwrap();
    for number in 0..COPIES {
        let mut document = Dice(1).document(number, 0, number);
        document.main = "a word ".repeat(1_500);
        document.original = Some(UrlKey(7));
        index.put(document).unwrap();
        if index.wants_commit() {
            index.commit(cursor(1)).unwrap();
        }
    }
    index.commit(cursor(1)).unwrap();
    index.lead(UrlKey(7), Some(UrlKey(8))).unwrap();
    index.look_at_turned().unwrap();
    assert!(index.waiting() > settings.memory / 2, "{}", index.waiting());
    assert!(index.waiting() < settings.memory / 4 * 3, "{}", index.waiting());
    index.settle().unwrap();
    let held = held(folder.path());
    let turned = held.iter().filter(|it| it.group == UrlKey(8)).count();
    assert_eq!((held.len(), turned), (500, 500));
}

#[test]
fn a_page_whose_links_were_noted_before_is_added_once() {
    let documents = || (0..URLS).map(|number| Dice(number).document(number, 0, number));
    let folder = TempDir::new().unwrap();
    let mut index = open(folder.path());
    for document in documents() {
        index.link(&document.url, &document.links).unwrap();
    }
    for document in documents() {
        index.put(Document { original: None, ..document }).unwrap();
    }
    index.commit(cursor(1)).unwrap();
    assert!(index.anchors.marked(None).unwrap().is_empty());
    assert!(documents().any(|it| index.anchors.said(it.key).unwrap().anchors.len() > 1));
}
