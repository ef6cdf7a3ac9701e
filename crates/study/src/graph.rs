//! A graph of pages that is known in whole.

/// Pages by number, their links, and the domains that they belong to.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Where the links of a page begin; one more than there are pages.
    starts: Vec<u32>,
    links: Vec<u32>,
    domain_of: Vec<u32>,
    /// Whether a domain is spam, where that is known.
    spam: Vec<bool>,
    /// The pages that a crawl begins with.
    seeds: Vec<u32>,
}

impl Graph {
    /// One without pages, of so many domains.
    pub fn new(spam: Vec<bool>) -> Self {
        Self { starts: vec![0], links: Vec::new(), domain_of: Vec::new(), spam, seeds: Vec::new() }
    }

    /// Adds the next page. Links are taken out of the list; those to itself do not count, and none
    /// counts twice.
    pub fn add(&mut self, domain: u32, links: &mut Vec<u32>) {
        let page = self.pages();
        links.sort_unstable();
        links.dedup();
        self.links.extend(links.drain(..).filter(|to| *to != page));
        self.starts.push(number(self.links.len()));
        self.domain_of.push(domain);
    }

    /// Says where crawls begin.
    pub fn begin_at(&mut self, mut seeds: Vec<u32>) {
        seeds.sort_unstable();
        seeds.dedup();
        self.seeds = seeds;
    }

    /// How many pages there are.
    pub fn pages(&self) -> u32 {
        number(self.domain_of.len())
    }

    /// How many domains there are.
    pub fn domains(&self) -> u32 {
        number(self.spam.len())
    }

    /// How many links there are.
    pub fn edges(&self) -> usize {
        self.links.len()
    }

    /// Where crawls begin.
    pub fn seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// The pages that a page links to, in the order of their numbers.
    pub fn links_of(&self, page: u32) -> &[u32] {
        let page = place(page);
        &self.links[place(self.starts[page])..place(self.starts[page + 1])]
    }

    /// The domain of a page.
    pub fn domain_of(&self, page: u32) -> u32 {
        self.domain_of[place(page)]
    }

    /// Whether a page is spam.
    pub fn is_spam(&self, page: u32) -> bool {
        self.spam[place(self.domain_of(page))]
    }

    /// Which pages can be reached from the seeds.
    pub fn reachable(&self) -> Vec<bool> {
        let mut met = vec![false; self.domain_of.len()];
        let mut stack = self.seeds.clone();
        while let Some(page) = stack.pop() {
            if !std::mem::replace(&mut met[place(page)], true) {
                stack.extend(self.links_of(page).iter().filter(|to| !met[place(**to)]));
            }
        }
        met
    }
}

/// A number as a place in a list.
pub(crate) fn place(number: u32) -> usize {
    usize::try_from(number).expect("32 bits fit a place")
}

/// A length as a number.
pub(crate) fn number(length: usize) -> u32 {
    u32::try_from(length).expect("fewer than 2³² of anything")
}
