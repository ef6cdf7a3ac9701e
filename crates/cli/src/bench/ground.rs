//! What it runs on: the processor, the memory and the disk.

use std::path::Path;
use std::time::{Duration, Instant};

use rhumb_disk::{Disk as _, RealDisk};

use crate::fault::Fault;
use crate::machine;

/// What is written at once, how much of it at most, and how long at most.
const PIECE_BYTES: usize = 1 << 20;
const PIECES_MAX: u32 = 128;
const WRITING_MAX: Duration = Duration::from_secs(1);
/// Small writes that are synced one by one, as a log is.
const SYNCS: u32 = 16;
const SYNCED_BYTES: usize = 4_096;

/// The machine, as far as it matters.
#[derive(Debug)]
pub(super) struct Ground {
    /// The name of the processor, or of its kind where the system does not tell more.
    pub(super) cpu: String,
    /// Cores that we may use.
    pub(super) cores: usize,
    pub(super) memory_bytes: Option<u64>,
    pub(super) disk_free_bytes: u64,
    /// Written and synced.
    pub(super) disk_bytes_per_s: f64,
    /// A small write and its sync: the middle of some.
    pub(super) sync_ms: f64,
}

impl Ground {
    /// Looks at the machine, and measures the disk under a folder.
    pub(super) fn of(folder: &Path, cores: usize) -> Result<Self, Fault> {
        let failed = |error| Fault::file("write in", folder.display(), &error);
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Ok(Self {
            cpu: model(&cpuinfo).unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores,
            memory_bytes: machine::memory(),
            disk_free_bytes: RealDisk.room(folder).map_err(failed)?.free,
            disk_bytes_per_s: bytes_per_s(folder).map_err(failed)?,
            sync_ms: sync_ms(folder).map_err(failed)?,
        })
    }
}

/// The name of the processor, as `/proc/cpuinfo` tells it.
fn model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"))?;
    let name = line.trim_start().strip_prefix(':')?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn bytes_per_s(folder: &Path) -> std::io::Result<f64> {
    let path = folder.join("disk");
    let mut file = RealDisk.create(&path)?;
    // Bytes that no file system makes smaller.
    let mut state = 7_u64;
    let piece: Vec<u8> = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    })
    .take(PIECE_BYTES)
    .collect();
    let began = Instant::now();
    let mut pieces = 0;
    while pieces < PIECES_MAX && began.elapsed() < WRITING_MAX {
        file.append(&piece)?;
        pieces += 1;
    }
    file.sync()?;
    let seconds = began.elapsed().as_secs_f64();
    RealDisk.remove(&path)?;
    let length = u32::try_from(PIECE_BYTES).expect("a small number");
    Ok(f64::from(pieces) * f64::from(length) / seconds)
}

fn sync_ms(folder: &Path) -> std::io::Result<f64> {
    let path = folder.join("synced");
    let mut file = RealDisk.create(&path)?;
    let mut took = Vec::new();
    for _ in 0..SYNCS {
        let began = Instant::now();
        file.append(&[7; SYNCED_BYTES])?;
        file.sync()?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    RealDisk.remove(&path)?;
    Ok(rhumb_measure::Spread::of(took).expect("there are some").middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_where_the_system_does() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(model(text).as_deref(), expect, "{text:?}");
        };
        check("processor\t: 0\nmodel name\t: Fast 3000 @ 2 GHz\n", Some("Fast 3000 @ 2 GHz"));
        check("processor\t: 0\nBogoMIPS\t: 50.00\n", None);
        check("model name\t:\n", None);
        check("", None);
    }

    #[test]
    fn a_disk_is_measured_and_nothing_stays_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let ground = Ground::of(folder.path(), 3).unwrap();
        assert!(ground.disk_bytes_per_s > 0.0 && ground.sync_ms > 0.0, "{ground:?}");
        assert_eq!(ground.cores, 3);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        Ground::of(&folder.path().join("nowhere"), 1).expect_err("there is no folder");
    }
}
