//! Pages that are made to be found, and not to be read.
//!
//! What a page is like (how its words repeat, how well it compresses, its title, its links, what it
//! hides) makes signs; each has a weight, and only several of them together make a mark. The
//! features are those of Ntoulas, Najork, Manasse and Fetterly, "Detecting spam web pages through
//! content analysis" (2006), the thresholds their own where they name one; the others, and all
//! weights, were chosen so that none of 115,000 pages of documentation in a dozen languages is
//! marked. Where a script has no spaces nothing is said of words.
//!
//! Every page comes here, so that what is dear (to compress, to count hosts) is done only where
//! cheaper signs speak for it.

mod doorway;
mod wording;

use std::collections::HashSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rhumb_web::{LinkKind, Mark};

use crate::Page;
use crate::marks::Facts;
use crate::read::Format;
use wording::Wording;

pub use doorway::leads_to;

/// What the signs of spam weigh at least, in tenths.
const ENOUGH: u8 = 8;
/// The most that they can weigh.
const WEIGHT_MAX: u8 = 10;
/// A text must have so many bytes for its compression to say something.
const COMPRESSED_BYTES_MIN: usize = 2048;
/// How much of a text is compressed.
const COMPRESSED_BYTES_MAX: usize = 64 * 1024;
/// The weight from which on it is worth to compress a text.
const WORTH_COMPRESSING: u8 = 3;
/// Titles with more words are hardly found but on spam (Ntoulas et al., figure 5).
const TITLE_WORDS_MAX: usize = 24;
/// How often a title may have the same word.
const TITLE_REPEATS_MAX: usize = 2;
/// The part of a text that links make out in a list of them.
const ANCHOR_SHARE: f32 = 0.5;
/// Links to other hosts, and those hosts, that a list has at least.
const FAR_LINKS_MIN: usize = 30;
const FAR_HOSTS_MIN: usize = 20;
/// The part of a text that is hidden for a reason, and its bytes.
const CONCEALED_SHARE: f32 = 0.3;
const CONCEALED_BYTES_MIN: usize = 200;
/// The part of a page that is text where there is hardly any markup.
const VISIBLE_SHARE: f32 = 0.9;

/// What speaks for a page being spam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spam {
    /// How much does: from 0 to 1; from 0.8 on it gets a mark.
    pub score: f32,
    /// What does.
    pub signs: Vec<&'static str>,
    /// The mark it gets: spam, or a doorway.
    pub mark: Option<Mark>,
}

/// What speaks for a page being spam. It must have been read with its text.
pub fn spam(page: &Page, facts: &Facts<'_>) -> Spam {
    if page.format != Format::Html {
        return Spam::default();
    }
    if let Some(signs) = doorway::signs(page, facts) {
        return Spam { score: 1.0, signs, mark: Some(Mark::Doorway) };
    }
    let mut weighed = Weighed::default();
    let text = &page.scan.text;
    weighed.add_title(page.scan.title.as_deref().unwrap_or_default());
    weighed.add_concealed(page);
    weighed.add_wording(&Wording::of(text), text);
    weighed.add_links(page, facts.url.host());
    let is_bare = share(text.len(), facts.body.len()) > VISIBLE_SHARE;
    // Texts without markup are common: this counts only beside others.
    weighed.add_if(is_bare && weighed.weight > 0, 1, "hardly any markup");
    let mark = (weighed.weight >= ENOUGH).then_some(Mark::Spam);
    let score = f32::from(weighed.weight.min(WEIGHT_MAX)) / f32::from(WEIGHT_MAX);
    Spam { score, signs: weighed.signs, mark }
}

/// Signs and what they weigh together.
#[derive(Default)]
struct Weighed {
    weight: u8,
    signs: Vec<&'static str>,
}

impl Weighed {
    fn add_if(&mut self, holds: bool, weight: u8, sign: &'static str) {
        if holds {
            self.weight += weight;
            self.signs.push(sign);
        }
    }

    /// Adds a sign that weighs more from a second threshold on.
    fn add_from(
        &mut self,
        value: f32,
        [some, much]: [f32; 2],
        weights: [u8; 2],
        sign: &'static str,
    ) {
        self.add_if(value >= some, if value >= much { weights[1] } else { weights[0] }, sign);
    }

