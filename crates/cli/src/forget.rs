//! `rhumb forget`: a takedown. A host or a URL goes from every file of a crawl, for good.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use rhumb_archive::ArchiveError;
use rhumb_crawl::forget::{Forgot, Target, forget};
use rhumb_crawl::shell::CrawlError;
use rhumb_web::{Canon, CanonUrl, Scheme, UrlError};
use serde::Serialize;

use crate::crawl::{Plan, canon, engine_fault};
use crate::fault::Fault;
use crate::home::{self, Holder, Home};
use crate::indexing;
use crate::quantity::counted;
use crate::screen::{self, Voice};
use crate::settings::Settings;
use crate::{tell, word};

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The folder of a crawl that does not run
    dir: PathBuf,
    /// What to forget: a URL with its scheme, or a host (all its ports; its subdomains are hosts
    /// of their own), or host:port
    #[arg(value_name = "URL|HOST")]
    target: String,
    /// Tell what went as a JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// What `--json` tells.
#[derive(Debug, Serialize)]
struct Told<'a> {
    target: &'a str,
    kind: &'static str,
    records: u64,
    urls: u64,
    queued: u64,
    seeds: u64,
    files: u64,
    time: String,
}

pub(crate) fn command(args: &ForgetArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.as_path();
    let stored = home::settings(folder)?;
    let target = read(&args.target, canon(&stored))?;
    let again = again(folder, &args.target);
    let holder =
        home::holder(folder).map_err(|error| Fault::file("look into", folder.display(), &error))?;
    if holder != Holder::Nobody {
        let stop = word::quoted(&folder.to_string_lossy());
        return Err(Fault::usage(
            format!("a rhumb works on {}: nothing can be taken out of it now", folder.display()),
            format!("rhumb stop {stop}, then the same again"),
        ));
    }
    let Some((home, stored)) = Home::open(folder)? else {
        return Err(Fault::usage(format!("{} holds no crawl", folder.display()), again));
    };
    // Its settings go first: whatever ends this, no later start finds them there.
    let settings = without(&target, &stored);
    let seeds = stored.seeds.len() - settings.seeds.len();
    let seeds = u64::try_from(seeds).expect("a length fits 64 bits");
    if settings != stored {
        home.save(&settings)?;
    }
    // The index holds words of what is forgotten, and is made again from what is left.
    indexing::discard(folder)?;
    let urls =
        crate::seeds::canonical(settings.seeds.iter().map(String::as_str), canon(&settings))?;
    let text = settings.text();
    let quiet = Voice::new(false, true, false);
    let mut plan = Plan::new(&settings.over(Settings::defaults()), urls, quiet)?;
    folder.clone_into(&mut plan.engine.folder);
    let forgot = forget(&plan.engine, &target).map_err(|error| fault(&error, folder, &again))?;
    if args.json {
        screen::print(&told(&target, &forgot, seeds))?;
    } else {
        tell(&said(&target, &forgot, seeds));
    }
    let keys = keys_with(&text, name(&target));
    if !keys.is_empty() {
        tell(&format!(
            "crawl.toml still names it, in {}: that is yours to change",
            keys.join(", ")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn fault(error: &CrawlError, folder: &Path, again: &str) -> Fault {
    let CrawlError::Archive(ArchiveError::Damaged { file, .. }) = error else {
        return engine_fault(error, folder, Some(again));
    };
    let file = word::quoted(&file.to_string_lossy());
    let advice = format!("put {file} back from a copy, or move it out of the folder, then {again}");
    Fault::failed(error.to_string(), advice)
}

fn again(folder: &Path, target: &str) -> String {
    format!("rhumb forget {} {}", word::quoted(&folder.to_string_lossy()), word::quoted(target))
}

/// A URL, or the name of a host.
fn read(text: &str, canon: Canon) -> Result<Target, Fault> {
    let wrong = |why: &str| {
        Fault::usage(
            format!("{text:?} is no URL and no host: {why}"),
            "https://example.org/page, example.org or example.org:8080",
        )
    };
    if text.contains("://") {
        let url = CanonUrl::parse_with(text, canon).map_err(|error| wrong(&error.to_string()))?;
        if url.path() == "/robots.txt" {
            return Err(Fault::usage(
                format!("{url} is asked for as long as its host is visited"),
                format!("the whole host: {}", url.authority()),
            ));
        }
        return Ok(Target::Url(url));
    }
    if let Some(odd) = text.chars().find(|c| "/?#@\\".contains(*c) || c.is_whitespace()) {
        return Err(wrong(&format!("a host has no {odd:?}, and a URL begins with its scheme")));
    }
    Ok(Target::Site(site_name(text).map_err(|error| wrong(&error.to_string()))?))
}

/// The name of a site as the crawl knows it, from `host` or `host:port` as people write it. A port
/// that one of the schemes need not mention is no part of it.
pub(crate) fn site_name(text: &str) -> Result<String, UrlError> {
    let read = |scheme: Scheme| CanonUrl::parse(&format!("{}{text}/", scheme.prefix()));
    let (plain, secure) = (read(Scheme::Http)?, read(Scheme::Https)?);
    let shorter = [plain.authority(), secure.authority()].into_iter().min_by_key(|it| it.len());
    Ok(shorter.unwrap_or_default().to_owned())
}

fn name(target: &Target) -> &str {
    match target {
        Target::Site(name) => name,
        Target::Url(url) => url.as_str(),
    }
}

/// Settings without the seeds and the sections of what is forgotten.
fn without(target: &Target, stored: &Settings) -> Settings {
    let mut settings = stored.clone();
    let canon = canon(stored);
    settings.seeds.retain(|seed| {
        let url = CanonUrl::parse_with(seed, canon);
        url.map_or(true, |url| match target {
            Target::Site(name) => url.authority() != name && url.host() != name,
            Target::Url(forgotten) => url != *forgotten,
        })
    });
    if let Target::Site(name) = target {
        let on_a_port = format!("{name}:");
        settings.site.retain(|site, _| site != name && !site.starts_with(&on_a_port));
    }
    settings
}

/// The keys of a settings file whose values have this in them.
fn keys_with<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let lines = text.lines().filter(|line| line.contains(name));
    lines.filter_map(|line| line.split_once(" = ").map(|(key, _)| key)).collect()
}

fn said(target: &Target, forgot: &Forgot, seeds: u64) -> String {
    let name = name(target);
    let Forgot { records, files, orphaned, urls, queued } = *forgot;
    let went: Vec<String> = [
        (records, "record of the archive", "records of the archive"),
        (urls, "URL that was fetched or given up", "URLs that were fetched or given up"),
        (queued, "URL that waited", "URLs that waited"),
        (seeds, "seed", "seeds"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, more)| plural(count, one, more))
    .collect();
    let mut lines = if went.is_empty() {
        vec![format!("nothing of {name} was here")]
    } else {
        let anew = counted(files, "file");
        vec![format!("{name} is gone: {} ({anew} of the archive written anew)", went.join(", "))]
    };
    if orphaned > 0 {
        let records = counted(orphaned, "record");
        lines.push(format!("{records} of others had the same payload, which could not be found"));
    }
    lines.push("it will not be fetched again; links to it in other pages stay there".to_owned());
    lines.join("\n")
}

fn plural(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", crate::quantity::grouped(count), if count == 1 { one } else { more })
}

fn told<'a>(target: &'a Target, forgot: &Forgot, seeds: u64) -> Told<'a> {
    let kind = match target {
        Target::Site(_) => "host",
        Target::Url(_) => "url",
    };
    let Forgot { records, files, urls, queued, .. } = *forgot;
    let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    Told { target: name(target), kind, records, urls, queued, seeds, files, time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        let read = read(text, Canon::Full);
        assert_eq!(read.as_ref().ok().map(name), expect, "{text}: {read:?}");
    }

    #[test]
    fn hosts_and_urls_are_told_apart() {
        check("example.org", Some("example.org"));
        check("EXAMPLE.org:8080", Some("example.org:8080"));
        check("example.org:443", Some("example.org"));
        check("example.org:80", Some("example.org"));
        check("bücher.example", Some("xn--bcher-kva.example"));
        check("[::1]:81", Some("[::1]:81"));
        check("HTTPS://Example.org/a?utm_source=x", Some("https://example.org/a"));
        check("example.org/page", None);
        check("user@example.org", None);
        check("two words", None);
        check("", None);
        check("ftp://example.org/", None);
        check("https://example.org/robots.txt", None);
        assert!(matches!(read("https://e.org", Canon::Full), Ok(Target::Url(_))));
        assert!(matches!(read("e.org", Canon::Full), Ok(Target::Site(_))));
    }

    #[test]
    fn seeds_and_sections_of_it_leave_the_settings_and_no_others() {
        let seeds = ["http://a.example/", "https://a.example:8443/x", "http://b.example/"];
        let mut stored = Settings {
            seeds: seeds.map(str::to_owned).to_vec(),
            exclude: vec!["a\\.example".to_owned(), "see a.example".to_owned()],
            ..Settings::default()
        };
        for site in ["a.example", "a.example:8443", "aa.example", "a.example.org"] {
            stored.site.insert(site.to_owned(), crate::sites::SiteSettings::default());
        }
        let host = without(&Target::Site("a.example".to_owned()), &stored);
        assert_eq!(host.seeds, ["http://b.example/"]);
        assert_eq!(host.site.keys().collect::<Vec<_>>(), ["a.example.org", "aa.example"]);
        let port = without(&Target::Site("a.example:8443".to_owned()), &stored);
        assert_eq!(port.seeds, ["http://a.example/", "http://b.example/"]);
        assert_eq!(port.site.len(), 3);
        let url = CanonUrl::parse("http://b.example").expect("a URL");
        let url = without(&Target::Url(url), &stored);
        assert_eq!(url.seeds, seeds[..2]);
        assert_eq!(url.site.len(), 4);
        assert_eq!(keys_with(&host.text(), "a.example"), ["exclude"]);
    }

    #[test]
    fn what_went_is_counted_and_nothing_is_said_as_such() {
        let target = Target::Site("a.example".to_owned());
        let nothing = said(&target, &Forgot::default(), 0);
        assert!(nothing.starts_with("nothing of a.example was here\n"), "{nothing}");
        let forgot = Forgot { records: 1, urls: 2_000, files: 2, ..Forgot::default() };
        let text = said(&target, &forgot, 1);
        assert!(text.contains("1 record of the archive, 2,000 URLs that were"), "{text}");
        assert!(text.contains("1 seed (2 files of the archive written anew)"), "{text}");
    }
}
