//! Documents that are no pages.

use rhumb_formats::{Kind, read_here};
use rhumb_page::{LINKS_MAX, TEXT_BYTES_MAX};
use rhumb_web::Canon;

use crate::{first_line, somewhere};

pub(crate) const WORDS: &[&str] = &[
    "PK\x03\x04",
    "PK\x01\x02",
    "PK\x05\x06",
    "mimetype",
    "application/vnd.oasis.opendocument.text",
    "word/document.xml",
    "xl/workbook.xml",
    "ppt/presentation.xml",
    "[Content_Types].xml",
    "%PDF-",
    "{\\rtf1",
    "%!PS-",
    "<w:p><w:r><w:t>",
    "<a:t>",
    "<c t=\"s\"><v>",
    "<text:p>",
    "\0\0\0\0",
];
pub(crate) const PDF_WORDS: &[&str] = &[
    "%PDF-1.7\n",
    "1 0 obj",
    "endobj",
    "<<",
    ">>",
    "/Type",
    "/Page",
    "/Pages",
    "/Kids [",
    "]",
    "/Contents 4 0 R",
    "stream\n",
    "endstream",
    "/Length 99",
    "/Filter /FlateDecode",
    "xref\n",
    "trailer",
    "startxref\n",
    "%%EOF",
    "BT /F1 12 Tf (",
    ") Tj ET",
    "/ToUnicode",
    "beginbfchar",
    "/Annots [",
    "/URI (http://h.example/)",
    "/Encrypt",
    "/Prev 0",
    "/ObjStm",
    "<feff",
    "Td",
    "TJ",
];
pub(crate) const RTF_WORDS: &[&str] = &[
    "{\\rtf1",
    "{",
    "}",
    "\\par ",
    "\\u8364?",
    "\\uc0",
    "\\'e4",
    "\\bin9 ",
    "\\fldinst HYPERLINK ",
    "{\\field",
    "{\\*",
    "\\fldrslt ",
    "\\ansicpg1252",
    "\\fcharset128",
    "\\cell",
    "\\info",
    "\\-1",
    "\\bin99999999 ",
    "\\title ",
    "\\pict",
    "\\~",
    "\n",
];

/// What a body is: its Content-Type is the first line.
pub(crate) fn kind(input: &[u8]) {
    let (content_type, body) = first_line(input);
    let url = somewhere();
    let plain = Kind::of(body, None, &url);
    let told = Kind::of(body, Some(&content_type), &url);
    assert!(plain.is_none() || told.is_some(), "a wrong type hides no document");
}

pub(crate) fn pdf(input: &[u8]) {
    read(Kind::Pdf, input);
}

pub(crate) fn docx(input: &[u8]) {
    read(Kind::Docx, input);
}

pub(crate) fn xlsx(input: &[u8]) {
    read(Kind::Xlsx, input);
}

pub(crate) fn pptx(input: &[u8]) {
    read(Kind::Pptx, input);
}

pub(crate) fn odt(input: &[u8]) {
    for kind in [Kind::Odt, Kind::Ods, Kind::Odp] {
        read(kind, input);
    }
}

pub(crate) fn rtf(input: &[u8]) {
    read(Kind::Rtf, input);
}

fn read(kind: Kind, input: &[u8]) {
    let extract = read_here(kind, input);
    assert!(extract.text.len() <= TEXT_BYTES_MAX, "{} bytes", extract.text.len());
    assert!(extract.links.len() <= LINKS_MAX);
    for time in [&extract.created, &extract.modified].into_iter().flatten() {
        assert!(time.len() >= "2024-01-01".len() && time.is_ascii(), "{time}");
    }
    let scan = extract.into_scan(&somewhere(), Canon::Full);
    assert!(scan.links.len() <= LINKS_MAX);
}
