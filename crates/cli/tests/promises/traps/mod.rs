//! Traps end by themselves and cost little, and whatever only looks like one is fetched.

mod endless;
mod honest;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::content::{crawl, why};
use crate::run::{command, finish};

const FLAGS: [&str; 4] = ["--max-pages", "20000", "--contact", "crawl@example.test"];

fn traps(folder: &Path) -> Vec<Value> {
    let mut status = command(folder);
    status.args(["status", "crawl", "--traps", "--json"]);
    finish(status, "").json()
}

#[test]
fn nine_traps_end_by_themselves_and_every_real_page_is_fetched() {
    let (honest, endless) = (honest::all(), endless::all());
    let seeds: Vec<String> = honest.iter().map(|it| it.server.url("/")).collect();
    let trapped = endless.iter().map(|it| it.server.url("/"));
    let folder = tempfile::tempdir().expect("a folder");
    let run = crawl(folder.path(), &seeds.into_iter().chain(trapped).collect::<Vec<_>>(), &FLAGS);
    let summary = run.summary();
    assert_eq!(summary["queued"], 0, "{summary}");
    let mut requests = 0;
    let mut missing = Vec::new();
    for site in &honest {
        let asked: BTreeSet<String> = site.server.asked().into_iter().collect();
        requests += asked.len();
        let lost: Vec<_> = site.pages.difference(&asked).take(3).collect();
        println!("{}: {} pages, {} asked", site.name, site.pages.len(), asked.len());
        if !lost.is_empty() {
            missing.push(format!("{}: {lost:?}", site.name));
        }
    }
    let mut wasted = 0;
    for site in &endless {
        let (lost, spent) = site.count();
        requests += site.server.asked().len();
        wasted += spent;
        println!("{}: {spent} requests in the trap", site.name);
        if !lost.is_empty() {
            missing.push(format!("{}: {lost:?}", site.name));
        }
    }
    println!("{wasted} of {requests} requests in traps; {}", summary["refused"]);
    let suspects = traps(folder.path());
    for suspect in &suspects {
        println!("{suspect}");
    }
    assert!(missing.is_empty(), "not fetched: {missing:#?}");
    for site in &endless {
        let is_it = |it: &&Value| site.server.url("/").contains(it["site"].as_str().expect("text"));
        let kinds: Vec<&Value> = suspects.iter().filter(is_it).map(|it| &it["kind"]).collect();
        assert!(kinds.iter().any(|kind| *kind == site.kind), "{}: {kinds:?}", site.name);
    }
    let calendar = &endless[0].server;
    let months = calendar.asked().into_iter().filter(|it| it.starts_with("/cal/"));
    let refused = ["/cal/2026/8", "/cal/2027/2", "/cal/2026/7", "/cal/2027/3"];
    let met: BTreeSet<String> = months.collect();
    let refused = refused.iter().filter(|it| !met.contains(**it));
    let told: Vec<Value> = refused.map(|it| why(folder.path(), &calendar.url(it))).collect();
    let is_told = |it: &&Value| it["reason"] == "trap-calendar" && it["state"] == "refused";
    let advice = told.iter().find(is_told).expect("a month that was refused")["advice"].as_str();
    assert!(advice.is_some_and(|it| it.contains("of /cal/#/# said nothing new")), "{told:#?}");
    assert!(requests > 2_000 && wasted * 100 < requests * 3, "{wasted} of {requests}");
}