    fn add_title(&mut self, title: &str) {
        let words: Vec<&str> = title.split_whitespace().collect();
        self.add_if(words.len() > TITLE_WORDS_MAX, 3, "title of more than 24 words");
        let is_repeated = |word: &&str| {
            let same = words.iter().filter(|it| it.eq_ignore_ascii_case(word));
            word.len() >= 4 && same.take(TITLE_REPEATS_MAX + 1).count() > TITLE_REPEATS_MAX
        };
        self.add_if(words.iter().any(is_repeated), 2, "title repeats a word");
    }

    /// Adds what stands on a page for machines only. Menus and windows are hidden too, but neither
    /// disguised nor stuffed.
    fn add_concealed(&mut self, page: &Page) {
        let (concealed, all) = (&page.scan.concealed, page.scan.text.len());
        let is_much =
            concealed.bytes >= CONCEALED_BYTES_MIN && share(concealed.bytes, all) > CONCEALED_SHARE;
        if !is_much {
            return;
        }
        self.add_if(true, 1, "hidden text");
        let is_disguised = share(concealed.disguised_bytes, all) > CONCEALED_SHARE;
        self.add_if(is_disguised, 5, "text without size or in the colour of its ground");
        let wording = Wording::of(&concealed.sample);
        if wording.is_telling() && !wording.is_unspaced() {
            let is_stuffed = wording.share(wording.top) >= TOP[0] && wording.repeated() >= RUNS[0];
            self.add_if(is_stuffed, 3, "hidden text repeats itself");
            let is_list = wording.is_familiar() && wording.share(wording.frequent) < FREQUENT_MIN;
            self.add_if(is_disguised && is_list, 2, "hidden list of words");
        }
    }

    fn add_wording(&mut self, wording: &Wording, text: &str) {
        if !wording.is_telling() {
            return;
        }
        let before = self.weight;
        self.add_from(wording.repeated(), RUNS, [2, 3], "the same words in the same order");
        if !wording.is_unspaced() {
            let top = wording.share(wording.top);
            self.add_from(top, TOP, [2, 3], "one word again and again");
            self.add_if(wording.share(wording.distinct) < DISTINCT_MIN, 1, "few different words");
        }
        if wording.is_familiar() {
            let is_list = wording.share(wording.frequent) < FREQUENT_MIN;
            self.add_if(is_list, 1, "hardly any common words");
            let is_odd = !LETTERS.contains(&wording.mean_letters());
            self.add_if(is_odd, 1, "words of an odd length");
        }
        if self.weight >= before + WORTH_COMPRESSING && text.len() >= COMPRESSED_BYTES_MIN {
            self.add_from(compression(text), COMPRESSION, [1, 2], "compresses well");
        }
    }

    /// Adds lists of links to many hosts. To compare hosts costs more than all else, so that
    /// pages with more to say are not looked at.
    fn add_links(&mut self, page: &Page, own: &str) {
        let links = page.scan.links.iter().filter(|link| link.kind == LinkKind::A);
        let bytes: usize = links.clone().map(|link| link.text.len()).sum();
        if page.scan.links.len() < FAR_LINKS_MIN
            || share(bytes, page.scan.text.len()) <= ANCHOR_SHARE
        {
            return;
        }
        let far = links.map(|link| link.url.host()).filter(|host| *host != own);
        if far.clone().count() >= FAR_LINKS_MIN {
            let hosts: HashSet<&str> = far.collect();
            self.add_if(hosts.len() >= FAR_HOSTS_MIN, 3, "list of links to many hosts");
        }
    }
}

/// Of all words the most common long one: of prose about 2 %, of documentation seldom 10 %.
const TOP: [f32; 2] = [0.1, 0.15];
/// Runs of words that were there before: of prose hardly any, of documentation seldom a third.
const RUNS: [f32; 2] = [0.35, 0.5];
/// Different words among about 600: of prose half of them.
const DISTINCT_MIN: f32 = 0.15;
/// Words that are frequent in their language: of prose a fifth at least.
const FREQUENT_MIN: f32 = 0.04;
/// Letters of a usual word (Ntoulas et al., figure 6).
const LETTERS: std::ops::RangeInclusive<f32> = 3.5..=8.0;
/// How many times shorter a text gets: from four on 70 % of pages were spam (Ntoulas et al.,
/// figure 9).
const COMPRESSION: [f32; 2] = [3.0, 4.0];

/// How many times shorter a text gets.
fn compression(text: &str) -> f32 {
    let text = &text[..text.floor_char_boundary(COMPRESSED_BYTES_MAX)];
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.map_or(1.0, |written| share(text.len(), written.len()))
}

#[expect(clippy::cast_precision_loss, reason = "of some millions hardly any is lost")]
fn share(part: usize, all: usize) -> f32 {
    part as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests;
