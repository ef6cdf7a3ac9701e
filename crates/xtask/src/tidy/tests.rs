use std::collections::BTreeSet;

use super::{check as findings, findings_of_the_tree, unnamed_crates};

/// The findings in one file, alone in its tree, without their path.
fn seen(path: &str, text: &str) -> Vec<String> {
    let files = BTreeSet::from([path.to_owned()]);
    let line = |finding: &super::Finding| finding.to_string().replacen(path, "", 1);
    findings(path, text, &files).iter().map(line).collect()
}

/// One finding, at this line, that has this word in it.
#[track_caller]
fn finds(path: &str, text: &str, line: usize, word: &str) {
    let seen = seen(path, text);
    let place = format!(":{line}: ");
    assert!(
        seen.len() == 1 && seen[0].starts_with(&place) && seen[0].contains(word),
        "expected {word} at line {line} of {path}, saw {seen:#?}"
    );
}

#[track_caller]
fn is_tidy(path: &str, text: &str) {
    assert_eq!(seen(path, text), Vec::<String>::new(), "{path}: {text}");
}

#[test]
fn the_tree_is_tidy() {
    let findings = findings_of_the_tree().unwrap();
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "\n{}", list.join("\n"));
}

#[test]
fn a_room_depends_on_lower_layers_only() {
    let web = "[dependencies]\nrhumb-web.workspace = true\nserde.workspace = true\n";
    is_tidy("crates/rules/Cargo.toml", web);
    is_tidy("crates/crawl/Cargo.toml", "[dependencies]\nrhumb-fetch = { path = \"../fetch\" }\n");
    finds("crates/web/Cargo.toml", "[dependencies]\nrhumb-rules.workspace = true\n", 2, "rules");
    finds("crates/rules/Cargo.toml", "[dependencies]\n\nrhumb-page = \"1\"\n", 3, "page");
    finds(
        "crates/page/Cargo.toml",
        "[dependencies.rhumb-crawl]\npath = \"../crawl\"\n",
        1,
        "crawl",
    );
    finds("crates/web/Cargo.toml", "[build-dependencies]\nrhumb-page = \"1\"\n", 2, "page");
    let target = "[target.'cfg(unix)'.dependencies]\nrhumb-cli.workspace = true\n";
    finds("crates/serve/Cargo.toml", target, 2, "cli");
    finds("crates/cli/Cargo.toml", "[dependencies]\nrhumb-xtask.workspace = true\n", 2, "xtask");
}

#[test]
fn tests_may_reach_over_the_layers() {
    is_tidy("crates/web/Cargo.toml", "[dev-dependencies]\nrhumb-rules.workspace = true\n");
    is_tidy("crates/fetch/Cargo.toml", "[dev-dependencies]\nrhumb-testweb.workspace = true\n");
}

#[test]
fn the_test_web_stands_apart() {
    is_tidy("crates/cli/Cargo.toml", "[dependencies]\nrhumb-testweb.workspace = true\n");
    let shipped = "[dependencies]\nrhumb-testweb.workspace = true\n";
    finds("crates/crawl/Cargo.toml", shipped, 2, "dev-dependency");
    let web = "[dependencies]\nrhumb-web.workspace = true\n";
    finds("crates/testweb/Cargo.toml", web, 2, "shares no code");
    let web = "[dev-dependencies]\nrhumb-web.workspace = true\n";
    finds("crates/testweb/Cargo.toml", web, 2, "shares no code");
    is_tidy("crates/testweb/Cargo.toml", "[dependencies]\ntokio.workspace = true\n");
}

#[test]
fn xtask_has_no_dependencies_and_a_new_crate_needs_a_layer() {
    is_tidy("crates/xtask/Cargo.toml", "[dependencies]\n\n[lints]\nworkspace = true\n");
    finds("crates/xtask/Cargo.toml", "[dependencies]\nanyhow.workspace = true\n", 2, "anyhow");
    finds("crates/tools/Cargo.toml", "[package]\n", 1, "no layer");
}

#[test]
fn a_file_has_six_hundred_lines_at_most() {
    is_tidy("crates/page/src/scan.rs", &"\n".repeat(600));
    finds("crates/page/src/scan.rs", &"\n".repeat(601), 601, "601 lines");
}

#[test]
fn names_that_say_nothing_are_banned() {
    for name in ["utils", "util", "common", "helpers", "misc", "types", "core", "manager"] {
        finds(&format!("crates/page/src/{name}.rs"), "", 1, name);
        finds(&format!("crates/page/src/{name}/mod.rs"), "", 1, name);
    }
    is_tidy("crates/page/src/score.rs", "");
}

#[test]
fn a_crate_opens_with_three_to_twelve_lines() {
    is_tidy("crates/page/src/lib.rs", &"//! a\n".repeat(3));
    is_tidy("crates/cli/src/main.rs", &"//! a\n".repeat(12));
    finds("crates/page/src/lib.rs", "//! a\n//! b\n", 1, "2 lines");
    finds("crates/cli/src/main.rs", &"//! a\n".repeat(13), 1, "13 lines");
    finds("crates/cli/src/main.rs", "fn main() {}\n", 1, "0 lines");
    is_tidy("crates/page/src/scan.rs", "//! a\n");
}

