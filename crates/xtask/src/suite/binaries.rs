//! The test binaries that cargo has built, read from its JSON messages.

use std::path::PathBuf;

use crate::workspace;

/// One program of tests.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binary {
    /// The package, without `rhumb-`.
    pub(crate) room: String,
    /// The target: the crate's own name, or `promises`.
    pub(crate) target: String,
    /// The package's folder: where cargo would run it.
    pub(crate) folder: PathBuf,
    /// The program.
    pub(crate) program: PathBuf,
}

/// Builds every test of the workspace.
pub(crate) fn build() -> Result<Vec<Binary>, String> {
    let built = workspace::cargo()
        .args(["test", "--workspace", "--locked", "--no-run"])
        .arg("--message-format=json-render-diagnostics")
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if !built.status.success() {
        return Err("the tests do not build\n  try: cargo test --workspace --no-run".to_owned());
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let mut binaries: Vec<Binary> = messages.lines().filter_map(read).collect();
    binaries.sort();
    Ok(binaries)
}

/// One message: a test binary, or something else.
fn read(message: &str) -> Option<Binary> {
    // The profile has the last `test` flag; the target's own, before it, only says "could be".
    if !message.contains("\"test\":true},\"features\"") {
        return None;
    }
    let program = PathBuf::from(field(message, "executable")?);
    let manifest = PathBuf::from(field(message, "manifest_path")?);
    let folder = manifest.parent()?.to_path_buf();
    Some(Binary {
        room: folder.file_name()?.to_string_lossy().into_owned(),
        target: field(message, "name")?,
        folder,
        program,
    })
}

/// The text of the first field of this name; none where it is no text.
fn field(message: &str, name: &str) -> Option<String> {
    let start = format!("\"{name}\":\"");
    let rest = message.get(message.find(&start)? + start.len()..)?;
    let mut text = String::new();
    let mut letters = rest.chars();
    loop {
        match letters.next()? {
            '"' => return Some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(executable: &str, test: bool) -> String {
        format!(
            r#"{{"reason":"compiler-artifact","manifest_path":"/a \"b\"/crates/web/Cargo.toml","target":{{"kind":["lib"],"name":"rhumb_web","test":true}},"profile":{{"opt_level":"1","test":{test}}},"features":[],"executable":{executable},"fresh":true}}"#
        )
    }

    #[test]
    fn a_test_binary_is_read_from_its_message() {
        let expect = Binary {
            room: "web".to_owned(),
            target: "rhumb_web".to_owned(),
            folder: PathBuf::from("/a \"b\"/crates/web"),
            program: PathBuf::from("/t/web-1"),
        };
        assert_eq!(read(&message("\"/t/web-1\"", true)), Some(expect));
    }

    #[test]
    fn libraries_programs_and_other_messages_are_no_test_binaries() {
        assert_eq!(read(&message("null", true)), None);
        assert_eq!(read(&message("\"/t/rhumb\"", false)), None);
        assert_eq!(read(r#"{"reason":"build-finished","success":true}"#), None);
        assert_eq!(read("no json"), None);
    }
}
