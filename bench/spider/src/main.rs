//! Crawls a web with the spider crate, for comparison: `spider-driver WAY FOLDER CONCURRENCY SEED...`.
//! By the way `sites` each seed is a website of its own, with its robots.txt; by the way `links` the
//! seeds are one website that follows links to all hosts, with the robots.txt of the first alone.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use spider::page::Page;
use spider::tokio::runtime;
use spider::tokio::task::JoinSet;
use spider::website::Website;

/// Requests at once to one of many sites.
const PER_SITE: usize = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, folder, concurrency, seeds @ ..] = &arguments[..] else {
        return ExitCode::from(2);
    };
    let (Ok(concurrency), Ok(runtime)) =
        (concurrency.parse(), runtime::Builder::new_current_thread().enable_all().build())
    else {
        return ExitCode::from(2);
    };
    match way.as_str() {
        "sites" => runtime.block_on(by_sites(folder.as_ref(), concurrency, seeds)),
        "links" => runtime.block_on(by_links(folder.as_ref(), concurrency, seeds)),
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

async fn by_sites(folder: &Path, concurrency: usize, seeds: &[String]) {
    // One client for all: making one for each site takes half of the time.
    let client = website("http://localhost/", folder, PER_SITE).configure_http_client();
    let mut crawls = JoinSet::new();
    for seed in seeds {
        if crawls.len() * PER_SITE >= concurrency {
            crawls.join_next().await;
        }
        let mut website = website(seed, folder, PER_SITE);
        website.set_http_client(client.clone());
        crawls.spawn(async move { Box::pin(website.crawl()).await });
    }
    crawls.join_all().await;
}

async fn by_links(folder: &Path, concurrency: usize, seeds: &[String]) {
    let Some(first) = seeds.first() else { return };
    let mut website = website(first, folder, concurrency);
    website.with_external_domains(Some(["*".to_owned()].into_iter()));
    // Links that were set are kept by the crawl that starts next.
    website.persist_links();
    website.set_extra_links(seeds.iter().map(|seed| seed.as_str().into()).collect());
    Box::pin(website.crawl()).await;
}

fn website(seed: &str, folder: &Path, concurrency: usize) -> Website {
    let mut website = Website::new(seed);
    website
        .with_respect_robots_txt(true)
        .with_user_agent(Some("spider"))
        .with_concurrency_limit(Some(concurrency))
        .with_delay(0)
        .with_retry(0)
        .with_depth(0)
        .with_no_control_thread(true)
        .with_on_should_crawl_callback_closure(Some(save_below(folder.to_owned())));
    website
}

/// Saves a page under a name made of its URL; its links are always followed.
fn save_below(folder: PathBuf) -> impl Fn(&Page) -> bool + Send + Sync + 'static {
    move |page| {
        let mut hash = DefaultHasher::new();
        page.get_url().hash(&mut hash);
        let path = folder.join(format!("{:016x}", hash.finish()));
        page.get_bytes().is_none_or(|body| fs::write(path, body).is_ok())
    }
}
