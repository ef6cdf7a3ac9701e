//! Every content has one original, and all others are its twins: whatever is in memory or on disk,
//! through passes, checkpoints and power cuts at any moment.

use proptest::collection::vec;
use proptest::prelude::*;
use rhumb_likeness::Verdict;

use crate::caller::{Caller, document};

/// What happens: an action, a URL, a family, a member of it.
type Step = (u8, u16, u8, u8);

/// Plays a history in a world of so many URLs and families.
fn check(memory: usize, (urls, families): (u64, u64), history: &[Step]) -> Caller {
    let mut caller = Caller::new(memory);
    for (action, url, family, member) in history {
        let (url, member) = (u64::from(*url) % urls, u64::from(*member));
        // Small families have short texts or none; those from eight on have members that differ.
        let family = u64::from(*family) % families + if families < 8 { 7 } else { 0 };
        match action {
            0 => caller.begin_pass(),
            1 => caller.end_pass(),
            2 => caller.begin_checkpoint(),
            3 => caller.end_checkpoint(),
            4 if member % 4 == 0 => caller.reopen(),
            5..=8 => {
                let canonical = Some((url + member) % urls);
                caller.meet(&document(url, family, member % 3, canonical), family);
            }
            _ => caller.meet(&document(url, family, member % 3, None), family),
        }
    }
    caller.finish();
    caller
}

fn histories(length: usize) -> impl Strategy<Value = Vec<Step>> {
    vec((0u8..20, any::<u16>(), any::<u8>(), any::<u8>()), 1..length)
}

/// A long history without chance, so that everything is known to happen.
fn long_history() -> Vec<Step> {
    let mut state = 11u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut small = |below| u8::try_from(draw(below)).unwrap();
    let mut step = || (small(40), u16::from(small(256)), small(256), small(256));
    (0..4_000).map(|_| step()).collect()
}

#[test]
fn a_small_crawl_finds_all_at_once_and_has_no_runs() {
    let history: Vec<_> = long_history().into_iter().filter(|step| step.0 > 1).collect();
    let caller = check(16 << 20, (256, 60), &history);
    assert_eq!(caller.found_late, 0);
    assert!(caller.found_now > 2_000, "{}", caller.found_now);
    assert!(caller.replaced > 0, "{}", caller.replaced);
}

#[test]
fn a_long_crawl_finds_the_rest_late() {
    let caller = check(0, (256, 60), &long_history());
    assert!(caller.found_now > 500, "{}", caller.found_now);
    assert!(caller.found_late > 500, "{}", caller.found_late);
    assert!(caller.files > 8, "{}", caller.files);
}

#[test]
fn a_page_that_was_met_takes_its_canonical_forms_place_until_that_is_met() {
    let mut caller = Caller::new(1 << 20);
    assert_eq!(
        caller.sieve.meet(&document(1, 50, 0, Some(2))),
        Verdict::Original { replaces: None }
    );
    let canonical = document(2, 50, 1, None);
    let Verdict::Original { replaces: Some(late) } = caller.sieve.meet(&canonical) else {
        panic!("the canonical form is the original");
    };
    assert_eq!((late.url, late.twin.of), (document(1, 50, 0, None).url, canonical.url));
    let Verdict::Twin(twin) = caller.sieve.meet(&document(3, 50, 0, None)) else {
        panic!("the content is known");
    };
    assert_eq!(twin.of, canonical.url);
}

#[test]
fn a_canonical_link_to_something_else_is_not_believed() {
    let mut caller = Caller::new(1 << 20);
    let original = Verdict::Original { replaces: None };
    assert_eq!(caller.sieve.meet(&document(2, 51, 0, None)), original);
    assert_eq!(caller.sieve.meet(&document(1, 50, 0, Some(2))), original);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_history_leaves_one_original_of_each_content(
        history in histories(600),
        memory in prop_oneof![Just(0usize), 0usize..100_000],
    ) {
        check(memory, (400, 60), &history);
    }

    #[test]
    fn any_history_of_a_few_pages_leaves_one_original_of_each_content(history in histories(60)) {
        check(0, (7, 3), &history);
    }
}
