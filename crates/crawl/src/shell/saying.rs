//! What a page says, as one number: the same for two pages that differ only in what a generator
//! counts up, echoes or draws.

use rhumb_web::{CanonUrl, Link};

/// Words of the URL, and of links to other queries of it, that are known as echoes at most.
const ECHOES_MAX: usize = 256;
/// Links to other queries of the same page that are looked at.
const LINKS_MAX: usize = 64;
/// Longer words are made by no language.
const WORD_BYTES_MAX: usize = 32;

/// What a page says: its words in any order, without numbers, ids, names of months and days and
/// what is an echo of its own URL; and the names of its pictures. 0 if that is nothing.
pub(super) fn saying(text: &str, url: &CanonUrl, links: &[Link], pictures: u64) -> u64 {
    let mut echoes: Vec<u64> = Vec::new();
    let mut echo = |text: &str| {
        words(text, |word| {
            if echoes.len() < ECHOES_MAX {
                echoes.push(word);
            }
        });
    };
    echo(url.path_and_query());
    let others = links.iter().map(|link| &link.url);
    let others = others.filter(|other| other.query().is_some() && other.path() == url.path());
    for other in others.take(LINKS_MAX) {
        echo(other.query().unwrap_or_default());
    }
    echoes.sort_unstable();
    echoes.dedup();
    let mut sum = pictures;
    words(text, |word| {
        if echoes.binary_search(&word).is_err() {
            sum = sum.wrapping_add(mixed(word));
        }
    });
    sum
}

/// Hands over the hash of every word that may say something.
fn words(text: &str, mut take: impl FnMut(u64)) {
    // FNV-1a: while words are found they are hashed, and most have few letters.
    let (mut hash, mut length, mut has_digit) = (SEED, 0_usize, false);
    for byte in text.bytes().chain([b' ']) {
        let byte = byte.to_ascii_lowercase();
        if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
            length += 1;
            has_digit |= byte.is_ascii_digit();
        } else if length > 0 {
            if !has_digit && length <= WORD_BYTES_MAX && !DATES.contains(&hash) {
                take(hash);
            }
            (hash, length, has_digit) = (SEED, 0, false);
        }
    }
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Sums of hashes need all bits of each.
fn mixed(hash: u64) -> u64 {
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

const fn word(text: &str) -> u64 {
    let (bytes, mut at, mut hash) = (text.as_bytes(), 0, SEED);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

/// The words of dates, in English: they change as digits do.
const DATES: [u64; 38] = [
    word("january"),
    word("february"),
    word("march"),
    word("april"),
    word("may"),
    word("june"),
    word("july"),
    word("august"),
    word("september"),
    word("october"),
    word("november"),
    word("december"),
    word("jan"),
    word("feb"),
    word("mar"),
    word("apr"),
    word("jun"),
    word("jul"),
    word("aug"),
    word("sep"),
    word("sept"),
    word("oct"),
    word("nov"),
    word("dec"),
    word("monday"),
    word("tuesday"),
    word("wednesday"),
    word("thursday"),
    word("friday"),
    word("saturday"),
    word("sunday"),
    word("mon"),
    word("tue"),
    word("wed"),
    word("thu"),
    word("fri"),
    word("sat"),
    word("sun"),
];

#[cfg(test)]
mod tests {
    use rhumb_web::LinkKind;

    use super::*;

    fn url(path: &str) -> CanonUrl {
        CanonUrl::parse(&format!("http://a.example{path}")).unwrap()
    }

    fn said(path: &str, text: &str) -> u64 {
        saying(text, &url(path), &[], 0)
    }

    #[test]
    fn dates_counters_ids_and_echoes_say_nothing() {
        let empty = said("/cal/2031/5", "Nothing on Monday, May 5, 2031");
        assert_eq!(empty, said("/cal/2031/6", "Nothing on Friday, June 13, 2031"));
        assert_eq!(
            said("/a/b", "No page at /a/b, x9k2p7"),
            said("/c/d/e", "no PAGE at /c/d/e, 17")
        );
        assert_eq!(said("/a", "17 2031"), 0);
        let more = Link {
            url: url("/list?s=xyy"),
            kind: LinkKind::A,
            text: String::new(),
            nofollow: false,
        };
        let grown = saying("More: list?s=xyy", &url("/list?s=xy"), &[more], 0);
        assert_eq!(grown, said("/list?s=x", "More: list s"));
    }

    #[test]
    fn words_and_pictures_say_something_in_any_order() {
        assert_eq!(said("/a", "red green"), said("/b", "Green, red"));
        assert_ne!(said("/a", "red green"), said("/b", "red blue"));
        assert_ne!(said("/a", "red red"), said("/a", "red"));
        assert_ne!(saying("x", &url("/"), &[], 1), saying("x", &url("/"), &[], 2));
        assert_ne!(said("/a", "märz"), said("/a", "märkte"));
    }
}
