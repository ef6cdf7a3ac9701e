//! `rhumb export`: what a crawl has kept, in the format that is wanted.

pub(crate) mod graph;
mod jsonl;
mod warc;

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rhumb_crawl::ask::{Contents, stopped};
use rhumb_crawl::control::Question;
use rhumb_crawl::shell::CrawlError;
use rhumb_web::Canon;

use crate::crawl::ARCHIVE_NAME;
use crate::fault::{FAILED, Fault};
use crate::formats;
use crate::home::{self, Home};
use crate::quantity::counted;
use crate::rest::{self, Found};
use crate::settings::{FILE_NAME, Settings};
use crate::tell;
use crate::word;
use jsonl::Reading;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// Where to write it [default: stdout]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// With jsonl: robots.txt, sitemaps, redirects, errors and fetches without an answer too
    #[arg(long)]
    all: bool,
    /// With warc: write nothing, and check every record of every file
    #[arg(long)]
    verify: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One page a line
    Jsonl,
    /// The archive as one WARC file
    Warc,
    /// The link graph with ranks, one document a line
    Graph,
}

pub(crate) fn command(args: &ExportArgs) -> Result<ExitCode, Fault> {
    if (args.all && args.to != Format::Jsonl) || (args.verify && args.to != Format::Warc) {
        return Err(Fault::usage(
            "--all goes with --to jsonl, and --verify with --to warc",
            format!("rhumb export {} --to warc --verify", word::path(&args.dir)),
        ));
    }
    let files = files(&args.dir)?;
    if args.verify {
        if files.is_empty() {
            return Err(Fault::failed(
                format!("the archive of {} holds no WARC file", args.dir.display()),
                "the folder of a crawl that has fetched something",
            ));
        }
        let is_valid = warc::verify(&files)?;
        return Ok(if is_valid { ExitCode::SUCCESS } else { ExitCode::from(FAILED) });
    }
    // The crawl is ours as long as it is read.
    let (_home, reading) = match args.to {
        Format::Jsonl => {
            let (canon, documents) = (canon(&args.dir)?, formats::documents()?);
            let (home, contents) = contents(&args.dir).unzip();
            (home, Some(Reading { canon, all: args.all, contents, documents }))
        }
        Format::Warc | Format::Graph => (None, None),
    };
    match &args.output {
        Some(path) => {
            let file = File::create_new(path);
            let file = file.map_err(|error| taken(path, &error))?;
            write(args, &files, reading.as_ref(), BufWriter::new(file))?;
        }
        None => {
            write(args, &files, reading.as_ref(), BufWriter::new(std::io::stdout().lock()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes rows where it is said how pages are read, else the link graph or the archive.
fn write(
    args: &ExportArgs,
    files: &[PathBuf],
    reading: Option<&Reading>,
    mut out: impl Write,
) -> Result<(), Fault> {
    let faults = match reading {
        Some(reading) => jsonl::write(files, reading, &mut out)?,
        None if args.to == Format::Graph => {
            graph::write(&args.dir, &mut out)?;
            0
        }
        None => {
            warc::write(files, &mut out)?;
            0
        }
    };
    out.flush()?;
    if faults > 0 {
        let dir = args.dir.display();
        return Err(Fault::failed(
            format!("the archive of {dir} has {}: rows may be missing", counted(faults, "fault")),
            format!("rhumb export {} --to warc --verify", word::path(&args.dir)),
        ));
    }
    Ok(())
}

/// What a crawl knows of its pages beside the archive. A crawl that runs keeps it for itself, and
/// an archive alone has none.
fn contents(folder: &Path) -> Option<(Home, Contents)> {
    if !folder.join(FILE_NAME).exists() {
        return None;
    }
    let why = match open(folder) {
        Ok(Some(found)) => return Some(found),
        Ok(None) => "the crawl runs".to_owned(),
        Err(Fault::Loud { what, .. }) => what,
        Err(Fault::Quiet(_)) => return None,
    };
    tell(&format!("note: {why}: only pages with the same bytes as another are told to be copies"));
    None
}

/// Takes a crawl and what it knows; nothing of one that runs.
fn open(folder: &Path) -> Result<Option<(Home, Contents)>, Fault> {
    let Found::AtRest(home, settings) = rest::find(folder, &Question::Status)? else {
        return Ok(None);
    };
    let plan = rest::plan(&home, *settings)?;
    let contents = stopped::contents(&plan.engine).map_err(|error| match error {
        // A crawl of the first version knew nothing of its pages.
        CrawlError::NoCrawl(_) => Fault::Quiet(ExitCode::SUCCESS),
        error => rest::unreadable(folder)(error),
    })?;
    Ok(Some((home, contents)))
}

/// How the crawl wrote its URLs; an archive without settings is taken to be one of the usual kind.
fn canon(folder: &Path) -> Result<Canon, Fault> {
    let path = folder.join(FILE_NAME);
    let settings = if path.exists() { Settings::read(&path)? } else { Settings::default() };
    Ok(crate::crawl::canon(&settings))
}

/// A place that cannot be written to.
fn taken(path: &Path, error: &std::io::Error) -> Fault {
    let shown = path.display();
    if error.kind() == ErrorKind::AlreadyExists {
        return Fault::failed(format!("{shown} exists already"), "another path with -o PATH");
    }
    Fault::file("write", shown, error)
}

/// The WARC files of a crawl in the order in which they were written; one that grows still, too.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let archive = folder.join(ARCHIVE_NAME);
    let fault = |error| Fault::file("look into", folder.display(), &error);
    match archive.metadata() {
        Ok(found) if found.is_dir() => rhumb_archive::files(&archive).map_err(fault),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(fault(error)),
        _ => Err(home::no_crawl(folder)),
    }
}

/// A file of the archive that could not be read.
fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::failed(format!("cannot read {}: {error}", path.display()), "check the file's rights")
}
