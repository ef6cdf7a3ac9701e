//! Every line is valid, nothing comes twice, and no field of a status is left out.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_crawl::ask::{Activity, Mirror, Percentiles, RecentLine, SiteStanding, Status};
use rhumb_serve::metrics::text;
use serde_json::Value;

/// Fields without a metric: a sentence, and lists of sites and URLs.
const TOLD_ELSEWHERE: [&str; 5] = ["verdict", "mirrors", "busiest", "slowest", "recent"];

fn map(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
}

/// A status in which no number is another one's.
pub(crate) fn status() -> Status {
    let dns = Percentiles {
        count: 40,
        sum_ms: 1_500.0,
        p50_ms: 12.0,
        p90_ms: 90.5,
        p99_ms: 250.0,
        max_ms: 1_000.0,
    };
    let site = SiteStanding { site: "host-name.example".to_owned(), ..SiteStanding::default() };
    Status {
        state: Activity::Running,
        paused: true,
        verdict: "waiting for host politeness: 412 of 480 sites".to_owned(),
        held_back_by: "politeness".to_owned(),
        fetched: 101,
        pages: 102,
        redirects: 103,
        sitemaps: 104,
        robots: 105,
        duplicates: 106,
        near_duplicates: 126,
        marked: map(&[("soft-404", 127)]),
        mirrors: vec![Mirror {
            site: "host-name.example".to_owned(),
            of: "host-name.example".to_owned(),
            pages: 128,
        }],
        queued: 107,
        waiting: 108,
        waiting_by: map(&[("site", 109), ("backoff", 110)]),
        refused: map(&[("robots", 111), ("out-of-scope", 112)]),
        failed: map(&[("http-404", 113)]),
        cut: map(&[("length", 114)]),
        sites: 115,
        sites_by_state: map(&[("asleep", 116)]),
        in_flight: 117,
        connections: 118,
        bytes: u64::MAX,
        memory_bytes: 119,
        memory: map(&[("seen", 120)]),
        disk_bytes: 121,
        disk: map(&[("archive", 122)]),
        pages_per_s: 12.25,
        bytes_per_s: 1e9,
        cpu_cores: 1.5,
        elapsed_ms: 123,
        phases: [("dns".to_owned(), dns)].into(),
        dns_failures: 124,
        outage: false,
        forgotten: 125,
        busiest: vec![site.clone()],
        slowest: vec![site],
        recent: vec![RecentLine {
            url: "http://host-name.example/".to_owned(),
            ..RecentLine::default()
        }],
    }
}

/// A page of metrics, as a scraper reads it.
#[derive(Default)]
pub(crate) struct Scrape {
    /// Metrics and their types.
    pub(crate) kinds: BTreeMap<String, String>,
    /// Names with sorted labels, and their values.
    pub(crate) samples: BTreeMap<String, f64>,
}

impl Scrape {
    /// Reads a page by the rules of the format; a line that breaks them fails the test.
    pub(crate) fn read(page: &str) -> Self {
        let mut scrape = Self::default();
        assert!(page.ends_with('\n'), "the last line ends");
        let (mut helped, mut open) = (BTreeSet::new(), String::new());
        for line in page.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').expect("a name and a text");
                assert!(!help.is_empty() && helped.insert(name.to_owned()), "{line}");
                name.clone_into(&mut open);
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a name and a type");
                assert_eq!(name, open, "its type follows its help");
                assert!(matches!(kind, "counter" | "gauge" | "summary"), "{line}");
                assert!(scrape.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
            } else {
                let (name, key, value) = sample(line);
                let is_summary = scrape.kinds[&open] == "summary";
                let rest = name.strip_prefix(open.as_str());
                let is_part = is_summary && matches!(rest, Some("_sum" | "_count"));
                assert!(rest == Some("") || is_part, "{line} stands below {open}");
                assert!(scrape.samples.insert(key, value).is_none(), "{line} comes twice");
            }
        }
        scrape
    }

    #[track_caller]
    fn check(&self, key: &str, expect: f64) {
        let value = self.samples.get(key).copied();
        assert_eq!(value.map(f64::to_bits), Some(expect.to_bits()), "{key}: {value:?}");
    }
}

