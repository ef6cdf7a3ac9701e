//! A farm of pages on one domain lifts nobody by one vote a domain.

use std::path::Path;
use std::sync::Arc;

use rhumb_disk::{SharedDisk, SimulatedDisk};
use rhumb_rank::{Graph, LinkStore, RankSettings, Ranks, Said, Source, Standing, compute};
use rhumb_web::UrlKey;

const TARGET: UrlKey = UrlKey(9_000_000);

fn page(key: u64, domain: u64) -> Source {
    Source { key: UrlKey(key), site: domain, domain }
}

/// The standing of a page of a small web, to which so many pages of one further domain link.
/// `is_knit`: they link to each other as well.
fn standing(farm: u64, is_knit: bool) -> Standing {
    let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
    let folder = Path::new("links");
    let mut store = LinkStore::open(&disk, folder, 0).unwrap();
    let mut tell = |source: Source, links: &[UrlKey]| {
        store.append(source, &Said::Links(links)).unwrap();
    };
    for domain in 0..50 {
        for number in 0..10 {
            let at = |domain: u64, number: u64| UrlKey(domain % 50 * 100 + number % 10);
            let links = [at(domain, number + 1), at(domain * 7 + number, 3), at(domain + 1, 0)];
            tell(page(domain * 100 + number, domain), &links);
        }
    }
    tell(Source { key: TARGET, site: 77, domain: 77 }, &[]);
    for number in 0..farm {
        let mut links = vec![TARGET];
        if is_knit {
            links.extend([1, 2, 3].map(|step| UrlKey(1_000_000 + (number * 5 + step) % farm)));
        }
        tell(page(1_000_000 + number, 1_000), &links);
    }
    let end = store.sync().unwrap();
    let graph = Graph::build(&disk, folder, end, 1 << 20).unwrap();
    compute(&disk, folder, &graph, &RankSettings::default(), 1 << 20).unwrap();
    Ranks::open(&disk, folder).unwrap().unwrap().get(TARGET).unwrap()
}

/// A standing as a share of all rank, in a web of this many documents.
fn share(standing: f32, documents: u32) -> f64 {
    f64::from(standing).exp() / f64::from(documents)
}

#[test]
fn five_hundred_pages_of_one_domain_lift_a_page_no_more_than_one() {
    let one = standing(1, false);
    for is_knit in [false, true] {
        let farm = standing(500, is_knit);
        let votes = share(farm.vote, 1_001) / share(one.vote, 502);
        assert!(votes < 1.03, "{votes}");
        let pages = share(farm.page, 1_001) / share(one.page, 502);
        assert!(pages > 20.0, "PageRank believes the farm: {pages}");
    }
}

#[test]
fn the_standing_of_a_page_with_its_fair_share_is_0_and_that_of_a_better_one_above() {
    let disk: SharedDisk = Arc::new(SimulatedDisk::new(1));
    let folder = Path::new("links");
    let mut store = LinkStore::open(&disk, folder, 0).unwrap();
    for number in 0..10 {
        let next = UrlKey((number + 1) % 10);
        store.append(page(number, number), &Said::Links(&[next])).unwrap();
    }
    let end = store.sync().unwrap();
    let graph = Graph::build(&disk, folder, end, 1 << 20).unwrap();
    compute(&disk, folder, &graph, &RankSettings::default(), 1 << 20).unwrap();
    let ranks = Ranks::open(&disk, folder).unwrap().unwrap();
    let Standing { page: mine, vote, site } = ranks.get(UrlKey(4)).unwrap();
    assert!(mine.abs() + vote.abs() + site.abs() < 1e-5);
    assert!(standing(1, false).page < 0.0, "one weak link is less than a fair share");
    assert!(standing(500, false).page > 1.0);
}
