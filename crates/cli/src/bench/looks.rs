//! Looks at both sides while a crawl runs: what was done by then, and by whom.

use std::time::Duration;

use rhumb_measure::run::{Cores, cpu_time};

/// The beginning and the end are not full speed: from this share of the pages to that one.
const FULL_SPEED: (u64, u64, u64) = (5, 95, 100);
/// A shorter stretch says little.
const STRETCH_MIN: Duration = Duration::from_millis(300);
/// Parts of a second in which `/proc` counts processor time, on every Linux.
const KERNEL_HERTZ: u64 = 100;

/// One look.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    /// Since the start.
    pub(super) at: Duration,
    /// Pages that were answered.
    pub(super) pages: u64,
    /// Processor time of the crawl, and of this process, which is the server.
    pub(super) crawl: Duration,
    pub(super) server: Duration,
    /// Processor time that programs had on the crawl's cores, whoever they are.
    pub(super) cores: Duration,
}

impl Look {
    /// Looks now.
    pub(super) fn now(at: Duration, pages: u64, crawl: u32, cores: &Cores) -> Self {
        let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        Self {
            at,
            pages,
            crawl: cpu_time(crawl).unwrap_or_default(),
            server: cpu_time(std::process::id()).unwrap_or_default(),
            cores: used(&stat, cores.numbers()),
        }
    }

    /// What came to pass since another look.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            at: self.at.saturating_sub(earlier.at),
            pages: self.pages.saturating_sub(earlier.pages),
            crawl: self.crawl.saturating_sub(earlier.crawl),
            server: self.server.saturating_sub(earlier.server),
            cores: self.cores.saturating_sub(earlier.cores),
        }
    }
}

/// What came to pass at full speed, if that was long enough.
pub(super) fn full_speed(looks: &[Look]) -> Option<Look> {
    let (first, last, whole) = FULL_SPEED;
    let pages = looks.last()?.pages;
    let from = looks.iter().find(|look| look.pages * whole >= pages * first)?;
    let to = looks.iter().rfind(|look| look.pages * whole <= pages * last)?;
    Some(to.since(*from)).filter(|stretch| stretch.at >= STRETCH_MIN && stretch.pages > 0)
}

/// The time that programs had on these cores, as `/proc/stat` tells it. Interrupts and what the
/// host of a virtual machine took belong to nobody.
fn used(stat: &str, cores: &[usize]) -> Duration {
    let ticks = |core: &usize| {
        let name = format!("cpu{core} ");
        let line = stat.lines().find_map(|line| line.strip_prefix(&name))?;
        let fields: Vec<u64> = line.split(' ').map_while(|text| text.parse().ok()).collect();
        // As users, as users who are nice, and in the kernel.
        Some(fields.iter().take(3).sum::<u64>())
    };
    let ticks: u64 = cores.iter().filter_map(ticks).sum();
    Duration::from_millis(ticks * 1_000 / KERNEL_HERTZ)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(every_ms: u64) -> Vec<Look> {
        let look = |step: u64| Look {
            at: Duration::from_millis(step * every_ms),
            pages: step * 10,
            ..Look::default()
        };
        (0..=100).map(look).collect()
    }

    #[test]
    fn full_speed_is_between_the_beginning_and_the_end() {
        let stretch = full_speed(&looks(20)).unwrap();
        assert_eq!((stretch.pages, stretch.at), (900, Duration::from_millis(1_800)));
        assert!(full_speed(&looks(1)).is_none(), "a tenth of a second says nothing");
        assert!(full_speed(&[]).is_none());
    }

    #[test]
    fn time_of_cores_is_what_programs_had() {
        let stat = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 1 1 500 50 1 1 1 0 0\n\
                    cpu1 100 0 50 7 7 0 0 10 100 0\ncpu10 1 0 0 0 0 0 0 0 0 0\nintr 7\n";
        let check = |cores: &[usize], ms| {
            assert_eq!(used(stat, cores), Duration::from_millis(ms), "{cores:?}");
        };
        check(&[0], 30);
        check(&[1], 1_500);
        check(&[0, 10], 40);
        check(&[7], 0);
        check(&[], 0);
    }
}
