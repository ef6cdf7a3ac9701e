//! `rhumb site`: what holds for one site, and its change.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rhumb_crawl::control::{Question, SiteChange};
use rhumb_web::CanonUrl;
use serde::Serialize;

use super::done;
use crate::fault::Fault;
use crate::home::{self, Home};
use crate::quantity::{duration, grouped};
use crate::rest::{self, Found};
use crate::screen::{print, print_text};
use crate::settings::Settings;
use crate::sites::{self, SiteSettings};
use crate::tell;

#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// A host with all its ports, or HOST:PORT
    host: String,
    /// The quiet time between two requests to it; robots.txt may ask for more
    #[arg(long, value_name = "TIME|auto")]
    delay: Option<String>,
    /// Requests under way at once, from 1 to 16
    #[arg(long, value_name = "N|auto", allow_negative_numbers = true)]
    connections: Option<String>,
    /// Judge its URLs as if this were the scope of the crawl
    #[arg(long, value_name = "SCOPE|auto")]
    scope: Option<String>,
    /// Requests in all
    #[arg(long, value_name = "N|none", allow_negative_numbers = true)]
    budget: Option<String>,
    /// Ask nothing of it; its queue is kept
    #[arg(long, conflicts_with = "unblock")]
    block: bool,
    /// Go on with it
    #[arg(long)]
    unblock: bool,
    /// Show what holds for it as a JSON object
    #[arg(long)]
    json: bool,
}

/// What holds for a site, whoever said so.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Holds {
    site: String,
    /// None: one second, or five times what the last fetch took.
    delay_ms: Option<u64>,
    connections: u8,
    scope: String,
    budget: Option<u64>,
    block: bool,
    /// What of it was set for this site.
    own: Vec<&'static str>,
}

impl Holds {
    fn new(settings: &Settings, site: &str) -> Result<Self, Fault> {
        sites::check_name(site)?;
        let url = CanonUrl::parse(&format!("http://{site}/")).expect("a name is a host");
        // A host speaks for its ports.
        let own = settings.site.get(site).or_else(|| settings.site.get(url.host()));
        let own = own.cloned().unwrap_or_default();
        let crawl = Settings::defaults();
        let delay = [&own.delay, &settings.delay].into_iter().flatten().next();
        let delay = delay.filter(|text| *text != "auto").map(|text| duration(text)).transpose();
        let delay = delay.map_err(|why| Fault::usage(why, "mend crawl.toml"))?;
        let scope = [&own.scope, &settings.scope, &crawl.scope].into_iter().flatten().next();
        Ok(Self {
            site: site.to_owned(),
            delay_ms: delay.map(|delay| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)),
            connections: own.connections.or(settings.host_connections).unwrap_or(1),
            scope: scope.cloned().unwrap_or_default(),
            budget: own.budget,
            block: own.block == Some(true),
            own: keys(&own),
        })
    }

    fn text(&self) -> String {
        let by = |key: &str| if self.own.contains(&key) { "" } else { "  (of the crawl)" };
        let delay = self.delay_ms.map_or_else(
            || "auto: 1s, or five times the last fetch".to_owned(),
            |ms| humantime::format_duration(std::time::Duration::from_millis(ms)).to_string(),
        );
        let budget = self.budget.map_or_else(|| "none".to_owned(), grouped);
        [
            self.site.clone(),
            format!("  delay        {delay}{}", by("delay")),
            format!("  connections  {}{}", self.connections, by("connections")),
            format!("  scope        {}{}", self.scope, by("scope")),
            format!("  budget       {budget}"),
            format!("  blocked      {}", if self.block { "yes" } else { "no" }),
        ]
        .join("\n")
    }
}

fn keys(own: &SiteSettings) -> Vec<&'static str> {
    let SiteSettings { delay, connections, scope, budget, block } = own;
    let set = [
        delay.is_some(),
        connections.is_some(),
        scope.is_some(),
        budget.is_some(),
        block.is_some(),
    ];
    sites::KEYS.into_iter().zip(set).filter_map(|(key, is_set)| is_set.then_some(key)).collect()
}

pub(crate) fn site(args: SiteArgs) -> Result<ExitCode, Fault> {
    let SiteArgs { dir, host, delay, connections, scope, budget, block, unblock, json } = args;
    let block = (block || unblock).then_some(block);
    let change = SiteChange { delay, connections, scope, budget, block };
    let mut settings = home::settings(&dir)?;
    if change != SiteChange::default() {
        // What is wrong in any case is said without asking.
        sites::changed(&settings.site, &host, &change)?;
        change_it(&dir, &host, &change)?;
        settings = home::settings(&dir)?;
    }
    let holds = Holds::new(&settings, &host)?;
    if json {
        print(&holds)?;
    } else {
        print_text(&holds.text())?;
    }
    tell_apart(&settings, &host);
    Ok(ExitCode::SUCCESS)
}

fn change_it(dir: &Path, host: &str, change: &SiteChange) -> Result<(), Fault> {
    let question = Question::Site { site: host.to_owned(), change: change.clone() };
    match rest::find(dir, &question)? {
        Found::Running(reply) => tell(&done(dir, reply)?),
        Found::AtRest(home, settings) => {
            change_at_rest(&home, *settings, host, change)?;
            tell(&format!("no rhumb works on {}: it holds from the next start", dir.display()));
        }
    }
    Ok(())
}

/// Changes what holds for a site in a crawl that nobody works on.
pub(crate) fn change_at_rest(
    home: &Home,
    mut settings: Settings,
    host: &str,
    change: &SiteChange,
) -> Result<(), Fault> {
    settings.site = sites::changed(&settings.site, host, change)?;
    home.save(&settings)
}

/// A section of a port stands alone, which is easily overlooked.
fn tell_apart(settings: &Settings, site: &str) {
    for (host, port) in sites::apart(&settings.site, site) {
        tell(&format!("note: {port} has settings of its own; those of {host} do not hold for it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_what_holds() {
        let mut settings = Settings::defaults();
        let own = SiteSettings { delay: Some("90s".to_owned()), ..SiteSettings::default() };
        settings.site.insert("a.example".to_owned(), own);
        let holds = Holds::new(&settings, "a.example:81").expect("a name");
        assert_eq!(
            holds,
            Holds {
                site: "a.example:81".to_owned(),
                delay_ms: Some(90_000),
                connections: 1,
                scope: "host".to_owned(),
                budget: None,
                block: false,
                own: vec!["delay"],
            }
        );
        assert!(holds.text().contains("delay        1m 30s\n"), "{}", holds.text());
        assert!(holds.text().contains("scope        host  (of the crawl)\n"), "{}", holds.text());
        let other = Holds::new(&settings, "b.example").expect("a name");
        assert_eq!((other.delay_ms, other.own), (None, Vec::new()));
        assert!(Holds::new(&settings, "https://a.example/").is_err());
    }
}
