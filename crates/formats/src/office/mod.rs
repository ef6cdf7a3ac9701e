//! Office Open XML: packages of parts that name each other by relations.

mod properties;
mod sheets;
mod slides;
mod words;

use std::collections::HashMap;

use crate::draft::Draft;
use crate::extract::End;
use crate::kind;
use crate::xml::{Node, Xml};
use crate::zip::Zip;

/// The most parts of one kind that are read: sheets, slides.
const PARTS_MAX: usize = 2_000;
/// The most relations of one part.
const RELATIONS_MAX: usize = 100_000;

/// Reads a text document.
pub(crate) fn docx(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    read(body, draft, words::read)
}

/// Reads a workbook.
pub(crate) fn xlsx(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    read(body, draft, sheets::read)
}

/// Reads a presentation.
pub(crate) fn pptx(body: &[u8], draft: &mut Draft) -> Result<(), End> {
    read(body, draft, slides::read)
}

fn read(
    body: &[u8],
    draft: &mut Draft,
    story: fn(&mut Zip<'_>, &mut Draft) -> Result<(), End>,
) -> Result<(), End> {
    if kind::is_locked(body) {
        return Err(End::Encrypted);
    }
    let mut zip = Zip::open(body)?;
    properties::read(&mut zip, draft)?;
    story(&mut zip, draft)?;
    if zip.is_cut() {
        draft.leave_out();
    }
    Ok(())
}

/// The name of the part that all begins with: the one that the package names, or the usual one.
fn main_part(zip: &mut Zip<'_>, usual: &str) -> String {
    let relations = Relations::of(zip, "").unwrap_or_default();
    let named = relations.part_of_kind("/officeDocument").filter(|part| zip.has(part));
    named.unwrap_or(usual).to_owned()
}

/// What one part names, by the names it uses.
#[derive(Default)]
struct Relations(HashMap<String, Relation>);

struct Relation {
    kind: String,
    target: String,
    external: bool,
}

impl Relations {
    /// The relations of the part with this name.
    fn of(zip: &mut Zip<'_>, part: &str) -> Result<Self, End> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut relations = Self::default();
        let Some(text) = zip.text(&format!("{folder}/_rels/{name}.rels"))? else {
            return Ok(relations);
        };
        let mut xml = Xml::new(&text);
        while let Some(node) = xml.next()? {
            let Node::Open(tag) = node else {
                continue;
            };
            let (Some(id), Some(target)) = (tag.attribute("Id"), tag.attribute("Target")) else {
                continue;
            };
            if relations.0.len() == RELATIONS_MAX {
                zip.leave_out();
                break;
            }
            let external = tag.attribute("TargetMode").is_some_and(|mode| mode == "External");
            let target = if external { target } else { resolved(folder, &target) };
            let kind = tag.attribute("Type").unwrap_or_default();
            relations.0.insert(id, Relation { kind, target, external });
        }
        Ok(relations)
    }

    /// Where a link leads that leaves the document.
    fn link(&self, id: Option<String>) -> Option<&str> {
        let relation = self.0.get(&id?)?;
        relation.external.then_some(relation.target.as_str())
    }

    /// The part of this package that a name stands for.
    fn part(&self, id: &str) -> Option<&str> {
        let relation = self.0.get(id)?;
        (!relation.external).then_some(relation.target.as_str())
    }

    /// The part that stands in this relation, such as `notesSlide`.
    fn part_of_kind(&self, kind: &str) -> Option<&str> {
        let is_it = |relation: &&Relation| !relation.external && relation.kind.ends_with(kind);
        self.0.values().find(is_it).map(|relation| relation.target.as_str())
    }
}

/// A part's name, given from within a folder.
fn resolved(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|step| !step.is_empty()).collect(),
    };
    for step in target.split('/').filter(|step| !step.is_empty() && *step != ".") {
        if step == ".." {
            path.pop();
        } else {
            path.push(step);
        }
    }
    path.join("/")
}

/// Where a `HYPERLINK` field leads: `HYPERLINK "target" \o "…"`.
pub(crate) fn hyperlink_field(instruction: &str) -> Option<&str> {
    let rest = instruction.trim_start();
    let word = rest.get(.."HYPERLINK".len())?;
    if !word.eq_ignore_ascii_case("HYPERLINK") {
        return None;
    }
    let rest = rest[word.len()..].trim_start();
    // `\l` leads to a place of the document itself.
    if rest.starts_with('\\') {
        return None;
    }
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next(),
    }
}
