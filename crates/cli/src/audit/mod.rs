//! `rhumb audit`: what a crawl did to every host, proven from its archive alone.

mod json;
mod text;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rhumb_crawl::audit::{self, Audit, AuditError, RequestLine};
use rhumb_serve::report::{self, Gathered};

use crate::fault::{FAILED, Fault};
use crate::forget::site_name;
use crate::printable::printable;
use crate::quantity::counted;
use crate::tell;
use crate::word::quoted;

#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 no violations, 1 violations or an archive that cannot be \
                        read in full, 2 wrong usage.")]
pub(crate) struct AuditArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// One host only
    host: Option<String>,
    /// One JSON object a host, the last one for all of them
    #[arg(long)]
    json: bool,
    /// A page that can be sent to a webmaster: where to write it, or - for stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "requests"])]
    html: Option<PathBuf>,
    /// List every request too
    #[arg(long)]
    requests: bool,
}

pub(crate) fn command(args: &AuditArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.join(crate::crawl::ARCHIVE_NAME);
    if !folder.is_dir() {
        return Err(Fault::usage(
            format!("{} holds no crawl", args.dir.display()),
            "the folder that `rhumb crawl -o DIR` was given",
        ));
    }
    let fault = |error: AuditError| failed(&args.dir, &error);
    let host = args.host.as_deref().map(bare_host);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let mut page = Gathered::default();
    let mut each = |request: &RequestLine<'_>| {
        if args.html.is_some() && host.is_some() {
            page.gather(request);
        }
        if args.requests && written.is_ok() {
            written = if args.json {
                json::request(&mut out, request)
            } else {
                text::request(&mut out, request)
            };
        }
    };
    let audited = audit::audit(&folder, host.as_deref(), &mut each);
    let audit = audited.map_err(fault)?;
    written?;
    if let Some(host) = host.as_deref().filter(|_| audit.hosts.is_empty()) {
        out.flush()?;
        return Err(Fault::failed(
            format!("the archive of {} has no request to {host}", args.dir.display()),
            format!("rhumb audit {}, for the hosts that it has", shown(&args.dir)),
        ));
    }
    match &args.html {
        Some(path) if path == Path::new("-") => {
            out.write_all(report::page(&audit, &page).as_bytes())?;
        }
        Some(path) => {
            let written = create(path)?.write_all(report::page(&audit, &page).as_bytes());
            written.map_err(|error| Fault::file("write", path.display(), &error))?;
            text::write(&mut out, &audit)?;
        }
        None if args.json => json::write(&mut out, &audit)?,
        None => text::write(&mut out, &audit)?,
    }
    out.flush()?;
    warn(&audit, &args.dir);
    Ok(if audit.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// What stands between the figures and a proof.
fn warn(audit: &Audit, dir: &Path) {
    if let Some(flaw) = &audit.first_flaw {
        let places = counted(audit.unreadable, "place");
        tell(&format!(
            "warning: {places} of the archive cannot be read, so nothing is proven of them; the \
            first: {flaw}\n  try: rhumb export {} --to warc --verify",
            shown(dir)
        ));
    }
    if audit.untold > 0 {
        tell(&format!(
            "warning: {} without their end and the gap that was set, as an earlier version kept \
            them: only robots.txt and its delay were checked, from beginning to beginning",
            counted(audit.untold, "request")
        ));
    }
    if audit.forgotten > 0 {
        tell(&format!(
            "warning: the robots.txt for {} was taken out by `rhumb forget`: whether it allowed \
            them is not known",
            counted(audit.forgotten, "request")
        ));
    }
    if audit.agents.len() > 1 {
        tell(&format!(
            "warning: the crawl went by the names {}; each request was judged by what robots.txt \
            says to the name that it was sent under",
            printable(&audit.agents.join(", "))
        ));
    }
}

fn failed(dir: &Path, error: &AuditError) -> Fault {
    let advice = match error {
        AuditError::Empty { .. } => "the folder of a crawl that has fetched something".to_owned(),
        AuditError::List { .. } | AuditError::Open { .. } => {
            format!("check the rights of {}", shown(dir))
        }
    };
    Fault::failed(error.to_string(), advice)
}

fn create(path: &Path) -> Result<File, Fault> {
    File::create_new(path).map_err(|error| {
        let shown = path.display();
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Fault::failed(format!("{shown} exists already"), "another name with --html");
        }
        Fault::file("write", shown, &error)
    })
}

/// A host, also out of a URL.
fn bare_host(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let name = rest.split('/').next().unwrap_or_default();
    site_name(name).unwrap_or_else(|_| name.to_ascii_lowercase())
}

fn shown(dir: &Path) -> String {
    quoted(&dir.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_taken_out_of_a_url_too() {
        let check = |text: &str, expect: &str| assert_eq!(bare_host(text), expect);
        check("Example.org", "example.org");
        check("https://example.org:8080/a?b", "example.org:8080");
        check("example.org/", "example.org");
        check("https://example.org:443/", "example.org");
        check("B\u{fc}cher.example", "xn--bcher-kva.example");
        check("[::1]:81", "[::1]:81");
        check("no host at all", "no host at all");
    }
}