fn is_name(text: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// The name, the name with its labels, and the value.
fn sample(line: &str) -> (&str, String, f64) {
    let (name, rest) = line.split_at(line.find(['{', ' ']).expect("a value"));
    assert!(is_name(name), "{line}");
    let (labels, value) = match rest.strip_prefix('{') {
        None => (BTreeMap::new(), rest),
        Some(rest) => labels(rest),
    };
    let value = value.strip_prefix(' ').expect("a space before the value");
    let value = value.parse().expect("a number");
    let labels: Vec<String> = labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let key =
        if labels.is_empty() { name.to_owned() } else { format!("{name} {}", labels.join(" ")) };
    (name, key, value)
}

/// The labels, and what follows their brace.
fn labels(mut rest: &str) -> (BTreeMap<String, String>, &str) {
    let mut found = BTreeMap::new();
    loop {
        let (label, after) = rest.split_once("=\"").expect("a label");
        assert!(is_name(label), "{label}");
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().expect("its end") {
                (at, '"') => break at,
                (_, '\\') => {
                    let (_, escape) = chars.next().expect("an escape");
                    assert!("n\"\\".contains(escape), "\\{escape} is no escape");
                    value.push(if escape == 'n' { '\n' } else { escape });
                }
                (_, c) => value.push(c),
            }
        };
        assert!(found.insert(label.to_owned(), value).is_none(), "{label} comes twice");
        let after = &after[end + 1..];
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (found, after.strip_prefix('}').expect("a brace")),
        }
    }
}

#[test]
fn every_field_of_a_status_is_a_metric_of_its_name() {
    let fields = serde_json::to_value(status()).expect("a status is JSON");
    let fields = fields.as_object().expect("an object");
    let mut expect: BTreeSet<String> = fields.keys().map(|name| format!("rhumb_{name}")).collect();
    for field in TOLD_ELSEWHERE {
        assert!(expect.remove(&format!("rhumb_{field}")), "{field} is a field");
    }
    assert!(expect.remove("rhumb_phases"));
    expect.insert("rhumb_phase_seconds".to_owned());
    let scrape = Scrape::read(&text(&status()));
    let told: BTreeSet<String> = scrape.kinds.keys().cloned().collect();
    assert_eq!(told, expect);
    for (field, value) in fields {
        let name = format!("rhumb_{field}");
        match value {
            Value::Number(number) => scrape.check(&name, number.as_f64().expect("a number")),
            Value::Bool(is) => scrape.check(&name, f64::from(u8::from(*is))),
            Value::Object(map) if field != "phases" => {
                for (word, count) in map {
                    let ends = format!("={word}");
                    let is_it = |key: &&String| {
                        key.starts_with(&format!("{name} ")) && key.ends_with(&ends)
                    };
                    let key = scrape.samples.keys().find(is_it).expect("a sample for each key");
                    scrape.check(key, count.as_f64().expect("a count"));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn words_are_labels_and_phases_are_summaries_in_seconds() {
    let scrape = Scrape::read(&text(&status()));
    scrape.check("rhumb_state state=running", 1.0);
    scrape.check("rhumb_state state=stopped", 0.0);
    scrape.check("rhumb_state state=done", 0.0);
    scrape.check("rhumb_held_back_by reason=politeness", 1.0);
    scrape.check("rhumb_refused reason=robots", 111.0);
    scrape.check("rhumb_failed outcome=http-404", 113.0);
    scrape.check("rhumb_waiting_by held_by=site", 109.0);
    scrape.check("rhumb_sites_by_state state=asleep", 116.0);
    scrape.check("rhumb_memory part=seen", 120.0);
    scrape.check("rhumb_phase_seconds phase=dns quantile=0.5", 0.012);
    scrape.check("rhumb_phase_seconds phase=dns quantile=0.99", 0.25);
    scrape.check("rhumb_phase_seconds phase=dns quantile=1", 1.0);
    scrape.check("rhumb_phase_seconds_sum phase=dns", 1.5);
    scrape.check("rhumb_phase_seconds_count phase=dns", 40.0);
    assert_eq!(scrape.kinds["rhumb_phase_seconds"], "summary");
    assert_eq!(scrape.kinds["rhumb_fetched"], "counter");
    assert_eq!(scrape.kinds["rhumb_queued"], "gauge");
}

#[test]
fn no_host_is_ever_named() {
    assert!(!text(&status()).contains("host-name"));
}

#[test]
fn a_label_may_hold_anything() {
    let odd = "a\\b\"c\nd,e=\"f\"} 1";
    let status = Status { refused: map(&[(odd, 7)]), ..Status::default() };
    Scrape::read(&text(&status)).check(&format!("rhumb_refused reason={odd}"), 7.0);
}

#[test]
fn a_crawl_of_which_nothing_is_known_is_told_too() {
    let scrape = Scrape::read(&text(&Status::default()));
    scrape.check("rhumb_fetched", 0.0);
    assert_eq!(scrape.kinds.len(), Scrape::read(&text(&status())).kinds.len());
}
