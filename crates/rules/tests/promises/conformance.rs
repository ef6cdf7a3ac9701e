//! Google's own cases for its robots.txt parser.

use data_encoding::BASE64;
use rhumb_rules::{Reading, Robots, path_as_written};
use serde_json::Value;

use crate::conformance_file;

const SUITE: &str = "robots/robotstxt-spec-test.jsonl";

struct Case {
    robots: Robots,
    agent: String,
    url: String,
    allowed: bool,
}

fn cases() -> Option<Vec<Case>> {
    let text = String::from_utf8(conformance_file(SUITE)?).expect("the suite is UTF-8");
    let case = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a line is JSON");
        let field = |name: &str| row[name].as_str().expect("a text field").to_owned();
        let body = BASE64.decode(field("robots_b64").as_bytes()).expect("base64");
        let allowed = row["allowed"].as_bool().expect("a verdict");
        Case { robots: Robots::parse(&body), agent: field("agent"), url: field("url"), allowed }
    };
    Some(text.lines().map(case).collect())
}

fn missed(cases: &[Case], reading: Reading) -> Vec<(&str, &str, bool)> {
    let misses = cases.iter().filter(|case| {
        let view = case.robots.for_agent_by(&case.agent, reading);
        view.judge(&path_as_written(&case.url)).allowed != case.allowed
    });
    misses.map(|case| (case.agent.as_str(), case.url.as_str(), case.allowed)).collect()
}

#[test]
fn the_reference_reading_agrees_with_googles_parser_on_every_case() {
    let Some(cases) = cases() else { return };
    let missed = missed(&cases, Reading::Reference);
    println!("conformance: robots {} of {}", cases.len() - missed.len(), cases.len());
    assert!(missed.is_empty() && cases.len() == 400, "{missed:#?}");
}

/// Where RFC 9309 and Google's parser differ, the crawl follows the RFC.
#[test]
fn the_standard_reading_differs_only_where_the_rfc_does() {
    let Some(cases) = cases() else { return };
    let missed = missed(&cases, Reading::Standard);
    for (agent, url, _) in &missed {
        let why = [
            // §2.2.2: "The /robots.txt URI is implicitly allowed."
            url.ends_with("/robots.txt"),
            // §2.2.2: octets are compared after encoding and decoding both sides.
            url.ends_with("/ツ") || url.ends_with("/baz"),
            // A name with a digit is no token of §2.2.1: we compare it whole.
            ["AB", "AB42bot", "XYZ", "Foo Bar"].contains(agent),
        ];
        assert!(why.contains(&true), "{agent} {url}");
    }
    println!(
        "conformance: robots, standard reading {} of {}",
        cases.len() - missed.len(),
        cases.len()
    );
}
