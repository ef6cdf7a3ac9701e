//! `OpenDocument`: one XML part holds all the text, another says what it is.

use crate::date::moment;
use crate::draft::{Draft, Gap, field};
use crate::extract::End;
use crate::xml::{Node, Xml};
use crate::zip::Zip;

/// Reads a text document, a spreadsheet or a presentation.
pub(crate) fn read(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    let mut zip = Zip::open(body)?;
    if let Some(manifest) = zip.text("META-INF/manifest.xml")?
        && is_locked(&manifest)
    {
        return Err(End::Encrypted);
    }
    if let Some(meta) = zip.text("meta.xml")? {
        properties(&meta, draft);
    }
    let content = zip.needed("content.xml")?;
    if zip.is_cut() {
        draft.leave_out();
    }
    story(&content, draft)
}

fn is_locked(manifest: &str) -> bool {
    let mut xml = Xml::new(manifest);
    while let Ok(Some(node)) = xml.next() {
        if matches!(node, Node::Open(tag) if tag.name() == "encryption-data") {
            return true;
        }
    }
    false
}

fn properties(meta: &str, draft: &mut Draft) {
    let mut xml = Xml::new(meta);
    while let Ok(Some(node)) = xml.next() {
        let Node::Open(tag) = node else {
            continue;
        };
        let extract = &mut draft.extract;
        if tag.name() == "document-statistic" {
            extract.pages = tag.attribute("page-count").and_then(|pages| pages.parse().ok());
            continue;
        }
        let name = tag.name().to_owned();
        if !matches!(
            name.as_str(),
            "title" | "creator" | "initial-creator" | "language" | "creation-date" | "date"
        ) {
            continue;
        }
        let Ok(value) = xml.inner_text() else {
            return;
        };
        match name.as_str() {
            "title" => extract.title = field(&value),
            "initial-creator" => extract.author = field(&value).or(extract.author.take()),
            "creator" => extract.author = extract.author.take().or_else(|| field(&value)),
            "language" => extract.language = field(&value),
            "creation-date" => extract.created = moment(&value),
            _ => extract.modified = moment(&value),
        }
    }
}

fn story(content: &str, draft: &mut Draft) -> Result<(), End> {
    let mut xml = Xml::new(content);
    let mut paragraphs = 0_usize;
    let mut cells = 0_usize;
    let mut pages = 0_u32;
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(tag) => match tag.name() {
                "p" | "h" => paragraphs += 1,
                "tab" | "s" | "note" => draft.gap(Gap::Space),
                "line-break" => draft.gap(line(cells)),
                "table-cell" | "covered-table-cell" => cells += 1,
                "a" => {
                    if let Some(href) = tag.attribute("href") {
                        draft.open_link(&href);
                    }
                }
                "page" => {
                    pages = pages.saturating_add(1);
                    draft.gap(Gap::Page);
                }
                "table" if cells == 0 => draft.gap(Gap::Line),
                // What was taken out, what others said of it, and how it looks.
                "tracked-changes" | "annotation" | "font-face-decls" | "automatic-styles" => {
                    xml.skip()?;
                }
                _ => {}
            },
            Node::Text(text) if paragraphs > 0 => draft.push(&text),
            Node::Text(_) => {}
            Node::Close(name) => match name.as_str() {
                "p" | "h" => {
                    paragraphs = paragraphs.saturating_sub(1);
                    draft.gap(line(cells));
                }
                "a" => draft.close_link(),
                "table-cell" | "covered-table-cell" => {
                    cells = cells.saturating_sub(1);
                    draft.gap(Gap::Tab);
                }
                "table-row" => draft.gap(line(cells)),
                // The mark of a note, and the note behind it.
                "note-citation" | "note-body" | "frame" => draft.gap(Gap::Space),
                _ => {}
            },
        }
        if draft.is_full() {
            break;
        }
    }
    if pages > 0 {
        draft.extract.pages = Some(pages);
    }
    Ok(())
}

/// Within a cell a new line would end the row.
fn line(cells: usize) -> Gap {
    if cells > 0 { Gap::Space } else { Gap::Line }
}
