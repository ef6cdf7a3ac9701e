//! Sketches against the exact index, on pages that are in two versions of one package.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use rhumb_disk::SharedDisk;
use rhumb_likeness::{Document, Ledger, Reading, Sieve, Sketch, Verdict, count_words};
use rhumb_web::{Canon, CanonUrl, PartitionId, UrlKey};

use crate::clock;
use crate::seen::Outcome;

/// Pairs that have little in common, drawn by chance: two of three within one package.
const STRANGERS: u64 = 3_000_000;
/// Pairs whose estimate is below this are not compared exactly: the estimate errs by 0.04.
const SURELY_LOW: f64 = 0.3;
/// Times that all pages are sketched.
const ROUNDS: u32 = 5;

/// A page of one of the versions.
struct Page {
    package: String,
    reading: Reading,
    sketch: Sketch,
    text: String,
    bytes: usize,
}

/// Reads `FOLDER/PACKAGE/{old,new}/PAGE.html`.
pub fn measure(folder: &str) -> Outcome {
    let (pages, pairs) = read(Path::new(folder))?;
    if pairs.is_empty() {
        return Err(format!("no pairs in {folder}; bench/text/pairs.py makes them").into());
    }
    cost(&pages);
    estimates(&pages, &pairs)?;
    strangers(&pages);
    Ok(())
}

type Pairs = Vec<(usize, usize)>;

fn read(folder: &Path) -> Result<(Vec<Page>, Pairs), Box<dyn std::error::Error>> {
    let url = CanonUrl::parse("http://a.test/")?;
    let mut pages = Vec::new();
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut packages: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    packages.sort_by_key(fs::DirEntry::file_name);
    for package in packages {
        let package_name = package.file_name().to_string_lossy().into_owned();
        for version in ["old", "new"] {
            let Ok(files) = fs::read_dir(package.path().join(version)) else { continue };
            let mut files: Vec<_> = files.collect::<Result<_, _>>()?;
            files.sort_by_key(fs::DirEntry::file_name);
            for file in files {
                let body = fs::read(file.path())?;
                let text = rhumb_page::read(&body, None, &url, Canon::Full, false).scan.text;
                let Some(sketch) = Sketch::of(&text) else { continue };
                let place = format!("{package_name}/{}", file.file_name().to_string_lossy());
                places.entry(place).or_default().push(pages.len());
                let (package, reading) = (package_name.clone(), Reading::of(&text));
                pages.push(Page { package, reading, sketch, text, bytes: body.len() });
            }
        }
    }
    let pairs = places.values().filter_map(|places| match places[..] {
        [old, new] => Some((old, new)),
        _ => None,
    });
    let pairs = pairs.collect();
    Ok((pages, pairs))
}

/// Microseconds of a page: its words, and what comes on top of them.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn cost(pages: &[Page]) {
    // Pages of 21 KB, about.
    let usual: Vec<&Page> =
        pages.iter().filter(|it| (15_000..27_000).contains(&it.bytes)).collect();
    let each = |work: &dyn Fn(&str)| {
        let rounds = (0..ROUNDS).map(|_| {
            let begun = clock::thread();
            for page in &usual {
                work(&page.text);
            }
            (clock::thread() - begun) * 1e6 / usual.len() as f64
        });
        rounds.fold(f64::INFINITY, f64::min)
    };
    let words = each(&|text| {
        black_box(count_words(black_box(text)));
    });
    let all = each(&|text| drop(black_box(Sketch::of(black_box(text)))));
    let mean = |of: &dyn Fn(&Page) -> usize| {
        usual.iter().map(|page| of(page)).sum::<usize>() / usual.len().max(1)
    };
    println!(
        "{} pages, {} of them of 15 to 27 KB: {} bytes, {} bytes of text, {} words",
        pages.len(),
        usual.len(),
        mean(&|page| page.bytes),
        mean(&|page| page.text.len()),
        mean(&|page| page.reading.words()),
    );
    println!("words {words:.1} µs, all digests {:.1} µs on top, together {all:.1} µs", all - words);
}

/// How well the index of the pairs is estimated, and who is found.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn estimates(pages: &[Page], pairs: &Pairs) -> Outcome {
    let disk = rhumb_disk::real();
    let (mut error, mut alike, mut near, mut near_within, mut found) = (0.0, 0, 0, 0, 0);
    for (old, new) in pairs {
        let (old, new) = (&pages[*old], &pages[*new]);
        let truth = old.reading.jaccard(&new.reading);
        error += (old.sketch.jaccard(&new.sketch) - truth).abs();
        if truth >= 0.8 {
            alike += 1;
            near += u32::from(old.sketch.is_near(&new.sketch, false));
            near_within += u32::from(old.sketch.is_near(&new.sketch, true));
            found += u32::from(is_found(&disk, &old.sketch, &new.sketch)?);
        }
    }
    let recall = |count| f64::from(count) / f64::from(alike);
    println!("{} pairs, mean absolute error {:.4}", pairs.len(), error / pairs.len() as f64);
    println!(
        "{alike} pairs at or above 0.8: near {:.4}, within one site {:.4}, found by the sieve {:.4}",
        recall(near),
        recall(near_within),
        recall(found)
    );
    Ok(())
}

/// Whether a sieve that has met the one finds it for the other, on another site.
fn is_found(
    disk: &SharedDisk,
    old: &Sketch,
    new: &Sketch,
) -> Result<bool, Box<dyn std::error::Error>> {
    let mut sieve = Sieve::open(disk, Path::new("unused"), 0, &Ledger::default())?;
    let document = |number: u64, sketch: &Sketch| Document {
        url: UrlKey(number),
        partition: PartitionId(0),
        site: number,
        path: 0,
        payload: None,
        canonical: None,
        sketch: Some(sketch.clone()),
    };
    sieve.meet(&document(1, old));
    Ok(matches!(sieve.meet(&document(2, new)), Verdict::Twin(_)))
}

/// How many pairs with little in common are called near.
fn strangers(pages: &[Page]) {
    let mut state = 1u64;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    let (mut low, mut within, mut near, mut near_within) = (0u64, 0u64, 0u64, 0u64);
    for number in 0..STRANGERS {
        let a = draw(pages.len());
        // Pages of a package lie side by side.
        let b = if number.is_multiple_of(3) {
            draw(pages.len())
        } else {
            (a + 1 + draw(120)).min(pages.len() - 1)
        };
        let (one, other) = (&pages[a], &pages[b]);
        let is_near = one.sketch.is_near(&other.sketch, false);
        let is_near_within = one.sketch.is_near(&other.sketch, true);
        let may_be_high = one.sketch.jaccard(&other.sketch) >= SURELY_LOW;
        let is_high = (may_be_high || is_near || is_near_within)
            && one.reading.jaccard(&other.reading) >= 0.5;
        if a != b && !is_high {
            low += 1;
            within += u64::from(one.package == other.package);
            near += u64::from(is_near);
            near_within += u64::from(is_near_within);
        }
    }
    println!(
        "{low} pairs below 0.5, {within} of them of one package: {near} near, {near_within} within one \
         site"
    );
}
