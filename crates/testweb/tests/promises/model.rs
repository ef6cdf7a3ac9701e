//! The truth is whole: sizes as wished, every page accounted for.

use std::collections::BTreeSet;

use rhumb_testweb::truth::{Kind, PageId, Scheme};
use rhumb_testweb::{Spec, Web};

const PORT: u16 = 8_080;

/// Pages from which nothing more can be reached, by the dullest method: sweep until all is still.
fn naive_walk(web: &Web) -> BTreeSet<String> {
    let may = |id: PageId| {
        let host = web.host_of(id);
        host.fault.is_none() && !host.robots.refuses_all() && !web.page(id).closed
    };
    let mut met: BTreeSet<PageId> = web.seeds.iter().copied().collect();
    loop {
        let mut next = met.clone();
        for id in met.iter().copied().filter(|id| may(*id)) {
            let page = web.page(id);
            match page.kind {
                Kind::Redirect { to, .. } => _ = next.insert(to),
                Kind::Html if !page.directive.forbids_links() => {
                    next.extend(page.links.iter().map(|l| l.to));
                }
                _ => {}
            }
            let host = web.host_of(id);
            if host.sitemap.is_some() {
                next.extend(host.pages.clone().map(PageId).filter(|p| web.page(*p).in_sitemap));
            }
        }
        if next.len() == met.len() {
            return met.into_iter().filter(|id| may(*id)).map(|id| web.url(id, PORT)).collect();
        }
        met = next;
    }
}

#[test]
fn expected_pages_are_those_of_a_naive_walk() {
    for seed in 1..=5 {
        let web = Web::generate(&Spec::sized(seed, 100, 800));
        let expected: BTreeSet<String> = web.expected(PORT).pages.into_keys().collect();
        assert_eq!(expected, naive_walk(&web), "seed {seed}");
    }
}

#[test]
fn a_web_has_at_least_the_pages_that_were_wished_and_nearly_all_hosts() {
    for (seed, hosts, pages) in
        [(1, 1, 10), (2, 3, 40), (3, 20, 200), (4, 240, 2_500), (5, 500, 10_000), (6, 2_000, 4_000)]
    {
        let web = Web::generate(&Spec::sized(seed, hosts, pages));
        let expected = web.expected(PORT);
        assert!(expected.pages.len() >= pages, "{hosts} hosts: {} pages", expected.pages.len());
        assert!(expected.pages.len() < pages * 2 + hosts + 40, "{}", expected.pages.len());
        assert!(expected.hosts.len() * 100 >= hosts * 85, "{} hosts", expected.hosts.len());
    }
}

#[test]
fn the_demo_shows_everything() {
    let web = Web::generate(&Spec::demo());
    let expected = web.expected(PORT);
    println!(
        "{} pages on {} hosts; {} disallowed, {} unreachable, {} decoys, {} traps",
        expected.pages.len(),
        expected.hosts.len(),
        expected.disallowed.len(),
        expected.unreachable.len(),
        expected.decoys.len(),
        expected.traps.len()
    );
    assert!(expected.hosts.len() >= 200 && expected.pages.len() >= 2_400);
    for status in [200, 301, 302, 303, 307, 308, 404, 410, 500] {
        assert!(expected.pages.values().any(|p| p.status == status), "{status}");
    }
    for set in [&expected.disallowed, &expected.unreachable, &expected.decoys, &expected.traps] {
        assert!(!set.is_empty() && set.iter().all(|url| !expected.pages.contains_key(url)));
    }
    assert!(expected.pages.values().filter(|p| p.duplicate_of.is_some()).count() > 50);
    assert!(expected.pages.values().filter(|p| p.native_word.is_some()).count() > 50);
    for why in [
        "comment",
        "script",
        "style",
        "template",
        "textarea",
        "title",
        "post-form",
        "rel-nofollow",
        "nofollow-class",
        "directive",
        "second-href",
        "plain-text",
    ] {
        assert!(expected.decoys.iter().any(|url| url.contains(&format!("/{why}/"))), "{why}");
    }
}

#[test]
fn some_pages_are_known_from_sitemaps_or_redirects_only() {
    let web = Web::generate(&Spec::demo());
    let linked: BTreeSet<PageId> =
        web.pages.iter().flat_map(|p| p.links.iter().map(|l| l.to)).collect();
    let expected = web.expected(PORT);
    let ids = (0..u32::try_from(web.pages.len()).unwrap()).map(PageId);
    let alone = ids.filter(|id| !linked.contains(id) && !web.seeds.contains(id));
    let alone = alone.filter(|id| expected.pages.contains_key(&web.url(*id, PORT)));
    assert!(alone.count() > 40);
}

#[test]
fn a_web_for_timing_has_exactly_the_pages_wished_and_all_are_to_be_fetched() {
    for (hosts, pages) in [(1, 300), (7, 100), (40, 40), (500, 10_000), (2_000, 5_000)] {
        let web = Web::generate(&Spec::bench(hosts, pages));
        let expected = web.expected(PORT);
        assert_eq!((expected.pages.len(), expected.hosts.len()), (pages, hosts));
        assert!(expected.pages.values().all(|p| p.status == 200 && p.duplicate_of.is_none()));
        for set in [&expected.disallowed, &expected.unreachable, &expected.decoys, &expected.traps]
        {
            assert!(set.is_empty(), "{set:?}");
        }
        assert!(web.seeds.len() <= 20);
        if pages <= 300 {
            assert_eq!(expected.pages.into_keys().collect::<BTreeSet<_>>(), naive_walk(&web));
        }
    }
}

#[test]
fn a_web_for_timing_gives_work_on_every_host_after_two_steps() {
    let web = Web::generate(&Spec::bench(500, 10_000));
    let step = |from: BTreeSet<PageId>| -> BTreeSet<PageId> {
        from.iter().flat_map(|id| web.page(*id).links.iter().map(|l| l.to)).collect()
    };
    let met = step(step(web.seeds.iter().copied().collect()));
    let hosts: BTreeSet<_> = met.iter().map(|id| web.page(*id).host).collect();
    assert_eq!(hosts.len(), 500);
}

#[test]
fn a_web_that_speaks_tls_only_has_no_plain_origin() {
    for spec in [Spec::sized(1, 60, 300), Spec::bench(60, 300)] {
        let web = Web::generate(&Spec { only_https: true, ..spec });
        assert!(web.hosts.iter().all(|h| h.scheme == Scheme::Https && h.twin_of.is_none()));
        assert!(web.expected(PORT).pages.keys().all(|url| url.starts_with("https://")));
    }
}
