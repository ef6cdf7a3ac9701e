//! Random histories with crashes, against lists in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rhumb_disk::{Disk, SimulatedDisk};
use rhumb_frontier::backlog::{Backlog, BacklogError, Frozen, LaneKey, Reading, SegmentInfo};

use super::{disk, empty, entry, folder};

#[derive(Clone, Debug)]
enum Step {
    /// So many entries for one lane.
    Push {
        lane: u64,
        count: u64,
    },
    /// One entry for each of many lanes.
    Spread {
        lanes: u64,
    },
    Take {
        lane: u64,
        count: usize,
    },
    /// A read is prepared now, and run by the next of these.
    Prepare {
        lane: u64,
        count: usize,
    },
    Freeze,
    /// Freeze and commit, unless something is frozen already: commit that.
    Checkpoint,
    /// What was frozen is written, and the checkpoint is durable.
    Commit,
    Merge,
    /// A checkpoint that fails after so many operations of the disk, and a crash.
    Fail {
        operations: u64,
    },
    Crash,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..6_u64, 1..200_u64).prop_map(|(lane, count)| Step::Push { lane, count }),
        1 => (1..150_u64).prop_map(|lanes| Step::Spread { lanes }),
        6 => (0..8_u64, 1..300_usize).prop_map(|(lane, count)| Step::Take { lane, count }),
        2 => (0..6_u64, 1..300_usize).prop_map(|(lane, count)| Step::Prepare { lane, count }),
        2 => Just(Step::Freeze),
        2 => Just(Step::Commit),
        8 => Just(Step::Checkpoint),
        3 => Just(Step::Merge),
        1 => (0..12_u64).prop_map(|operations| Step::Fail { operations }),
        1 => Just(Step::Crash),
        1 => Just(Step::Kill),
    ]
}

#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    pushed: u64,
    taken: u64,
}

type Lanes = BTreeMap<LaneKey, Lane>;

/// The backlog as a crawl uses it, and what a crawl knows.
struct Crawl {
    disk: SimulatedDisk,
    backlog: Backlog,
    lanes: Lanes,
    frozen: Option<(Frozen, Lanes)>,
    /// What the last checkpoint says.
    durable: (Vec<SegmentInfo>, Lanes),
    /// Files that the next checkpoint makes useless.
    replaced: Vec<String>,
    prepared: Option<(LaneKey, u64, usize, Reading)>,
    names: u64,
}

impl Crawl {
    fn new(seed: u64) -> Self {
        let disk = disk(seed);
        let backlog = empty(&disk);
        Self {
            disk,
            backlog,
            lanes: Lanes::new(),
            frozen: None,
            durable: (Vec::new(), Lanes::new()),
            replaced: Vec::new(),
            prepared: None,
            names: 0,
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("{:08}.segment", self.names)
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Push { lane, count } => self.push(LaneKey(lane), count),
            Step::Spread { lanes } => (0..lanes).for_each(|lane| self.push(LaneKey(lane), 1)),
            Step::Take { lane, count } => self.take(LaneKey(lane), count),
            Step::Prepare { lane, count } => self.prepare(LaneKey(lane), count),
            Step::Freeze => self.freeze(),
            Step::Checkpoint => {
                self.freeze();
                self.commit().expect("the disk is sound");
            }
            Step::Commit => self.commit().expect("the disk is sound"),
            Step::Merge => self.merge(),
            Step::Fail { operations } => {
                self.freeze();
                self.disk.fail_after(operations);
                if let Err(error) = self.commit() {
                    assert!(matches!(error, BacklogError::Disk { .. }), "{error}");
                }
                self.disk.crash();
                self.reopen();
            }
            Step::Crash => {
                self.disk.crash();
                self.reopen();
            }
            Step::Kill => {
                self.disk.kill();
                self.reopen();
            }
        }
    }

    fn push(&mut self, key: LaneKey, count: u64) {
        let lane = self.lanes.entry(key).or_default();
        for _ in 0..count {
            self.backlog.push(key, lane.pushed, &entry(key, lane.pushed));
            lane.pushed += 1;
        }
    }

