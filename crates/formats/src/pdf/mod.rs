//! PDF: the text of every page in the order in which it is drawn, and the links laid over it.
//!
//! The syntax (cross references, filters, decryption) is hayro-syntax's; what fonts and the
//! operators for text mean is here.

mod cmap;
mod content;
mod font;
mod letters;
mod matrix;
mod unpack;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Rect, Stream};
use hayro_syntax::page::Page;
use hayro_syntax::{LoadPdfError, Pdf};

use crate::date::printed_moment;
use crate::draft::{Draft, Gap, field};
use crate::extract::End;
use content::{Area, Printer};
use unpack::Unpack;

/// The most pages that are read.
const PAGES_MAX: usize = 10_000;
/// The most links of one page.
const AREAS_MAX: usize = 2_000;
/// The most streams that the content of one page is split into.
const PARTS_MAX: usize = 1_000;
/// How many places are tried that may name the document's properties.
const INFOS_MAX: usize = 16;
/// Where the last mark of a whole file stands; some programs write a little behind it.
const TAIL_BYTES_MAX: usize = 8 * 1024;

/// Reads a document.
pub(crate) fn read(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    let pdf = Pdf::new(body.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => End::Encrypted,
        LoadPdfError::Invalid => End::broken("it has no pages that can be found"),
    })?;
    properties(&pdf, body, draft);
    let pages = pdf.pages();
    draft.extract.pages = u32::try_from(pages.len()).ok();
    let mut unpack = Unpack::new();
    let mut printer = Printer::new(draft, &mut unpack);
    for page in pages.iter().take(PAGES_MAX) {
        print(page, &mut printer)?;
        if printer.is_done() {
            break;
        }
    }
    if pages.len() > PAGES_MAX || unpack.is_cut() {
        draft.leave_out();
    }
    // Without it the list of objects was guessed, and some of them may be missing.
    let tail = &body[body.len().saturating_sub(TAIL_BYTES_MAX)..];
    if memchr::memmem::find(tail, b"%%EOF").is_none() {
        return Err(End::broken("it ends early"));
    }
    Ok(())
}

fn properties(pdf: &Pdf, body: &[u8], draft: &mut Draft) {
    let said = pdf.metadata();
    let extract = &mut draft.extract;
    let text = |bytes: &Option<Box<[u8]>>| field(&letters::string(bytes.as_deref()?));
    extract.title = text(&said.title);
    extract.author = text(&said.author);
    // The library's own dates know neither whether a zone is told nor the sign of `-00'30'`.
    let info = info(pdf, body);
    let date = |key: &str| {
        let date = info.as_ref()?.get::<hayro_syntax::object::String<'_>>(key)?;
        printed_moment(&letters::string(date.as_bytes()))
    };
    extract.created = date("CreationDate");
    extract.modified = date("ModDate");
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let language =
        catalog.and_then(|catalog| catalog.get::<hayro_syntax::object::String<'_>>("Lang"));
    extract.language = language.and_then(|language| field(&letters::string(language.as_bytes())));
}

/// The dictionary of properties, which the last trailer names: `/Info 7 0 R`.
fn info<'a>(pdf: &'a Pdf, body: &[u8]) -> Option<Dict<'a>> {
    let named = |place: usize| {
        let rest = body[place..].strip_prefix(b"/Info")?;
        let rest = String::from_utf8_lossy(&rest[..rest.len().min(32)]);
        let mut words = rest.split_ascii_whitespace();
        let (number, generation) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        words.next().filter(|word| word.starts_with('R'))?;
        pdf.xref().get::<Dict<'_>>(ObjectIdentifier::new(number, generation))
    };
    memchr::memmem::rfind_iter(body, b"/Info").take(INFOS_MAX).find_map(named)
}

fn print<'a>(page: &Page<'a>, printer: &mut Printer<'a, '_>) -> Result<(), End> {
    let mut content = Vec::new();
    if let Some(stream) = page.raw().get::<Stream<'_>>("Contents") {
        content = printer.unpack.stream(&stream)?;
    } else if let Some(streams) = page.raw().get::<Array<'_>>("Contents") {
        let mut streams = streams.iter::<Stream<'_>>();
        for stream in streams.by_ref().take(PARTS_MAX) {
            content.extend(printer.unpack.stream(&stream)?);
            // A number may end one stream and another begin the next.
            content.push(b'\n');
        }
        if streams.next().is_some() {
            printer.draft.leave_out();
        }
    }
    printer.draft.gap(Gap::Page);
    let areas = areas(page, printer.draft);
    printer.print(&content, page.resources(), areas)
}

/// The links of a page, each added to the draft, and where they lie.
fn areas(page: &Page<'_>, draft: &mut Draft) -> Vec<Area> {
    let Some(notes) = page.raw().get::<Array<'_>>("Annots") else {
        return Vec::new();
    };
    let mut notes = notes.iter::<Dict<'_>>();
    let link = |note: Dict<'_>| {
        let subtype = note.get::<Name<'_>>("Subtype")?;
        let action = note.get::<Dict<'_>>("A").filter(|_| subtype.as_ref() == b"Link")?;
        let uri = action.get::<hayro_syntax::object::String<'_>>("URI")?;
        let link = draft.link(&String::from_utf8_lossy(uri.as_bytes()))?;
        let rect = note.get::<Rect>("Rect")?;
        Some(Area { rect, link })
    };
    let areas = notes.by_ref().take(AREAS_MAX).filter_map(link).collect();
    if notes.next().is_some() {
        draft.leave_out();
    }
    areas
}
