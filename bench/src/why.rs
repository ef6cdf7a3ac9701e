//! `rhumb why` on a large crawl whose files are in no cache.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rhumb_crawl::store;
use rhumb_crawl::tables::{FjallTables, Tables};
use rhumb_web::{Candidate, PartitionId};

use crate::discover::{Crawl, link, mix};
use crate::seen::Outcome;

/// New URLs that a page of the crawl brings; one page is fetched for so many.
const NEW_A_PAGE: u64 = 8;
/// URLs that are asked for.
const ASKED: usize = 100;
/// What makes a folder a crawl that can be asked.
const SETTINGS: &str = "seeds = [\"https://host-000000.example/\"]\nscope = \"any\"\n\
                        contact = \"bench@example.org\"\n";
/// Writing 3 here empties the caches of the system.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Makes a crawl of so many URLs, or takes one that was made, and asks for a hundred of them.
pub fn measure(urls: u64, folder: Option<&str>) -> Outcome {
    let temporary = tempfile::tempdir()?;
    let folder = folder.map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    if !folder.join("crawl.toml").exists() {
        std::fs::create_dir_all(&folder)?;
        grow(&folder, urls)?;
    }
    // As at the end of every run.
    FjallTables::open(&folder.join(store::TABLES), 32 << 20)?.settle()?;
    let rhumb = std::env::var_os("RHUMB").unwrap_or_else(|| "target/release/rhumb".into());
    let mut times: Vec<Duration> = Vec::new();
    let mut states: HashMap<String, usize> = HashMap::new();
    let mut text = String::new();
    let mut random = 11_u64;
    for _ in 0..ASKED {
        random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        link(1 + mix(random) % urls, &mut text)?;
        empty_caches()?;
        let from = Instant::now();
        let told = Command::new(&rhumb).arg("why").arg(&folder).args([&text, "--json"]).output()?;
        times.push(from.elapsed());
        if !told.status.success() {
            return Err(String::from_utf8_lossy(&told.stderr).into_owned().into());
        }
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let state = told.split("\"state\":\"").nth(1).and_then(|rest| rest.split('"').next());
        let state = state.ok_or("an answer without a state")?;
        if state == "unknown" {
            return Err(format!("{text} was met, and is not known: {told}").into());
        }
        *states.entry(state.to_owned()).or_default() += 1;
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{ASKED} of {urls} URLs, each by a process of its own after the caches were emptied");
    println!("median {:?}, 9 of 10 {:?}, worst {:?}; {states:?}", at(50), at(90), at(100));
    Ok(())
}

/// Meets so many URLs, and fetches one page for every eight.
fn grow(folder: &Path, urls: u64) -> Outcome {
    let mut crawl = Crawl::create(folder, true)?;
    let mut numbers: HashMap<PartitionId, u64> = HashMap::new();
    let mut text = String::new();
    let from = Instant::now();
    for page in 0..urls.div_ceil(NEW_A_PAGE) {
        let mut parcels: HashMap<PartitionId, Vec<Candidate>> = HashMap::new();
        let first = page * NEW_A_PAGE + 1;
        for number in first..(first + NEW_A_PAGE).min(urls + 1) {
            let (owner, candidate) = link(number, &mut text)?;
            parcels.entry(owner).or_default().push(candidate);
        }
        for (to, candidates) in parcels {
            let number = numbers.entry(to).or_default();
            *number += 1;
            crawl.receive(to, *number, candidates)?;
        }
        crawl.fetch_one(page)?;
        crawl.keep(page)?;
        if page % 250_000 == 0 {
            println!("{:>12} URLs, {} fetched, {:?}", first, crawl.fetched(), from.elapsed());
        }
    }
    crawl.end()?;
    std::fs::write(folder.join("crawl.toml"), SETTINGS)?;
    Ok(())
}

fn empty_caches() -> Outcome {
    rustix::fs::sync();
    std::fs::write(DROP_CACHES, "3").map_err(|error| {
        format!("cannot empty the caches ({DROP_CACHES}: {error}): run it as root").into()
    })
}
