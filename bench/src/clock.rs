//! What a process has used so far.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU time of all threads.
pub fn process() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

/// Seconds of CPU time of this thread.
pub fn thread() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// The most bytes of memory that were resident at once.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[expect(clippy::cast_precision_loss, reason = "seconds of one run")]
fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
