use tokio::time::timeout;

use super::*;

const MIB: usize = 1024 * 1024;

fn bodies(mib: u64, body_max: usize) -> Arc<Bodies> {
    Arc::new(Bodies::new(mib * 1024 * 1024, body_max))
}

fn held(bodies: &Bodies) -> usize {
    usize::try_from(bodies.held()).expect("it fits")
}

/// Whether a claim gets so many bytes at once.
async fn reaches(claim: &mut Claim, bytes: usize) -> bool {
    timeout(Duration::ZERO, claim.reach(bytes)).await.is_ok()
}

#[tokio::test]
async fn bytes_are_taken_in_steps_and_given_back() {
    let bodies = bodies(64, 4 * MIB);
    let mut claim = bodies.enter().await;
    assert_eq!(held(&bodies), STEP);
    claim.reach(STEP + 1).await;
    assert_eq!(held(&bodies), 2 * STEP);
    claim.reach(5 * MIB).await;
    assert_eq!(held(&bodies), 5 * MIB);
    claim.reach(MIB).await;
    assert_eq!(held(&bodies), 5 * MIB, "reaching never gives back");
    claim.shrink(MIB);
    assert_eq!(held(&bodies), MIB);
    claim.shrink(3 * MIB);
    assert_eq!(held(&bodies), MIB, "shrinking never takes");
    drop(claim);
    assert_eq!((held(&bodies), bodies.peak()), (0, 5 * 1024 * 1024));
}

#[tokio::test]
async fn one_at_a_time_may_go_beyond_a_share() {
    let bodies = bodies(16, 8 * MIB);
    let (mut first, mut second) = (bodies.enter().await, bodies.enter().await);
    assert!(reaches(&mut first, 30 * MIB).await, "it has the turn");
    assert!(reaches(&mut second, 6 * MIB).await, "the share itself is untouched");
    assert!(!reaches(&mut second, 30 * MIB).await);
    first.shrink(0);
    assert!(reaches(&mut second, 30 * MIB).await, "the turn was handed on");
    assert!(!reaches(&mut first, 30 * MIB).await);
    second.shrink(6 * MIB);
    assert!(reaches(&mut first, 30 * MIB).await, "what fits the share needs no turn");
}

#[tokio::test]
async fn small_bodies_do_not_wait_for_large_ones() {
    let bodies = bodies(16, 8 * MIB);
    let (mut greedy, mut waiting) = (bodies.enter().await, bodies.enter().await);
    let mut full = bodies.enter().await;
    assert!(reaches(&mut full, 6 * MIB).await && reaches(&mut greedy, 30 * MIB).await);
    assert!(!reaches(&mut waiting, 3 * MIB).await, "the share of large ones is empty");
    let mut small = bodies.enter().await;
    assert!(reaches(&mut small, MIB).await);
}

#[tokio::test]
async fn whoever_holds_nothing_waits_for_its_first_step() {
    let bodies = bodies(1, MIB);
    let mut all = Vec::new();
    while let Ok(claim) = timeout(Duration::ZERO, bodies.enter()).await {
        all.push(claim);
    }
    assert_eq!(all.len() * STEP, MIB / 2, "half is for small bodies");
    drop(all.pop());
    assert!(timeout(Duration::ZERO, bodies.enter()).await.is_ok());
}

#[tokio::test]
async fn fetches_that_all_want_more_than_there_is_end_one_after_the_other() {
    for mib in [0, 1, 4, 64] {
        let bodies = bodies(mib, 8 * MIB);
        let grower = |number: usize| {
            let bodies = Arc::clone(&bodies);
            async move {
                let mut claim = bodies.enter().await;
                for step in 0..160 {
                    claim.reach(step * STEP + number).await;
                    tokio::task::yield_now().await;
                }
                claim.shrink(MIB);
                tokio::task::yield_now().await;
                claim.reach(12 * MIB).await;
            }
        };
        let all: Vec<_> = (0..40).map(|number| tokio::spawn(grower(number))).collect();
        for one in all {
            timeout(Duration::from_mins(1), one).await.expect("none waits for ever").expect("ends");
        }
        assert_eq!(bodies.held(), 0);
        let slack = u64::try_from(15 * MIB).expect("it fits");
        assert!(bodies.peak() <= mib * 1024 * 1024 + slack, "{mib}: {}", bodies.peak());
    }
}
