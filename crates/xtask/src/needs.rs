//! What tests need from outside the workspace, and how it is installed.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace;

/// Where a need is installed from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A Debian package.
    Debian(&'a str),
    /// A package of the Python index, into a virtual environment below the target folder.
    PyPi(&'a str),
}

/// Something that some tests cannot do without.
struct Need {
    /// The program or Python module that shows it is there, or a path where it starts with a
    /// slash.
    /// Tests find this word in `RHUMB_WITHOUT` where it is missing.
    name: &'static str,
    source: Source<'static>,
    /// Only the long sizes need it.
    full: bool,
    /// The tests that are left out without it.
    tests: &'static str,
}

const WGET2_TESTS: &str = "cli: the comparison with wget2";

const RANK_TESTS: &str = "cli: ranks against those of another implementation";

const ARCHIVE_TESTS: &str = "archive and cli: the archive by the tools of others";

const BROWSER_TESTS: &str = "cli: the pages in a real browser";

const API_TESTS: &str = "serve: the API against its own description, by schemathesis";

const NEEDS: &[Need] = &[
    Need { name: "warcio", source: Source::PyPi("warcio"), full: false, tests: ARCHIVE_TESTS },
    Need {
        name: "cdxj-indexer",
        source: Source::PyPi("cdxj-indexer"),
        full: false,
        tests: ARCHIVE_TESTS,
    },
    Need { name: "wb-manager", source: Source::PyPi("pywb"), full: false, tests: ARCHIVE_TESTS },
    Need { name: "networkx", source: Source::PyPi("networkx"), full: false, tests: RANK_TESTS },
    Need {
        name: "schemathesis",
        source: Source::PyPi("schemathesis"),
        full: false,
        tests: API_TESTS,
    },
    Need {
        name: "chromium",
        source: Source::Debian("chromium"),
        full: false,
        tests: BROWSER_TESTS,
    },
    Need {
        name: "chromedriver",
        source: Source::Debian("chromium-driver"),
        full: false,
        tests: BROWSER_TESTS,
    },
    Need { name: "wget2", source: Source::Debian("wget2"), full: true, tests: WGET2_TESTS },
    Need {
        name: "/usr/share/doc/db5.3-doc/index.html",
        source: Source::Debian("db5.3-doc"),
        full: true,
        tests: WGET2_TESTS,
    },
    Need {
        name: "/usr/share/doc/libboost1.81-doc/doc/html/index.html",
        source: Source::Debian("libboost1.81-doc"),
        full: true,
        tests: WGET2_TESTS,
    },
    Need {
        name: "/usr/share/doc/docbook-xsl-doc-html/doc/index.html",
        source: Source::Debian("docbook-xsl-doc-html"),
        full: true,
        tests: WGET2_TESTS,
    },
];

/// What tests are run with.
pub(crate) struct Supplies {
    /// Search path for programs, with our virtual environment first.
    pub(crate) path: OsString,
    /// The interpreter of that environment, for `RHUMB_PYTHON`, if there is one.
    pub(crate) python: Option<PathBuf>,
    /// Names of what could not be installed, for `RHUMB_WITHOUT`.
    pub(crate) without: String,
    /// A line for each of these, with the tests that it leaves out.
    pub(crate) left_out: Vec<String>,
}

/// Installs what is missing, and says so.
pub(crate) fn supply(full: bool) -> Supplies {
    let path = search_path();
    let mut without = Vec::new();
    let mut left_out = Vec::new();
    for need in NEEDS.iter().filter(|need| full || !need.full) {
        let Err(why) = ensure(need.name, need.source) else { continue };
        left_out.push(format!("left out for want of {}: {} ({why})", need.name, need.tests));
        without.push(need.name);
    }
    let python = Some(environment().join("bin/python3")).filter(|python| python.is_file());
    Supplies { path, python, without: without.join(","), left_out }
}

/// Installs it unless the program or the path of this name is there, and says so.
pub(crate) fn ensure(name: &str, source: Source<'_>) -> Result<(), String> {
    let path = search_path();
    if is_there(name, &path) {
        return Ok(());
    }
    install(source)?;
    if is_there(name, &path) { Ok(()) } else { Err("its package does not have it".to_owned()) }
}

fn environment() -> PathBuf {
    workspace::target().join("x/venv")
}

fn search_path() -> OsString {
    let mut path = OsString::from(environment().join("bin"));
    if let Some(rest) = env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}

fn is_there(name: &str, path: &OsString) -> bool {
    if name.starts_with('/') {
        return Path::new(name).exists();
    }
    env::split_paths(path).any(|folder| folder.join(name).is_file()) || is_module(name)
}

/// Whether our virtual environment has a Python module of this name.
fn is_module(name: &str) -> bool {
    let versions = std::fs::read_dir(environment().join("lib")).into_iter().flatten().flatten();
    versions.into_iter().any(|folder| folder.path().join("site-packages").join(name).is_dir())
}

fn install(source: Source<'_>) -> Result<(), String> {
    match source {
        Source::Debian(package) => {
            println!("installing {package} from Debian");
            // The list of packages may be absent or old on a fresh machine.
            as_root(&["apt-get", "-q", "update"])?;
            as_root(&["apt-get", "-q", "install", "-y", "--no-install-recommends", package])
        }
        Source::PyPi(package) => {
            println!("installing {package} from PyPI");
            let folder = environment();
            if !folder.join("bin/pip").is_file() {
                let make = || quietly(Command::new("python3").args(["-m", "venv"]).arg(&folder));
                // Debian ships the module apart from the interpreter.
                make()
                    .or_else(|_| install(Source::Debian("python3-venv")).and_then(|()| make()))?;
            }
            quietly(Command::new(folder.join("bin/pip")).args(["install", "--quiet", package]))
        }
    }
}

fn as_root(words: &[&str]) -> Result<(), String> {
    let id = Command::new("id").arg("-u").output().map_err(|e| format!("cannot start id: {e}"))?;
    let mut command = if id.stdout.trim_ascii() == b"0" {
        Command::new("env")
    } else {
        let mut command = Command::new("sudo");
        command.args(["-n", "env"]);
        command
    };
    quietly(command.arg("DEBIAN_FRONTEND=noninteractive").args(words))
}

fn quietly(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&done.stderr);
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{program}: {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_on_the_path_and_a_slash_means_a_file() {
        let path = search_path();
        assert!(is_there("sh", &path));
        assert!(is_there("/proc", &path));
        assert!(!is_there("no-such-program-anywhere", &path));
        assert!(!is_there("/no/such/file", &path));
    }

    #[test]
    fn a_package_that_cannot_be_had_is_an_answer_and_no_panic() {
        let why = quietly(Command::new("sh").args(["-c", "echo no such package >&2; exit 100"]));
        assert_eq!(why, Err("sh: no such package".to_owned()));
        assert!(quietly(&mut Command::new("no-such-program-anywhere")).is_err());
    }

    #[test]
    fn every_need_names_its_tests() {
        for need in NEEDS {
            assert!(!need.tests.is_empty(), "{}", need.name);
            let (Source::Debian(package) | Source::PyPi(package)) = need.source;
            assert!(!package.is_empty(), "{}", need.name);
        }
    }
}
