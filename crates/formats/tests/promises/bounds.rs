//! What a maximum leaves out is told, and costs nothing else.

use rhumb_formats::{End, Extract, Kind, read_here};

use crate::made::{package, pdf, relations, stream};
use crate::url;

const TYPES: (&str, &str) = ("[Content_Types].xml", "<Types/>");

/// A document with this main part, which names these.
fn docx(main: &str, relations: &str) -> Vec<u8> {
    package(&[TYPES, ("word/document.xml", main), ("word/_rels/document.xml.rels", relations)])
}

fn links(found: &Extract) -> Vec<(&str, &str)> {
    found.links.iter().map(|link| (&*link.href, &*link.text)).collect()
}

/// A PDF of one page with these words in its dictionary; objects from 4 on are the caller's.
fn page(words: &str, objects: &[Vec<u8>]) -> Extract {
    let mut all = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]{words}>>").into_bytes(),
    ];
    all.extend_from_slice(objects);
    all.push(b"<<>>".to_vec());
    read_here(Kind::Pdf, &pdf(&all))
}

#[test]
fn a_package_of_endless_names_is_told_by_the_short_ones() {
    let long = format!("word/{}", "x".repeat(60_000));
    let mut entries = vec![(long.as_str(), ""); 200];
    assert_eq!(Kind::of(&package(&entries), None, &url("a")), None);
    entries.push(TYPES);
    assert_eq!(Kind::of(&package(&entries), None, &url("a")), None);
    entries.push(("xl/workbook.xml", ""));
    assert_eq!(Kind::of(&package(&entries), None, &url("a")), Some(Kind::Xlsx));
}

#[test]
fn a_link_that_is_left_out_does_not_rename_the_one_before() {
    let names = [("a", "hyperlink", "http://h.test/a"), ("b", "hyperlink", "http://#")];
    let names = relations(&names).replace("http://#", "#inside");
    let names = names.replace("Target=\"#inside\"", "Target=\"#inside\" TargetMode=\"External\"");
    let sheet = "<worksheet xmlns:r=\"r\"><hyperlink r:id=\"a\" display=\"first\"/>\
        <hyperlink r:id=\"b\" display=\"second\"/></worksheet>";
    let book = "<workbook xmlns:r=\"r\"><sheet name=\"S\" r:id=\"s\"/></workbook>";
    let sheets = relations(&[("s", "worksheet", "sheet.xml")]);
    let body = package(&[
        TYPES,
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", &sheets),
        ("xl/sheet.xml", sheet),
        ("xl/_rels/sheet.xml.rels", &names),
    ]);
    assert_eq!(links(&read_here(Kind::Xlsx, &body)), [("http://h.test/a", "first")]);
}

#[test]
fn the_text_of_links_is_bounded_as_it_is_counted() {
    let link = format!("<hyperlink r:id=\"a\" display=\"{}\"/>", "word ".repeat(300));
    let sheet = format!("<worksheet xmlns:r=\"r\">{}</worksheet>", link.repeat(20_000));
    let body = package(&[
        TYPES,
        ("xl/workbook.xml", "<workbook xmlns:r=\"r\"><sheet name=\"S\" r:id=\"s\"/></workbook>"),
        ("xl/_rels/workbook.xml.rels", &relations(&[("s", "worksheet", "sheet.xml")])),
        ("xl/sheet.xml", &sheet),
        ("xl/_rels/sheet.xml.rels", &relations(&[("a", "hyperlink", "http://h.test/")])),
    ]);
    let found = read_here(Kind::Xlsx, &body);
    let bytes: usize = found.links.iter().map(|link| link.href.len() + link.text.len()).sum();
    assert!(bytes <= 4 * 1024 * 1024, "{bytes}");
    assert!(found.links.iter().all(|link| link.text.len() <= 256));
    assert_eq!(found.end, End::Cut);
}

