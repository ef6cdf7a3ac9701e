//! `rhumb plan`: what a crawl would cost, from robots.txt, sitemaps and a few pages.

mod estimate;
mod survey;
mod visitor;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use rhumb_fetch::Fetcher;
use rhumb_web::{Canon, CanonUrl};
use serde::Serialize;

use crate::crawl::{self, Plan};
use crate::fault::Fault;
use crate::quantity::{bytes, counted, elapsed, grouped};
use crate::screen::{self, Voice};
use crate::settings::Settings;
use crate::tell;
use crate::word::quoted;
use estimate::Estimate;
use survey::{PAGES_MAX, SITEMAPS_MAX, Survey};
pub(crate) use visitor::{Visitor, Why};

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Where the crawl would begin
    #[arg(value_name = "URL")]
    url: String,
    /// How far from the URL: page, prefix, host, domain or any [default: host]
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
    /// Only URLs that match this regular expression (several: one must match)
    #[arg(long, value_name = "RE")]
    include: Vec<String>,
    /// No URL that matches this regular expression
    #[arg(long, value_name = "RE")]
    exclude: Vec<String>,
    /// The quiet time between two requests [default: auto: 1s, or five times the last fetch];
    /// robots.txt may ask for more
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// Our name, as robots.txt knows it [default: rhumb]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Where webmasters reach you: a mail address or a page
    #[arg(long, value_name = "MAIL|URL")]
    contact: Option<String>,
    /// Keep all query parameters, tracking and session ids too
    #[arg(long)]
    keep_query: bool,
    /// The name server to ask, instead of the system's
    #[arg(long, value_name = "ADDR[:PORT]")]
    dns: Option<String>,
    /// Go out through this HTTP proxy
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Visit private and loopback addresses too, or only those of these networks
    #[arg(long, value_name = "NETWORKS", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    allow_private: Option<String>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The plan as data.
#[derive(Serialize)]
struct Shown<'a> {
    url: &'a str,
    pages: u64,
    pages_from: &'static str,
    disallowed: u64,
    delay_ms: u64,
    time_ms: u64,
    bytes: u64,
    disk_bytes: u64,
    sitemaps: u64,
    robots: &'static str,
}

pub(crate) fn command(args: PlanArgs) -> Result<ExitCode, Fault> {
    let canon = if args.keep_query { Canon::KeepQuery } else { Canon::Full };
    let url = CanonUrl::parse_with(&args.url, canon).map_err(|error| {
        let word = &args.url;
        Fault::usage(format!("{word:?} is no URL: {error}"), "rhumb plan https://example.org")
    })?;
    let json = args.json;
    let flags = flags(&args);
    let settings = Settings {
        scope: args.scope,
        include: args.include,
        exclude: args.exclude,
        delay: args.delay,
        agent: args.agent,
        contact: args.contact,
        keep_query: Some(args.keep_query),
        dns: args.dns,
        proxy: args.proxy,
        allow_private: args.allow_private,
        ..Settings::default()
    };
    let settings = settings.over(Settings::defaults());
    let mut plan = Plan::new(&settings, vec![url.clone()], Voice::default())?;
    plan.fetch.roots = crawl::system_roots();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Fault::failed(format!("cannot start: {error}"), "a system with room for it")
    })?;
    let survey = runtime.block_on(survey(plan, url))?;
    let estimate = Estimate::of(&survey);
    if json {
        screen::print(&shown(&survey, &estimate))?;
    } else {
        screen::print_text(&text(&survey, &estimate, &flags))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn survey(plan: Plan, url: CanonUrl) -> Result<Survey, Fault> {
    let Plan { engine, rules, fetch, .. } = plan;
    let fetcher = Fetcher::new(fetch)
        .map_err(|error| Fault::failed(error.to_string(), "other --agent, --contact or --dns"))?;
    tell(&format!(
        "reading robots.txt, at most {SITEMAPS_MAX} sitemaps and {PAGES_MAX} pages, one request at \
         a time"
    ));
    let visitor = Visitor::new(fetcher, engine.manners, engine.agent.clone());
    let ended = Survey::make(visitor, rules, engine.canon, url).await;
    ended.map_err(|why| {
        let what = format!("nothing can be planned: {}: {}", why.url, why.word);
        Fault::nothing(what, why.advice())
    })
}

fn shown<'a>(survey: &'a Survey, estimate: &Estimate) -> Shown<'a> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Shown {
        url: survey.start.as_str(),
        pages: estimate.pages,
        pages_from: pages_from(survey),
        disallowed: survey.disallowed(),
        delay_ms: survey.delay().0,
        time_ms: ms(estimate.time),
        bytes: estimate.bytes,
        disk_bytes: estimate.disk_bytes,
        sitemaps: survey.sitemaps_read,
        robots: if survey.has_robots { "found" } else { "absent" },
    }
}

fn pages_from(survey: &Survey) -> &'static str {
    if survey.listed.is_empty() { "sample" } else { "sitemap" }
}

/// The flags that a crawl needs to be the one that was planned.
fn flags(args: &PlanArgs) -> String {
    let mut flags = String::new();
    let mut add = |flag: &str, values: &[String]| {
        for value in values {
            // Only so is a value that begins with a dash no flag itself.
            let joint = if value.starts_with('-') { '=' } else { ' ' };
            flags.extend([" --", flag, &format!("{joint}{}", quoted(value))]);
        }
    };
    add("scope", args.scope.as_slice());
    add("include", &args.include);
    add("exclude", &args.exclude);
    add("delay", args.delay.as_slice());
    add("agent", args.agent.as_slice());
    add("contact", args.contact.as_slice());
    add("dns", args.dns.as_slice());
    add("proxy", args.proxy.as_slice());
    if args.keep_query {
        flags.push_str(" --keep-query");
    }
    match args.allow_private.as_deref() {
        None => {}
        Some("all") => flags.push_str(" --allow-private"),
        Some(networks) => flags.extend([" --allow-private=", &quoted(networks)]),
    }
    flags
}

fn text(survey: &Survey, estimate: &Estimate, flags: &str) -> String {
    let length = |count: usize| u64::try_from(count).expect("a length fits 64 bits");
    let sampled = counted(length(survey.samples.len()), "page");
    let source = match (survey.listed.is_empty(), survey.sitemaps_left) {
        _ if survey.is_whole => "all of them seen".to_owned(),
        (true, _) => format!("a guess from the links of {sampled}: there is no sitemap"),
        (false, 0) => {
            format!("{}, {sampled} looked at", counted(survey.sitemaps_read, "sitemap"))
        }
        (false, left) => {
            let read = survey.sitemaps_read;
            format!("{read} of {}, {sampled} looked at", counted(read + left, "sitemap"))
        }
    };
    let closed = match survey.disallowed() {
        0 => String::new(),
        n => format!("\n  closed    {} by robots.txt", counted(n, "URL")),
    };
    let asked = match survey.robots_gap() {
        Some(gap) => format!("; robots.txt asks for {gap}"),
        None => String::new(),
    };
    format!(
        "{}\n  pages     about {} ({source}){closed}\n  pace      {} between requests{asked}\n  \
         time      about {}\n  size      {}, about {} on disk\n  crawl     rhumb crawl {}{flags}",
        survey.start,
        grouped(estimate.pages),
        survey.delay(),
        elapsed(estimate.time),
        bytes(estimate.bytes),
        bytes(estimate.disk_bytes),
        quoted(survey.start.as_str()),
    )
}
