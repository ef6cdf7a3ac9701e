//! Some documents together: the numbers that they use, sorted and once each, then what each says
//! by the places of its numbers among them. A link that many pages share costs eight bytes once
//! and one or two for every page.

use rhumb_web::UrlKey;

use super::{LINKS_MAX, Said, Source};
use crate::varint;
use crate::width::wide;

/// Length and checksum of what follows.
pub(super) const HEAD: usize = 8;
/// Far above what [`Draft::encode`] makes.
pub(super) const BLOCK_BYTES_MAX: usize = 8 << 20;

const GONE: u64 = 0;
const MOVED: u64 = 1;
/// From here on: the number of links, and this.
const LINKS: u64 = 2;

/// Documents that wait to be written together.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// What each document says, and how many numbers that takes.
    tags: Vec<u64>,
    /// Key, site and domain of each document, and what it names.
    numbers: Vec<u64>,
}

impl Draft {
    pub(super) fn push(&mut self, source: Source, said: &Said<'_>) {
        self.numbers.extend([source.key.0, source.site, source.domain]);
        let tag = match *said {
            Said::Gone => GONE,
            Said::Moved(to) => {
                self.numbers.push(to.0);
                MOVED
            }
            Said::Links(links) => {
                let mut links: Vec<u64> = links.iter().take(LINKS_MAX).map(|key| key.0).collect();
                links.sort_unstable();
                links.dedup();
                self.numbers.extend_from_slice(&links);
                LINKS + wide(links.len())
            }
        };
        self.tags.push(tag);
    }

    pub(super) fn numbers(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The block with its head; the draft is empty afterwards.
    pub(super) fn encode(&mut self) -> Vec<u8> {
        let mut names = self.numbers.clone();
        names.sort_unstable();
        names.dedup();
        let place =
            |number: u64| wide(names.binary_search(&number).expect("every number is a name"));

        let mut out = vec![0; HEAD];
        varint::put(&mut out, wide(self.tags.len()));
        varint::put(&mut out, wide(names.len()));
        let mut before = 0;
        for &name in &names {
            varint::put(&mut out, name - before);
            before = name;
        }
        let mut numbers = self.numbers.drain(..);
        for tag in self.tags.drain(..) {
            for number in numbers.by_ref().take(3) {
                varint::put(&mut out, place(number));
            }
            varint::put(&mut out, tag);
            let rest = if tag < LINKS { tag } else { tag - LINKS };
            let mut before = 0;
            for _ in 0..rest {
                let place = place(numbers.next().expect("a tag says how many numbers follow"));
                varint::put(&mut out, place - before);
                before = place;
            }
        }
        let length = u32::try_from(out.len() - HEAD).expect("a block is far below 4 GiB");
        let sum = crc32fast::hash(&out[HEAD..]);
        out[..4].copy_from_slice(&length.to_le_bytes());
        out[4..HEAD].copy_from_slice(&sum.to_le_bytes());
        out
    }
}

/// What a stored document said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    Gone,
    Moved(u64),
    /// Ascending, none twice.
    Links(&'a [u64]),
}

/// A block that was read, and how far it has been gone through.
#[derive(Debug, Default)]
pub(super) struct Block {
    body: Vec<u8>,
    at: usize,
    left: u64,
    names: Vec<u64>,
    links: Vec<u64>,
}

impl Block {
    /// Takes the bytes after the head, whose checksum is right; none if they make no sense.
    pub(super) fn parse(&mut self, body: Vec<u8>) -> Option<()> {
        let mut rest = &body[..];
        let left = varint::take(&mut rest)?;
        let names = varint::take(&mut rest)?;
        self.names.clear();
        let mut name = 0u64;
        for _ in 0..names {
            name = name.checked_add(varint::take(&mut rest)?)?;
            self.names.push(name);
        }
        self.at = body.len() - rest.len();
        self.left = left;
        self.body = body;
        Some(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// The next document; none if the block makes no sense.
    pub(super) fn take(&mut self) -> Option<(Source, Word<'_>)> {
        let Self { body, at, left, names, links } = self;
        let mut rest = body.get(*at..)?;
        let mut place = || varint::take(&mut rest);
        let name = |place: u64| names.get(usize::try_from(place).ok()?).copied();
        let key = UrlKey(name(place()?)?);
        let source = Source { key, site: name(place()?)?, domain: name(place()?)? };
        let word = match place()? {
            GONE => Word::Gone,
            MOVED => Word::Moved(name(place()?)?),
            tag => {
                links.clear();
                let mut at = 0u64;
                for _ in LINKS..tag {
                    at = at.checked_add(place()?)?;
                    links.push(name(at)?);
                }
                Word::Links(links)
            }
        };
        *at = body.len() - rest.len();
        *left -= 1;
        Some((source, word))
    }
}