#[test]
fn as_many_short_links_are_kept_as_of_a_page() {
    let link = "<w:hyperlink r:id=\"a\"><w:t>x</w:t></w:hyperlink>";
    let main = |count| {
        format!("<w:document xmlns:w=\"w\" xmlns:r=\"r\">{}</w:document>", link.repeat(count))
    };
    let names = relations(&[("a", "hyperlink", "http://h.test/a")]);
    let found = read_here(Kind::Docx, &docx(&main(50_000), &names));
    assert_eq!((found.links.len(), found.end), (50_000, End::Whole));
    let found = read_here(Kind::Docx, &docx(&main(50_001), &names));
    assert_eq!((found.links.len(), found.end), (50_000, End::Cut));
}

#[test]
fn what_is_wrong_is_said_in_few_words() {
    let name = "é".repeat(10_000);
    let found = read_here(Kind::Docx, &docx(&format!("<a><{name}></a>"), ""));
    let End::Broken(why) = found.end else { panic!("{:?}", found.end) };
    assert!(why.len() <= 256 && why.len() > 200, "{why}");
}

#[test]
fn the_main_part_is_the_one_that_the_package_names() {
    let root = |target| relations(&[("r", "officeDocument", target)]);
    let body = package(&[
        TYPES,
        ("_rels/.rels", &*root("/word/document2.xml")),
        (
            "word/document2.xml",
            "<d xmlns:r=\"r\"><hyperlink r:id=\"a\"><t>main</t></hyperlink></d>",
        ),
        (
            "word/_rels/document2.xml.rels",
            &relations(&[("a", "hyperlink", "http://h.test/"), ("n", "footnotes", "notes2.xml")]),
        ),
        ("word/notes2.xml", "<d><t>note</t></d>"),
    ]);
    assert_eq!(Kind::of(&body, None, &url("a")), Some(Kind::Docx));
    let found = read_here(Kind::Docx, &body);
    assert_eq!((&*found.text, found.end.clone()), ("main\n\nnote", End::Whole));
    assert_eq!(links(&found), [("http://h.test/", "main")]);
    let body = package(&[
        TYPES,
        ("_rels/.rels", &*root("xl/book.xml")),
        ("xl/book.xml", "<workbook xmlns:r=\"r\"><sheet name=\"S\" r:id=\"s\"/></workbook>"),
        ("xl/_rels/book.xml.rels", &relations(&[("s", "worksheet", "s.xml")])),
        ("xl/s.xml", "<worksheet><c><v>7</v></c></worksheet>"),
    ]);
    assert_eq!(read_here(Kind::Xlsx, &body).text, "S\n7");
    let body = package(&[
        TYPES,
        ("_rels/.rels", &*root("ppt/show.xml")),
        ("ppt/show.xml", "<p xmlns:r=\"r\"><sldId r:id=\"s\"/></p>"),
        ("ppt/_rels/show.xml.rels", &relations(&[("s", "slide", "s.xml")])),
        ("ppt/s.xml", "<s><t>slide</t></s>"),
    ]);
    assert_eq!(read_here(Kind::Pptx, &body).text, "slide");
}

#[test]
fn a_main_part_that_is_named_and_missing_is_the_usual_one() {
    let body = package(&[
        TYPES,
        ("_rels/.rels", &*relations(&[("r", "officeDocument", "word/lost.xml")])),
        ("word/document.xml", "<d><t>found</t></d>"),
    ]);
    assert_eq!(read_here(Kind::Docx, &body).text, "found");
}

#[test]
fn parts_and_relations_that_are_left_out_are_told() {
    let many = "<sheet name=\"S\" r:id=\"s\"/>".repeat(2_001);
    let book = format!("<workbook xmlns:r=\"r\">{many}</workbook>");
    let names = relations(&[("s", "worksheet", "none.xml")]);
    let body =
        package(&[TYPES, ("xl/workbook.xml", &*book), ("xl/_rels/workbook.xml.rels", &names)]);
    assert_eq!(read_here(Kind::Xlsx, &body).end, End::Cut);
    let many = "<sldId r:id=\"s\"/>".repeat(2_001);
    let show = format!("<p xmlns:r=\"r\">{many}</p>");
    let names = relations(&[("s", "slide", "none.xml")]);
    let body = package(&[
        TYPES,
        ("ppt/presentation.xml", &*show),
        ("ppt/_rels/presentation.xml.rels", &names),
    ]);
    assert_eq!(read_here(Kind::Pptx, &body).end, End::Cut);
    let ids: Vec<String> = (0..=100_000).map(|id| id.to_string()).collect();
    let names: Vec<_> = ids.iter().map(|id| (&**id, "x", "y")).collect();
    let found = read_here(Kind::Docx, &docx("<d><t>all</t></d>", &relations(&names)));
    assert_eq!((&*found.text, found.end), ("all", End::Cut));
}

