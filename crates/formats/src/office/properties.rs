//! What a package says of itself: title, author, dates, number of pages.

use crate::date::moment;
use crate::draft::{Draft, field};
use crate::extract::End;
use crate::xml::{Node, Xml};
use crate::zip::Zip;

/// Fills in the properties; a document without them is whole all the same.
pub(super) fn read(zip: &mut Zip<'_>, draft: &mut Draft) -> Result<(), End> {
    if let Some(text) = zip.text("docProps/core.xml")? {
        let mut xml = Xml::new(&text);
        while let Ok(Some(node)) = xml.next() {
            let Node::Open(tag) = node else {
                continue;
            };
            let name = tag.name().to_owned();
            if name == "coreProperties" {
                continue;
            }
            let Ok(value) = xml.inner_text() else {
                break;
            };
            let extract = &mut draft.extract;
            match name.as_str() {
                "title" => extract.title = field(&value),
                "creator" => extract.author = field(&value),
                "language" => extract.language = field(&value),
                "created" => extract.created = moment(&value),
                "modified" => extract.modified = moment(&value),
                _ => {}
            }
        }
    }
    if let Some(text) = zip.text("docProps/app.xml")? {
        let mut xml = Xml::new(&text);
        while let Ok(Some(node)) = xml.next() {
            let Node::Open(tag) = node else {
                continue;
            };
            if matches!(tag.name(), "Pages" | "Slides")
                && let Ok(value) = xml.inner_text()
                && let Some(pages) = value.trim().parse().ok().filter(|pages| *pages > 0)
            {
                draft.extract.pages = Some(pages);
            }
        }
    }
    Ok(())
}
