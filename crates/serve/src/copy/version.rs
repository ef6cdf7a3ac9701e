//! The captures of a URL, as people and programs choose among them.

use std::ops::RangeInclusive;

use rhumb_archive::Version as Kept;
use serde::Serialize;

/// The digits of a time: to the second, or to the millisecond.
const AT_DIGITS: RangeInclusive<usize> = 14..=17;
/// The digits of a number among captures of one second.
const NUMBER_DIGITS_MAX: usize = 3;
/// Captures after the last good one whose wishes are read, the newest of them.
const LATER_MAX: usize = 16;

/// A capture of a URL that can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Version {
    /// What it is asked for by: year to second in digits, and `-2` for the second of that second.
    pub(crate) at: String,
    /// When it was made, RFC 3339 in UTC.
    pub(crate) time: Option<String>,
    /// The status of the answer.
    pub(crate) status: Option<u16>,
    /// Its media type, where it is known without opening it.
    #[serde(rename = "type")]
    pub(crate) media_type: Option<String>,
    /// The digest of its payload.
    pub(crate) digest: Option<String>,
    /// Whether the capture before it had the same payload.
    pub(crate) same_as_before: bool,
}

/// As they are shown, in the order that they come in: the newest first.
pub(super) fn told(kept: &[Kept]) -> Vec<Version> {
    let told = kept.iter().enumerate().map(|(at, version)| {
        let payload = |at: usize| kept[with_payload(kept, at)].digest.as_ref();
        let is_same = at + 1 < kept.len()
            && payload(at).is_some_and(|payload_here| payload(at + 1) == Some(payload_here));
        Version {
            at: name(kept, at),
            time: time(&version.stamp),
            status: version.status,
            media_type: media_type(version, kept),
            digest: version.digest.clone(),
            same_as_before: is_same,
        }
    });
    told.collect()
}

/// Its own, or that of another capture with the same payload.
fn media_type(version: &Kept, all: &[Kept]) -> Option<String> {
    let like = |it: &&Kept| version.digest.is_some() && it.digest == version.digest;
    let known = version.media_type.clone();
    known.or_else(|| all.iter().filter(like).find_map(|it| it.media_type.clone()))
}

/// Whether the server said that nothing is new: there is no payload, neither here nor elsewhere.
fn is_unchanged(version: &Kept) -> bool {
    version.status == Some(304)
}

/// Whether the server gave what was asked for.
pub(super) fn is_good(version: &Kept) -> bool {
    version.status.is_some_and(|status| (200..300).contains(&status))
}

/// What a capture is asked for by: no other has the same.
fn name(kept: &[Kept], at: usize) -> String {
    let stamp = &kept[at].stamp;
    // They are sorted by their time.
    let before = kept[at + 1..].iter().take_while(|it| it.stamp == *stamp).count();
    if before == 0 { stamp.clone() } else { format!("{stamp}-{}", before + 1) }
}

/// Whether this could be what a capture is asked for by; its time may be more exact.
pub(super) fn is_name(at: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
    let (stamp, number) = at.split_once('-').unwrap_or((at, "1"));
    let is_time = AT_DIGITS.contains(&stamp.len()) && is_number(stamp);
    is_time && (1..=NUMBER_DIGITS_MAX).contains(&number.len()) && is_number(number)
}

/// The capture that is meant by a time, or by none: the newest that answers well, else the newest.
pub(super) fn chosen(kept: &[Kept], at: Option<&str>) -> Option<usize> {
    let Some(at) = at else {
        return kept.iter().position(is_good).or((!kept.is_empty()).then_some(0));
    };
    let (stamp, number) = at.split_once('-').unwrap_or((at, "1"));
    let number: usize = number.parse().ok()?;
    let mut alike = (0..kept.len()).rev().filter(|at| stamp.starts_with(&kept[*at].stamp));
    alike.nth(number.checked_sub(1)?)
}

/// The capture with the payload of this one: one without news stands for the last good one before.
pub(super) fn with_payload(kept: &[Kept], chosen: usize) -> usize {
    if !is_unchanged(&kept[chosen]) {
        return chosen;
    }
    kept[chosen..].iter().position(is_good).map_or(chosen, |at| chosen + at)
}

/// The newest good capture, and some of those after it: errors that came later take no wish back,
/// and an answer without news may have a new one.
pub(super) fn with_last_wish(kept: &[Kept]) -> Vec<usize> {
    let good = kept.iter().position(is_good);
    let later = good.unwrap_or(kept.len()).min(LATER_MAX);
    (0..later).chain(good).collect()
}

