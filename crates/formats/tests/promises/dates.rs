//! Dates are moments in UTC, or days where the zone is not known.

use rhumb_formats::{Kind, read_here};

use crate::made::{package, pdf};

fn check(kind: &str, found: Option<&str>, written: &str, expect: Option<&str>) {
    assert_eq!(found, expect, "{kind}: {written}");
}

/// The same date in both kinds of package.
fn check_xml(written: &str, expect: Option<&str>) {
    let core = format!("<coreProperties><created>{written}</created></coreProperties>");
    let body = package(&[("docProps/core.xml", &*core), ("word/document.xml", "<d/>")]);
    check("docx", read_here(Kind::Docx, &body).created.as_deref(), written, expect);
    let meta = format!("<meta><creation-date>{written}</creation-date></meta>");
    let body = package(&[("meta.xml", &*meta), ("content.xml", "<d/>")]);
    check("odt", read_here(Kind::Odt, &body).created.as_deref(), written, expect);
}

fn check_pdf(written: &str, expect: Option<&str>) {
    let body = pdf(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_owned(),
        format!("<</CreationDate({written})/ModDate({written})>>"),
    ]);
    let found = read_here(Kind::Pdf, &body);
    check("pdf", found.created.as_deref(), written, expect);
    check("pdf", found.modified.as_deref(), written, expect);
}

#[test]
fn a_moment_with_a_zone_is_told_in_utc() {
    check_xml("2024-05-06T07:08:09Z", Some("2024-05-06T07:08:09Z"));
    check_xml("2024-05-06T07:08:09.123+02:00", Some("2024-05-06T05:08:09Z"));
    check_xml("2024-01-01T00:30:00+01:00", Some("2023-12-31T23:30:00Z"));
    check_xml("2024-02-28T23:30:00-01:00", Some("2024-02-29T00:30:00Z"));
    check_xml("2024-05-06T07:08+05:45", Some("2024-05-06T01:23:00Z"));
    check_pdf("D:20240506070809Z", Some("2024-05-06T07:08:09Z"));
    check_pdf("D:20240506070809+00'00'", Some("2024-05-06T07:08:09Z"));
    check_pdf("D:20240506070809+02'00", Some("2024-05-06T05:08:09Z"));
    check_pdf("D:20240506070809-00'30'", Some("2024-05-06T07:38:09Z"));
}

#[test]
fn without_a_zone_the_day_is_all_that_is_known() {
    check_xml("2024-05-06T07:08:09", Some("2024-05-06"));
    check_xml("2024-05-06T07:08:09.5", Some("2024-05-06"));
    check_xml("2024-05-06", Some("2024-05-06"));
    check_pdf("D:20240506070809", Some("2024-05-06"));
    check_pdf("D:20240506", Some("2024-05-06"));
    let body = b"{\\rtf1{\\info{\\creatim\\yr2024\\mo5\\dy6\\hr7\\min8}}}";
    let expect = Some("2024-05-06");
    check("rtf", read_here(Kind::Rtf, body).created.as_deref(), "2024-05-06 07:08", expect);
}

#[test]
fn what_cannot_be_is_dropped() {
    check_xml("2023-02-31T07:08:09Z", None);
    check_xml("2023-02-29", None);
    check_xml("2024-13-01", None);
    check_xml("0000-01-01", None);
    check_xml("2024-05-06T07:08:09+aa:bb", Some("2024-05-06"));
    check_xml("2024-05-06T07:08:09+99:00", Some("2024-05-06"));
    check_xml("2024-05-06T25:08:09Z", Some("2024-05-06"));
    check_xml("yesterday", None);
    check_xml("2024-05-é6", None);
    check_pdf("D:20230231070809Z", None);
    check_pdf("D:20240506070809+aa'bb'", Some("2024-05-06"));
    check_pdf("D:2024", None);
}
