//! Hubs: the domain whose pages have had the most links, since nobody knows those of a page before it is fetched; authorities inside.

use super::{Order, count};
use crate::{DomainSigns, PageSigns};

#[derive(Debug)]
pub(super) struct Hubs;

impl Order for Hubs {
    fn name(&self) -> &'static str {
        "hubs"
    }

    fn about(&self) -> &'static str {
        "domains whose pages have the most links"
    }

    fn page(&self, page: &PageSigns) -> f64 {
        f64::from(page.in_links)
    }

    fn domain(&self, domain: &DomainSigns) -> f64 {
        count(domain.links) / (1.0 + count(domain.fetched))
    }

    fn needs_best(&self) -> bool {
        false
    }
}
