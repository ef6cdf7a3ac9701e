//! What marks cost, and which of the pages of a folder get one: of real documentation, none
//! should.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rhumb_page::{Facts, mark, read};
use rhumb_web::{Canon, CanonUrl, Mark};

/// Marks among real pages that are too many: one in so many.
const FALSE_MARKS: usize = 1_000;

/// A marked page: where it lies, its mark and the signs of it.
type Marked = (PathBuf, Mark, Vec<&'static str>);

/// Reads every page below a folder, and lists those that get a mark.
pub fn measure(folder: &str) -> Result<(), Box<dyn Error>> {
    let mut pages = Vec::new();
    gather(Path::new(folder), &mut pages)?;
    pages.sort();
    let (mut marked, mut read_for, mut marked_for) = (Vec::new(), Duration::ZERO, Duration::ZERO);
    let mut slowest = Duration::ZERO;
    for path in &pages {
        let Some((found, [reading, marking])) = judge(path)? else { continue };
        read_for += reading;
        marked_for += marking;
        slowest = slowest.max(marking);
        marked.extend(found);
    }
    for (path, mark, signs) in &marked {
        println!("{:9} {}  ({})", mark.word(), path.display(), signs.join(", "));
    }
    let each = |all: Duration| all.as_secs_f64() * 1e6 / pages.len().max(1) as f64;
    println!(
        "{} pages, {} marked; {:.1} µs to mark a page, {:.1} µs at most, after {:.1} µs to read it",
        pages.len(),
        marked.len(),
        each(marked_for),
        slowest.as_secs_f64() * 1e6,
        each(read_for),
    );
    if marked.len() * FALSE_MARKS > pages.len() {
        return Err(format!("more than one page in {FALSE_MARKS} is marked").into());
    }
    Ok(())
}

fn judge(path: &Path) -> Result<Option<(Option<Marked>, [Duration; 2])>, Box<dyn Error>> {
    let body = std::fs::read(path)?;
    let name = path.to_string_lossy().replace(['#', '?', '%'], "_");
    let Ok(url) =
        CanonUrl::parse(&format!("https://docs.example/{}", name.trim_start_matches('/')))
    else {
        return Ok(None);
    };
    let begin = Instant::now();
    let page = read(&body, Some("text/html"), &url, Canon::Full, false);
    let reading = begin.elapsed();
    let headers = vec![("content-type", "text/html"), ("server", "nginx")];
    let facts = Facts { url: &url, status: 200, headers, body: &body, redirected: false };
    let begin = Instant::now();
    let found = black_box(mark(&page, &facts));
    let marking = begin.elapsed();
    let marked = found.map(|(mark, signs)| (path.to_owned(), mark, signs));
    Ok(Some((marked, [reading, marking])))
}

fn gather(folder: &Path, pages: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            gather(&path, pages)?;
        } else if path.extension().is_some_and(|name| name == "html" || name == "htm") {
            pages.push(path);
        }
    }
    Ok(())
}