#[test]
fn only_fetch_talks_to_the_web() {
    let import = "use a;\nuse tokio::net::TcpListener;\n";
    finds("crates/crawl/src/shell.rs", import, 2, "tokio::net");
    finds("crates/cli/src/demo.rs", "let s = TcpStream::connect(a);", 1, "TcpStream");
    finds("crates/serve/src/a.rs", "use hyper::client::conn::http1;", 1, "hyper::client");
    is_tidy("crates/fetch/src/connect.rs", import);
    is_tidy("crates/testweb/src/serve.rs", import);
    is_tidy("crates/crawl/tests/promises/gap.rs", import);
    is_tidy("crates/crawl/src/shell/tests.rs", import);
    is_tidy("crates/crawl/src/shell.rs", "#[cfg(test)]\nmod tests { use tokio::net; }\n");
    let after = "#[cfg(test)]\nmod tests { use tokio::net; }\nuse tokio::net;\n";
    finds("crates/crawl/src/shell.rs", after, 3, "tokio::net");
    finds(
        "crates/crawl/src/shell.rs",
        "#[cfg(test)]\nmod tests;\nuse tokio::net;\n",
        3,
        "tokio::net",
    );
}

#[test]
fn only_serve_knows_axum_and_only_cli_the_environment() {
    finds("crates/crawl/src/shell.rs", "use axum::Router;", 1, "axum");
    is_tidy("crates/serve/src/api.rs", "use axum::Router;");
    finds("crates/crawl/src/shell.rs", "use std::env;", 1, "std::env");
    finds("crates/crawl/src/shell.rs", "let a = env::var(b);", 1, "env::");
    finds("crates/testweb/src/serve.rs", "let a = env::var(b);", 1, "env::");
    is_tidy("crates/cli/src/settings.rs", "use std::env;");
    is_tidy("crates/testweb/src/bin/testweb.rs", "use std::env;");
    is_tidy("crates/simulate/src/bin/sim.rs", "use std::env;");
    finds("crates/simulate/src/desk.rs", "use std::env;", 1, "std::env");
    is_tidy("crates/web/tests/promises/main.rs", "use std::env;");
    is_tidy("crates/crawl/src/shell.rs", "let a = env!(\"A\"); // std::env\nlet b = \"std::env\";");
    is_tidy("crates/crawl/src/shell.rs", "use crate::my_env::a;");
}

#[test]
fn pure_rooms_take_time_and_chance_as_arguments() {
    for pure in ["web", "rules", "page", "frontier", "seen", "rank"] {
        finds(&format!("crates/{pure}/src/a.rs"), "let a = Instant::now();", 1, "Instant::now");
    }
    let partition = "crates/crawl/src/partition/decide.rs";
    finds(partition, "\nlet a = SystemTime::now();", 2, "SystemTime::now");
    finds(partition, "let a = rand::random();", 1, "rand::random");
    finds(partition, "let a = thread_rng();", 1, "thread_rng");
    finds("crates/frontier/tests/promises/gap.rs", "std::thread::sleep(a);", 1, "thread::sleep");
    finds("crates/simulate/src/desk.rs", "let a = Instant::now();", 1, "Instant::now");
    is_tidy("crates/simulate/src/bin/sim.rs", "let a = Instant::now();");
    is_tidy("crates/crawl/src/shell.rs", "let a = Instant::now();");
}

#[test]
fn unfinished_code_ignored_tests_and_endless_queues_are_found() {
    finds("crates/fetch/src/a.rs", "#[ignore = \"slow\"]", 1, "#[ignore");
    finds("crates/fetch/src/a.rs", "fn a() {\n    todo!()\n}", 2, "todo!(");
    finds("crates/fetch/tests/promises/a.rs", "unimplemented!()", 1, "unimplemented!(");
    finds("crates/xtask/src/a.rs", "dbg!(a)", 1, "dbg!(");
    finds("crates/crawl/src/a.rs", "let a = mpsc::unbounded_channel();", 1, "unbounded_channel");
    is_tidy("crates/crawl/src/a.rs", "// todo!( is not allowed\nlet a = \"dbg!(\";");
}

#[test]
fn places_of_one_machine_are_found_in_every_file() {
    let home = concat!("/ho", "me/ann/rhumb");
    finds("README.md", &format!("a\ncd {home}"), 2, "user's folder");
    finds(".ci/run", concat!("cd /wo", "rk/main"), 1, "one machine");
    finds("crates/web/src/a.rs", concat!("// see ../sha", "red/DESIGN.md"), 1, "conformance");
    finds("docs/a.md", concat!("in /ro", "ot/.cargo"), 1, "one machine");
    is_tidy("crates/web/tests/promises/a.rs", concat!("\"../sha", "red/conformance/url\""));
    is_tidy("crates/rules/src/a.rs", concat!("allow: /ho", "me/index.html"));
}

#[test]
fn links_of_pages_lead_somewhere() {
    finds("docs/a.md", "\n[b](b.md)", 2, "b.md");
    finds("docs/a.md", "[b](../../b.md#c)", 1, "b.md");
    finds("a.md", "[b]: crates/none.rs", 1, "none.rs");
    is_tidy("docs/a.md", "[a](a.md) [a](../docs/a.md#b) [c](#c) [d](https://example.org/d)");
    is_tidy("docs/a.md", "[docs](../docs) and [docs](../docs/)");
    is_tidy("docs/a.md", "```\n[b](b.md)\n```\n`[b](b.md)`");
}

#[test]
fn the_architecture_page_names_every_crate() {
    let files = ["crates/web/Cargo.toml", "crates/web/src/lib.rs", "Cargo.toml"];
    let files: BTreeSet<String> = files.map(str::to_owned).into();
    assert_eq!(unnamed_crates("| `web` | what is a URL? |", &files).len(), 0);
    assert_eq!(unnamed_crates("a website", &files).len(), 1);
}
