//! An index beside a crawl that is killed at any moment holds what the archive holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use rhumb_index::{Held, Searcher};
use rhumb_testweb::{Directive, PageId, Spec};

use super::{Dice, Going, Trial};
use crate::run::{command, export, finish, is_full};

/// Pages by URL, with the digests of their payloads.
type Pages = BTreeMap<String, Option<String>>;

#[test]
fn an_index_that_is_killed_with_its_crawl_holds_exactly_what_the_archive_holds() {
    let (hosts, pages, kills) = if is_full() { (300, 6_000, 50) } else { (40, 600, 8) };
    let spec = Spec { latency: Duration::from_millis(10), ..Spec::sized(81, hosts, pages) };
    let pace = ["--delay", "20ms", "--ip-delay", "0s", "--tries", "1", "--index"];
    // Small files and checkpoints, so that many of each begin and end.
    let sizes = ["--checkpoint", "64KB", "--warc-size", "256KB", "--durability", "20ms"];
    let flags = [&pace[..], &sizes].concat();
    let mut trial = Trial::new(&spec, &flags, Duration::from_millis(20));
    let mut dice = Dice(u64::try_from(kills).expect("a count fits 64 bits"));
    let (mut opened, mut early) = (0, 0);
    for kill in 1..=kills {
        let left = trial.expected.pages.len() - trial.served.witness().pages.len();
        let share = (left / (kills + 2 - kill)).max(1);
        let going = trial.run_until(trial.pages_told + share);
        // A commit comes every two seconds.
        let within = 2_500_000 / (1 + dice.below(50));
        trial.kill(going, Duration::from_micros(dice.below(within)));
        if kill % 4 == 0 {
            // While it reads on what the last run left.
            let going = Going::start(trial.command());
            trial.kill(going, Duration::from_micros(dice.below(400_000)));
            early += 1;
        }
        // Whatever it holds, it can be read.
        if let Ok(searcher) = Searcher::open(&trial.dir().join("index")) {
            assert!(searcher.documents() <= u64::try_from(pages * 2).expect("few"));
            opened += 1;
        }
    }
    let gone = trial.finish();
    assert_eq!(gone.status.code(), Some(0), "{}", gone.stderr);
    trial.check();
    let grown = held(&trial.dir());
    let expected = stored(&trial);
    let named = |held: &[Held]| -> Pages {
        held.iter().map(|it| (it.url.to_string(), it.digest.clone())).collect()
    };
    assert_eq!(named(&grown).len(), grown.len(), "no page is there twice");
    assert_eq!(named(&grown), expected, "the pages of the archive, and nothing else");
    let mut index = command(trial.folder.path());
    index.args(["index", "crawl"]);
    let run = finish(index, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(grown, held(&trial.dir()), "made anew it is the same");
    let folded = grown.iter().filter(|it| it.group != it.key).count();
    println!(
        "survival of the index: {} pages, {folded} of them folded, {kills} kills and {early} while \
         it opened, readable after {opened}",
        grown.len()
    );
    assert!(folded > 0, "mirrors are folded");
}

/// All that the index holds, by URL.
fn held(dir: &Path) -> Vec<Held> {
    let mut held = Vec::new();
    let searcher = Searcher::open(&dir.join("index")).expect("there is an index");
    searcher.each(|it| held.push(it)).expect("it can be read");
    held.sort_by(|a, b| a.url.as_str().cmp(b.url.as_str()));
    held
}

/// What the archive holds that is to be found: pages that do not forbid it, and are what they say.
fn stored(trial: &Trial) -> Pages {
    let web = trial.served.web();
    let ids = (0..u32::try_from(web.pages.len()).expect("few pages")).map(PageId);
    let forbids = |id: &PageId| {
        let meta = web.page(web.page(*id).body_of).directive;
        matches!(meta, Directive::Noindex | Directive::NoneMeta)
    };
    let port = trial.served.port();
    let forbidden: BTreeSet<String> = ids.filter(forbids).map(|id| web.url(id, port)).collect();
    let rows = export(trial.folder.path(), "jsonl", &[]).json();
    let wanted = rows.iter().filter(|row| {
        let url = row["url"].as_str().expect("a URL");
        row["mark"].is_null() && !forbidden.contains(url)
    });
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    wanted.map(|row| (text(&row["url"]).expect("a URL"), text(&row["digest"]))).collect()
}
