//! What this machine grants a process: memory, and files that may be open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::fault::Fault;

/// No crawl takes more memory than this by itself.
const MEMORY_USUAL: u64 = 1_000_000_000;
/// Open files that are not connections: log, tables, runs, segments, WARC, name lookups.
const FILES_BESIDE: u64 = 256;
/// With fewer connections a crawl is not worth its name.
const CONNECTIONS_MIN: usize = 16;

/// The smaller of 1 GB and a quarter of the machine's memory; a container's own limit counts.
pub(crate) fn memory_share() -> u64 {
    memory().map_or(MEMORY_USUAL, |bytes| (bytes / 4).min(MEMORY_USUAL))
}

/// The memory of the machine, or what its container is allowed; none where nobody tells.
pub(crate) fn memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let machine = total(&read("/proc/meminfo"));
    let container = read("/sys/fs/cgroup/memory.max").trim().parse().ok();
    [machine, container].into_iter().flatten().min()
}

/// The memory of a machine in bytes, as `/proc/meminfo` tells it.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Lets as many files be open as the system grants; returns that number.
pub(crate) fn raise_open_files() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Where it is refused, what was granted before still holds.
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let granted = if raised.is_ok() { maximum } else { current };
    granted.unwrap_or(u64::MAX)
}

/// How many fetches may be under way, of those that are wanted, and how many connections may be
/// kept idle beside them: where files are few they share them evenly.
pub(crate) fn connections(wanted: usize, open_files: u64) -> Result<(usize, usize), Fault> {
    let left = open_files.saturating_sub(FILES_BESIDE);
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    if left / 2 < CONNECTIONS_MIN {
        return Err(Fault::failed(
            format!("only {open_files} files may be open at once: too few for a crawl"),
            "ulimit -n 1024",
        ));
    }
    let busy = wanted.min(left / 2);
    Ok((busy, left - busy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_the_machine_is_read_where_it_is_told() {
        let check = |text: &str, expect| assert_eq!(total(text), expect, "{text:?}");
        check("MemTotal:       16303428 kB\nMemFree: 1 kB\n", Some(16_303_428 * 1024));
        check("MemFree: 1 kB\n", None);
        check("MemTotal: many kB\n", None);
        check("", None);
        assert!(memory_share() <= MEMORY_USUAL);
    }

    #[test]
    fn connections_are_fewer_where_files_are() {
        let check = |open_files, expect| {
            assert_eq!(connections(512, open_files).ok(), expect, "{open_files}");
        };
        check(2_000, Some((512, 1_232)));
        check(1_280, Some((512, 512)));
        check(1_279, Some((511, 512)));
        check(288, Some((16, 16)));
        check(287, None);
        check(0, None);
    }
}
