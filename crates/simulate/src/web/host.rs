//! One host: how many pages it has, what its robots.txt says, and how it behaves.

use crate::chance::Chance;
use crate::moment::Moment;

/// What a robots.txt with text in it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) disallows: bool,
    pub(super) crawl_delay: Moment,
}

/// What asking for a robots.txt leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Robots {
    Absent,
    File(File),
    /// A server error the first few times, then a file.
    Late(File, u32),
    /// A server error, always.
    Failing,
    /// No answer, ever.
    Unreachable,
    /// A redirect to another host's.
    Moved(u32),
}

/// How a host treats a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temper {
    Even,
    /// It takes seconds.
    Slow,
    /// It often does not answer.
    Flaky,
    /// It often asks for quiet.
    Pushy,
    /// Its name does not exist.
    Missing,
}

#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) address: u32,
    pub(super) pages: u32,
    pub(super) robots: Robots,
    pub(super) temper: Temper,
    /// Some of its pages are at https.
    pub(super) is_mixed: bool,
    /// By how much its clock is wrong.
    pub(super) skew: Moment,
    /// Its robots.txt, or that there is none, was told to a visitor.
    pub(super) is_heard: bool,
}

impl Host {
    pub(super) fn draw(number: u32, pages: u32, chance: &mut Chance) -> Self {
        // The first host is even-tempered, so that every web can be entered.
        let roll = if number == 0 { 0 } else { chance.below(100) };
        let robots = match roll {
            0..40 => Robots::Absent,
            40..80 => Robots::File(File::draw(chance)),
            80..86 => {
                let failures = u32::try_from(chance.between(1, 5)).expect("small");
                Robots::Late(File::draw(chance), failures)
            }
            86..90 => Robots::Failing,
            90..93 => Robots::Unreachable,
            _ => Robots::Moved(0),
        };
        let roll = if number == 0 { 0 } else { chance.below(100) };
        let temper = match roll {
            0..80 => Temper::Even,
            80..86 => Temper::Slow,
            86..91 => Temper::Flaky,
            91..98 => Temper::Pushy,
            _ => Temper::Missing,
        };
        Self {
            // Three hosts a domain: they share a partition, and nothing else.
            name: format!("h{number}.d{}.test", number / 3),
            // Every fifth host lives in a house of eight.
            address: if number % 5 == 4 { number / 40 } else { 1_000_000 + number },
            pages,
            robots,
            temper,
            is_mixed: chance.per_myriad(2_500),
            skew: Moment::seconds(chance.below(7_200)),
            is_heard: false,
        }
    }
}

impl File {
    fn draw(chance: &mut Chance) -> Self {
        let crawl_delay = match chance.below(10) {
            0..5 => Moment::default(),
            5..9 => Moment::millis(500 * chance.between(1, 12)),
            _ => Moment::seconds(chance.between(10, 40)),
        };
        Self { disallows: chance.per_myriad(7_000), crawl_delay }
    }

    pub(super) fn text(self) -> String {
        let disallow = if self.disallows { "Disallow: /private/\n" } else { "" };
        let millis = self.crawl_delay.as_millis();
        let (seconds, rest) = (millis / 1_000, millis % 1_000);
        format!("User-agent: *\n{disallow}Crawl-delay: {seconds}.{rest:03}\n")
    }
}
