//! A pass and a flush in every order: a key that was given back is not given back again.

use std::collections::HashSet;

use rhumb_web::UrlKey;

use crate::caller::Caller;

type Step = fn(&mut Caller);

/// All orders of the steps that keep the order within each list.
fn interleavings(a: &[Step], b: &[Step]) -> Vec<Vec<Step>> {
    let (Some(first), Some(second)) = (a.first(), b.first()) else { return vec![[a, b].concat()] };
    let with = |step: &Step, rest: Vec<Vec<Step>>| {
        rest.into_iter().map(|rest| [&[*step], &rest[..]].concat()).collect::<Vec<_>>()
    };
    [with(first, interleavings(&a[1..], b)), with(second, interleavings(a, &b[1..]))].concat()
}

fn numbered(number: u64) -> UrlKey {
    UrlKey(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8)
}

#[test]
fn passes_and_checkpoints_in_any_order_stay_exact() {
    let passes: [Step; 6] = [
        |caller| caller.meet(numbered(1_000)),
        |caller| caller.begin_pass(0),
        |caller| caller.meet(numbered(1_000)),
        Caller::end_pass,
        |caller| caller.begin_pass(0),
        Caller::end_pass,
    ];
    let checkpoints: [Step; 6] = [
        Caller::begin_checkpoint,
        Caller::end_checkpoint,
        Caller::begin_checkpoint,
        Caller::begin_merge,
        Caller::end_checkpoint,
        Caller::end_merge,
    ];
    let orders = interleavings(&passes, &checkpoints);
    assert_eq!(orders.len(), 924, "12 over 6");
    let mut rescued = 0;
    for order in orders {
        let mut caller = Caller::new(0, false);
        let mut met = HashSet::from([numbered(1_000).0]);
        for number in 0..8 {
            met.insert(numbered(number).0);
            caller.meet(numbered(number));
            if number % 2 == 1 {
                caller.begin_pass(0);
                caller.end_pass();
                caller.begin_checkpoint();
                caller.end_checkpoint();
            }
        }
        for step in order {
            step(&mut caller);
        }
        caller.finish(&met);
        rescued += caller.rescued;
    }
    assert!(rescued > 924, "every order sends the key through a pass");
}
