//! How files are called: `rhumb-20260203040506-00017.warc.gz`, and what stands beside them.

use std::path::{Path, PathBuf};

use crate::stamp::Stamp;

/// The merged index of all sealed files.
pub(super) const INDEX: &str = "index.cdxj";
/// The end of a sealed file's name.
pub(super) const WARC: &str = ".warc.gz";
/// The end of its index's name.
pub(super) const CDXJ: &str = ".cdxj";
/// What a name ends in while the file grows.
pub(super) const OPEN: &str = ".open";
/// What the name of a file ends in that was set aside, because it may hold more than can be read.
pub(super) const DAMAGED: &str = ".damaged";

/// What a name ends in while the file that is to replace it is written.
pub(super) const NEW: &str = ".new";

/// The digits of a moment.
const MOMENT_DIGITS: usize = 14;
/// The digits of a serial number, or more.
const SERIAL_DIGITS: usize = 5;

/// The paths of a file in its two lives.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) open: PathBuf,
    pub(super) sealed: PathBuf,
    pub(super) open_lines: PathBuf,
    pub(super) lines: PathBuf,
}

impl Paths {
    /// From the name of a sealed file.
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        let bare = name.strip_suffix(WARC).unwrap_or(name);
        Self {
            open: folder.join(format!("{name}{OPEN}")),
            sealed: folder.join(name),
            open_lines: folder.join(format!("{bare}{CDXJ}{OPEN}")),
            lines: folder.join(format!("{bare}{CDXJ}")),
        }
    }
}

/// The name of a file once it is sealed.
pub(super) fn sealed(prefix: &str, began: &Stamp, serial: u32) -> String {
    format!("{prefix}-{}-{serial:0SERIAL_DIGITS$}{WARC}", began.digits())
}

/// The sealed name of a file of records, whether it is open or sealed.
pub(super) fn records(name: &str) -> Option<&str> {
    let name = name.strip_suffix(OPEN).unwrap_or(name);
    name.ends_with(WARC).then_some(name)
}

/// The serial number in the name of a file of ours, or of what stands beside it.
pub(super) fn serial(name: &str, prefix: &str) -> Option<u32> {
    let rest = name.strip_prefix(prefix)?.strip_prefix('-')?;
    let (moment, rest) = rest.split_once('-')?;
    let (serial, ending) = rest.split_at(rest.find('.')?);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_ours = moment.len() == MOMENT_DIGITS
        && is_number(moment)
        && serial.len() >= SERIAL_DIGITS
        && is_number(serial)
        && (ending.starts_with(WARC) || ending.starts_with(CDXJ));
    if is_ours { serial.parse().ok() } else { None }
}

/// Sorts names in the order in which their files were begun: by serial number, because a clock may
/// be set back.
pub(super) fn age(name: &str) -> (Option<u32>, &str) {
    let bare = name.split_once(WARC).map_or(name, |(bare, _)| bare);
    let serial = bare.rsplit_once('-').and_then(|(_, serial)| serial.parse().ok());
    (serial, name)
}

/// What was not finished: `x.warc.gz.new`, and lines of an index such as `x.cdxj.open`,
/// `x.cdxj.new` and `x.cdxj.run0.new`.
pub(super) fn is_leftover(name: &str) -> bool {
    if name.strip_suffix(NEW).is_some_and(|name| name.ends_with(WARC) || name.ends_with(DAMAGED)) {
        return true;
    }
    let Some((_, rest)) = name.split_once(&format!("{CDXJ}.")) else { return false };
    rest.split('.').all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        matches!(word, "open" | "new" | "run" | "part" | "parts")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_have_a_serial_number() {
        let check = |name: &str, expect| assert_eq!(serial(name, "rhumb"), expect, "{name}");
        check("rhumb-20260203040506-00017.warc.gz", Some(17));
        check("rhumb-20260203040506-00017.warc.gz.open", Some(17));
        check("rhumb-20260203040506-123456.cdxj", Some(123_456));
        check("rhumb-20260203040506-00017.txt", None);
        check("rhumb-20260203040506-17.warc.gz", None);
        check("rhumb-2026-00017.warc.gz", None);
        check("rhumb-20260203040506-0001x.warc.gz", None);
        check("rhumb-20260203040506-99999999999.warc.gz", None);
        check("other-20260203040506-00017.warc.gz", None);
        check("rhumb2-20260203040506-00017.warc.gz", None);
    }
    #[test]
    fn names_are_sorted_by_serial_number_though_a_clock_was_set_back() {
        let mut names = [
            "rhumb-20260203040506-00002.warc.gz",
            "rhumb-20260203040505-00003.warc.gz.open",
            "mine.warc.gz",
            "rhumb-20260203040507-00001.warc.gz",
            "rhumb-20260203040506-00002.warc.gz.damaged",
        ];
        names.sort_by_key(|name| age(name));
        let expect = [
            "mine.warc.gz",
            "rhumb-20260203040507-00001.warc.gz",
            "rhumb-20260203040506-00002.warc.gz",
            "rhumb-20260203040506-00002.warc.gz.damaged",
            "rhumb-20260203040505-00003.warc.gz.open",
        ];
        assert_eq!(names, expect);
    }

    #[test]
    fn only_what_was_not_finished_is_left_over() {
        for name in ["x.warc.gz.new", "x.warc.gz.damaged.new", "x.cdxj.open", "x.cdxj.run0.new"] {
            assert!(is_leftover(name), "{name}");
        }
        for name in ["x.warc.gz", "x.warc.gz.open", "x.warc.gz.damaged", "x.cdxj", "x.new"] {
            assert!(!is_leftover(name), "{name}");
        }
    }
}
