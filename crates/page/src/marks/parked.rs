//! Domains that have no site of their own: for sale, or shown with advertisements.

use super::loads::Load;
use super::look::{Look, contains};
use super::phrases::{List, phrases};
use super::sign::{Kind, Signs};

/// The signs of a parked domain, if there are enough of them.
pub(super) fn signs(look: &Look<'_>) -> Option<Vec<&'static str>> {
    let mut signs = Signs::default();
    let offers = look.told.has(List::Offer) || phrases(&look.title).has(List::Offer);
    signs.add_if(offers, Kind::Text, 2, "offers the domain");
    signs.add_if(look.told.has(List::Placeholder), Kind::Text, 1, "says that it is parked");
    if signs.is_empty() && !look.is_nearly_empty() {
        return None;
    }
    look.loads(|load| {
        if let Load::Parking(word) = load {
            signs.add(Kind::Script, 3, word);
        }
    });
    let host = look.facts.url.host();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_named = look.title.trim() == host || look.title.starts_with(host);
    signs.add_if(is_named, Kind::Title, 1, "titled as its host");
    let speaks_of_host = is_named || contains(&look.text, host) || contains(&look.title, host);
    signs.add_if(speaks_of_host, Kind::Title, 1, "names its host");
    // Whoever sells domains writes of them too, but of others than his own.
    if !signs.has(Kind::Script) && !speaks_of_host {
        return None;
    }
    // A page that is only called by its host is still a page.
    if !signs.has(Kind::Script) && !signs.has(Kind::Text) {
        return None;
    }
    signs.add_if(look.is_nearly_empty(), Kind::Make, 1, "nearly empty");
    signs.enough()
}
