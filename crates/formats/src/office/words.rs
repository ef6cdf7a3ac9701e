//! Text documents: paragraphs, tables, notes and links.

use super::{Relations, hyperlink_field, main_part};
use crate::draft::{Draft, Gap, field};
use crate::extract::End;
use crate::xml::{Node, Tag, Xml};
use crate::zip::Zip;

/// The most fields inside one another.
const FIELDS_MAX: usize = 64;
/// How much of a field's instruction is kept.
const INSTRUCTION_BYTES_MAX: usize = 16 * 1024;

pub(super) fn read(zip: &mut Zip<'_>, draft: &mut Draft) -> Result<(), End> {
    let main = main_part(zip, "word/document.xml");
    let text = zip.needed(&main)?;
    let relations = Relations::of(zip, &main)?;
    let named =
        |kind: &str, usual: &'static str| relations.part_of_kind(kind).unwrap_or(usual).to_owned();
    if draft.extract.language.is_none() {
        draft.extract.language = language(zip, &named("/styles", "word/styles.xml"))?;
    }
    part(&text, &relations, draft)?;
    let notes = [("/footnotes", "word/footnotes.xml"), ("/endnotes", "word/endnotes.xml")];
    for (kind, usual) in notes {
        let name = named(kind, usual);
        if let Some(text) = zip.text(&name)? {
            let relations = Relations::of(zip, &name)?;
            draft.gap(Gap::Page);
            part(&text, &relations, draft)?;
        }
    }
    Ok(())
}

/// The language that the styles begin with.
fn language(zip: &mut Zip<'_>, styles: &str) -> Result<Option<String>, End> {
    let Some(text) = zip.text(styles)? else {
        return Ok(None);
    };
    let mut xml = Xml::new(&text);
    while let Ok(Some(node)) = xml.next() {
        if let Node::Open(tag) = node
            && tag.name() == "lang"
            && let Some(language) = tag.attribute("val")
        {
            return Ok(field(&language));
        }
    }
    Ok(None)
}

fn part(text: &str, relations: &Relations, draft: &mut Draft) -> Result<(), End> {
    let mut xml = Xml::new(text);
    let mut story = Story { relations, draft, cells: 0, in_text: false, fields: Vec::new() };
    while let Some(node) = xml.next()? {
        match node {
            Node::Open(tag) => match tag.name() {
                // The same once more, for older programs.
                "Fallback" => xml.skip()?,
                "instrText" => {
                    let instruction = xml.inner_text()?;
                    story.instruct(&instruction);
                }
                _ => story.open(&tag),
            },
            Node::Text(text) if story.in_text => story.draft.push(&text),
            Node::Text(_) => {}
            Node::Close(name) => story.close(name.as_str()),
        }
        if story.draft.is_full() {
            break;
        }
    }
    Ok(())
}

/// A part that is being read.
struct Story<'a, 'd> {
    relations: &'a Relations,
    draft: &'d mut Draft,
    /// Table cells that are open.
    cells: usize,
    in_text: bool,
    /// The instructions of the fields that are open.
    fields: Vec<String>,
}

impl Story<'_, '_> {
    fn open(&mut self, tag: &Tag<'_>) {
        match tag.name() {
            "t" => self.in_text = true,
            "tab" | "ptab" => self.draft.gap(Gap::Space),
            "br" | "cr" => self.draft.gap(self.line()),
            "noBreakHyphen" => self.draft.push("-"),
            "tc" => self.cells += 1,
            "hyperlink" => {
                if let Some(href) = self.relations.link(tag.relation()) {
                    self.draft.open_link(href);
                }
            }
            "fldSimple" => {
                let instruction = tag.attribute("instr").unwrap_or_default();
                if let Some(href) = hyperlink_field(&instruction) {
                    self.draft.open_link(href);
                }
            }
            "fldChar" => self.field(tag.attribute("fldCharType").as_deref()),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" | "tr" => self.draft.gap(self.line()),
            "tc" => {
                self.cells = self.cells.saturating_sub(1);
                self.draft.gap(Gap::Tab);
            }
            "hyperlink" | "fldSimple" => self.draft.close_link(),
            _ => {}
        }
    }

    /// Within a cell a new line would end the row.
    fn line(&self) -> Gap {
        if self.cells > 0 { Gap::Space } else { Gap::Line }
    }

    fn instruct(&mut self, instruction: &str) {
        if let Some(field) = self.fields.last_mut()
            && field.len() + instruction.len() <= INSTRUCTION_BYTES_MAX
        {
            field.push_str(instruction);
        }
    }

    fn field(&mut self, step: Option<&str>) {
        match step {
            Some("begin") if self.fields.len() < FIELDS_MAX => self.fields.push(String::new()),
            Some("separate") => {
                if let Some(href) = self.fields.last().and_then(|field| hyperlink_field(field)) {
                    self.draft.open_link(href);
                }
            }
            Some("end") => {
                let field = self.fields.pop();
                if field.is_some_and(|field| hyperlink_field(&field).is_some()) {
                    self.draft.close_link();
                }
            }
            _ => {}
        }
    }
}
