//! One-shot tools: what do we make of a URL, a robots.txt, a page?

mod page;

use std::fs::File;
use std::io::{Read, Write};
use std::process::ExitCode;

use clap::Args;
use rhumb_rules::{Reading, Robots, path_as_written};
use rhumb_web::{Canon, CanonUrl, HashKey};
use serde::Serialize;

use crate::fault::Fault;
use crate::printable::{json, printable};
pub(crate) use page::{PageArgs, page};

/// The largest file that is looked at; a crawl cuts bodies sooner.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// The key under which `rhumb url` hashes; every crawl draws its own.
const SHOWN_KEY: HashKey = HashKey(0, 0);

#[derive(Debug, Args)]
pub(crate) struct UrlArgs {
    /// The URLs
    #[arg(required = true)]
    urls: Vec<String>,
    /// Keep all query parameters
    #[arg(long)]
    keep_query: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct UrlShown<'a> {
    input: &'a str,
    canonical: Option<&'a str>,
    site: Option<&'a str>,
    pld: Option<&'a str>,
    key: Option<String>,
    error: Option<String>,
}

pub(crate) fn url(args: &UrlArgs) -> Result<ExitCode, Fault> {
    let canon = if args.keep_query { Canon::KeepQuery } else { Canon::Full };
    let mut out = std::io::stdout().lock();
    let mut code = ExitCode::SUCCESS;
    for input in &args.urls {
        let parsed = CanonUrl::parse_with(input, canon);
        let site = parsed.as_ref().ok().map(CanonUrl::site);
        let shown = UrlShown {
            input,
            canonical: parsed.as_ref().ok().map(CanonUrl::as_str),
            site: site.as_ref().map(rhumb_web::Site::as_str),
            pld: site.as_ref().map(|site| site.pld().as_str()),
            key: parsed.as_ref().ok().map(|url| url.key(SHOWN_KEY).to_string()),
            error: parsed.as_ref().err().map(ToString::to_string),
        };
        if args.json {
            line(&mut out, &shown)?;
            continue;
        }
        match &parsed {
            Ok(url) => {
                writeln!(out, "{url}")?;
                writeln!(out, "  site   {}", shown.site.unwrap_or_default())?;
                writeln!(out, "  domain {}", shown.pld.unwrap_or_default())?;
                writeln!(out, "  key    {}", shown.key.unwrap_or_default())?;
            }
            Err(error) => {
                out.flush()?;
                crate::tell(&format!(
                    "error: {input:?}: {error}\n  try: a URL with http:// or https://"
                ));
                code = ExitCode::from(crate::fault::FAILED);
            }
        }
    }
    Ok(code)
}

#[derive(Debug, Args)]
pub(crate) struct RobotsArgs {
    /// A robots.txt file, or - for stdin
    file: String,
    /// The robot that asks
    #[arg(long, default_value = "rhumb")]
    agent: String,
    /// What it asks for: URLs, judged as they are written
    #[arg(required = true)]
    urls: Vec<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct RobotsShown<'a> {
    url: &'a str,
    allowed: bool,
    line: Option<u32>,
    rule: Option<&'a str>,
    group: Option<&'a str>,
    agent: &'a str,
    crawl_delay_ms: Option<u64>,
}

pub(crate) fn robots(args: &RobotsArgs) -> Result<ExitCode, Fault> {
    let body = read(&args.file)?;
    let rules = Robots::parse(&body).for_agent_by(&args.agent, Reading::Reference);
    let delay = rules.crawl_delay();
    let mut out = std::io::stdout().lock();
    for url in &args.urls {
        let path = path_as_written(url);
        let verdict = rules.judge(&path);
        if args.json {
            let shown = RobotsShown {
                url,
                allowed: verdict.allowed,
                line: verdict.line,
                rule: verdict.rule,
                group: verdict.group,
                agent: &args.agent,
                crawl_delay_ms: delay.map(|delay| delay.0),
            };
            line(&mut out, &shown)?;
            continue;
        }
        let word = if verdict.allowed { "allowed   " } else { "disallowed" };
        let because = match (verdict.line, verdict.rule, verdict.group) {
            (Some(line), Some(rule), group) => {
                let group = group.unwrap_or("*");
                format!("line {line}: {rule} (group {})", printable(group))
            }
            (_, _, Some(group)) => format!("no rule of group {} matches", printable(group)),
            _ => "no group speaks to this agent".to_owned(),
        };
        writeln!(out, "{word} {url}  {}", printable(&because))?;
    }
    if let Some(delay) = delay.filter(|_| !args.json) {
        writeln!(out, "crawl-delay {delay}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut impl Write, value: &impl Serialize) -> std::io::Result<()> {
    out.write_all(json(value)?.as_bytes())
}

/// The bytes of a file, or of stdin.
pub(crate) fn read(name: &str) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    let read = if name == "-" {
        std::io::stdin().lock().take(FILE_BYTES_MAX).read_to_end(&mut body)
    } else {
        File::open(name).and_then(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut body))
    };
    read.map_err(|error| {
        Fault::usage(format!("cannot read {name}: {error}"), "a file that you may read, or -")
    })?;
    Ok(body)
}
