//! `rhumb export`: prints what a crawl has kept.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::fault::Fault;

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
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One page a line
    Jsonl,
}

pub(crate) fn command(args: &ExportArgs) -> Result<ExitCode, Fault> {
    let Format::Jsonl = args.to;
    let path = args.dir.join(crate::crawl::PAGES_NAME);
    let mut pages = File::open(&path).map_err(|error| {
        Fault::usage(
            format!("{} holds no crawl: {error}", args.dir.display()),
            "the folder that `rhumb crawl -o DIR` was given",
        )
    })?;
    match &args.output {
        Some(path) => {
            let fault = |error| Fault::file("write", path.display(), &error);
            let mut file = File::create_new(path).map_err(fault)?;
            std::io::copy(&mut pages, &mut file).map_err(fault)?;
        }
        None => {
            let mut stdout = std::io::stdout().lock();
            std::io::copy(&mut pages, &mut stdout)?;
            stdout.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
