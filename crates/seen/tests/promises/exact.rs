//! Nothing is ever new twice, nor known when it is new: in all regimes, through flushes, merges,
//! passes and reopenings at any moment.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use rhumb_web::UrlKey;

use crate::caller::Caller;

/// Spreads small numbers over all keys, as a hash does.
fn key(number: u16) -> UrlKey {
    let mixed = (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    UrlKey((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9))
}

/// Plays a history; how many were unsure, how many of them rescued, and how many runs there were.
fn check(memory: usize, is_filtered: bool, history: &[(u8, u16)]) -> (usize, usize, usize) {
    let mut caller = Caller::new(memory, is_filtered);
    let mut met = HashSet::new();
    let mut runs = 0;
    for (action, number) in history {
        match action {
            0 => caller.begin_pass(usize::from(*number)),
            1 => caller.end_pass(),
            2 => caller.begin_checkpoint(),
            3 => caller.end_checkpoint(),
            4 => caller.begin_merge(),
            5 => caller.end_merge(),
            6 if number % 16 == 0 => caller.reopen(),
            _ => {
                // Small numbers come often, large ones seldom, as on the web.
                let number = number >> (number % 7);
                met.insert(key(number).0);
                caller.meet(key(number));
            }
        }
        runs = runs.max(caller.set.runs().len());
    }
    caller.finish(&met);
    (caller.unsure, caller.rescued, runs)
}

fn histories() -> impl Strategy<Value = Vec<(u8, u16)>> {
    vec((0u8..40, any::<u16>()), 1..4_000)
}

/// A long history without chance, so that each regime is known to be reached.
fn long_history() -> Vec<(u8, u16)> {
    let mut state = 7u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut step = || (u8::try_from(draw() % 40).unwrap(), u16::try_from(draw() % 65_536).unwrap());
    (0..30_000).map(|_| step()).collect()
}

#[test]
fn a_small_crawl_is_never_unsure_and_has_no_files() {
    assert_eq!(check(4 << 20, true, &long_history()), (0, 0, 0));
}

#[test]
fn with_a_filter_new_keys_hardly_wait() {
    let (unsure, rescued, runs) = check(64 << 10, true, &long_history());
    assert!(unsure > 1_000 && runs > 2, "{unsure} unsure, {runs} runs");
    assert!(rescued < unsure / 20, "{rescued} of {unsure}");
}

#[test]
fn without_a_filter_every_new_key_waits_once_there_are_runs() {
    let (unsure, rescued, runs) = check(16 << 10, false, &long_history());
    assert!(unsure > 5_000 && runs > 2, "{unsure} unsure, {runs} runs");
    assert!(rescued > 5_000, "{rescued} of {unsure}");
}

#[test]
fn a_filter_that_the_keys_outgrow_is_given_up() {
    let (_, rescued, _) = check(1 << 10, true, &long_history());
    assert!(rescued > 5_000, "{rescued}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_history_is_exact_in_any_memory(
        history in histories(),
        memory in prop_oneof![Just(0usize), 0usize..100_000],
        is_filtered in any::<bool>(),
    ) {
        check(memory, is_filtered, &history);
    }
}
