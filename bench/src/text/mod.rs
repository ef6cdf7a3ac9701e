//! Main text against gold: pages that generators made of sources, and the text of these sources.
//!
//! The pages are made by bench/text/make.py; half of them is held back until the end.

mod score;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{fs, hint};

use rhumb_page::read_article;
use rhumb_web::{Canon, CanonUrl};

use crate::seen::Outcome;
use score::{Score, mean};

/// What follows the name of this benchmark.
pub const USAGE: &str = "text [--half open|held] [--against trafilatura,readability] [--worst]";
/// Where make.py puts what it makes.
const ROOT: &str = "target/text";
/// The interpreter that make.py installs the peers for.
const PYTHON: &str = "target/text/venv/bin/python3";
const PEERS: &str = "bench/text/peers.py";
/// The mean over all pages of the half that ours has to reach.
const F1_MIN: f64 = 0.93;
/// Fewer pages in a half say little.
const PAGES_MIN: usize = 150;
/// A page is read so often; the fastest counts, since whatever else the machine does only slows.
const READINGS: usize = 5;
/// Pages that `--worst` lists.
const WORST: usize = 20;

/// A page with what should be found in it.
struct Page {
    generator: String,
    name: String,
    html: Vec<u8>,
    gold: String,
}

/// What a contender made of a page.
struct Found {
    score: Score,
    micros: f64,
}

/// Scores ours and the named peers on a half of the pages.
pub fn measure(words: &[&str]) -> Outcome {
    let (mut half, mut peers, mut lists_worst) = ("open", Vec::new(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, words.as_slice().first()) {
            ("--half", Some(name @ (&"open" | &"held"))) => half = name,
            ("--against", Some(names)) => peers.extend(names.split(',')),
            ("--worst", _) => {
                lists_worst = true;
                continue;
            }
            _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
        }
        words.next();
    }
    let folder = Path::new(ROOT).join(half);
    let pages = gather(&folder)?;
    println!("{} pages of the {half} half", pages.len());
    println!("             generator  pages  precision  recall      F1  4-grams   µs/page");
    let ours = ours(&pages)?;
    print("rhumb", &pages, &ours);
    for name in peers {
        print(name, &pages, &peer(name, &folder, &pages)?);
    }
    if lists_worst {
        worst(&pages, &ours);
    }
    let scores: Vec<Score> = ours.iter().map(|it| it.score).collect();
    let reached = Score::mean(&scores).f1;
    if pages.len() < PAGES_MIN {
        return Err(format!("only {} pages, {PAGES_MIN} are the least", pages.len()).into());
    }
    if reached < F1_MIN {
        return Err(format!("F1 {reached:.4} is below {F1_MIN}").into());
    }
    Ok(())
}

fn gather(folder: &Path) -> Result<Vec<Page>, Box<dyn std::error::Error>> {
    let absent = |_| format!("no pages in {}\n  try: cargo x bench text", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for generator in fs::read_dir(folder).map_err(absent)? {
        for file in fs::read_dir(generator?.path())? {
            files.push(file?.path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|it| it == "html"));
    files.sort();
    let word = |part: Option<&std::ffi::OsStr>| {
        part.map(|it| it.to_string_lossy().into_owned()).ok_or("a page without a name")
    };
    let page = |file: PathBuf| {
        Ok(Page {
            generator: word(file.parent().and_then(Path::file_name))?,
            name: word(file.file_stem())?,
            html: fs::read(&file)?,
            gold: fs::read_to_string(file.with_extension("txt"))?,
        })
    };
    files.into_iter().map(page).collect()
}

fn ours(pages: &[Page]) -> Result<Vec<Found>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for page in pages {
        let path = format!("{}/{}", page.generator, page.name).replace(['#', '?', '%'], "_");
        let url = CanonUrl::parse(&format!("https://docs.example/{path}.html"))?;
        let (mut main, mut micros) = (String::new(), f64::INFINITY);
        for _ in 0..READINGS {
            let from = Instant::now();
            let read = read_article(&page.html, Some("text/html"), None, &url, Canon::Full);
            let read = hint::black_box(read);
            micros = micros.min(from.elapsed().as_secs_f64() * 1e6);
            main = read.map(|it| it.main).unwrap_or_default();
        }
        found.push(Found { score: Score::of(&main, &page.gold), micros });
    }
    Ok(found)
}

/// Runs the driver of a peer, which writes the text of each page and the time that it took.
fn peer(
    name: &str,
    folder: &Path,
    pages: &[Page],
) -> Result<Vec<Found>, Box<dyn std::error::Error>> {
    let out = tempfile::tempdir()?;
    let ran = Command::new(PYTHON).arg(PEERS).arg(name).arg(folder).arg(out.path()).status();
    let ran = ran.map_err(|e| format!("cannot start {PYTHON}: {e}\n  try: cargo x bench text"))?;
    if !ran.success() {
        return Err(format!("{PEERS} {name} ended with {ran}").into());
    }
    let mut found = Vec::new();
    for page in pages {
        let told = out.path().join(&page.generator).join(format!("{}.txt", page.name));
        let told = fs::read_to_string(told)?;
        let (micros, text) = told.split_once('\n').ok_or("a text without its time")?;
        found.push(Found { score: Score::of(text, &page.gold), micros: micros.parse()? });
    }
    Ok(found)
}

fn print(name: &str, pages: &[Page], found: &[Found]) {
    let mut by_generator: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for (page, it) in pages.iter().zip(found) {
        by_generator.entry(&page.generator).or_default().push(it);
    }
    let groups = by_generator.into_iter();
    for (generator, group) in groups.chain([("all", found.iter().collect())]) {
        let scores: Vec<Score> = group.iter().map(|it| it.score).collect();
        let all = Score::mean(&scores);
        let micros = mean(group.iter().map(|it| it.micros));
        println!(
            "{name:<12} {generator:<9} {:>6} {:>10.4} {:>7.4} {:>7.4} {:>8.4} {micros:>9.0}",
            group.len(),
            all.precision,
            all.recall,
            all.f1,
            all.runs_f1,
        );
    }
}

fn worst(pages: &[Page], found: &[Found]) {
    let mut both: Vec<(&Page, Score)> = pages.iter().zip(found.iter().map(|it| it.score)).collect();
    both.sort_by(|a, b| a.1.f1.total_cmp(&b.1.f1));
    for (page, score) in both.into_iter().take(WORST) {
        let Score { precision, recall, f1, .. } = score;
        println!("{f1:.3} ({precision:.3}, {recall:.3}) {}/{}", page.generator, page.name);
    }
}
