//! Wherever the process or its machine ends, nothing is lost and nothing is kept twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rhumb_simulate::crash::{Count, CrashReport, run};

/// Histories, each from its seed.
fn seeds() -> u64 {
    if std::env::var_os("RHUMB_FULL").is_some() { 1_000 } else { 100 }
}

/// All histories, on two threads.
fn reports(seeds: u64) -> Vec<CrashReport> {
    let next = AtomicU64::new(1);
    let work = || {
        let mine = std::iter::from_fn(|| {
            Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed <= seeds)
        });
        let tell = |seed| std::panic::catch_unwind(|| run(seed)).map_err(|_| seed);
        mine.map(|seed| tell(seed).expect("no seed panics")).collect()
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        let reports: [Vec<CrashReport>; 2] =
            threads.map(|thread| thread.join().expect("a history panics"));
        reports.concat()
    })
}

#[test]
fn no_end_loses_or_doubles_anything() {
    let reports = reports(seeds());
    let mut counts: BTreeMap<Count, u64> = BTreeMap::new();
    for report in &reports {
        assert_eq!(report.violation_count(), 0, "{}", report.tell());
        for (count, times) in &report.counts {
            *counts.entry(*count).or_default() += times;
        }
    }
    // A test in which nothing happens proves nothing.
    let all = [
        Count::Kills,
        Count::PowerCuts,
        Count::CleanEnds,
        Count::EndsInOpening,
        Count::EndsInCommit,
        Count::EndsOfDisk,
        Count::Checkpoints,
        Count::LinesLost,
        Count::Woken,
        Count::Refilled,
        Count::Skipped,
        Count::Passed,
        Count::Sieved,
        Count::SievedAmidCheckpoint,
        Count::Late,
        Count::LateAgain,
        Count::Replaced,
        Count::ParcelsAgain,
        Count::Recalled,
    ];
    for count in all {
        assert!(counts.get(&count).is_some_and(|times| *times >= 5), "{count:?}: {counts:?}");
    }
    println!("{} histories: {counts:?}", reports.len());
}

#[test]
fn the_same_seed_gives_the_same_crashes() {
    for seed in 1..4 {
        assert_eq!(run(seed), run(seed), "seed {seed}");
    }
}
