//! What a document is, is told by its content.

use rhumb_formats::Kind;

use crate::{sample, url};

fn check(body: &[u8], content_type: Option<&str>, name: &str, expect: Option<Kind>) {
    assert_eq!(Kind::of(body, content_type, &url(name)), expect, "{content_type:?} {name}");
}

#[test]
fn every_sample_is_known_without_its_name() {
    let samples = [
        ("reportlab.pdf", Kind::Pdf),
        ("locked.pdf", Kind::Pdf),
        ("truncated.pdf", Kind::Pdf),
        ("sample.docx", Kind::Docx),
        ("truncated.docx", Kind::Docx),
        ("locked.docx", Kind::Docx),
        ("sample.xlsx", Kind::Xlsx),
        ("sample.pptx", Kind::Pptx),
        ("sample.odt", Kind::Odt),
        ("sample.ods", Kind::Ods),
        ("sample.odp", Kind::Odp),
        ("sample.rtf", Kind::Rtf),
        ("sample.ps", Kind::PostScript),
    ];
    for (name, kind) in samples {
        check(&sample(name), Some("text/html; charset=utf-8"), "index.html", Some(kind));
    }
}

#[test]
fn a_page_in_the_place_of_a_document_is_none() {
    check(b"<!DOCTYPE html><p>Not found %PDF-", Some("application/pdf"), "a.pdf", None);
    check(b"<html>", Some("application/msword"), "a.docx", None);
    check(b"", Some("application/pdf"), "a.pdf", None);
    check(b"plain text", None, "a.rtf", None);
}

#[test]
fn a_name_helps_where_the_content_leaves_room() {
    check(b"\x00\x01 junk %PDF-1.4", None, "paper.pdf", Some(Kind::Pdf));
    check(b"\x00\x01 junk %PDF-1.4", None, "paper", None);
    check(b"%! a program", Some("application/postscript"), "a", Some(Kind::PostScript));
    check(b"%! a program", None, "a.EPS", Some(Kind::PostScript));
    check(b"%! a program", None, "a.txt", None);
    check(&sample("locked.docx"), None, "table.xlsx", Some(Kind::Xlsx));
}

#[test]
fn other_packages_are_none() {
    check(b"PK\x03\x04", None, "a.docx", None);
    check(b"PK\x05\x06", None, "a.zip", None);
}
