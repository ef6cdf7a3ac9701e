//! How long something takes: several rounds of enough repetitions.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Spread;

/// Rounds of which the middle counts.
const ROUNDS: usize = 7;
/// A round takes at least so many seconds of processor time.
const ROUND_SECONDS: f64 = 0.02;
/// On a machine with much else to do fewer rounds must be enough: so many, after so long.
const ROUNDS_MIN: usize = 3;
const PATIENCE: Duration = Duration::from_secs(1);
/// Repetitions of a round, whatever they take: bounds what a round can write.
const REPEATS_MAX: u32 = 100_000;

/// Seconds of processor time that this thread has had.
#[expect(clippy::cast_precision_loss, reason = "seconds of one process")]
pub(super) fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Microseconds that one repetition takes. `round` is told how many are wanted, and says how many
/// seconds one of them took.
pub(super) fn micros<E>(mut round: impl FnMut(u32) -> Result<f64, E>) -> Result<Spread, E> {
    let (began, mut repeats) = (Instant::now(), 1);
    // The shorter rounds warm up what can be warm.
    loop {
        let seconds = round(repeats)? * f64::from(repeats);
        if seconds >= ROUND_SECONDS || repeats == REPEATS_MAX {
            break;
        }
        repeats = repeats.saturating_mul(if seconds * 16.0 < ROUND_SECONDS { 8 } else { 2 });
        repeats = repeats.min(REPEATS_MAX);
    }
    let mut micros = Vec::new();
    while micros.len() < ROUNDS_MIN || micros.len() < ROUNDS && began.elapsed() < PATIENCE {
        micros.push(round(repeats)? * 1e6);
    }
    Ok(Spread::of(micros).expect("there are rounds"))
}

/// Microseconds of something that needs no preparation and cannot fail.
pub(super) fn plain(mut work: impl FnMut()) -> Spread {
    let round = |repeats: u32| -> Result<f64, std::convert::Infallible> {
        let before = seconds();
        for _ in 0..repeats {
            work();
        }
        Ok((seconds() - before) / f64::from(repeats))
    };
    let Ok(spread) = micros(round);
    spread
}

/// A list's length as a factor.
#[expect(clippy::cast_precision_loss, reason = "the links of one page")]
pub(super) fn count(length: usize) -> f64 {
    length as f64
}
