//! `rhumb simulate`: a table, points and a picture, of a generated web and of a crawl's graph.

use rhumb_testweb::{Served, Spec};

use crate::run::{command, crawl, finish, rhumb};
use crate::usage::check_refused;

#[test]
fn a_generated_web_gives_a_table_points_and_a_picture_twice_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = || {
        let mut simulate = command(folder.path());
        simulate.args(["simulate", "--pages", "2000", "--orders", "trust,bfs", "--seeds", "3-4"]);
        simulate.args(["--csv", "points.csv", "--plot", "runs.svg"]);
        finish(simulate, "")
    };
    let (first, second) = (run(), run());
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert_eq!(first.stdout, second.stdout);
    for row in ["trust      trust      3", "bfs        trust      4", "omniscient none    mean"] {
        assert!(first.stdout.contains(row), "{row} is not in\n{}", first.stdout);
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    let points = read("points.csv").lines().count();
    assert!((8 * 200..8 * 215).contains(&points), "{points} points of eight runs");
    assert_eq!(read("runs.svg").matches("<polyline").count(), 4);
}

#[test]
fn the_graph_of_a_crawl_is_crawled_from_its_seeds() {
    let spec = Spec { body_bytes: 500, ..Spec::sized(4, 10, 500) };
    let served = Served::start_on_thread(&spec).expect("the web is served");
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "--index"];
    crawl(&served, folder.path(), &flags);
    let mut simulate = command(folder.path());
    simulate.args(["simulate", "crawl", "--orders", "opic", "--at", "50,100", "--json"]);
    let run = finish(simulate, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = run.json();
    assert_eq!(rows.len(), 3, "{}", run.stdout);
    for row in rows {
        assert!(row["fetched"].as_u64() > Some(10), "{row}");
        assert!(row["at"][0]["mass"].as_f64() > Some(0.3), "{row}");
    }
}

#[test]
fn what_is_not_known_is_refused_with_what_is() {
    check_refused(&rhumb(&["simulate", "--orders", "bsf"]), 2, "only trust, fair, opic, bfs");
    check_refused(&rhumb(&["simulate", "--budgets", "all"]), 2, "only trust, star, none");
    check_refused(&rhumb(&["simulate", "--seeds", "5-1"]), 2, "5-1");
    check_refused(&rhumb(&["simulate", "--at", "200"]), 2, "200");
    check_refused(&rhumb(&["simulate", "nowhere"]), 2, "nowhere");
}
