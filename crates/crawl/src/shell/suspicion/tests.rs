use super::*;

const SITE_URL: &str = "http://a.example";
const HASH: HashKey = HashKey(3, 4);
const PARTITION: PartitionId = PartitionId(0);

/// A crawl of one site, without the web.
struct Crawl {
    suspicion: Suspicion,
    suspects: Suspects,
}

impl Crawl {
    fn new() -> Self {
        Self { suspicion: Suspicion::new(HASH), suspects: Suspects::default() }
    }

    /// Comes to a page from another, and says whether it was let through. What it says and where
    /// it links to is given as numbers.
    fn visit(&mut self, path: &str, from: &str, depth: u16, says: (u64, u64)) -> bool {
        self.meet(&found(path, from, depth), says)
    }

    fn meet(&mut self, candidate: &Candidate, says: (u64, u64)) -> bool {
        let judged = self.suspicion.judge(PARTITION, candidate, 2026, &mut self.suspects);
        if judged.is_some() {
            return false;
        }
        let SiteKey(site) = SiteKey::of(HASH, PARTITION, &candidate.url.site());
        self.suspicion.learn(&Met {
            site,
            candidate,
            saying: says.0,
            outline: says.1,
            twin: Kinship::Original,
            is_short: true,
            is_empty: false,
        });
        true
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.suspects.rows().iter().map(|it| it.kind.word()).collect()
    }
}

fn found(path: &str, from: &str, depth: u16) -> Candidate {
    let url = |path: &str| CanonUrl::parse(&format!("{SITE_URL}{path}")).unwrap();
    let mut candidate = Candidate::new(url(path), Errand::Page, depth, 0);
    candidate.found.on = Some(url(from).key(HASH));
    candidate
}

/// How many pages of a chain are let through, each found on the one before it.
#[track_caller]
fn check(page: fn(usize) -> String, kind: &str, most: usize) {
    let mut crawl = Crawl::new();
    let mut fetched = 1;
    assert!(crawl.visit(&page(0), "/", 1, (7, 9)));
    while crawl.visit(
        &page(fetched),
        &page(fetched - 1),
        u16::try_from(fetched).unwrap() + 1,
        (7, 9),
    ) {
        fetched += 1;
        assert!(fetched <= most, "{} is let through", page(fetched));
    }
    assert_eq!(crawl.kinds(), [kind]);
}

#[test]
fn a_chain_of_the_same_page_ends_by_its_kind() {
    check(|n| format!("/n/{n}"), "trap-repeated-page", 8);
    check(|n| format!("/cal/{}/{}", 2026 + n / 12, n % 12 + 1), "trap-calendar", 8);
    check(|n| format!("/cal/{}/{}", 2040 + n / 12, n % 12 + 1), "trap-calendar", 4);
    check(|n| format!("/find?q=a{}", "-and".repeat(n)), "trap-growing-query", 8);
    check(|n| format!("/d/{}", "7/".repeat(n)), "trap-relative-link", 6);
}

#[test]
fn pages_with_something_to_say_are_never_refused() {
    let mut crawl = Crawl::new();
    for number in 1..3_000_u64 {
        let (path, from) = (format!("/n/{number}"), format!("/n/{}", number - 1));
        assert!(crawl.visit(&path, &from, u16::try_from(number).unwrap(), (number, 9)), "{path}");
    }
    assert_eq!(crawl.suspects, Suspects::default());
}

#[test]
fn a_list_of_numbers_is_followed_as_long_as_it_leads_to_something() {
    let mut crawl = Crawl::new();
    for number in 1..500_u64 {
        let (path, from) = (format!("/list?p={number}"), format!("/list?p={}", number - 1));
        let depth = u16::try_from(number).unwrap();
        assert!(crawl.visit(&path, &from, depth, (7, 9)), "{path}");
        assert!(crawl.visit(&format!("/item/{number}"), &path, depth + 1, (100 + number, 1)));
    }
    // From here on what it lists is known.
    let more = (500..600_u64).take_while(|number| {
        let (path, from) = (format!("/list?p={number}"), format!("/list?p={}", number - 1));
        crawl.visit(&path, &from, u16::try_from(*number).unwrap(), (7, 9))
    });
    assert!(more.count() < 10);
}

#[test]
fn links_on_a_page_that_says_something_are_all_followed() {
    let mut crawl = Crawl::new();
    assert!(crawl.visit("/index", "/", 1, (1, 1)));
    for number in 0..900 {
        assert!(crawl.visit(&format!("/photo/{number}"), "/index", 2, (7, 9)), "{number}");
    }
}

#[test]
fn links_without_a_word_are_followed() {
    let mut crawl = Crawl::new();
    for number in 1..900 {
        let (path, from) = (format!("/{number}"), format!("/{}", number / 2));
        assert!(crawl.visit(&path, &from, 10, (0, 9)), "{path}");
    }
}
