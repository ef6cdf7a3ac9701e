//! Shapes of URLs that endless generators make and people do not.
//!
//! A broken relative link grows the same run of segments for ever, so three copies of a run in a
//! row are a trap, as in `BUbiNG`'s tandem-repeat filter. Two copies are not (Heritrix refuses
//! them): `/rust/rust/` and `/foo/src/foo/src/` are real. Runs of numbers are exempt: `/2024/1/1/1`
//! is a date and a page. Several broken links interleave their segments without a run, so a segment
//! may also occur only so often anywhere; three times, as Nutch and `StormCrawler` have it, meets
//! source trees (`/tokio/tree/master/tokio/src/tokio/`), so our limit is one higher. Scripts that
//! hang what they were asked with on their own links repeat a parameter, or put it into itself.
//!
//! What a single URL does not show is told by what the pages of its site say: see
//! [`Template`](crate::Template) for what is counted together, and the crawl for the counting.

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

/// How often a parameter may occur in a query; lists (`tag[]=a&tag[]=b`) are exempt.
pub const PARAMETER_REPEATS_MAX: usize = 4;

/// How often a parameter may stand escaped in its own value: `back=/login?back=/login?back=/`.
pub const PARAMETER_NESTING_MAX: usize = 1;

/// Parameters of a query that are looked at: what has more of them is long, too.
const PARAMETERS_MAX: usize = 64;

/// The shape by which a URL is taken for a trap, or what its site has shown of its kind.
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
    /// One more day of a calendar in which nothing is written.
    Calendar,
    /// A query that grows from link to link: a parameter again and again, or in itself.
    GrowingQuery,
    /// A page that is known, under another session id.
    SessionId,
    /// Pages of its template have said nothing new.
    Template,
    /// A relative link that leads from the same page to itself, one folder deeper each time.
    RelativeLink,
    /// Much deeper than anything that its site has to say.
    Deep,
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
        if segments.len() > SEGMENT_REPEATS_MAX && segments.iter().any(repeated) {
            return Some(Self::RepeatedSegment);
        }
        url.query().is_some_and(is_grown).then_some(Self::GrowingQuery)
    }
}

/// Whether a query has a parameter too often, or in its own value.
fn is_grown(query: &str) -> bool {
    let pairs = || query.split('&').take(PARAMETERS_MAX);
    pairs().enumerate().any(|(at, pair)| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let is_list = name.ends_with(']') || name.ends_with("%5D") || name.is_empty();
        let is_it = |pair: &&str| pair.split('=').next() == Some(name);
        let is_repeated = || pairs().skip(at).filter(is_it).count() > PARAMETER_REPEATS_MAX;
        (!is_list && is_repeated()) || nesting(name, value) > PARAMETER_NESTING_MAX
    })
}

/// How often a parameter stands in its own value, escaped once or more.
fn nesting(name: &str, value: &str) -> usize {
    if name.is_empty() || value.len() <= name.len() {
        return 0;
    }
    let parts = value.match_indices(name);
    parts
        .filter(|(at, _)| {
            // Behind an escaped `?` or `&`, however often that was escaped.
            let begins = ["3F", "26"].iter().any(|sign| value[..*at].ends_with(sign));
            let rest = &value[at + name.len()..];
            begins && (rest.starts_with("%3D") || rest.starts_with("%25"))
        })
        .count()
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
    fn a_parameter_again_and_again_or_in_itself_is_a_trap() {
        for query in [
            "?f=1&f=2&f=3&f=4",
            "?tag[]=1&tag[]=2&tag[]=3&tag[]=4&tag[]=5&tag[]=6",
            "?back=%2Flogin%3Fback%3D%252F",
            "?a=1&b=2&c=3&d=4&e=5&f=6&g=7",
            "?q=q%3Dq",
        ] {
            check(&format!("/x{query}"), None);
        }
        for query in
            ["?f=1&f=2&f=3&f=4&f=5", "?back=%2Flogin%3Fback%3D%252Flogin%253Fback%253D%25252Flogin"]
        {
            check(&format!("/x{query}"), Some(Trap::GrowingQuery));
        }
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
