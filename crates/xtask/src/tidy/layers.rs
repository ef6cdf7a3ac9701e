//! Who may depend on whom: the layer table, held against each `Cargo.toml`.

use super::Finding;

/// Rooms and their layers: a room may depend on lower layers, never sideways.
const LAYERS: [(&str, u8); 22] = [
    ("web", 0),
    ("disk", 0),
    ("rules", 1),
    ("page", 1),
    ("rank", 1),
    ("order", 1),
    ("likeness", 2),
    ("formats", 2),
    ("frontier", 2),
    ("seen", 2),
    ("fetch", 2),
    ("archive", 2),
    ("index", 2),
    ("cluster", 2),
    ("crawl", 3),
    ("serve", 4),
    ("simulate", 4),
    ("measure", 4),
    ("study", 4),
    ("fuzz", 4),
    ("gather", 4),
    ("cli", 5),
];

/// Beside the layers: the test web knows none of us, and only `cli` ships it.
const TESTWEB: &str = "testweb";
/// Beside the layers, without any dependency.
const XTASK: &str = "xtask";

/// Findings in the manifest of the crate in folder `room`.
pub(super) fn check(path: &str, room: &str, manifest: &str) -> Vec<Finding> {
    let finding = |line, what: String| Finding::new(path, line, what);
    if layer(room).is_none() && room != TESTWEB && room != XTASK {
        return vec![finding(
            1,
            format!("{room} has no layer, give it one in crates/xtask/src/tidy/layers.rs"),
        )];
    }
    let wrong = dependencies(manifest)
        .into_iter()
        .filter_map(|dependency| Some(finding(dependency.line, objection(room, &dependency)?)));
    wrong.collect()
}

fn layer(room: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == room).map(|(_, layer)| *layer)
}

struct Dependency<'a> {
    line: usize,
    name: &'a str,
    for_tests: bool,
}

fn objection(room: &str, dependency: &Dependency<'_>) -> Option<String> {
    if room == XTASK {
        return Some(format!("xtask has no dependencies, do without {}", dependency.name));
    }
    let other = dependency.name.strip_prefix("rhumb-")?;
    if room == TESTWEB {
        return Some(format!("testweb shares no code with the rest, do without rhumb-{other}"));
    }
    if dependency.for_tests {
        return None;
    }
    if other == TESTWEB {
        let ship = "only cli ships rhumb-testweb, make it a dev-dependency";
        return (room != "cli").then(|| ship.to_owned());
    }
    if layer(other) < layer(room) && layer(other).is_some() {
        return None;
    }
    Some(format!(
        "{room} may depend only on lower layers and rhumb-{other} is none, move what both need down"
    ))
}

/// The names in all tables of dependencies, in either of TOML's two ways to write one.
fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    // Whether the table that we are in lists dependencies, and then whether for tests only.
    let mut table: Option<bool> = None;
    for (line, text) in manifest.lines().enumerate() {
        let text = text.split('#').next().unwrap_or_default().trim();
        if let Some(header) = text.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            let (head, name) = header.rsplit_once('.').unwrap_or(("", header));
            table = kind(name);
            if let Some(for_tests) = kind(head.rsplit('.').next().unwrap_or_default()) {
                found.push(Dependency { line: line + 1, name, for_tests });
            }
        } else if let (Some(for_tests), Some((key, _))) = (table, text.split_once('=')) {
            let name = key.split('.').next().unwrap_or_default().trim().trim_matches('"');
            found.push(Dependency { line: line + 1, name, for_tests });
        }
    }
    found
}

fn kind(table: &str) -> Option<bool> {
    match table {
        "dependencies" | "build-dependencies" => Some(false),
        "dev-dependencies" => Some(true),
        _ => None,
    }
}
