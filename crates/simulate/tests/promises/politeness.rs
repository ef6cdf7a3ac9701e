//! Whatever happens, no host is visited too early, twice at once or against its word.

use std::collections::BTreeMap;

use rhumb_simulate::{Plan, run};

/// Seeds and fetches of each.
fn size() -> (u64, u64) {
    if std::env::var_os("RHUMB_FULL").is_some() { (100, 20_000) } else { (20, 5_000) }
}

#[test]
fn no_host_can_complain_over_many_seeds() {
    let (seeds, fetches) = size();
    for seed in 0..seeds {
        let report = run(Plan::new(seed, fetches));
        assert_eq!(report.violation_count(), 0, "seed {seed}: {:#?}", report.examples);
        assert_eq!(report.fetches, fetches, "seed {seed}: the web ended before the crawl");
    }
}

#[test]
fn every_hardship_strikes() {
    let mut met: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..4 {
        for (hardship, times) in run(Plan::new(seed, 5_000)).hardships {
            *met.entry(hardship).or_default() += times;
        }
    }
    let expected = [
        "address-busy",
        "dns",
        "failed",
        "late",
        "line-down",
        "lost",
        "outage",
        "parcel-twice",
        "pushed-back",
        "robots-moved",
        "slept",
    ];
    for hardship in expected {
        assert!(met.contains_key(hardship), "{hardship} never struck: {met:?}");
    }
}
