//! The table as docs/json.md writes it, and whether it does.

use super::table::{Key, OUTPUTS, Output, Shape, WORDS, Words};

/// Visits every key of an output: where it stands, what it is, and whether it is ours.
pub(super) fn walk(output: &Output, visit: &mut dyn FnMut(&str, &Shape, bool)) {
    output.keys.iter().for_each(|keys| descend("", keys, visit));
}

fn descend(path: &str, keys: &[Key], visit: &mut dyn FnMut(&str, &Shape, bool)) {
    for key in keys {
        let path = format!("{path}{}", key.name);
        visit(&path, &key.shape, key.is_ours);
        let (mut path, mut shape) = (path, &key.shape);
        loop {
            (path, shape) = match shape {
                Shape::OrNull(inner) => (path, *inner),
                Shape::List(inner) => (path + "[]", *inner),
                Shape::By(_, inner) => (path + ".*", *inner),
                Shape::Object(keys) => {
                    descend(&format!("{path}."), keys, visit);
                    break;
                }
                _ => break,
            };
        }
    }
}

/// A shape, as the document says it.
fn phrase(shape: &Shape) -> String {
    match shape {
        Shape::Text => "text".to_owned(),
        Shape::Url => "URL".to_owned(),
        Shape::Time => "time".to_owned(),
        Shape::Count => "count".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Signed => "signed number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Word(lists) => lists.iter().map(|words| list(words)).collect::<Vec<_>>().join(", "),
        Shape::OrNull(shape) => format!("{}, or null", phrase(shape)),
        Shape::List(Shape::Object(_)) => "list of objects".to_owned(),
        Shape::List(shape) => format!("list of: {}", phrase(shape)),
        Shape::By(words, shape) => format!("{} by {}", phrase(shape), list(words)),
        Shape::Object(_) => "object".to_owned(),
    }
}

fn list(words: &Words) -> String {
    match words.name {
        Some(name) => format!("*{name}*"),
        None => quoted(words),
    }
}

fn quoted(words: &Words) -> String {
    words.words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The rows of a table below a heading, in their order, without their last column.
fn rows<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = text.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "{heading} is not there");
    let section = lines.take_while(|line| !line.starts_with("## "));
    // A table begins with its title and a rule.
    let table = section.filter(|line| line.starts_with("| ")).skip(2);
    table.map(|row| row.trim_end_matches(" |").rsplit_once(" |").map_or(row, |it| it.0)).collect()
}

#[test]
fn the_document_has_every_key_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    let text = std::fs::read_to_string(path).expect("it is there");
    for output in OUTPUTS {
        let mut expect = Vec::new();
        walk(output, &mut |path, shape, is_ours| {
            let mark = if is_ours { " +" } else { "" };
            expect.push(format!("| `{path}`{mark} | {}", phrase(shape)));
        });
        assert_eq!(rows(&text, &format!("## {}", output.name)), expect, "{}", output.name);
    }
    let expect =
        WORDS.map(|words| format!("| *{}* | {}", words.name.unwrap_or_default(), quoted(words)));
    assert_eq!(rows(&text, "## Words"), expect);
}

#[test]
fn units_are_in_the_names() {
    for output in OUTPUTS {
        walk(output, &mut |path, shape, _| {
            let shape = if let Shape::OrNull(shape) = shape { shape } else { shape };
            let is_count = matches!(shape, Shape::Count);
            let is_time = is_count || matches!(shape, Shape::Number);
            assert!(!path.ends_with("_ms") || is_time, "{path} of {}", output.name);
            assert!(!path.ends_with("_bytes") || is_count, "{path} of {}", output.name);
        });
    }
}