    fn take(&mut self, key: LaneKey, count: usize) {
        let lane = self.lanes.entry(key).or_default();
        if lane.taken == lane.pushed {
            return;
        }
        let read =
            self.backlog.read(key, lane.taken, count).run().expect("it was pushed").into_entries();
        assert!(!read.is_empty() && read.len() <= count);
        for found in read {
            assert_eq!(found, entry(key, lane.taken));
            lane.taken += 1;
        }
        assert!(lane.taken <= lane.pushed);
    }

    fn prepare(&mut self, key: LaneKey, count: usize) {
        if let Some((key, ordinal, count, reading)) = self.prepared.take() {
            let read = reading.run().expect("segments can be read after they are removed");
            let read = read.into_entries();
            assert!(!read.is_empty() && read.len() <= count);
            (ordinal..).zip(read).for_each(|(at, found)| assert_eq!(found, entry(key, at)));
        }
        let lane = self.lanes.get(&key).copied().unwrap_or_default();
        if lane.taken < lane.pushed {
            let reading = self.backlog.read(key, lane.taken, count);
            self.prepared = Some((key, lane.taken, count, reading));
        }
    }

    fn freeze(&mut self) {
        if self.frozen.is_none() {
            self.frozen = self.backlog.freeze().map(|frozen| (frozen, self.lanes.clone()));
        }
    }

    fn commit(&mut self) -> Result<(), BacklogError> {
        let Some((frozen, lanes)) = self.frozen.take() else { return Ok(()) };
        let name = self.name();
        let segment = frozen.write(&self.disk, &folder(), &name)?;
        let in_folder = |source| BacklogError::Disk { action: "sync", path: folder(), source };
        self.disk.sync_folder(&folder()).map_err(in_folder)?;
        self.backlog.install(segment);
        self.durable = (self.backlog.segments(), lanes);
        for name in self.replaced.drain(..) {
            self.disk.remove(&folder().join(name)).map_err(in_folder)?;
        }
        Ok(())
    }

    fn merge(&mut self) {
        let Some(merge) = self.backlog.merge() else { return };
        let durable = &self.durable.1;
        let taken = |key| durable.get(&key).map_or(0, |lane| lane.taken);
        let name = format!("{:08}.merged", self.names);
        self.names += 1;
        let written = merge.write(&self.disk, &folder(), &name, &taken);
        let (merged, replaced) = written.expect("the disk is sound");
        self.backlog.replace(merged, &replaced);
        self.replaced.extend(replaced);
    }

    /// What the last checkpoint does not know never happened.
    fn reopen(&mut self) {
        let disk = Arc::new(self.disk.clone());
        self.backlog = Backlog::open(disk, folder(), &self.durable.0).expect("it was synced");
        for orphan in self.backlog.orphans().expect("the disk is sound") {
            self.disk.remove(&folder().join(orphan)).expect("the disk is sound");
        }
        self.lanes = self.durable.1.clone();
        self.frozen = None;
        self.prepared = None;
        self.replaced.clear();
        self.check_lanes();
    }

    /// The segments name each lane that has entries left, with its right end.
    fn check_lanes(&self) {
        let lanes = self.backlog.lanes().expect("the disk is sound");
        let lanes: Vec<(LaneKey, u64)> = lanes.map(|lane| lane.expect("it is sound")).collect();
        assert!(lanes.is_sorted_by(|one, other| one.0 < other.0), "each once, in order");
        let lanes = BTreeMap::from_iter(lanes);
        for (key, lane) in &self.lanes {
            let end = lanes.get(key).copied().unwrap_or(0);
            assert_eq!(end.max(lane.taken), lane.pushed, "{key:?}");
        }
        assert!(lanes.keys().all(|key| self.lanes.contains_key(key)));
    }

    /// Everything that was pushed comes back.
    fn drain(&mut self) {
        for key in self.lanes.keys().copied().collect::<Vec<_>>() {
            while self.lanes[&key].taken < self.lanes[&key].pushed {
                self.take(key, 192);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_lane_comes_back_once_and_in_order_whatever_happens(
        seed in 0..u64::MAX,
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut crawl = Crawl::new(seed);
        for step in &steps {
            crawl.step(step);
        }
        crawl.drain();
    }
}
