//! libFuzzer on one target: `RHUMB_FUZZ=url` names it. Run by `cargo x fuzz`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rhumb_fuzz::{Target, watch_panics};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("RHUMB_FUZZ").expect("RHUMB_FUZZ names a target");
    Target::named(&name).expect("RHUMB_FUZZ names a target of rhumb-fuzz")
});

fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
        // After libFuzzer's own hook, which ends the process: only panics of ours reach it.
        watch_panics();
    },
    |input: &[u8]| TARGET.check(input)
);