/// `20260203040506` as RFC 3339.
fn time(stamp: &str) -> Option<String> {
    if stamp.len() != "20260203040506".len() || !stamp.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| &stamp[from..to];
    let day = [part(0, 4), part(4, 6), part(6, 8)].join("-");
    Some(format!("{day}T{}Z", [part(8, 10), part(10, 12), part(12, 14)].join(":")))
}

#[cfg(test)]
mod tests {
    use rhumb_archive::Position;

    use super::*;

    fn kept(second: u8, status: u16, digest: &str) -> Kept {
        Kept {
            stamp: format!("202602030405{second:02}"),
            status: Some(status),
            media_type: (second == 1).then(|| "text/html".to_owned()),
            digest: Some(digest.to_owned()),
            is_revisit: second != 1,
            place: Position { serial: 1, end: second.into() },
        }
    }

    #[test]
    fn a_version_is_the_same_where_its_payload_is() {
        let all = [
            kept(6, 200, "b"),
            kept(5, 304, "none"),
            kept(4, 200, "b"),
            kept(3, 503, "c"),
            kept(2, 200, "a"),
            kept(1, 200, "a"),
        ];
        let told = told(&all);
        let same: Vec<bool> = told.iter().map(|it| it.same_as_before).collect();
        assert_eq!(same, [true, true, false, false, true, false]);
        assert_eq!(told[4].media_type.as_deref(), Some("text/html"));
        assert_eq!(told[0].media_type, None);
        assert_eq!(told[0].time.as_deref(), Some("2026-02-03T04:05:06Z"));
        assert_eq!(with_payload(&all, 1), 2);
        assert_eq!(with_payload(&all, 0), 0);
    }

    #[test]
    fn an_answer_without_news_stands_for_the_last_good_one() {
        let all = [kept(3, 304, "none"), kept(2, 503, "b"), kept(1, 200, "a")];
        assert_eq!(with_payload(&all, 0), 2);
        assert!(!told(&all)[0].same_as_before, "there was an error in between");
        let all = [kept(3, 304, "none"), kept(1, 200, "a")];
        assert!(told(&all)[0].same_as_before);
        assert_eq!(with_payload(&all[..1], 0), 0);
    }

    #[test]
    fn captures_of_one_second_can_be_told_apart() {
        let all = [kept(2, 200, "d"), kept(1, 200, "c"), kept(1, 200, "b"), kept(1, 200, "a")];
        let told = told(&all);
        let names: Vec<&str> = told.iter().map(|it| it.at.as_str()).collect();
        let second = "20260203040501";
        let third = format!("{second}-3");
        assert_eq!(names, ["20260203040502", &third, &format!("{second}-2"), second]);
        for (at, name) in names.iter().enumerate() {
            assert!(is_name(name));
            assert_eq!(chosen(&all, Some(name)), Some(at));
        }
        for wrong in ["20260203040501-4", "20260203040501-0"] {
            assert_eq!(chosen(&all, Some(wrong)), None);
        }
        for wrong in ["", "1", "20260203040501-", "20260203040501-x", "20260203040501-1-1"] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_last_wish_is_that_of_the_last_good_answer_or_of_a_later_one() {
        let all = [kept(9, 503, "d"), kept(8, 304, "c"), kept(2, 200, "b"), kept(1, 200, "a")];
        assert_eq!(with_last_wish(&all), [0, 1, 2]);
        assert_eq!(with_last_wish(&all[..2]), [0, 1]);
        assert_eq!(with_last_wish(&all[2..]), [0]);
        let mut many: Vec<Kept> = (1..60).rev().map(|second| kept(second, 503, "x")).collect();
        many.push(kept(0, 200, "a"));
        assert_eq!(with_last_wish(&many).len(), LATER_MAX + 1);
    }

    #[test]
    fn without_a_time_the_newest_good_answer_is_meant() {
        let all = [kept(6, 503, "b"), kept(5, 200, "a"), kept(1, 404, "c")];
        assert_eq!(chosen(&all, None), Some(1));
        assert_eq!(chosen(&all[..1], None), Some(0));
        assert_eq!(chosen(&all, Some("20260203040501")), Some(2));
        assert_eq!(chosen(&all, Some("20260203040501123")), Some(2));
        assert_eq!(chosen(&all, Some("20260203040502")), None);
        assert_eq!(chosen(&[], None), None);
    }
}
