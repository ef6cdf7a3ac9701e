use std::sync::Arc;

use rhumb_disk::SimulatedDisk;

use super::*;

fn url(path: &str) -> CanonUrl {
    CanonUrl::parse(&format!("http://a.test/{path}")).unwrap()
}

fn count(clicks: &Clicks, path: &str, times: usize) {
    for _ in 0..times {
        clicks.count(&url(path)).unwrap();
    }
}

fn length(folder: &Path) -> u64 {
    std::fs::metadata(folder.join(FILE)).unwrap().len()
}

#[test]
fn what_was_opened_is_known_after_an_opening_and_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let one = Clicks::open(folder.path()).unwrap();
    let other = Clicks::open(folder.path()).unwrap();
    assert_eq!(one.of(&url("x")).unwrap(), 0);
    assert!(!folder.path().join(FILE).exists(), "whoever only asks leaves nothing");
    count(&one, "x", 2);
    count(&other, "x", 1);
    count(&other, "y", 1);
    count(&one, "z", 1);
    for clicks in [&one, &other, &Clicks::open(folder.path()).unwrap()] {
        assert_eq!(clicks.of(&url("x")).unwrap(), 3);
        let most = clicks.most(2).unwrap();
        let expect = [("http://a.test/x", 3), ("http://a.test/y", 1)];
        assert_eq!(most, expect.map(|(url, n)| (url.to_owned(), n)));
        assert_eq!(clicks.most(9).unwrap().len(), 3);
    }
}

#[test]
fn several_count_at_once_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    count(&Clicks::open(folder.path()).unwrap(), "all", 1);
    let count_some = |number: usize| {
        let clicks = Clicks::open(folder.path()).unwrap();
        for _ in 0..50 {
            clicks.count(&url("all")).unwrap();
            clicks.count(&url(&number.to_string())).unwrap();
        }
    };
    std::thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || count_some(number));
        }
    });
    let clicks = Clicks::open(folder.path()).unwrap();
    assert_eq!(clicks.of(&url("all")).unwrap(), 201);
    assert_eq!(clicks.of(&url("3")).unwrap(), 50);
}

#[test]
fn a_file_that_says_little_is_written_anew_and_who_has_it_open_notices() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Clicks::open(folder.path()).unwrap(), Clicks::open(folder.path()).unwrap());
    let times = usize::try_from(RECORDS_MIN).unwrap();
    count(&one, "x", times);
    let long = length(folder.path());
    assert_eq!(other.of(&url("x")).unwrap(), RECORDS_MIN);
    count(&one, "x", 1);
    assert!(length(folder.path()) < long / 100);
    count(&other, "y", 1);
    assert_eq!(other.of(&url("x")).unwrap(), RECORDS_MIN + 1);
    assert_eq!(one.of(&url("y")).unwrap(), 1);
}

#[test]
fn whatever_is_cut_off_the_whole_records_before_it_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let clicks = Clicks::open(folder.path()).unwrap();
    count(&clicks, "first", 1);
    let first = length(folder.path());
    count(&clicks, "second", 1);
    let whole = std::fs::read(&path).unwrap();
    let check = |bytes: &[u8], left: [u64; 2]| {
        std::fs::write(&path, bytes).unwrap();
        let clicks = Clicks::open(folder.path()).unwrap();
        assert_eq!(["first", "second"].map(|it| clicks.of(&url(it)).unwrap()), left);
        // The next one can be read.
        count(&clicks, "third", 1);
        let again = Clicks::open(folder.path()).unwrap();
        assert_eq!(again.of(&url("third")).unwrap(), 1);
        assert_eq!(again.of(&url("first")).unwrap(), left[0]);
    };
    let first = usize::try_from(first).unwrap();
    for end in 0..whole.len() {
        let left = [u64::from(end >= first), 0];
        check(&whole[..end], left);
    }
    for at in first..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        check(&damaged, [1, 0]);
    }
    // Its length is known, so that the record behind it is found; else both are gone.
    for at in HEAD_BYTES..first {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        check(&damaged, [0, u64::from(at >= HEAD_BYTES + 2)]);
    }
    check(&[&whole[..], &[0; 100]].concat(), [1, 1]);
}

