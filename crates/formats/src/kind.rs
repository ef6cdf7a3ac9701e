//! What a body is, by its content; its name and its declared type only help.

use rhumb_page::Mime;
use rhumb_web::CanonUrl;
use serde::{Deserialize, Serialize};

use crate::zip;

/// Where the head of a PDF is looked for, as readers do.
const PDF_HEAD_BYTES_MAX: usize = 1024;
/// How every old Office file begins, and every encrypted new one.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// How a PostScript file with a preview begins.
const PREVIEWED: &[u8] = b"\xc5\xd0\xd3\xc6";

/// A kind of document that is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
    /// A text document of Office Open XML.
    Docx,
    /// A workbook of Office Open XML.
    Xlsx,
    /// A presentation of Office Open XML.
    Pptx,
    /// A text document of `OpenDocument`.
    Odt,
    /// A spreadsheet of `OpenDocument`.
    Ods,
    /// A presentation of `OpenDocument`.
    Odp,
    /// Rich Text Format.
    Rtf,
    /// A program for printers: kept, but never run, so never read.
    PostScript,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Pdf,
        Self::Docx,
        Self::Xlsx,
        Self::Pptx,
        Self::Odt,
        Self::Ods,
        Self::Odp,
        Self::Rtf,
        Self::PostScript,
    ];

    /// The kind of a body that was found at this address; nothing where it is none of these.
    pub fn of(body: &[u8], content_type: Option<&str>, url: &CanonUrl) -> Option<Self> {
        let head = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
        if head.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        if head.starts_with(b"{\\rtf") {
            return Some(Self::Rtf);
        }
        if body.starts_with(b"PK\x03\x04") {
            return Self::of_package(body);
        }
        let head = head.strip_prefix(b"\x04").unwrap_or(head);
        if head.starts_with(b"%!PS") || head.starts_with(PREVIEWED) {
            return Some(Self::PostScript);
        }
        let told = Self::told(content_type, url);
        if body.starts_with(COMPOUND) {
            return is_locked(body)
                .then(|| told.filter(|kind| kind.is_ooxml()).unwrap_or(Self::Docx));
        }
        // Some servers put a few bytes before what they send.
        let near = &body[..body.len().min(PDF_HEAD_BYTES_MAX)];
        match told? {
            Self::Pdf if !head.starts_with(b"<") => {
                memchr::memmem::find(near, b"%PDF-").map(|_| Self::Pdf)
            }
            Self::PostScript if head.starts_with(b"%!") => Some(Self::PostScript),
            _ => None,
        }
    }

    /// Its word in all outputs, which is how its files are called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Xlsx => "xlsx",
            Self::Pptx => "pptx",
            Self::Odt => "odt",
            Self::Ods => "ods",
            Self::Odp => "odp",
            Self::Rtf => "rtf",
            Self::PostScript => "ps",
        }
    }

    fn is_ooxml(self) -> bool {
        matches!(self, Self::Docx | Self::Xlsx | Self::Pptx)
    }

    fn of_package(body: &[u8]) -> Option<Self> {
        if let Some(mime) = zip::mimetype(body) {
            return Self::of_open_document(mime);
        }
        let (mut typed, mut main, mut folder) = (false, None, None);
        for name in zip::names(body) {
            match name.as_str() {
                "[content_types].xml" => typed = true,
                "word/document.xml" => main = Some(Self::Docx),
                "xl/workbook.xml" => main = Some(Self::Xlsx),
                "ppt/presentation.xml" => main = Some(Self::Pptx),
                name if name.starts_with("word/") => folder = folder.or(Some(Self::Docx)),
                name if name.starts_with("xl/") => folder = folder.or(Some(Self::Xlsx)),
                name if name.starts_with("ppt/") => folder = folder.or(Some(Self::Pptx)),
                _ => {}
            }
            if typed && main.is_some() {
                break;
            }
        }
        main.or(folder).filter(|_| typed)
    }

    fn of_open_document(mime: &str) -> Option<Self> {
        let name = mime.strip_prefix("application/vnd.oasis.opendocument.")?;
        let kinds = [("text", Self::Odt), ("spreadsheet", Self::Ods), ("presentation", Self::Odp)];
        kinds.into_iter().find(|(start, _)| name.starts_with(start)).map(|(_, kind)| kind)
    }

    /// What the declared type or else the name says.
    fn told(content_type: Option<&str>, url: &CanonUrl) -> Option<Self> {
        let mime = content_type.and_then(Mime::parse).map(|mime| mime.essence);
        let by_type = match mime.as_deref() {
            Some("application/pdf" | "application/x-pdf") => Some(Self::Pdf),
            Some("application/postscript") => Some(Self::PostScript),
            Some(mime) if mime.contains("wordprocessingml") => Some(Self::Docx),
            Some(mime) if mime.contains("spreadsheetml") => Some(Self::Xlsx),
            Some(mime) if mime.contains("presentationml") => Some(Self::Pptx),
            _ => None,
        };
        by_type.or_else(|| {
            let path = url.as_str().split(['?', '#']).next().unwrap_or_default();
            let (_, ending) = path.rsplit_once('.')?;
            let ending = if ending.eq_ignore_ascii_case("eps") { "ps" } else { ending };
            Self::ALL.into_iter().find(|kind| ending.eq_ignore_ascii_case(kind.word()))
        })
    }
}

/// Whether a compound file is an Office file behind a password: its folder names the package.
pub(crate) fn is_locked(body: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage".bytes().flat_map(|byte| [byte, 0]).collect();
    body.starts_with(COMPOUND) && memchr::memmem::find(body, &name).is_some()
}
