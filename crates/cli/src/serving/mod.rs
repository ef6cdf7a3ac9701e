//! `rhumb serve` and `--serve`: the pages of a crawl, on threads of their own.
//!
//! There is one way, whoever works on the crawl: its process is asked through the socket in its
//! folder, and a crawl at rest is read where it lies.

mod door;
mod keeper;

use std::fs::File;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use rhumb_index::Searches;
use rhumb_serve::{House, HouseSettings, Listener};
use tokio::runtime::Runtime;

use crate::agent::Agent;
use crate::crawl::{ARCHIVE_NAME, canon, cloaking_sample};
use crate::fault::Fault;
use crate::settings::Settings;
use crate::{address, home, indexing, search, tell};

use door::Door;
use keeper::Keeper;

/// Where pages are served unless the user says otherwise: this machine only.
const USUAL: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7_700));
/// Where the user may put a token of their own.
const TOKEN_VARIABLE: &str = "RHUMB_TOKEN";
/// Where the system has numbers that nobody can guess.
const CHANCE: &str = "/dev/urandom";
const TOKEN_CHARS_MIN: usize = 16;
/// Threads that answer, and threads that may wait for a disk or the crawl.
const THREADS: usize = 2;
const WAITING_THREADS_MAX: usize = 24;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The folder of a crawl, which may be running
    dir: PathBuf,
    /// Answer on this address; on another one than this machine's own, changes need a token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7700")]
    listen: String,
}

pub(crate) fn command(args: &ServeArgs) -> Result<ExitCode, Fault> {
    let folder = args.dir.as_path();
    home::is_there(folder)?;
    let Some(listener) = address::take("--listen", Some(&args.listen), USUAL)? else {
        return Err(Fault::usage(
            "--listen: there must be an address",
            format!("--listen={USUAL}"),
        ));
    };
    // What a crawl at rest has is in the index before the first search.
    search::catch_up(folder)?;
    let settings = home::settings(folder)?;
    let _serving = Serving::start(listener, folder, &settings, Searches::default())?;
    until_interrupted()?;
    Ok(ExitCode::SUCCESS)
}

/// Takes the address that the user wants pages on; none if none is wanted.
pub(crate) fn bind(settings: &Settings) -> Result<Option<Listener>, Fault> {
    address::take("--serve", settings.serve.as_deref(), USUAL)
}

/// Waits for the user to have seen enough.
pub(crate) fn until_interrupted() -> Result<(), Fault> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| no_threads(&error))?;
    runtime.block_on(async {
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        Ok(())
    })
}

/// Pages that are served for as long as this lives.
pub(crate) struct Serving {
    address: SocketAddr,
    runtime: Option<Runtime>,
    _keeper: Keeper,
}

impl Serving {
    /// Serves the crawl in a folder, and says where.
    pub(crate) fn start(
        listener: Listener,
        folder: &Path,
        settings: &Settings,
        searches: Searches,
    ) -> Result<Self, Fault> {
        // What is told by others than us names this folder, whatever the user called it.
        let folder = folder
            .canonicalize()
            .map_err(|error| Fault::file("look into", folder.display(), &error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(WAITING_THREADS_MAX)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(|error| no_threads(&error))?;
        let address = listener.address();
        let token = (!address.ip().is_loopback()).then(token).transpose()?;
        let name = settings.agent.as_deref().unwrap_or("rhumb");
        let agent = Agent::new(name, settings.contact.as_deref())?;
        let furniture = HouseSettings {
            archive: folder.join(ARCHIVE_NAME),
            index: folder.join(indexing::FOLDER),
            canon: canon(settings),
            agent: agent.header,
            agent_token: agent.token,
            contact: settings.contact.clone(),
            is_disguised: cloaking_sample(settings)? > 0,
            token: token.clone(),
            searches: searches.clone(),
            folder: folder.clone(),
        };
        let keeper = Keeper::start(folder.clone(), searches);
        let house = House::new(furniture, Arc::new(Door::new(folder, keeper.is_reading())));
        runtime.spawn(Arc::clone(&house).watch());
        runtime.spawn(async move {
            // A system that refuses the socket to us loses its pages, not its crawl.
            drop(listener.serve(rhumb_serve::router(house)).await);
        });
        tell(&format!("serving: http://{address}/"));
        if let Some(token) = token {
            tell(&format!("whoever changes something needs this token: {token}"));
        }
        Ok(Self { address, runtime: Some(runtime), _keeper: keeper })
    }
}

impl Serving {
    /// Where.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The token of the user, or one that is drawn.
fn token() -> Result<String, Fault> {
    match std::env::var(TOKEN_VARIABLE) {
        Ok(token) if token.chars().count() >= TOKEN_CHARS_MIN && token.is_ascii() => Ok(token),
        Ok(_) => Err(Fault::usage(
            format!("the token in {TOKEN_VARIABLE} is too short, or no plain text"),
            format!("at least {TOKEN_CHARS_MIN} letters and digits, or none: then one is drawn"),
        )),
        Err(_) => {
            let mut drawn = [0; 16];
            let drawing = File::open(CHANCE).and_then(|mut chance| chance.read_exact(&mut drawn));
            drawing.map_err(|error| Fault::file("read", CHANCE, &error))?;
            Ok(format!("{:032x}", u128::from_le_bytes(drawn)))
        }
    }
}

fn no_threads(error: &std::io::Error) -> Fault {
    Fault::failed(format!("cannot start threads: {error}"), "a system with room for them")
}
