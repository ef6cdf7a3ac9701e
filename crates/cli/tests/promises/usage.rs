//! Wrong words get one clear error, a `try:` line and exit code 2; nothing to crawl gives 3.

use rhumb_testweb::{Served, Spec};

use crate::run::{Run, command, crawl, finish, rhumb};

#[track_caller]
pub(crate) fn check_refused(run: &Run, code: i32, what: &str) {
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    let errors = run.stderr.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, 1, "{}", run.stderr);
    assert!(run.stderr.contains(what), "{what:?} is not in {}", run.stderr);
    assert!(run.stderr.contains("\n  try: "), "{}", run.stderr);
}

#[test]
fn wrong_words_are_refused_with_advice() {
    check_refused(&rhumb(&["crawl", "http://e.test/", "--dealy", "1s"]), 2, "--dealy");
    check_refused(&rhumb(&["crawl", "example.test"]), 2, "example.test");
    check_refused(&rhumb(&["crawl", "ftp://e.test/"]), 2, "ftp://e.test/");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--delay", "soon"]), 2, "soon");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--scope", "world"]), 2, "world");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--include", "("]), 2, "include");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--dns", "nowhere"]), 2, "nowhere");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--proxy", "socks5://x"]), 2, "proxy");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--max-size", "big"]), 2, "big");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--agent", "two words"]), 2, "two words");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--contact", "nobody"]), 2, "nobody");
    check_refused(&rhumb(&["crawl", "http://e.test/", "--tries", "0"]), 2, "--tries");
    check_refused(&rhumb(&["crwal"]), 2, "crwal");
    check_refused(&rhumb(&["export", "nowhere", "--to", "jsonl"]), 2, "nowhere");
}

#[test]
fn a_mistake_is_named_in_one_line_with_a_command_that_helps() {
    let check = |words: &[&str], error: &str, advice: &str| {
        let run = rhumb(words);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert_eq!(run.stderr, format!("error: {error}\n  try: {advice}\n"));
    };
    let missing = "the following required arguments were not provided:";
    check(
        &["crawl"],
        "there is no seed, and no folder of a crawl to go on with",
        "rhumb crawl https://example.org, or rhumb crawl -o DIR",
    );
    check(&["export"], &format!("{missing} --to <FORMAT>, <DIR>"), "rhumb export --help");
    check(
        &["export", "x", "--to", "xml"],
        "invalid value 'xml' for '--to <FORMAT>' [possible values: jsonl, warc, graph]",
        "rhumb export --help",
    );
    check(
        &["crawl", "http://e.test/", "--max-pages", "-1"],
        "invalid value '-1' for '--max-pages <N>': it is no whole number",
        "rhumb crawl --help",
    );
    check(
        &["crawl", "http://e.test/", "--tries", "-1"],
        "invalid value '-1' for '--tries <N>': -1 is not in 1..=10",
        "rhumb crawl --help",
    );
    check(
        &["crawl", "http://e.test/", "--delay", "-1s"],
        "unexpected argument '-1' found",
        "rhumb crawl --help",
    );
    check(&["--jsno", "crawl"], "unexpected argument '--jsno' found", "rhumb --help");
    check(
        &["crawl", "http://e.test/", "--dealy", "1s"],
        "unexpected argument '--dealy' found",
        "a similar argument exists: '--delay'",
    );
    check(&["crwal"], "unrecognized subcommand 'crwal'", "a similar subcommand exists: 'crawl'");
}

#[test]
fn a_crawl_of_many_sites_needs_a_contact_before_any_request() {
    check_refused(&rhumb(&["crawl", "http://e.test/", "--scope", "any"]), 2, "reach");
    let seeds: Vec<String> = (0..11).map(|n| format!("http://s{n}.test/")).collect();
    let mut words = vec!["crawl"];
    words.extend(seeds.iter().map(String::as_str));
    check_refused(&rhumb(&words), 2, "reach");
}

#[test]
fn a_seed_file_that_cannot_be_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("seeds")).expect("made");
    let run = |words: &[&str]| {
        let mut command = command(folder.path());
        command.args(words);
        finish(command, "http://e.test/\nnot a url\n")
    };
    check_refused(&run(&["crawl", "seeds"]), 2, "seeds");
    check_refused(&run(&["crawl", "-"]), 2, "line 2");
    std::fs::write(folder.path().join("empty"), "# nothing\n\n").expect("written");
    check_refused(&run(&["crawl", "empty"]), 2, "no seed");
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("mine");
    std::fs::create_dir(&dir).expect("made");
    std::fs::write(dir.join("thesis.txt"), "years of work").expect("written");
    let mut crawl = command(folder.path());
    crawl.args(["crawl", "http://e.test/", "-o", "mine"]);
    check_refused(&finish(crawl, ""), 2, "mine holds something else");
    assert_eq!(std::fs::read_dir(&dir).expect("it is there").count(), 1);
}

#[test]
fn a_folder_that_cannot_be_made_is_told_as_such_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), "").expect("written");
    let run = |dir: &str| {
        let mut crawl = command(folder.path());
        crawl.args(["crawl", "http://e.test/", "-o", dir]);
        finish(crawl, "")
    };
    check_refused(&run("file"), 1, "cannot create the crawl's folder file: ");
    check_refused(&run("file/deeper"), 1, "cannot create the crawl's folder file/deeper: ");
    // The folder's own path is just short enough for Linux, that of a file in it is not.
    let deep = format!("{}/", "a".repeat(203)).repeat(20) + "ends-here";
    check_refused(&run(&deep), 1, "cannot create the crawl's folder");
    let left = std::fs::read_dir(folder.path()).expect("it is there");
    let left: Vec<_> = left.map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left, ["file"]);
}

#[test]
fn settings_in_a_file_are_read_and_wrong_keys_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |text: &str| std::fs::write(folder.path().join("c.toml"), text).expect("written");
    let run = || {
        let mut crawl = command(folder.path());
        crawl.args(["crawl", "http://e.test/", "--config", "c.toml"]);
        finish(crawl, "")
    };
    write("dealy = \"1s\"");
    check_refused(&run(), 2, "dealy");
    write("delay = 5");
    check_refused(&run(), 2, "c.toml");
    write("scope = \"any\"");
    check_refused(&run(), 2, "reach");
    for wrong in ["tries = 0", "tries = 200", "partitions = 0", "partitions = 60000"] {
        write(wrong);
        check_refused(&run(), 2, wrong);
    }
}

#[test]
fn nothing_to_crawl_is_exit_3() {
    let spec = Spec { https: false, ..Spec::sized(3, 12, 20) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let dns = served.dns().to_string();
    let none = ["crawl", "http://does-not-exist.test/", "--dns", &dns, "--allow-private"];
    check_refused(&rhumb(&none), 3, "no-such-host");
    let port = served.port();
    let private = format!("http://127.0.0.1:{port}/");
    check_refused(&rhumb(&["crawl", &private]), 3, "private-address");
    let folder = tempfile::tempdir().expect("a folder");
    let run =
        crawl(&served, folder.path(), &["--exclude", ".", "--max-depth", "0", "--delay", "0s"]);
    assert_eq!(run.code, Some(0), "seeds are always in scope: {}", run.stderr);
}
