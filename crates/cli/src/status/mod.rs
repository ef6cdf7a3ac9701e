//! `rhumb status`: how a crawl stands, now or second by second, whether it runs or not.

mod metrics;
mod page;
#[cfg(test)]
mod tests;
mod traps;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use rhumb_crawl::ask::{Activity, Status, stopped};
use rhumb_crawl::control::{Question, Reply};
use tokio::time::MissedTickBehavior;

use crate::fault::Fault;
use crate::rest::{self, Found};
use crate::screen::{self, Canvas, Line, Live};

pub(crate) use metrics::{bind, serve};

/// How often `--watch` looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// So many looks in a row may find nothing while a crawl ends; each of them is patient.
const BLIND_LOOKS_MAX: u32 = 6;
/// Text that goes to no terminal is as wide as most of them are.
const COLUMNS: usize = 80;
/// A wider line is harder to read, not easier.
const COLUMNS_MAX: usize = 110;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The folder of a crawl
    dir: PathBuf,
    /// Look again every second, until the crawl ends
    #[arg(short, long)]
    watch: bool,
    /// List the templates of URLs that were taken for traps
    #[arg(long, conflicts_with = "watch")]
    traps: bool,
    /// Tell it as a JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn command(args: &StatusArgs) -> Result<ExitCode, Fault> {
    if args.traps {
        traps::show(args, &traps::look(&args.dir)?)?;
    } else if args.watch {
        watch(args)?;
    } else {
        show(args, &look(&args.dir)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints it as data.
fn show(args: &StatusArgs, status: &Status) -> std::io::Result<()> {
    if args.json {
        return screen::print(status);
    }
    let live = Live::on(&std::io::stdout());
    let columns = if live == Live::No { COLUMNS } else { screen::size().0.min(COLUMNS_MAX) };
    let mut text = String::new();
    for line in lines(args, status, columns) {
        text.push_str(&line.paint(columns, live == Live::Coloured));
        text.push('\n');
    }
    std::io::stdout().lock().write_all(text.as_bytes())
}

fn lines(args: &StatusArgs, status: &Status, columns: usize) -> Vec<Line> {
    page::render(&args.dir.to_string_lossy(), status, columns)
}

/// Looks every second, until the crawl ends or the user has seen enough.
fn watch(args: &StatusArgs) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Fault::failed(format!("cannot start: {error}"), "a system with room for it")
    })?;
    let mut drawn = None;
    let watched = runtime.block_on(async {
        tokio::select! {
            // Looked at first, so that an end is an end even while an answer is there.
            biased;
            _ = tokio::signal::ctrl_c() => Ok(()),
            watched = follow(args, &mut drawn) => watched,
        }
    });
    // A look that is under way is not waited for.
    runtime.shutdown_background();
    // What was drawn is gone from the terminal; the last of it stays there as text.
    if let Some(status) = drawn {
        show(args, &status)?;
    }
    watched
}

/// Shows every look; what is drawn on a terminal stays in `drawn`.
async fn follow(args: &StatusArgs, drawn: &mut Option<Status>) -> Result<(), Fault> {
    let live = if args.json { Live::No } else { Live::on(&std::io::stdout()) };
    // It is drawn on stderr: both must be the user's terminal.
    let live = if Live::here() == Live::No { Live::No } else { live };
    let mut canvas = (live != Live::No).then(|| Canvas::new(live == Live::Coloured));
    let mut every = tokio::time::interval(LOOK_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last_size = screen::size();
    // The first look must succeed.
    let mut blind_looks = BLIND_LOOKS_MAX;
    loop {
        every.tick().await;
        let dir = args.dir.clone();
        let looked = tokio::task::spawn_blocking(move || look(&dir)).await;
        let status = match looked.map_err(std::io::Error::other)? {
            // Its door is closed, and it is not gone yet: soon a look finds it at rest.
            Err(_) if blind_looks < BLIND_LOOKS_MAX => {
                blind_looks += 1;
                continue;
            }
            looked => looked?,
        };
        blind_looks = 0;
        if let Some(canvas) = &mut canvas {
            let size = screen::size();
            if drawn.is_some() && size != last_size {
                canvas.wipe();
            }
            last_size = size;
            let (columns, rows) = (size.0.min(COLUMNS_MAX), size.1);
            let mut lines = lines(args, &status, columns);
            // The last row is for the cursor.
            lines.truncate(rows.saturating_sub(1));
            canvas.draw(&lines, columns);
        } else {
            show(args, &status)?;
        }
        let is_over = status.state != Activity::Running;
        if canvas.is_some() {
            *drawn = Some(status);
        }
        if is_over {
            return Ok(());
        }
    }
}

/// How the crawl in a folder stands: it says so itself if it runs, and is read if it does not.
fn look(folder: &Path) -> Result<Status, Fault> {
    match rest::find(folder, &Question::Status)? {
        Found::Running(Reply::Status(status)) => Ok(*status),
        Found::Running(_) => Err(rest::beside_the_point(folder)),
        Found::AtRest(home, settings) => {
            let plan = rest::plan(&home, *settings)?;
            stopped::status(&plan.engine).map_err(rest::unreadable(folder))
        }
    }
}
