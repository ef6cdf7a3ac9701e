//! `cargo x conformance`: the external suites, and how many of their cases are right.

use crate::{Ended, workspace};

/// Runs every test below a module or name `conformance` and prints what they counted.
pub(crate) fn run() -> Ended {
    let done = workspace::cargo()
        .args(["test", "--workspace", "--tests", "--locked", "--no-fail-fast", "conformance"])
        .args(["--", "--nocapture", "--test-threads=1"])
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    let printed = String::from_utf8_lossy(&done.stdout);
    let mut counted = 0;
    for line in printed.lines().filter_map(told) {
        println!("{line}");
        counted += 1;
    }
    if !done.status.success() {
        return Err("a conformance test failed\n  try: cargo x test conformance".to_owned());
    }
    if counted == 0 {
        return Err("no conformance test printed a count".to_owned());
    }
    Ok(())
}

/// The count or the skip that a test told in this line; libtest writes its own words before it.
pub(crate) fn told(line: &str) -> Option<&str> {
    let start = line.find("conformance: ").or_else(|| line.find("skipped: "))?;
    line.get(start..)
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn a_count_is_found_behind_the_words_of_libtest() {
        let check = |line, expect| assert_eq!(told(line), expect, "{line}");
        check(
            "test conformance::robots ... conformance: robots 4 of 4",
            Some("conformance: robots 4 of 4"),
        );
        check("conformance: url 826 of 891", Some("conformance: url 826 of 891"));
        check("skipped: no conformance data", Some("skipped: no conformance data"));
        check("test conformance::robots ... ok", None);
    }
}
