//! How fast a large index answers while it grows: queries on one thread, another writes on.

use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rhumb_index::{Cursor, Index, IndexError, IndexSettings, Searcher, Want};

use super::pages::{self, Chance, HASH};
use crate::clock;
use crate::seen::{self, Outcome};

/// What follows the name of this benchmark.
pub const USAGE: &str = "search [--documents N]";
/// Enough to see that all of it works; the promise is for a million.
const DOCUMENTS: u64 = 50_000;
/// What the writer may take for what it has not committed yet.
const MEMORY: usize = 256 << 20;
/// As a crawl does.
const COMMIT_EVERY: Duration = Duration::from_secs(2);
/// Queries of each kind, those of one to four words in turns.
const QUERIES: u64 = 2_000;
const WORDS_MAX: u64 = 4;
/// Before them, uncounted: files are read for the first time.
const WARM_UP: u64 = 100;
/// What is promised for a million pages.
const MEDIAN_MAX: Duration = Duration::from_millis(10);
const P99_MAX: Duration = Duration::from_millis(60);

/// How a query's words are drawn.
#[derive(Clone, Copy)]
enum Draw {
    /// As often as they stand in texts.
    Usual,
    /// Each as likely.
    Any,
}

/// Makes an index of generated pages and asks it.
pub fn measure(words: &[&str]) -> Outcome {
    let documents = match words {
        [] => DOCUMENTS,
        ["--documents", count] => seen::count(count)?,
        _ => return Err(format!("usage: rhumb-bench {USAGE}").into()),
    };
    let folder = tempfile::tempdir_in("target")?;
    let settings = IndexSettings { folder: folder.path().to_owned(), memory: MEMORY, hash: HASH };
    let mut index = Index::open(&settings)?;
    build(&mut index, folder.path(), documents)?;
    let searcher = Searcher::open(folder.path())?;
    let (is_over, more) = (AtomicBool::new(false), AtomicU64::new(0));
    let slow = thread::scope(|scope| -> Result<usize, Box<dyn Error>> {
        let writer = scope.spawn(|| {
            let written = write_on(&mut index, &searcher, documents, &is_over, &more);
            written.map_err(|error| error.to_string())
        });
        let asked = ask(&searcher);
        is_over.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| "the writer panicked")??;
        Ok(asked?)
    })?;
    println!("{} documents were added meanwhile", more.into_inner());
    println!("peak memory {} MB, all of it", clock::peak_memory() / 1_000_000);
    match slow {
        0 => Ok(()),
        _ => Err("slower than promised".into()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn build(index: &mut Index, folder: &Path, documents: u64) -> Outcome {
    let (begun, begun_cpu) = (Instant::now(), clock::process());
    let mut making = 0.0;
    // As a crawl at rest is read: links before all else.
    for number in 0..documents {
        let at = clock::thread();
        let document = pages::document(number)?;
        making += clock::thread() - at;
        index.link(&document.url, &document.links)?;
        if index.wants_commit() {
            index.commit(Cursor::default())?;
        }
    }
    for number in 0..documents {
        let at = clock::thread();
        let document = pages::document(number)?;
        making += clock::thread() - at;
        index.put(document)?;
        if index.wants_commit() {
            index.commit(cursor(number))?;
        }
    }
    index.commit(cursor(documents))?;
    let (put, put_cpu) = (begun.elapsed(), clock::process() - begun_cpu - making);
    let settled = Instant::now();
    index.settle()?;
    println!(
        "{documents} documents: {:.0} a second, {:.0} a CPU-second; settled in {:.1} s; \
         {} bytes each on disk; peak memory {} MB",
        documents as f64 / put.as_secs_f64(),
        documents as f64 / put_cpu,
        settled.elapsed().as_secs_f64(),
        seen::size(folder)? / documents.max(1),
        clock::peak_memory() / 1_000_000,
    );
    Ok(())
}

fn cursor(number: u64) -> Cursor {
    Cursor { serial: 1, end: number, is_settled: false, ..Cursor::default() }
}

/// Adds documents until it is over, with a commit every so often.
fn write_on(
    index: &mut Index,
    searcher: &Searcher,
    from: u64,
    is_over: &AtomicBool,
    more: &AtomicU64,
) -> Result<(), Box<dyn Error>> {
    let mut committed = Instant::now();
    for number in from.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        index.put(pages::document(number)?)?;
        more.fetch_add(1, Ordering::Relaxed);
        if index.wants_commit() || committed.elapsed() > COMMIT_EVERY {
            index.commit(cursor(number))?;
            searcher.reload()?;
            committed = Instant::now();
        }
    }
    Ok(())
}

/// What queries took.
#[derive(Clone, Default)]
struct Times {
    /// By the clock on the wall.
    wall: Vec<Duration>,
    /// Of the processor: what else the machine does is not in it.
    cpu: Vec<Duration>,
}

impl Times {
    fn add(&mut self, other: &Self) {
        self.wall.extend(&other.wall);
        self.cpu.extend(&other.cpu);
    }

    /// Prints a line; the median and the ninety-ninth of a hundred.
    fn tell(&mut self, name: &str, rest: &str) -> [Duration; 2] {
        self.wall.sort_unstable();
        self.cpu.sort_unstable();
        let at = |times: &[Duration], percent: usize| {
            times.get(times.len() * percent / 100).or(times.last()).copied().unwrap_or_default()
        };
        let ms = |times, percent| at(times, percent).as_secs_f64() * 1e3;
        println!(
            "{name:<18} {:>7.2} {:>8.2} {:>8.2} {:>8.2} {:>9.2} {:>9.2} {rest:>11}",
            ms(&self.wall, 50),
            ms(&self.wall, 90),
            ms(&self.wall, 99),
            ms(&self.wall, 100),
            ms(&self.cpu, 50),
            ms(&self.cpu, 99),
        );
        [at(&self.wall, 50), at(&self.wall, 99)]
    }
}

/// Asks all queries and tells how long they took; how many kinds took longer than promised.
fn ask(searcher: &Searcher) -> Result<usize, IndexError> {
    println!(
        "queries              p50 ms   p90 ms   p99 ms   max ms   p50 CPU   p99 CPU   with hits"
    );
    let mut slow = 0;
    for (name, draw) in [("usual words", Draw::Usual), ("any words", Draw::Any)] {
        let mut chance = Chance::new(7);
        for number in 0..WARM_UP {
            search(searcher, &query(&mut chance, draw, number % WORDS_MAX + 1))?;
        }
        let mut by_words = vec![Times::default(); usize::try_from(WORDS_MAX).unwrap_or(0)];
        let mut with_hits = 0;
        for _ in 0..QUERIES / WORDS_MAX {
            for (times, words) in by_words.iter_mut().zip(1..) {
                let query = query(&mut chance, draw, words);
                let (begun, begun_cpu) = (Instant::now(), clock::thread());
                with_hits += usize::from(search(searcher, &query)?);
                times.wall.push(begun.elapsed());
                times.cpu.push(Duration::from_secs_f64(clock::thread() - begun_cpu));
            }
        }
        let mut all = Times::default();
        for (times, words) in by_words.iter_mut().zip(1..) {
            all.add(times);
            times.tell(&format!("  {words} of {name}"), "");
        }
        let [median, p99] = all.tell(name, &with_hits.to_string());
        slow += usize::from(median > MEDIAN_MAX || p99 > P99_MAX);
    }
    Ok(slow)
}

fn query(chance: &mut Chance, draw: Draw, words: u64) -> String {
    let word = |_| match draw {
        Draw::Usual => pages::usual_word(chance),
        Draw::Any => pages::any_word(chance),
    };
    (0..words).map(word).collect::<Vec<String>>().join(" ")
}

fn search(searcher: &Searcher, query: &str) -> Result<bool, IndexError> {
    searcher.search(query, &Want::default()).map(|answer| !answer.hits.is_empty())
}