#[test]
fn another_file_and_another_format_count_as_none_and_are_set_aside_by_the_next_click() {
    for bytes in [&b"some text of the user"[..], b"rhclick\x02........", b"rhclick\x01...", b""] {
        let folder = tempfile::tempdir().unwrap();
        let (path, aside) = (folder.path().join(FILE), folder.path().join(ASIDE));
        std::fs::write(&path, bytes).unwrap();
        let clicks = Clicks::open(folder.path()).unwrap();
        assert_eq!(clicks.of(&url("x")).unwrap(), 0);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "who only asks changes nothing");
        count(&clicks, "x", 2);
        assert_eq!(clicks.of(&url("x")).unwrap(), 2);
        assert_eq!(std::fs::read(&aside).unwrap(), bytes);
        Clicks::forget(folder.path(), |_| false).unwrap();
        assert!(!aside.exists(), "nobody knows what it says");
        assert_eq!(clicks.of(&url("x")).unwrap(), 2);
    }
}

#[test]
fn a_takedown_removes_what_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, b"rhclick\x02http://a.test/secret").unwrap();
    Clicks::forget(folder.path(), |url| url.contains("secret")).unwrap();
    assert!(!path.exists());
    let clicks = Clicks::open(folder.path()).unwrap();
    count(&clicks, "secret", 1);
    count(&clicks, "open", 2);
    let mut damaged = std::fs::read(&path).unwrap();
    damaged[HEAD_BYTES + 2] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    Clicks::forget(folder.path(), |url| url.contains("secret")).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("secret"), "nor in a damaged record");
    assert_eq!(clicks.of(&url("open")).unwrap(), 2);
}

#[test]
fn whoever_counts_while_the_file_is_written_anew_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let of_each = 2 * RECORDS_MIN;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let count_all = || {
                let clicks = Clicks::open(folder.path()).unwrap();
                count(&clicks, "x", usize::try_from(of_each).unwrap());
            };
            scope.spawn(count_all);
        }
        let forget_some = || {
            for _ in 0..20 {
                count(&Clicks::open(folder.path()).unwrap(), "gone", 1);
                Clicks::forget(folder.path(), |url| url.contains("gone")).unwrap();
            }
        };
        scope.spawn(forget_some);
    });
    let clicks = Clicks::open(folder.path()).unwrap();
    assert_eq!(clicks.most(9).unwrap(), [("http://a.test/x".to_owned(), 2 * of_each)]);
}

#[test]
fn beyond_the_bound_the_rarest_go() {
    let mut known = Known::default();
    for number in 0..=PAGES_MAX {
        known.add(format!("http://a.test/{number}"), 1);
    }
    known.add("http://a.test/7".to_owned(), 5);
    assert!(known.is_wasteful());
    let kept = known.kept();
    assert_eq!(kept.len(), PAGES_MAX / 8 * STAY_EIGHTHS);
    assert_eq!(kept[0], ("http://a.test/7", 6));
    let mut known = Known::default();
    for number in 0..1_100 {
        known.add(format!("http://a.test/{number:016000}"), 1);
    }
    assert!(known.is_wasteful());
    let bytes: usize = known.kept().iter().map(|(url, _)| url.len()).sum();
    assert!(bytes <= URLS_BYTES_MAX, "{bytes}");
}

#[test]
fn of_what_is_forgotten_no_word_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let clicks = Clicks::open(folder.path()).unwrap();
    Clicks::forget(folder.path(), |_| true).unwrap();
    assert!(!folder.path().join(FILE).exists());
    count(&clicks, "secret", 3);
    count(&clicks, "open", 2);
    std::fs::write(folder.path().join(NEW), "http://a.test/secret").unwrap();
    Clicks::forget(folder.path(), |url| url.contains("secret")).unwrap();
    assert_eq!(clicks.most(9).unwrap(), [("http://a.test/open".to_owned(), 2)]);
    let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("secret"));
    assert!(!folder.path().join(NEW).exists());
}

#[test]
fn a_power_cut_leaves_a_file_that_can_be_read() {
    for seed in 0..40 {
        let disk = SimulatedDisk::new(seed);
        // It is locked, which no simulated one can be.
        let real = tempfile::tempdir().unwrap();
        let folder = real.path();
        let shared: SharedDisk = Arc::new(disk.clone());
        shared.create_folder(folder).unwrap();
        let clicks = Clicks::open_on(Arc::clone(&shared), folder).unwrap();
        let times = usize::try_from(RECORDS_MIN).unwrap() + usize::try_from(seed).unwrap();
        count(&clicks, "x", times);
        disk.crash();
        let clicks = Clicks::open_on(shared, folder).unwrap();
        let left = clicks.of(&url("x")).unwrap();
        assert!(left > RECORDS_MIN || seed == 0, "what was written anew is on the disk: {left}");
        count(&clicks, "x", 1);
        assert_eq!(clicks.of(&url("x")).unwrap(), left + 1);
    }
}
