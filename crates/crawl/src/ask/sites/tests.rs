use std::sync::Arc;

use rhumb_frontier::{SiteRule, SiteRules};
use rhumb_web::{Span, Tick};

use super::*;
use crate::ask::tests::Crawl;
use crate::partition::Answer;

/// The sites of a crawl that runs, as its handle asks for them.
fn asked(crawl: &Crawl, wanted: &SitesWanted) -> SitesPage {
    asked_while(crawl, wanted, false)
}

fn asked_while(crawl: &Crawl, wanted: &SitesWanted, is_paused: bool) -> SitesPage {
    let setting = Setting {
        now: crawl.now,
        born_ms: crawl.settings.born_ms,
        agent: "rhumb".to_owned(),
        manners: crawl.settings.manners,
        rules: Arc::new(crawl.settings.sites.clone()),
        is_running: true,
        is_paused,
    };
    let wanted = wanted.bounded();
    let tables = Arc::clone(&crawl.tables);
    let mut gathering = Gathering::new(wanted.clone(), setting.clone(), tables);
    for partition in &crawl.partitions {
        gathering.add(glance(&setting, partition, &wanted, gathering.room()));
    }
    let chosen = gathering.choose().unwrap();
    let owner = |site| &crawl.partitions[crawl.settings.owner_of(site).index()];
    gathering.page(chosen.iter().map(|site| look(&setting, owner(site), site)).collect()).unwrap()
}

fn all() -> SitesWanted {
    SitesWanted { sort: SiteOrder::Site, count: SITES_MAX, ..SitesWanted::default() }
}

fn rule(name: &str, rule: SiteRule) -> (String, SiteRule) {
    (name.to_owned(), rule)
}

/// Sites of which each stands in another way.
fn several() -> Crawl {
    let block = SiteRule { block: true, ..SiteRule::default() };
    let slow = SiteRule { delay: Some(Span::minutes(5)), ..SiteRule::default() };
    let spent = SiteRule { budget: Some(2), ..SiteRule::default() };
    let rules = [rule("blocked.test", block), rule("slow.test", slow), rule("spent.test", spent)];
    let mut crawl = Crawl::new(SiteRules::new(1, rules));
    for site in ["fetching", "idle", "slow", "spent"] {
        crawl.seed(&format!("http://{site}.test/"));
    }
    for site in ["idle", "slow", "spent"] {
        crawl.fetch(&format!("http://{site}.test/"), &[]);
    }
    for site in ["slow", "spent", "blocked"] {
        crawl.seed(&format!("http://{site}.test/next"));
    }
    crawl.seed("http://blocked.test/");
    crawl.seed("http://asks.test/");
    crawl.issue();
    let body = Some(b"User-agent: *\nCrawl-delay: 30".to_vec());
    let answer = Answer { status: 200, robots: body, ..Answer::default() };
    crawl.answer("http://asks.test/robots.txt", answer);
    crawl
}

fn row<'a>(page: &'a SitesPage, site: &str) -> &'a SiteRow {
    page.sites.iter().find(|row| row.site == format!("{site}.test")).expect("it is there")
}

/// All of them go to disk, and leave memory.
fn cool(crawl: &mut Crawl) {
    crawl.checkpoint();
    for partition in &mut crawl.partitions {
        partition.set_memory(0);
        partition.cool(crawl.now);
    }
}

#[test]
fn a_row_says_how_its_site_stands() {
    let crawl = several();
    let page = asked(&crawl, &all());
    assert_eq!((page.total, page.exact), (6, true));
    let check = |site: &str, state: &str, held_by: Option<&str>, has_next: bool, delay_ms: u64| {
        let row = row(&page, site);
        let told = (row.state.as_str(), row.held_by.as_deref(), row.next_visit.is_some());
        assert_eq!((told, row.delay_ms), ((state, held_by, has_next), delay_ms), "{row:?}");
    };
    check("fetching", "fetching", None, false, 1_000);
    check("idle", "idle", None, false, 1_000);
    check("slow", "waiting", Some("site"), true, 300_000);
    check("spent", "waiting", Some("budget"), false, 1_000);
    check("blocked", "waiting", Some("block"), false, 1_000);
    check("asks", "waiting", Some("site"), true, 30_000);
    let asks = row(&page, "asks");
    assert_eq!((asks.crawl_delay_ms, asks.robots.as_str()), (Some(30_000), "known"));
    assert_eq!((row(&page, "spent").budget, row(&page, "spent").visits), (Some(2), 2));
    assert_eq!((row(&page, "blocked").blocked, row(&page, "blocked").queued), (true, 2));
    assert_eq!(row(&page, "blocked").robots, "unknown");
    assert_eq!(row(&page, "fetching").in_flight, 1);
    let due = Tick(crawl.now.0 + 30_001).0 + crawl.settings.born_ms;
    let due = std::time::UNIX_EPOCH + std::time::Duration::from_millis(due);
    let due = humantime::format_rfc3339_millis(due).to_string();
    assert_eq!(asks.next_visit.as_deref(), Some(due.as_str()));
}

