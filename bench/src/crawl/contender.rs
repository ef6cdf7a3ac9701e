//! Who crawls: ours, as a user types it, or a peer.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rhumb_testweb::Served;

use super::setting::Setting;
use crate::peers::{Peer, Web};

/// A crawler that is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contender {
    /// Ours.
    Rhumb,
    /// Another.
    Peer(Peer),
}

impl Contender {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rhumb => "rhumb",
            Self::Peer(peer) => peer.name(),
        }
    }

    /// Its version, without a comma.
    pub fn version(self) -> String {
        let version = match self {
            Self::Rhumb => rhumb_version(),
            Self::Peer(peer) => peer.version(),
        };
        version.replace(',', " ")
    }

    /// The command that crawls all of the web into `folder`.
    pub fn command(
        self,
        served: &Served,
        folder: &Path,
        setting: &Setting,
    ) -> Result<Command, String> {
        match self {
            Self::Rhumb => rhumb(served, folder, setting),
            Self::Peer(peer) => peer.command(served, folder, setting.kind()),
        }
    }
}

/// Where the program is: `RHUMB`, or what `cargo x bench` has built.
pub fn program() -> PathBuf {
    std::env::var_os("RHUMB").map_or_else(|| "target/release/rhumb".into(), PathBuf::from)
}

/// Where our archive lies below the folder of a run.
pub fn archive(folder: &Path) -> PathBuf {
    folder.join("crawl/archive")
}

fn rhumb_version() -> String {
    let said = Command::new(program()).arg("--version").stdin(Stdio::null()).output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = said.unwrap_or_default().split_whitespace().nth(1).map(str::to_owned);
    version.unwrap_or_else(|| "unknown".to_owned())
}

/// Everything on: archive, digests and log with the durability that is the default. Only what
/// polite crawling waits for is lifted.
fn rhumb(served: &Served, folder: &Path, setting: &Setting) -> Result<Command, String> {
    let mut command = Command::new(program());
    command.arg("crawl").args(served.seeds()).arg("-o").arg(folder.join("crawl"));
    command.args(["--scope", "any", "--contact", "bench@example.org", "--allow-private"]);
    command.arg("--dns").arg(served.dns().to_string());
    command.args(["--delay", "0s", "--ip-delay", "0s", "--tries", "1", "-q"]);
    if setting.kind() == Web::Single {
        command.args(["--host-connections", "16"]);
    }
    if setting.https {
        let authority = folder.join("ca.pem");
        std::fs::write(&authority, served.ca_pem())
            .map_err(|e| format!("cannot write {}: {e}", authority.display()))?;
        command.env("SSL_CERT_FILE", authority);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}
