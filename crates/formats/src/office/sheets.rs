//! Workbooks: the cells of every sheet, a line for each row.

use super::{PARTS_MAX, Relations, main_part};
use crate::draft::{Draft, Gap, field};
use crate::extract::End;
use crate::xml::{Node, Tag, Xml};
use crate::zip::Zip;

pub(super) fn read(zip: &mut Zip<'_>, draft: &mut Draft) -> Result<(), End> {
    let main = main_part(zip, "xl/workbook.xml");
    let workbook = zip.needed(&main)?;
    let relations = Relations::of(zip, &main)?;
    let shared = match relations.part_of_kind("/sharedStrings") {
        Some(name) => zip.text(name)?.map_or_else(|| Ok(Vec::new()), |text| strings(&text))?,
        None => Vec::new(),
    };
    let sheets = sheets(&workbook, &relations, draft)?;
    draft.extract.pages = u32::try_from(sheets.len()).ok();
    for (title, name) in sheets {
        draft.gap(Gap::Page);
        draft.push(&title);
        draft.gap(Gap::Line);
        if let Some(text) = zip.text(&name)? {
            let relations = Relations::of(zip, &name)?;
            sheet(&text, &shared, &relations, draft)?;
        }
        if draft.is_full() {
            break;
        }
    }
    Ok(())
}

/// The sheets in their order: title and part.
fn sheets(
    workbook: &str,
    relations: &Relations,
    draft: &mut Draft,
) -> Result<Vec<(String, String)>, End> {
    let mut sheets = Vec::new();
    let mut xml = Xml::new(workbook);
    while let Some(node) = xml.next()? {
        if let Node::Open(tag) = node
            && tag.name() == "sheet"
            && let Some(id) = tag.relation()
            && let Some(part) = relations.part(&id)
        {
            if sheets.len() == PARTS_MAX {
                draft.leave_out();
                break;
            }
            sheets.push((tag.attribute("name").unwrap_or_default(), part.to_owned()));
        }
    }
    Ok(sheets)
}

/// The strings that cells share.
fn strings(text: &str) -> Result<Vec<String>, End> {
    let mut strings = Vec::new();
    let mut xml = Xml::new(text);
    let mut in_text = false;
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(tag) => match tag.name() {
                "si" => strings.push(String::new()),
                "t" => in_text = true,
                // How it is spoken, beside how it is written.
                "rPh" => xml.skip()?,
                _ => {}
            },
            Node::Text(text) if in_text => {
                if let Some(string) = strings.last_mut() {
                    string.push_str(&text);
                }
            }
            Node::Close(name) if name.as_str() == "t" => in_text = false,
            Node::Text(_) | Node::Close(_) => {}
        }
    }
    Ok(strings)
}

fn sheet(
    text: &str,
    shared: &[String],
    relations: &Relations,
    draft: &mut Draft,
) -> Result<(), End> {
    let mut xml = Xml::new(text);
    let mut kind = String::new();
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(tag) => match tag.name() {
                "c" => kind = tag.attribute("t").unwrap_or_default(),
                "v" => value(&kind, &xml.inner_text()?, shared, draft),
                "t" => draft.push(&xml.inner_text()?),
                "f" => {
                    let formula = xml.inner_text()?;
                    if let Some(href) = linked_by(&formula) {
                        draft.link(href);
                    }
                }
                "rPh" => xml.skip()?,
                "hyperlink" => hyperlink(&tag, relations, draft),
                _ => {}
            },
            Node::Close(name) => match name.as_str() {
                "c" => draft.gap(Gap::Tab),
                "row" => draft.gap(Gap::Line),
                _ => {}
            },
            Node::Text(_) => {}
        }
        if draft.is_full() {
            break;
        }
    }
    Ok(())
}

fn value(kind: &str, value: &str, shared: &[String], draft: &mut Draft) {
    match kind {
        "s" => {
            let place: Option<usize> = value.trim().parse().ok();
            if let Some(text) = place.and_then(|place| shared.get(place)) {
                draft.push(text);
            }
        }
        "b" => draft.push(if value.trim() == "1" { "TRUE" } else { "FALSE" }),
        _ => draft.push(value),
    }
}

/// Where a formula leads: `HYPERLINK("target", …)`.
fn linked_by(formula: &str) -> Option<&str> {
    let rest = formula.trim_start().strip_prefix("HYPERLINK(\"")?;
    rest.split('"').next()
}

fn hyperlink(tag: &Tag<'_>, relations: &Relations, draft: &mut Draft) {
    if let Some(href) = relations.link(tag.relation()) {
        let link = draft.link(href);
        let shown = tag.attribute("display").and_then(|shown| field(&shown));
        if let (Some(link), Some(shown)) = (link, shown) {
            let mut apart = false;
            for char in shown.chars() {
                if char != ' ' {
                    draft.push_anchor(link, char, apart);
                }
                apart = char == ' ';
            }
        }
    }
}
