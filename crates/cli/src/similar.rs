//! `rhumb similar`: how alike two texts are, as a crawl judges them.

use std::process::ExitCode;

use clap::Args;
use rhumb_fetch::Fetcher;
use rhumb_formats::Kind;
use rhumb_likeness::{Reading, Sketch};
use rhumb_rules::HOPS_MAX;
use rhumb_web::{Canon, CanonUrl, Exchange, Site};
use serde::Serialize;

use crate::crawl::{self, Plan};
use crate::fault::Fault;
use crate::formats;
use crate::oneshot::read;
use crate::plan::{Visitor, Why};
use crate::quantity::counted;
use crate::screen::{self, Voice};
use crate::settings::Settings;

/// Where a file would lie on the web: only its name says something.
const PLACE: &str = "http://localhost/";

#[derive(Debug, Args)]
pub(crate) struct SimilarArgs {
    /// A page, text or document: a file, - for stdin, or a URL, which is fetched if robots.txt
    /// allows
    #[arg(value_name = "A")]
    a: String,
    /// What it is compared with
    #[arg(value_name = "B")]
    b: String,
    /// Our name, as robots.txt knows it [default: rhumb]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Where webmasters reach you: a mail address or a page
    #[arg(long, value_name = "MAIL|URL")]
    contact: Option<String>,
    /// Visit private and loopback addresses too, or only those of these networks
    #[arg(long, value_name = "NETWORKS", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    allow_private: Option<String>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The comparison as data.
#[derive(Serialize)]
struct Shown {
    jaccard: f64,
    estimate: Option<f64>,
    simhash_distance: Option<u32>,
    verdict: &'static str,
}

pub(crate) fn command(args: SimilarArgs) -> Result<ExitCode, Fault> {
    if args.a == "-" && args.b == "-" {
        return Err(Fault::usage("stdin can be read only once", "a file for one of the two"));
    }
    let names = [args.a, args.b];
    let settings = Settings {
        agent: args.agent,
        contact: args.contact,
        allow_private: args.allow_private,
        ..Settings::default()
    };
    let sides = sides(&names, settings)?;
    let shown = compare(&sides);
    if args.json {
        screen::print(&shown)?;
    } else {
        screen::print_text(&told(&names, &shown, &sides))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One of the two that are compared.
struct Side {
    reading: Reading,
    sketch: Option<Sketch>,
    /// Where it was fetched.
    site: Option<Site>,
}

fn compare([a, b]: &[Side; 2]) -> Shown {
    let jaccard = a.reading.jaccard(&b.reading);
    let is_same = a.reading.has_words_of(&b.reading);
    let (Some(one), Some(other)) = (&a.sketch, &b.sketch) else {
        let verdict = if is_same { "same" } else { "different" };
        return Shown { jaccard, estimate: None, simhash_distance: None, verdict };
    };
    let same_site = a.site.is_some() && a.site == b.site;
    let verdict = match () {
        () if is_same => "same",
        () if one.is_near(other, same_site) => "near",
        () => "different",
    };
    let thousandths = |number: f64| (number * 1_000.0).round() / 1_000.0;
    Shown {
        jaccard: thousandths(jaccard),
        estimate: Some(thousandths(one.jaccard(other))),
        simhash_distance: Some(one.distance(other)),
        verdict,
    }
}

fn told(names: &[String; 2], shown: &Shown, sides: &[Side; 2]) -> String {
    let count = |count: usize| u64::try_from(count).expect("a length fits 64 bits");
    let lines = names.iter().zip(sides).map(|(name, side)| {
        let words = counted(count(side.reading.words()), "word");
        let shingles = counted(count(side.reading.shingles()), "run");
        format!("\n  {name}: {words}, {shingles} of four words")
    });
    let lines: Vec<String> = lines.collect();
    let estimate = shown.estimate.map(|it| format!("; a crawl estimates {it:.3}"));
    let bits = shown.simhash_distance.map(|it| format!("\n  simhash   {it} of 64 bits differ"));
    format!(
        "{}{}\n  jaccard   {:.3} of these runs are in both{}{}",
        shown.verdict,
        lines.concat(),
        shown.jaccard,
        estimate.unwrap_or_default(),
        bits.unwrap_or_default()
    )
}

/// What both have to say.
fn sides(names: &[String; 2], settings: Settings) -> Result<[Side; 2], Fault> {
    let urls: Vec<CanonUrl> =
        names.iter().filter_map(|name| url_of(name)).collect::<Result<_, _>>()?;
    let mut fetched = if urls.is_empty() { Vec::new() } else { fetch(urls, settings)? }.into_iter();
    let mut side = |name: &String| {
        if url_of(name).is_some() {
            let exchange = fetched.next().expect("each URL was fetched");
            let (media_type, url) = (exchange.header("content-type"), &exchange.url);
            return Ok(Side {
                site: Some(url.site()),
                ..side_of(name, &exchange.body, media_type, url)?
            });
        }
        let place = CanonUrl::parse(PLACE).expect("a URL");
        let url = place.join(name, Canon::Full).unwrap_or(place);
        side_of(name, &read(name)?, None, &url)
    };
    Ok([side(&names[0])?, side(&names[1])?])
}

/// The URL that an argument is, unless it is a file.
fn url_of(name: &str) -> Option<Result<CanonUrl, Fault>> {
    let is_url = ["http://", "https://"].iter().any(|scheme| {
        name.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_url.then(|| {
        CanonUrl::parse_with(name, Canon::KeepQuery).map_err(|error| {
            Fault::usage(
                format!("{name:?} is no URL: {error}"),
                "rhumb similar A https://example.org",
            )
        })
    })
}

fn side_of(
    name: &str,
    body: &[u8],
    media_type: Option<&str>,
    url: &CanonUrl,
) -> Result<Side, Fault> {
    let (text, how) = if let Some(kind) = Kind::of(body, media_type, url) {
        let extract = formats::documents()?.read(kind, body.to_vec().into());
        (extract.text, format!("{}, {}", kind.word(), extract.end.word()))
    } else {
        let page = rhumb_page::read(body, media_type, url, Canon::Full, false);
        let how = match page.charset {
            _ if body.is_empty() => "it is empty",
            Some(_) => "it has no words",
            None => "it is no page, text or document",
        };
        (page.scan.text, how.to_owned())
    };
    let reading = Reading::of(&text);
    if reading.words() == 0 {
        let what = format!("{name} has no text: {how}");
        return Err(Fault::failed(what, "a page, text or document that has words"));
    }
    Ok(Side { reading, sketch: Sketch::of(&text), site: None })
}

/// Fetches one after the other, each site's robots.txt first.
fn fetch(urls: Vec<CanonUrl>, settings: Settings) -> Result<Vec<Exchange>, Fault> {
    let settings = settings.over(Settings::defaults());
    let mut plan = Plan::new(&settings, urls.clone(), Voice::default())?;
    plan.fetch.roots = crawl::system_roots();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let fetcher = Fetcher::new(plan.fetch)
            .map_err(|error| Fault::failed(error.to_string(), "other --agent or --contact"))?;
        let mut visitor = Visitor::new(fetcher, plan.engine.manners, plan.engine.agent);
        let mut exchanges = Vec::new();
        for url in urls {
            let exchange = arrive(&mut visitor, url).await.map_err(|why| {
                Fault::failed(format!("cannot fetch {}: {}", why.url, why.word), why.advice())
            })?;
            exchanges.push(*exchange);
        }
        Ok(exchanges)
    })
}

/// Fetches a page, wherever it redirects to.
async fn arrive(visitor: &mut Visitor, mut url: CanonUrl) -> Result<Box<Exchange>, Why> {
    for _ in 0..=HOPS_MAX {
        let exchange = visitor.visit(&url).await?;
        match exchange.status {
            200..300 => return Ok(exchange),
            300..400 => {}
            status => return Err(Why { word: format!("http-{status}"), url }),
        }
        match exchange.header("location").map(|place| url.join(place, Canon::KeepQuery)) {
            Some(Ok(next)) => url = next,
            _ => break,
        }
    }
    Err(Why { word: "redirect".to_owned(), url })
}
