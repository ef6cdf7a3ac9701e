//! Presentations: every slide, and behind it the notes of who speaks.

use super::{PARTS_MAX, Relations, main_part};
use crate::draft::{Draft, Gap};
use crate::extract::End;
use crate::xml::{Node, Tag, Xml};
use crate::zip::Zip;

pub(super) fn read(zip: &mut Zip<'_>, draft: &mut Draft) -> Result<(), End> {
    let main = main_part(zip, "ppt/presentation.xml");
    let presentation = zip.needed(&main)?;
    let relations = Relations::of(zip, &main)?;
    let mut slides = Vec::new();
    let mut xml = Xml::new(&presentation);
    while let Some(node) = xml.next()? {
        if let Node::Open(tag) = node
            && tag.name() == "sldId"
            && let Some(id) = tag.relation()
            && let Some(part) = relations.part(&id)
        {
            if slides.len() == PARTS_MAX {
                draft.leave_out();
                break;
            }
            slides.push(part.to_owned());
        }
    }
    draft.extract.pages = u32::try_from(slides.len()).ok();
    for name in slides {
        let relations = Relations::of(zip, &name)?;
        draft.gap(Gap::Page);
        if let Some(text) = zip.text(&name)? {
            slide(&text, &relations, draft)?;
        }
        draft.gap(Gap::Line);
        if let Some(name) = relations.part_of_kind("/notesSlide")
            && let Some(text) = zip.text(name)?
        {
            let relations = Relations::of(zip, name)?;
            slide(&text, &relations, draft)?;
        }
        if draft.is_full() {
            break;
        }
    }
    Ok(())
}

fn slide(text: &str, relations: &Relations, draft: &mut Draft) -> Result<(), End> {
    let mut xml = Xml::new(text);
    let mut in_text = false;
    let mut in_run = false;
    let mut cells = 0_usize;
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(tag) => match tag.name() {
                // The same for older programs; the number of the slide and the date of today.
                "Fallback" | "fld" => xml.skip()?,
                "t" => in_text = true,
                "r" => in_run = true,
                "br" => draft.gap(Gap::Line),
                "tc" => cells += 1,
                "hlinkClick" => linked(&tag, in_run, relations, draft),
                _ => {}
            },
            Node::Text(text) if in_text => draft.push(&text),
            Node::Text(_) => {}
            Node::Close(name) => match name.as_str() {
                "t" => in_text = false,
                "r" => {
                    in_run = false;
                    draft.close_link();
                }
                "p" if cells > 0 => draft.gap(Gap::Space),
                "p" | "tr" => draft.gap(Gap::Line),
                "tc" => {
                    cells = cells.saturating_sub(1);
                    draft.gap(Gap::Tab);
                }
                _ => {}
            },
        }
        if draft.is_full() {
            break;
        }
    }
    Ok(())
}

fn linked(tag: &Tag<'_>, in_run: bool, relations: &Relations, draft: &mut Draft) {
    if let Some(href) = relations.link(tag.relation()) {
        draft.open_link(href);
        if !in_run {
            draft.close_link();
        }
    }
}
