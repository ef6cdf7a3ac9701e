use std::fmt::Write as _;

use super::*;

const HASH: HashKey = HashKey(5, 6);
/// 2026-02-03 04:00:00.
const BASE_S: u64 = 1_770_091_200;

/// The folders of crawls, as far as they are read.
struct Crawls {
    _home: tempfile::TempDir,
    folders: Vec<PathBuf>,
}

impl Crawls {
    /// Each crawl kept these captures: the path of the page, the minute, what it said.
    fn new(crawls: &[&[(&str, u32, &str)]]) -> Self {
        Self::of(crawls.iter().map(|captures| captures.iter().map(line).collect()))
    }

    /// The index of each crawl has these lines.
    fn of(crawls: impl Iterator<Item = Vec<String>>) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut folders = Vec::new();
        for (number, mut lines) in crawls.enumerate() {
            let folder = home.path().join(number.to_string());
            std::fs::create_dir_all(folder.join(ARCHIVE)).expect("made");
            lines.sort_unstable();
            let index = folder.join(ARCHIVE).join("rhumb-20260203040506-00001.cdxj");
            std::fs::write(index, lines.concat()).expect("written");
            folders.push(folder);
        }
        Self { _home: home, folders }
    }

    /// What is expected of the pages, so many minutes after four.
    fn read(&self, minute: u64, paths: &[&str]) -> (Vec<Outlook>, Found) {
        let now_s = BASE_S + 60 * minute;
        let looking = Looking { hash: HASH, canon: Canon::Full, now_s, bytes: 1 << 22 };
        let (forecast, found) = read(&self.folders, looking).expect("they can be read");
        let key = |path: &&str| {
            CanonUrl::parse(&format!("http://a.test{path}")).expect("a URL").key(HASH)
        };
        (paths.iter().map(|path| forecast.of(key(path))).collect(), found)
    }
}

fn line((path, minute, said): &(&str, u32, &str)) -> String {
    let (hour, minute) = (4 + minute / 60, minute % 60);
    let status = if *said == "gone" { 404 } else { 200 };
    let key = path.to_lowercase();
    let mut line = format!("test,a){key} 20260203{hour:02}{minute:02}00 ");
    writeln!(
        line,
        "{{\"url\": \"http://a.test{path}\", \"mime\": \"text/plain\", \"status\": \"{status}\", \
         \"digest\": \"sha1:{said}\", \"length\": \"5\", \"offset\": \"7\", \
         \"filename\": \"rhumb-20260203040506-00001.warc.gz\"}}"
    )
    .expect("text");
    line
}

#[test]
fn a_page_that_changed_is_expected_to_have_changed_again_and_a_still_one_not() {
    let crawls = Crawls::new(&[
        &[("/busy", 0, "a"), ("/still", 1, "b"), ("/calm", 2, "c"), ("/robots.txt", 0, "x")],
        &[("/busy", 60, "d"), ("/still", 61, "b"), ("/calm", 62, "c"), ("/young", 62, "e")],
    ]);
    let (told, found) = crawls.read(180, &["/busy", "/still", "/young", "/never-seen"]);
    assert_eq!(told[0], Outlook::Changed);
    assert_eq!(told[3], Outlook::Unknown);
    assert_eq!((found.crawls, found.pages), (2, 4));
    // Soon after they were seen nothing has changed yet.
    let (told, found) = crawls.read(63, &["/busy", "/still"]);
    assert_eq!(told, [Outlook::Unchanged; 2]);
    assert_eq!((found.changed, found.unchanged), (0, 4));
}

#[test]
fn with_one_capture_of_each_page_nothing_is_expected() {
    let crawls = Crawls::new(&[&[("/a", 0, "a"), ("/b", 0, "b")]]);
    let (told, found) = crawls.read(6_000, &["/a", "/b"]);
    assert_eq!(told, [Outlook::Unknown; 2]);
    assert_eq!(found, Found { crawls: 1, pages: 2, changed: 0, unchanged: 0 });
}

#[test]
fn a_page_that_was_seen_once_is_as_the_other_pages_of_its_site() {
    let moving: &[_] = &[("/a", 0, "1"), ("/b", 0, "2"), ("/c", 0, "3")];
    let moved: &[_] = &[("/a", 60, "4"), ("/b", 60, "5"), ("/c", 60, "6"), ("/once", 60, "7")];
    let still: &[_] = &[("/a", 60, "1"), ("/b", 60, "2"), ("/c", 60, "3"), ("/once", 60, "7")];
    let check = |later, expect| {
        let crawls = Crawls::new(&[moving, later]);
        assert_eq!(crawls.read(120, &["/once"]).0, [expect]);
    };
    check(moved, Outlook::Changed);
    check(still, Outlook::Unchanged);
}

#[test]
fn captures_count_wherever_they_are_and_pages_that_differ_in_case_are_several() {
    let captures: &[_] = &[
        ("/Page", 0, "a"),
        ("/Page", 60, "b"),
        ("/Page", 120, "c"),
        ("/page", 0, "z"),
        ("/page", 60, "gone"),
        ("/page", 120, "z"),
    ];
    let alone = Crawls::new(&[captures]);
    let apart = Crawls::new(&[&captures[..2], &captures[2..4], &captures[4..]]);
    for crawls in [alone, apart] {
        let (told, found) = crawls.read(200, &["/Page", "/page"]);
        assert_eq!((told[0], found.pages), (Outlook::Changed, 2));
        assert_ne!(told[1], Outlook::Changed);
    }
}

#[test]
fn a_large_site_is_read_in_parts_and_its_last_pages_have_the_same_prior() {
    // The last page is in a part of its own, and was seen once.
    let last = SITE_PAGES_MAX + 10;
    let pages = |count, minute: u32| -> Vec<String> {
        let page = |at| line(&(&format!("/{at:06}"), minute, &format!("{at}-{minute}")));
        (0..count).map(page).collect()
    };
    let crawls = Crawls::of([pages(last, 0), pages(last + 1, 60)].into_iter());
    let (told, found) = crawls.read(120, &["/000007", &format!("/{last:06}")]);
    assert_eq!(told, [Outlook::Changed; 2]);
    let all = u64::try_from(last + 1).expect("a length fits 64 bits");
    assert_eq!((found.pages, found.changed), (all, all));
}