#[test]
fn sites_are_sorted_searched_and_paged() {
    let crawl = several();
    let check = |wanted: SitesWanted, expect: &[&str], total: u64| {
        let page = asked(&crawl, &wanted);
        let names = page.sites.iter().map(|row| row.site.trim_end_matches(".test"));
        assert_eq!((names.collect::<Vec<_>>(), page.total), (expect.to_vec(), total), "{wanted:?}");
    };
    let names = ["asks", "blocked", "fetching", "idle", "slow", "spent"];
    check(all(), &names, 6);
    let by = |sort, descending, count| SitesWanted { sort, descending, count, ..all() };
    check(by(SiteOrder::Site, true, 2), &["spent", "slow"], 6);
    check(by(SiteOrder::Delay, true, 3), &["slow", "asks", "blocked"], 6);
    check(by(SiteOrder::Queued, true, 1), &["blocked"], 6);
    check(by(SiteOrder::Visits, true, 4), &["idle", "slow", "spent", "asks"], 6);
    let never = ["blocked", "fetching", "idle", "spent"];
    let (soon, late) = (["asks", "slow"], ["slow", "asks"]);
    check(by(SiteOrder::NextVisit, false, 9), &[&soon[..], &never].concat(), 6);
    check(by(SiteOrder::NextVisit, true, 9), &[&late[..], &never].concat(), 6);
    let states = ["fetching", "asks", "slow", "spent", "blocked", "idle"];
    check(by(SiteOrder::State, false, 9), &states, 6);
    check(SitesWanted { from: 2, count: 3, ..all() }, &names[2..5], 6);
    check(SitesWanted { from: 5, ..all() }, &["spent"], 6);
    check(SitesWanted { from: u64::MAX, ..all() }, &[], 6);
    check(SitesWanted { count: 0, ..all() }, &[], 6);
    let search = |text: &str, whole| SitesWanted { search: text.to_owned(), whole, ..all() };
    check(search(" S", false), &names, 6);
    check(search("low.", false), &["slow"], 1);
    check(search("slow.test", true), &["slow"], 1);
    check(search("low.test", true), &[], 0);
    check(search("nowhere", false), &[], 0);
}

#[test]
fn sites_on_disk_are_told_as_those_in_memory() {
    let mut crawl = several();
    let warm = asked(&crawl, &all());
    cool(&mut crawl);
    let stays = asked(&crawl, &all());
    let asleep = stays.sites.iter().filter(|row| row.state == "asleep").count();
    assert_eq!(asleep, 5, "one is being fetched: {stays:?}");
    let awake = |row: &SiteRow, state: &str| SiteRow { state: state.to_owned(), ..row.clone() };
    for (warm, cold) in warm.sites.iter().zip(&stays.sites) {
        assert_eq!(*warm, awake(cold, &warm.state));
    }
    for sort in [SiteOrder::Visits, SiteOrder::Queued, SiteOrder::Delay, SiteOrder::NextVisit] {
        let wanted = SitesWanted { sort, ..all() };
        let names = |page: SitesPage| page.sites.into_iter().map(|it| it.site).collect::<Vec<_>>();
        assert_eq!(names(asked(&crawl, &wanted)), names(asked(&several(), &wanted)), "{sort:?}");
    }
    // What comes for a site on disk waits on its shelf.
    crawl.seed("http://blocked.test/more");
    let search = SitesWanted { search: "blocked.test".to_owned(), whole: true, ..all() };
    assert_eq!(asked(&crawl, &search).sites[0].queued, 3);
    assert_eq!(crawl.surveyed(&search).sites[0].queued, 3);
}

#[test]
fn at_rest_the_same_sites_are_told() {
    let mut crawl = several();
    for is_kept in [false, true] {
        if is_kept {
            cool(&mut crawl);
        }
        let (running, rests) = (asked(&crawl, &all()), crawl.surveyed(&all()));
        assert_eq!((rests.total, rests.exact), (running.total, true));
        let told = |page: &SitesPage| {
            let rows = page.sites.iter();
            rows.map(|it| (it.site.clone(), it.visits, it.delay_ms, it.blocked)).collect::<Vec<_>>()
        };
        assert_eq!(told(&running), told(&rests));
        let of = |state: &str| rests.sites.iter().filter(|row| row.state == state).count();
        assert_eq!((of("waiting"), of("idle"), of("fetching"), of("asleep")), (5, 1, 0, 0));
    }
}

#[test]
fn no_site_of_a_crawl_that_is_paused_or_rests_has_a_next_visit() {
    let mut crawl = several();
    let check = |page: SitesPage, expect: usize| {
        let has_next = page.sites.iter().filter(|row| row.next_visit.is_some());
        assert_eq!(has_next.count(), expect, "{page:?}");
    };
    for is_kept in [false, true] {
        if is_kept {
            cool(&mut crawl);
        }
        check(asked(&crawl, &all()), 2);
        check(asked_while(&crawl, &all(), true), 0);
        check(crawl.surveyed(&all()), 0);
    }
}

#[test]
fn many_sites_on_disk_are_read_in_one_go() {
    let mut crawl = Crawl::new(SiteRules::default());
    for number in 0..1_500 {
        crawl.seed(&format!("http://s{number}.test/"));
    }
    crawl.fetch("http://s7.test/", &[]);
    cool(&mut crawl);
    for sort in [SiteOrder::Visits, SiteOrder::Delay] {
        let wanted = SitesWanted { sort, descending: true, ..all() };
        let page = asked(&crawl, &SitesWanted { search: "s7".to_owned(), ..wanted.clone() });
        assert_eq!((page.total, page.exact, page.sites.len()), (111, true, 111));
        let page = asked(&crawl, &wanted);
        assert_eq!((page.total, page.exact, page.sites.len()), (1_500, true, 200));
    }
    assert_eq!(asked(&crawl, &SitesWanted::default()).sites.len(), 0, "none are wanted");
}

#[test]
fn a_site_without_a_row_has_no_name_yet_and_is_owned_up_to() {
    let mut crawl = Crawl::new(SiteRules::default());
    for partition in &mut crawl.partitions {
        partition.set_memory(0);
    }
    crawl.seed("http://one.test/");
    let page = asked(&crawl, &all());
    assert_eq!((page.total, page.exact), (0, false), "its URLs are on a shelf: {page:?}");
}
