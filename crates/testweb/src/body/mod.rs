//! What answers look like: bodies made from page ids, cheaply and always alike.

mod charset;
pub(crate) mod decoys;
mod href;
mod html;
mod prose;
mod sitemap;
#[cfg(test)]
mod tests;

pub(crate) use charset::content_type;
pub(crate) use href::location;
pub(crate) use html::trap;
pub(crate) use sitemap::{part_at, robots_lines};

use crate::truth::{PageId, Web};

/// The octets of a page with status 200.
pub(crate) fn page(web: &Web, id: PageId, port: u16) -> Vec<u8> {
    match &web.lexicon {
        Some(lexicon) => prose::page(web, lexicon, id, port),
        None => html::page(web, id, port),
    }
}

/// The word that a body has and no other: letters only, so that every tokeniser keeps it whole.
pub(crate) fn word(id: PageId) -> String {
    let mut word = String::from("quoin");
    for shift in (0..32).step_by(4).rev() {
        let digit = u8::try_from(id.0 >> shift & 15).expect("four bits");
        word.push(char::from(b'a' + digit));
    }
    word
}
