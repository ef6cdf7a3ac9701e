//! `rhumb demo`: a built-in web on loopback, crawled as any other, and asked what it saw.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use rhumb_testweb::{Served, Spec};
use rhumb_web::CanonUrl;

use crate::crawl::{self, Plan};
use crate::fault::{FAILED, Fault, INTERRUPTED};
use crate::home::Home;
use crate::machine;
use crate::quantity::{counted, grouped};
use crate::screen::Voice;
use crate::serving::{self, Serving};
use crate::settings::Settings;
use crate::{search, tell, word};

/// The gap between two requests to a site of the demo: short, since the machine is our own.
const DELAY: Duration = Duration::from_millis(50);

/// Words that the pages of the demo web have.
const QUERY: &str = "lighthouse harbour";

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep the crawl in this folder [default: none is kept]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Serve its search page and dashboard on this address, from its start until interrupted
    /// [default without an address: 127.0.0.1:7700]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:7700")]
    serve: Option<String>,
    /// Tell every event as a JSON object a line on stdout
    #[arg(long)]
    json: bool,
    /// No progress lines
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn command(args: &DemoArgs) -> Result<ExitCode, Fault> {
    machine::raise_open_files();
    let served = Served::start_on_thread(&Spec::demo()).map_err(|error| {
        Fault::failed(
            format!("cannot serve the demo web on 127.0.0.0/8: {error}"),
            "more open files (ulimit -n 4096), and a system with the whole loopback network",
        )
    })?;
    let web = served.web();
    tell(&format!(
        "a web of {} hosts and {} pages is served on loopback, with redirects, traps, mirrors and \
         bad hosts\ncrawling it with {} ms between requests to a site",
        grouped(count(web.hosts.len())),
        grouped(count(web.pages.len())),
        DELAY.as_millis(),
    ));
    let settings = Settings {
        seeds: served.seeds(),
        scope: Some("any".to_owned()),
        delay: Some(format!("{}ms", DELAY.as_millis())),
        ip_delay: Some("0s".to_owned()),
        tries: Some(1),
        contact: Some("https://rhumb.example/demo".to_owned()),
        dns: Some(served.dns().to_string()),
        allow_private: Some("all".to_owned()),
        index: Some(true),
        ..Settings::default()
    };
    let settings = settings.over(Settings::defaults());
    let seeds: Result<Vec<CanonUrl>, _> =
        settings.seeds.iter().map(|seed| CanonUrl::parse(seed)).collect();
    let seeds = seeds.expect("the demo web has seeds that are URLs");
    let voice = Voice::new(args.json, args.quiet, false);
    let temporary =
        tempfile::tempdir().map_err(|error| Fault::file("create", "a temporary folder", &error))?;
    let folder = args.output.clone().unwrap_or_else(|| temporary.path().join("demo"));
    let mut plan = Plan::new(&settings, seeds, voice)?;
    let ca = rustls::pki_types::CertificateDer::from(served.ca_der().to_vec());
    plan.fetch.roots.add(ca).expect("the demo web's certificate is one");
    let listener = serving::bind(&Settings { serve: args.serve.clone(), ..Settings::default() })?;
    let home = Arc::new(Home::create(&folder, &settings)?);
    let searches = plan.searches.clone();
    let serve = |it| Serving::start(it, &folder, &settings, searches);
    let serving = listener.map(serve).transpose()?;
    let code = crawl::run(plan, voice, &home)?;
    // From here on it is read where it lies.
    drop(home);
    let verdict = judge(&served);
    tell(&verdict.text);
    tell(&search::first(&folder, QUERY)?);
    if let Some(folder) = &args.output {
        let folder = word::path(folder);
        tell(&format!("the pages are in {folder}: rhumb search {folder} '{QUERY}'"));
    } else {
        tell("now one of your own: rhumb crawl https://example.org");
    }
    if let Some(serving) = serving.filter(|_| code != ExitCode::from(INTERRUPTED)) {
        tell(&format!("search it in a browser: http://{}/ (Ctrl-C ends it)", serving.address()));
        serving::until_interrupted()?;
    }
    Ok(if verdict.is_clean { code } else { ExitCode::from(FAILED) })
}

struct Verdict {
    text: String,
    is_clean: bool,
}

/// What the web itself says of the crawl.
fn judge(served: &Served) -> Verdict {
    let witness = served.witness();
    let expected = served.expected();
    let missing = expected.missing(&witness).len();
    let hurried = witness.hurried(DELAY).len();
    let crowded = witness.crowded().len();
    let violations = witness.robots_violations.len();
    let repeats = witness.repeats.len();
    let text = format!(
        "what the servers saw: {} of {} that may be fetched, {repeats} fetched twice, \
         {violations} against robots.txt, {} visited too early, {crowded} with two \
         requests at once",
        grouped(count(expected.pages.len() - missing)),
        counted(count(expected.pages.len()), "page"),
        counted(count(hurried), "site"),
    );
    let is_clean = missing + repeats + violations + hurried + crowded == 0;
    Verdict { text, is_clean }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).expect("a length fits 64 bits")
}