#[test]
fn entries_of_a_package_that_are_left_out_are_told() {
    let names: Vec<String> = (0..10_000).map(|name| format!("word/{name}")).collect();
    let mut entries = vec![("word/document.xml", "<d><t>all</t></d>")];
    entries.extend(names.iter().map(|name| (&**name, "")));
    let found = read_here(Kind::Docx, &package(&entries));
    assert_eq!((&*found.text, found.end), ("all", End::Cut));
    let mut entries = vec![("content.xml", "<d><p>all</p></d>")];
    entries.extend(names.iter().map(|name| (&**name, "")));
    let found = read_here(Kind::Odt, &package(&entries));
    assert_eq!((&*found.text, found.end), ("all", End::Cut));
}

#[test]
fn areas_and_parts_of_a_pdf_that_are_left_out_are_told() {
    let note = "<</Subtype/Link/Rect[0 0 1 1]/A<</URI(http://h.test/)>>>>";
    let found = page(&format!("/Annots[{}]", note.repeat(2_001)), &[]);
    assert_eq!((found.links.len(), found.end), (2_000, End::Cut));
    let found = page(&format!("/Annots[{}]", note.repeat(2_000)), &[]);
    assert_eq!((found.links.len(), found.end), (2_000, End::Whole));
    let parts = format!("/Contents[{}]", "4 0 R ".repeat(1_001));
    assert_eq!(page(&parts, &[stream("", b"q Q")]).end, End::Cut);
}

#[test]
fn drawings_too_deep_in_one_another_are_told() {
    // The page draws object 5, which draws 6, and so on.
    let forms = |count: usize| {
        let mut objects = vec![stream("", b"/X Do")];
        for next in 6..6 + count {
            let words = format!("/Subtype/Form/Resources<</XObject<</X {next} 0 R>>>>");
            objects.push(stream(&words, b"/X Do"));
        }
        page("/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>", &objects).end
    };
    assert_eq!(forms(16), End::Whole);
    assert_eq!(forms(17), End::Cut);
}

#[test]
fn streams_that_do_not_decode_are_told() {
    let text = b"BT /F 9 Tf (all) Tj ET";
    let content = |words: &str, bytes: &[u8]| {
        let found = page("/Contents 4 0 R", &[stream(words, bytes)]);
        (found.text, found.end)
    };
    let told = |text: &str, end| (text.to_owned(), end);
    // One stored block: marks of zlib, length, length inverted, bytes; then a checksum.
    let length = u16::try_from(text.len()).expect("a short text");
    let head = [[0x78, 0x01].as_slice(), &[1], &length.to_le_bytes(), &(!length).to_le_bytes()];
    let packed = [head.concat(), text.to_vec()].concat();
    let flate = "/Filter/FlateDecode";
    assert_eq!(content("", text), told("all", End::Whole));
    // A wrong or missing checksum loses nothing.
    assert_eq!(content(flate, &packed), told("all", End::Whole));
    assert_eq!(content(flate, &[&packed[..], b"junk"].concat()), told("all", End::Whole));
    assert_eq!(content(flate, &packed[..packed.len() - 1]), told("all", End::Cut));
    assert_eq!(content(flate, b"no such thing"), told("", End::Cut));
    assert_eq!(content("/Filter/LZWDecode", b"\xff\xff\xff\xff"), told("", End::Cut));
    assert_eq!(content("/Filter[/AHx/AHx/AHx/AHx/AHx]", b""), told("", End::Cut));
}
