//! Files that others wrote, good and bad.

use std::path::{Path, PathBuf};

use rhumb_archive::{Flaw, verify};

pub(crate) fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os("RHUMB_CONFORMANCE") {
        Some(folder) => PathBuf::from(folder),
        None => root.join("../shared/conformance"),
    }
}

#[test]
fn good_files_pass_and_bad_files_are_bad_for_the_right_reason() {
    let folder = folder().join("warc");
    if !folder.is_dir() {
        println!("skipped: no conformance data in {}", folder.display());
        return;
    }
    let mut right = 0;
    for (name, records, expect) in cases() {
        let report = verify(&folder.join(name)).unwrap();
        let found: Vec<(u64, Flaw)> =
            report.faults.into_iter().map(|fault| (fault.offset, fault.flaw)).collect();
        if (report.records, &found) == (records, &expect) {
            right += 1;
        } else {
            println!("{name}: {} records, {found:?}", report.records);
        }
    }
    println!("conformance: warc {right} of 16");
    assert_eq!(right, 16);
}

/// File, records that can be read, and what is wrong.
type Case = (&'static str, u64, Vec<(u64, Flaw)>);

fn cases() -> Vec<Case> {
    let arc = || vec![(0, Flaw::Arc)];
    let repeated = vec![
        // A digit that base 32 does not have.
        (0, Flaw::BadField("WARC-Payload-Digest")),
        (922, Flaw::RepeatedId),
        (1840, Flaw::RepeatedId),
        (2758, Flaw::RepeatedId),
    ];
    // Its revisit has the digest of another block, which `warcio check` does not look at.
    let not_by_record = vec![(0, Flaw::SharedMember), (0, Flaw::BlockDigest)];
    // One record over three members.
    let scattered = vec![(0, Flaw::CutShort), (516, Flaw::NotWarc), (1130, Flaw::NotWarc)];
    vec![
        ("example-iana.org-chunked.warc", 3, vec![]),
        ("example-resource.warc.gz", 3, vec![]),
        // WARC 1.0, where a URL may stand in angle brackets.
        ("example-wget-bad-target-uri.warc.gz", 6, vec![]),
        ("example.warc", 6, vec![]),
        ("example.warc.gz", 6, vec![]),
        ("post-test.warc.gz", 6, vec![]),
        ("bad.arc", 0, arc()),
        ("example-space-in-url.arc", 0, arc()),
        ("example.arc", 0, arc()),
        ("example.arc.gz", 0, arc()),
        ("example-bad-non-chunked.warc.gz", 6, not_by_record),
        ("example-bad.warc.gz.bad", 6, vec![(0, Flaw::SharedMember)]),
        ("example-digest.warc", 4, repeated),
        ("example-space-in-target-uri.warc.gz", 2, vec![(241, Flaw::BadField("WARC-Target-URI"))]),
        ("example-trunc.warc", 4, vec![(1197, Flaw::BadTail)]),
        ("example-wrong-chunks.warc.gz", 1, scattered),
    ]
}
