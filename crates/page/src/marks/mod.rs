//! Pages that are not what they were asked for: errors told with a good status, domains without a
//! site, and gates that want a person.
//!
//! No single word decides: each sign has a weight, and only several kinds of them together,
//! on a page with little text of its own, make a mark. A page with much text costs nothing here.
//! What is a page is asked then whether it is spam.

mod absent;
mod challenge;
mod finder;
mod loads;
mod look;
mod parked;
mod phrases;
mod sign;

use rhumb_web::{CanonUrl, Exchange, Mark};

use crate::Page;
use crate::read::Format;
use crate::spam::spam;
use look::Look;

/// The most text beside its links that a page with a mark has: more is a page, whatever it says.
const OWN_BYTES_MAX: usize = 2_400;

/// What is known of a page beside what it says.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Where it was found.
    pub url: &'a CanonUrl,
    /// The status it came with.
    pub status: u16,
    /// Its headers, the names in lower case.
    pub headers: Vec<(&'a str, &'a str)>,
    /// The body, of which the scripts are looked at.
    pub body: &'a [u8],
    /// Whether a redirect led here.
    pub redirected: bool,
}

impl<'a> Facts<'a> {
    /// What an exchange says of its page.
    pub fn of(exchange: &'a Exchange, redirected: bool) -> Self {
        let headers = exchange.headers.iter();
        let headers = headers
            .filter_map(|(name, value)| Some((name.as_str(), std::str::from_utf8(value).ok()?)));
        Self {
            url: &exchange.url,
            status: exchange.status,
            headers: headers.collect(),
            body: &exchange.body,
            redirected,
        }
    }
}

/// The mark of a page and the signs that made it, if it has one. The page must have been read
/// with its text.
pub fn mark(page: &Page, facts: &Facts<'_>) -> Option<(Mark, Vec<&'static str>)> {
    let is_good = (200..300).contains(&facts.status);
    if !is_good && !challenge::is_status(facts.status) {
        return None;
    }
    let found = Look::at(page, facts).and_then(|look| no_page(&look, is_good));
    if found.is_some() || !is_good {
        return found;
    }
    let spam = spam(page, facts);
    spam.mark.map(|mark| (mark, spam.signs))
}

/// The mark of what is no page.
fn no_page(look: &Look<'_>, is_good: bool) -> Option<(Mark, Vec<&'static str>)> {
    if let Some(signs) = challenge::signs(look) {
        return Some((Mark::Challenge, signs));
    }
    if !is_good || look.page.format != Format::Html {
        return None;
    }
    if let Some(signs) = parked::signs(look) {
        return Some((Mark::Parked, signs));
    }
    absent::signs(look).map(|signs| (Mark::SoftError, signs))
}

#[cfg(test)]
mod tests;
