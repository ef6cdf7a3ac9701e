//! What a package says of itself: title, author, dates, number of pages.

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

/// A date, or a date and time, as XML has them and RFC 3339 wants them; nothing where it is none.
pub(crate) fn moment(text: &str) -> Option<String> {
    let text = text.trim();
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let date = text.get(..10)?;
    let marks = |places: &[(usize, u8)]| {
        places.iter().all(|(place, mark)| text.as_bytes().get(*place) == Some(mark))
    };
    if !(digits(0..4) && digits(5..7) && digits(8..10) && marks(&[(4, b'-'), (7, b'-')])) {
        return None;
    }
    if !("01"..="12").contains(&&text[5..7]) || !("01"..="31").contains(&&text[8..10]) {
        return None;
    }
    let timed = digits(11..13) && digits(14..16) && marks(&[(10, b'T'), (13, b':')]);
    if !timed || text[11..13] > *"23" || text[14..16] > *"59" {
        return Some(date.to_owned());
    }
    let seconds = if marks(&[(16, b':')]) && digits(17..19) && text[17..19] <= *"59" {
        &text[17..19]
    } else {
        "00"
    };
    let rest = text.get(16..).unwrap_or_default();
    let zone = rest.find(['+', '-']).map(|start| &rest[start..]);
    let zone = zone.filter(|zone| zone.len() == 6 && zone.is_ascii()).unwrap_or("Z");
    Some(format!("{date}T{}:{seconds}{zone}", &text[11..16]))
}
