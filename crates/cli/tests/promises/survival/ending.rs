//! An end that was asked for leaves nothing to be read again.

use std::time::{Duration, Instant};

use rhumb_testweb::Spec;

use super::{Trial, has_ending, names};

/// Fetches under way have five seconds; the rest is for a slow machine.
const ENDS_WITHIN: Duration = Duration::from_secs(10);
/// A header, and a line that says that it ended well: no fact is so short.
const EMPTY_LOG_BYTES: u64 = 80;

#[test]
fn sigterm_ends_within_seconds_with_a_checkpoint_and_nothing_is_replayed() {
    let flags = ["--delay", "20ms", "--ip-delay", "0s", "--tries", "1"];
    let spec = Spec { latency: Duration::from_millis(5), ..Spec::sized(54, 30, 300) };
    let mut trial = Trial::new(&spec, &flags, Duration::from_millis(20));
    let mut longest = Duration::ZERO;
    for part in 1..4 {
        let going = trial.run_until(part * trial.expected.pages.len() / 4);
        going.signal("-TERM");
        let asked = Instant::now();
        let gone = trial.follow(going);
        longest = longest.max(asked.elapsed());
        assert_eq!(gone.status.code(), Some(130), "{}", gone.stderr);
        let log = trial.dir().join("log");
        let segments = names(&log);
        assert_eq!(segments.len(), 1, "{segments:?}");
        let segment = log.join(segments.first().expect("one"));
        let length = segment.metadata().expect("it is there").len();
        assert!(length <= EMPTY_LOG_BYTES, "{length} bytes are left to be replayed");
        assert!(names(&trial.dir().join("archive")).iter().all(|name| !has_ending(name, "open")));
    }
    assert!(longest < ENDS_WITHIN, "{longest:?}");
    let gone = trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    trial.check();
    assert_eq!(trial.judge.again, 0, "nothing is asked for again");
    println!("survival sigterm: ended within {longest:?}, asked for again 0");
}
