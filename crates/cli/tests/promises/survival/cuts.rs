//! A kill and a torn log: its end is cut off, or overwritten, as far as it was never synced.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rhumb_testweb::Spec;

use super::{Dice, Trial, names};
use crate::run::is_full;

/// Magic, format, start and checksum of a segment.
pub(super) const HEADER_BYTES: usize = 20;
/// Length, kind and checksum of a frame.
const HEAD_BYTES: usize = 9;
/// The kind of a frame that says how far the log was synced.
const MARK: u8 = 2;

/// The newest segment of the log.
pub(super) fn newest(dir: &Path) -> PathBuf {
    let log = dir.join("log");
    log.join(names(&log).last().expect("a segment"))
}

/// Up to which byte a segment says that it was synced.
pub(super) fn synced(path: &Path) -> usize {
    let bytes = std::fs::read(path).expect("a segment");
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let start: u64 = name.parse().expect("a name is an offset");
    let (mut at, mut synced) = (HEADER_BYTES, HEADER_BYTES);
    while let Some((head, rest)) = bytes.get(at..).and_then(<[u8]>::split_first_chunk::<HEAD_BYTES>)
    {
        let [l0, l1, l2, l3, kind, ..] = *head;
        let length = usize::try_from(u32::from_le_bytes([l0, l1, l2, l3])).expect("a length");
        if rest.len() < length {
            break;
        }
        if kind == MARK {
            let place = u64::from_le_bytes(rest[..length].try_into().expect("eight bytes"));
            synced = usize::try_from(place - start).expect("a place in this segment");
        }
        at += HEAD_BYTES + length;
    }
    synced
}

/// Takes the end of the log away; says how many bytes of it.
fn tear(dir: &Path, dice: &mut Dice, with_noise: bool) -> usize {
    let path = newest(dir);
    let mut bytes = std::fs::read(&path).expect("a segment");
    let loose = bytes.len().saturating_sub(synced(&path));
    let lost = dice.below(u64::try_from(loose).expect("a length fits 64 bits") + 1);
    let lost = usize::try_from(lost).expect("it was a length");
    let kept = bytes.len() - lost;
    if with_noise {
        bytes[kept..].fill_with(|| dice.below(256).to_le_bytes()[0]);
    } else {
        bytes.truncate(kept);
    }
    std::fs::write(&path, bytes).expect("written");
    lost
}

#[test]
fn a_log_whose_end_is_torn_loses_no_page_and_keeps_none_twice() {
    let (hosts, pages, kills) = if is_full() { (200, 4_000, 60) } else { (30, 400, 8) };
    let spec = Spec::sized(53, hosts, pages);
    // Synced so rarely, nearly everything that a run wrote can be torn.
    let flags = ["--delay", "10ms", "--ip-delay", "0s", "--tries", "1", "--durability", "10s"];
    let mut trial = Trial::new(&spec, &flags, Duration::from_millis(10));
    trial.judge.is_lenient = true;
    let mut dice = Dice(7);
    let pages = trial.expected.pages.len();
    let (mut torn, mut lost) = (0, 0);
    for kill in 1..=kills {
        let going = trial.run_until(kill * pages / (kills + 1));
        trial.kill(going, Duration::from_micros(dice.below(20_000)));
        let bytes = tear(&trial.dir(), &mut dice, kill % 3 == 0);
        torn += usize::from(bytes > 0);
        lost += bytes;
    }
    let gone = trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    trial.check();
    assert!(torn * 2 > kills, "the log had an end to tear {torn} times");
    println!(
        "survival torn: {pages} pages, {kills} kills, {torn} torn by {lost} bytes in all, asked \
        for again {}, shortest gap {:?}",
        trial.judge.again,
        trial.shortest_gap()
    );
}
