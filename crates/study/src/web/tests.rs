use super::*;

fn in_links(graph: &Graph) -> Vec<u32> {
    let mut count = vec![0; place(graph.pages())];
    for page in 0..graph.pages() {
        for to in graph.links_of(page) {
            count[place(*to)] += 1;
        }
    }
    count
}

#[test]
fn the_same_seed_gives_the_same_web_and_another_seed_another() {
    let links =
        |graph: &Graph| (0..graph.pages()).flat_map(|it| graph.links_of(it).to_vec()).collect();
    let (one, same, other) = (generate(5_000, 7), generate(5_000, 7), generate(5_000, 8));
    let (one_links, same_links, other_links): (Vec<_>, Vec<_>, Vec<_>) =
        (links(&one), links(&same), links(&other));
    assert_eq!((one.seeds(), &one_links), (same.seeds(), &same_links));
    assert_ne!(one_links, other_links);
}

#[test]
fn nearly_every_page_is_reached_and_has_about_ten_links_most_of_them_at_home() {
    let graph = generate(50_000, 1);
    assert_eq!((graph.pages(), graph.domains()), (50_000, 1_000));
    let reached = graph.reachable().iter().filter(|it| **it).count();
    assert!(reached > 49_500, "{reached}");
    let per_page = graph.edges() / 50_000;
    assert!((7..=12).contains(&per_page), "{per_page}");
    let is_inner = |page: u32, to: &&u32| graph.domain_of(page) == graph.domain_of(**to);
    let inner =
        (0..50_000).map(|it| graph.links_of(it).iter().filter(|to| is_inner(it, to)).count());
    let inner: usize = inner.sum();
    assert!(inner * 10 > graph.edges() * 7, "{inner} of {}", graph.edges());
}

#[test]
fn a_few_pages_and_domains_have_most_and_spam_is_a_small_part() {
    let graph = generate(50_000, 2);
    let mut count = in_links(&graph);
    count.sort_unstable_by(|a, b| b.cmp(a));
    let top: u32 = count[..500].iter().sum();
    let middle = count[25_000];
    assert!(place(top) * 10 > graph.edges(), "{top} of {}", graph.edges());
    assert!(count[0] > 100 * middle, "{} and {middle}", count[0]);
    let spam = (0..50_000).filter(|it| graph.is_spam(*it)).count();
    assert!((500..5_000).contains(&spam), "{spam}");
    assert!(graph.seeds().iter().all(|seed| !graph.is_spam(*seed)));
}
