//! What held the crawl back, in a word and in sentences.

use rhumb_measure::parts::{self, Part};

use super::crawled::Crawled;
use super::{Report, number, whole};
use crate::quantity::grouped;

/// From this share on a core is busy.
const BUSY: f64 = 0.85;
/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// What was in the way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bottleneck {
    Cpu,
    Disk,
    Memory,
    /// Of the test itself.
    Server,
    /// Programs that are no part of the test.
    Others,
    /// Nothing was used up.
    None,
}

impl Bottleneck {
    pub(super) fn of(crawled: &Crawled) -> Self {
        match crawled.held_back_by.as_deref() {
            Some("disk") => return Self::Disk,
            Some("memory") => return Self::Memory,
            _ => {}
        }
        let server_here = if crawled.is_shared { crawled.server_busy } else { 0.0 };
        let ours = crawled.busy + server_here;
        if ours >= BUSY {
            Self::Cpu
        } else if ours + crawled.others_busy >= BUSY {
            Self::Others
        } else if !crawled.is_shared && crawled.server_busy >= BUSY {
            Self::Server
        } else {
            Self::None
        }
    }

    /// The one word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Disk => "disk",
            Self::Memory => "memory",
            Self::Server => "server",
            Self::Others => "others",
            Self::None => "none",
        }
    }
}

/// The part that takes most of a page.
fn largest(parts: &[Part]) -> Option<&Part> {
    let own = parts.iter().filter(|part| part.within.is_none());
    own.max_by(|a, b| a.per_page_micros().total_cmp(&b.per_page_micros()))
}

/// Microseconds of processor time that a page took in the crawl.
pub(super) fn page_micros(crawled: &Crawled) -> f64 {
    let pages = crawled.pages.max(1);
    crawled.taken.cpu.as_secs_f64() * 1e6 / number(pages)
}

/// What held it back, in a sentence.
pub(super) fn sentence(report: &Report) -> String {
    let crawled = &report.crawled;
    let name = largest(&report.parts).map_or("work", |part| part.name);
    let of_page = largest(&report.parts).map_or(0.0, Part::per_page_micros);
    let share = percent(of_page / page_micros(crawled).max(1.0));
    match Bottleneck::of(crawled) {
        Bottleneck::Cpu if crawled.is_shared => format!(
            "the processor, which server and crawl shared; of a page's work {name} takes most, {share}"
        ),
        Bottleneck::Cpu => {
            format!("the processor; of a page's work {name} takes most, {share}")
        }
        Bottleneck::Disk => "the disk: pages waited to be written".to_owned(),
        Bottleneck::Memory => "memory: the share for bodies was full".to_owned(),
        Bottleneck::Server => {
            "the test itself: its server was busy before the crawl was; the crawl could do more"
                .to_owned()
        }
        Bottleneck::Others => format!(
            "other programs, which had {} of the crawl's cores: end them, and measure again",
            percent(crawled.others_busy)
        ),
        Bottleneck::None if crawled.is_short => {
            "none was found: the crawl was too short to tell; with more --pages it can".to_owned()
        }
        Bottleneck::None => "none was found: the processor, at least, was not used up".to_owned(),
    }
}

/// What the rate means in practice, if it means anything.
pub(super) fn practice(crawled: &Crawled) -> Option<[String; 2]> {
    let rate = crawled.pages_per_s;
    let sentences = [
        format!(
            "at the default delay of 1 s, about {} sites at once keep this machine busy",
            grouped(whole(rate)),
        ),
        format!("a day at this rate is {} such pages", millions(rate * DAY)),
    ];
    (!crawled.is_short).then_some(sentences)
}

/// How much of the crawl's processor time the parts make up.
pub(super) fn parts_share(report: &Report) -> f64 {
    parts::sum(&report.parts) / page_micros(&report.crawled).max(1.0)
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn millions(pages: f64) -> String {
    match pages / 1e6 {
        many if many >= 10.0 => format!("{} million", grouped(whole(many))),
        few if few >= 0.1 => format!("{few:.1} million"),
        _ => format!("{} thousand", grouped(whole(pages / 1e3))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        [busy, server_busy, others_busy]: [f64; 3],
        held: Option<&str>,
        is_shared: bool,
        expect: Bottleneck,
    ) {
        let held_back_by = held.map(str::to_owned);
        let usual = super::super::text::tests::crawled();
        let crawled = Crawled { busy, others_busy, server_busy, is_shared, held_back_by, ..usual };
        assert_eq!(Bottleneck::of(&crawled), expect);
    }

    #[test]
    fn what_is_used_up_first_is_the_bottleneck() {
        check([0.97, 0.3, 0.0], Some("cpu"), false, Bottleneck::Cpu);
        check([0.97, 0.97, 0.0], None, false, Bottleneck::Cpu);
        check([0.6, 0.97, 0.0], None, false, Bottleneck::Server);
        check([0.6, 0.3, 0.1], None, false, Bottleneck::None);
        check([0.6, 0.3, 0.4], None, false, Bottleneck::Others);
        check([0.6, 0.3, 0.0], Some("disk"), false, Bottleneck::Disk);
        check([0.6, 0.3, 0.0], Some("memory"), false, Bottleneck::Memory);
        check([0.7, 0.25, 0.0], None, true, Bottleneck::Cpu);
        check([0.4, 0.2, 0.0], None, true, Bottleneck::None);
    }

    #[test]
    fn a_day_is_told_in_words() {
        let check = |pages, expect: &str| assert_eq!(millions(pages), expect);
        check(216_000_000.0, "216 million");
        check(1_840_000_000.0, "1,840 million");
        check(8_640_000.0, "8.6 million");
        check(43_200.0, "43 thousand");
    }
}
