use std::collections::HashMap;

use proptest::prelude::*;
use rhumb_web::CanonUrl;

use super::*;

const GAP: Duration = Duration::from_millis(250);

fn ip(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn site(number: usize) -> Site {
    let text = format!("http://site{number}.example/");
    CanonUrl::parse(&text).expect("a URL").site()
}

fn wait(entry: Entry) -> Duration {
    match entry {
        Entry::Wait(span) => span,
        Entry::Pass => panic!("it passed"),
    }
}

#[test]
fn sites_of_one_address_are_sent_back_to_turns_a_gap_apart() {
    let (mut gate, now) = (Gate::new(GAP), Instant::now());
    assert_eq!(gate.enter(now, ip(1), &site(0)), Entry::Pass);
    for number in 1..=500 {
        let turn = wait(gate.enter(now, ip(1), &site(number)));
        assert_eq!(turn, GAP * u32::try_from(number).expect("small"));
    }
    assert_eq!(gate.enter(now, ip(2), &site(7)), Entry::Pass, "another address is free");
    assert_eq!(gate.enter(now + GAP, ip(1), &site(1)), Entry::Pass);
}

#[test]
fn a_turn_belongs_to_the_site_that_got_it() {
    let (mut gate, now) = (Gate::new(GAP), Instant::now());
    assert_eq!(gate.enter(now, ip(1), &site(0)), Entry::Pass);
    assert_eq!(wait(gate.enter(now, ip(1), &site(1))), GAP);
    let late = now + GAP + GAP / 2;
    assert_eq!(wait(gate.enter(late, ip(1), &site(2))), GAP, "a newcomer goes behind");
    assert_eq!(gate.enter(late, ip(1), &site(1)), Entry::Pass);
}

#[test]
fn a_turn_that_is_not_taken_goes_to_the_next() {
    let (mut gate, now) = (Gate::new(GAP), Instant::now());
    assert_eq!(gate.enter(now, ip(1), &site(0)), Entry::Pass);
    assert_eq!(wait(gate.enter(now, ip(1), &site(1))), GAP);
    let turn = wait(gate.enter(now, ip(1), &site(2)));
    let again = wait(gate.enter(now + turn, ip(1), &site(2)));
    assert_eq!(again, GAP, "site 1 may still come");
    let gone = now + GAP + GAP * LATE_GAPS + Duration::from_millis(1);
    assert_eq!(gate.enter(gone, ip(1), &site(2)), Entry::Pass);
}

#[test]
fn four_are_in_flight_and_the_fifth_waits_until_one_leaves() {
    let (mut gate, mut now) = (Gate::new(GAP), Instant::now());
    for number in 0..4 {
        assert_eq!(gate.enter(now, ip(1), &site(number)), Entry::Pass);
        now += GAP;
    }
    assert_eq!(wait(gate.enter(now, ip(1), &site(4))), GAP);
    now += GAP;
    assert_eq!(wait(gate.enter(now, ip(1), &site(4))), GAP);
    gate.leave(ip(1));
    now += GAP;
    assert_eq!(gate.enter(now, ip(1), &site(4)), Entry::Pass);
}

#[test]
fn a_gap_of_zero_lifts_both_limits() {
    let (mut gate, now) = (Gate::new(Duration::ZERO), Instant::now());
    for number in 0..100 {
        assert_eq!(gate.enter(now, ip(1), &site(number)), Entry::Pass);
    }
}

#[test]
fn idle_addresses_are_forgotten() {
    let (mut gate, mut now) = (Gate::new(GAP), Instant::now());
    for number in 0..100_000_u32 {
        let address = IpAddr::from(number.to_be_bytes());
        assert_eq!(gate.enter(now, address, &site(0)), Entry::Pass);
        gate.leave(address);
        now += Duration::from_millis(1);
        assert!(gate.addresses.len() <= SWEEP_MIN + 1, "{} addresses", gate.addresses.len());
    }
}

proptest! {
    /// Sites of a few addresses come when they were told, or a little late; requests take a while.
    #[test]
    fn no_gap_is_broken_no_more_than_four_are_in_flight_and_nobody_starves(
        sites in 1_usize..60,
        addresses in 1_u8..4,
        takes in prop::collection::vec(1_u64..3_000, 60),
        lateness in prop::collection::vec(0_u64..120, 60),
    ) {
        let (mut gate, began) = (Gate::new(GAP), Instant::now());
        // What happens next to whom: (when, site, whether it leaves).
        let mut agenda: Vec<(Duration, usize, bool)> =
            (0..sites).map(|number| (Duration::ZERO, number, false)).collect();
        let mut starts: HashMap<IpAddr, Vec<Duration>> = HashMap::new();
        let mut in_flight: HashMap<IpAddr, u32> = HashMap::new();
        let mut passed = vec![0_u32; sites];
        while let Some(next) = (0..agenda.len()).min_by_key(|at| agenda[*at]) {
            let (now, number, leaves) = agenda.swap_remove(next);
            prop_assert!(now < Duration::from_mins(20), "site {number} starves");
            let address = ip(u8::try_from(number).expect("few") % addresses);
            if leaves {
                gate.leave(address);
                *in_flight.entry(address).or_default() -= 1;
                if passed[number] < 3 {
                    agenda.push((now + Duration::from_millis(lateness[number]), number, false));
                }
                continue;
            }
            match gate.enter(began + now, address, &site(number)) {
                Entry::Pass => {
                    passed[number] += 1;
                    starts.entry(address).or_default().push(now);
                    let count = in_flight.entry(address).or_default();
                    *count += 1;
                    prop_assert!(*count <= IN_FLIGHT_MAX);
                    agenda.push((now + Duration::from_millis(takes[number]), number, true));
                }
                Entry::Wait(span) => {
                    prop_assert!(!span.is_zero(), "a wait of nothing would spin");
                    let late = Duration::from_millis(lateness[number]);
                    agenda.push((now + span + late, number, false));
                }
            }
        }
        prop_assert!(passed.iter().all(|count| *count == 3));
        for times in starts.values() {
            prop_assert!(times.windows(2).all(|pair| pair[1] >= pair[0] + GAP));
        }
    }
}
