//! The captures of a URL, as people and programs choose among them.

use rhumb_archive::Version as Kept;
use serde::Serialize;

/// A capture of a URL that can be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Version {
    /// What it is asked for by: year to second in digits.
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
    let after = |at: usize| kept.get(at + 1..).unwrap_or_default();
    let told = kept.iter().enumerate().map(|(at, version)| {
        let before = after(at).iter().find(|it| !is_unchanged(it));
        let is_same = version.digest.is_some()
            && before.is_some_and(|before| before.digest == version.digest);
        Version {
            at: version.stamp.clone(),
            time: time(&version.stamp),
            status: version.status,
            media_type: media_type(version, kept),
            digest: version.digest.clone(),
            same_as_before: before.is_some() && (is_same || is_unchanged(version)),
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

/// The capture that is meant by a time, or by none: the newest that answers well, else the newest.
pub(super) fn chosen(kept: &[Kept], at: Option<&str>) -> Option<usize> {
    let is_good = |it: &Kept| it.status.is_some_and(|status| (200..300).contains(&status));
    let Some(at) = at else {
        return kept.iter().position(is_good).or((!kept.is_empty()).then_some(0));
    };
    kept.iter().position(|it| at.starts_with(&it.stamp))
}

/// The capture with the payload of this one: one without news stands for the one before it.
pub(super) fn with_payload(kept: &[Kept], chosen: usize) -> usize {
    let behind = kept.iter().enumerate().skip(chosen);
    behind.into_iter().find(|(_, it)| !is_unchanged(it)).map_or(chosen, |(at, _)| at)
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
