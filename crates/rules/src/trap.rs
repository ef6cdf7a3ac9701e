//! Shapes of URLs that endless generators make and people do not.
//!
//! A broken relative link grows the same run of segments for ever, so three copies of a run in a
//! row are a trap, as in `BUbiNG`'s tandem-repeat filter. Two copies are not (Heritrix refuses
//! them): `/rust/rust/` and `/foo/src/foo/src/` are real. Runs of numbers are exempt: `/2024/1/1/1`
//! is a date and a page. Several broken links interleave their segments without a run, so a segment
//! may also occur only so often anywhere; three times, as Nutch and `StormCrawler` have it, meets
//! source trees (`/tokio/tree/master/tokio/src/tokio/`), so our limit is one higher.

use rhumb_web::CanonUrl;
use serde::{Deserialize, Serialize};

/// The longest URL that is not a trap, in bytes: what browsers and sitemaps agree on.
pub const TRAP_BYTES_MAX: usize = 2_048;

/// Path segments of a URL that is not a trap; Heritrix has the same number.
pub const SEGMENTS_MAX: usize = 20;

/// How often a run of segments may follow itself.
pub const TANDEM_REPEATS_MAX: usize = 2;

/// How often a segment that is not a number may occur in a path.
pub const SEGMENT_REPEATS_MAX: usize = 3;

/// The shape by which a URL is taken for a trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trap {
    /// Longer than [`TRAP_BYTES_MAX`].
    LongUrl,
    /// More than [`SEGMENTS_MAX`] path segments.
    ManySegments,
    /// A run of segments more than [`TANDEM_REPEATS_MAX`] times in a row.
    TandemSegments,
    /// One segment more than [`SEGMENT_REPEATS_MAX`] times in the path.
    RepeatedSegment,
    /// Its page is one that its site has shown very often, changed in digits only.
    RepeatedPage,
}

impl Trap {
    /// The trap that this URL looks like, if any.
    pub fn of(url: &CanonUrl) -> Option<Self> {
        if url.as_str().len() > TRAP_BYTES_MAX {
            return Some(Self::LongUrl);
        }
        let path = url.path();
        let path = path.strip_prefix('/').unwrap_or(path);
        let path = path.strip_suffix('/').unwrap_or(path).as_bytes();
        let (mut room, mut count) = ([&[][..]; SEGMENTS_MAX], 0);
        for segment in path.split(|byte| *byte == b'/') {
            let Some(place) = room.get_mut(count) else { return Some(Self::ManySegments) };
            *place = segment;
            count += 1;
        }
        let segments = &room[..count];
        if has_tandem(segments) {
            return Some(Self::TandemSegments);
        }
        let count = |of: &[u8]| segments.iter().filter(|segment| **segment == of).count();
        let repeated = |of: &&[u8]| !is_number(of) && count(of) > SEGMENT_REPEATS_MAX;
        let is_repeated = segments.len() > SEGMENT_REPEATS_MAX && segments.iter().any(repeated);
        is_repeated.then_some(Self::RepeatedSegment)
    }
}

fn has_tandem(segments: &[&[u8]]) -> bool {
    let copies = TANDEM_REPEATS_MAX + 1;
    (1..=segments.len() / copies).any(|run| {
        segments.windows(run * copies).any(|window| {
            let is_periodic = window[run..] == window[..window.len() - run];
            is_periodic && !window[..run].iter().all(|segment| is_number(segment))
        })
    })
}

fn is_number(segment: &[u8]) -> bool {
    !segment.is_empty() && segment.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expect: Option<Trap>) {
        let url = CanonUrl::parse(&format!("http://a.example{path}")).unwrap();
        assert_eq!(Trap::of(&url), expect, "{path}");
    }

    #[test]
    fn ordinary_paths_are_no_traps() {
        for path in [
            "/",
            "/index.html",
            "/a/b/c/d/e/f/g",
            "/2024/1/1/1",
            "/a/1/b/1/c/1/d/1",
            "/rust/rust/",
            "/foo/src/foo/src/lib.rs",
            "/tokio/tree/master/tokio/src/tokio/",
            "/web/2020/http://b.example/",
            "/a?x=/b/b/b/b/b/b",
        ] {
            check(path, None);
        }
    }

    #[test]
    fn a_run_of_segments_three_times_in_a_row_is_a_trap() {
        for path in ["/a/a/a", "/x/y/x/y/x/y/", "/q/x/1/x/1/x/1/r", "/1/2/a/1/2/a/1/2/a", "/a////b"]
        {
            check(path, Some(Trap::TandemSegments));
        }
        check("/a/a/b/a", None);
        check("/x/y/x/y/x", None);
    }

    #[test]
    fn a_word_four_times_in_a_path_is_a_trap() {
        check("/a/b/a/c/a/d/a", Some(Trap::RepeatedSegment));
        check("/a/b/a/c/a/d", None);
        check("/7/b/7/c/7/d/7/e/7", None);
    }

    #[test]
    fn too_long_and_too_deep_paths_are_traps() {
        let path =
            |segments: usize| (0..segments).map(|n| format!("/s{n}")).collect::<Vec<_>>().concat();
        check(&path(SEGMENTS_MAX), None);
        check(&format!("{}/", path(SEGMENTS_MAX)), None);
        check(&path(SEGMENTS_MAX + 1), Some(Trap::ManySegments));
        let long = TRAP_BYTES_MAX - "http://a.example/".len();
        check(&format!("/{}", "x".repeat(long)), None);
        check(&format!("/{}", "x".repeat(long + 1)), Some(Trap::LongUrl));
    }
}
