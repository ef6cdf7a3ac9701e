//! The control socket of a running crawl: one question a line, one answer a line, both JSON.
//!
//! A crawl locks its folder, so whoever wants to know or to change something asks the process that
//! works on it, through `control.sock` in that folder. [`listen`] is that process's end, [`ask`]
//! the other one. The socket belongs to the user of the crawl alone, and is no door to the web:
//! it never leaves the machine.
//!
//! Nothing here knows what an answer is made of, and nobody can hold up the crawl: lines,
//! connections and waits are bounded.

mod asking;
mod listener;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::ask::{SitesPage, SitesWanted, Status, Suspect, Why};

pub use asking::ask;
pub use listener::{Listener, listen};

/// The socket in a crawl's folder.
pub const SOCKET_NAME: &str = "control.sock";
/// The longest question, in bytes.
pub const QUESTION_BYTES_MAX: usize = 64 << 10;

/// What a running crawl is asked, or told to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    /// How does it stand?
    Status,
    /// What became of a URL?
    Why {
        /// Which.
        url: String,
    },
    /// Which templates were taken for traps?
    Traps,
    /// Which sites are there?
    Sites(SitesWanted),
    /// These are seeds too.
    Submit {
        /// Which.
        urls: Vec<String>,
    },
    /// Start no more fetches.
    Pause,
    /// Go on with them.
    Resume,
    /// End in good order.
    Stop,
    /// Change what holds for one site.
    Site {
        /// A host with all its ports, or `host:port`.
        site: String,
        /// What is to hold for it.
        change: SiteChange,
    },
}

/// What is to hold for one site, in the words of users; what is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SiteChange {
    /// The quiet time between two requests, as in `5s`; `auto`: that of the crawl.
    pub delay: Option<String>,
    /// Requests under way at once, as in `2`; `auto`: those of the crawl.
    pub connections: Option<String>,
    /// `page`, `prefix`, `host`, `domain` or `any`; `auto`: that of the crawl.
    pub scope: Option<String>,
    /// Requests in all, as in `1000`; `none`: without an end.
    pub budget: Option<String>,
    /// Whether nothing is asked of it.
    pub block: Option<bool>,
}

/// What a running crawl answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// How it stands.
    Status(Box<Status>),
    /// What became of a URL.
    Why(Box<Why>),
    /// Templates that were taken for traps.
    Traps {
        /// Those with the most refused first.
        suspects: Vec<Suspect>,
    },
    /// The sites.
    Sites(SitesPage),
    /// It has done so.
    Done {
        /// What there is to say of it.
        message: String,
    },
    /// It has not.
    Refused {
        /// Why.
        what: String,
        /// What would work.
        advice: String,
    },
}

/// A way to the socket that is short enough for any folder (`sun_path` has 108 bytes); it holds
/// as long as the file does.
fn short_path(folder: &Path) -> io::Result<(File, PathBuf)> {
    let held = File::open(folder)?;
    let path = format!("/proc/self/fd/{}/{SOCKET_NAME}", held.as_raw_fd());
    Ok((held, PathBuf::from(path)))
}
