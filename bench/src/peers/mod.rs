//! Other crawlers on the same web: how each is called with the settings that suit it best on one
//! core, and how fast the server answers at most.
//!
//! The names of the web are known to its own DNS server only, which none of them can be told of;
//! so each runs in a mount namespace of its own, in which /etc/hosts has these names.
//! What it saves stays until all runs are over: ext4 shuns the inodes that were freed in the last
//! minutes, so that files saved soon after others were removed cost up to thrice.

mod wrk;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rhumb_testweb::Served;

pub use wrk::wrk;

/// The interpreter that has Scrapy, installed by `cargo x bench --against scrapy`.
const PYTHON: &str = "target/x/venv/bin/python3";
const SCRAPY_DRIVER: &str = "bench/scrapy/driver.py";
const SPIDER_DRIVER: &str = "target/spider/release/spider-driver";
const SPIDER_LOCK: &str = include_str!("../../spider/Cargo.lock");

/// Puts its first word over /etc/hosts, and becomes the rest.
const SET_UP: &str = r#"mount --bind "$1" /etc/hosts && shift && exec "$@""#;

/// A crawler of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// GNU Wget2, of Debian.
    Wget2,
    /// Scrapy, of the Python index.
    Scrapy,
    /// The spider crate, a website for each host: obeys every robots.txt, but has to be told all
    /// hosts.
    Spider,
    /// The spider crate, one website that follows links to all hosts: obeys the robots.txt of the
    /// first host alone.
    SpiderLinks,
}

/// Which web is crawled, since the best settings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Web {
    /// Many hosts with few pages each.
    Broad,
    /// One host with all pages.
    Single,
}

impl Peer {
    /// The peer of this name.
    pub fn parse(name: &str) -> Option<Self> {
        let all = [Self::Wget2, Self::Scrapy, Self::Spider, Self::SpiderLinks];
        all.into_iter().find(|peer| peer.name() == name)
    }

    /// How it is called on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wget2 => "wget2",
            Self::Scrapy => "scrapy",
            Self::Spider => "spider",
            Self::SpiderLinks => "spider-links",
        }
    }

    /// Its version, or `unknown`.
    pub fn version(self) -> String {
        let found = match self {
            Self::Wget2 => printed("wget2", &["--version"]),
            Self::Scrapy => printed(PYTHON, &["-m", "scrapy", "version"]),
            Self::Spider | Self::SpiderLinks => locked("spider"),
        };
        found.unwrap_or_else(|| "unknown".to_owned())
    }

    /// The command that crawls all of the web from its seeds, obeys robots.txt, and saves what it
    /// fetches, decoded, a file a page. It becomes the peer, so its process is the peer's.
    pub fn command(self, served: &Served, folder: &Path, kind: Web) -> Result<Command, String> {
        let seeds = match self {
            Self::Spider => homes(served),
            Self::Wget2 | Self::Scrapy | Self::SpiderLinks => served.seeds(),
        };
        if seeds.iter().any(|seed| !seed.starts_with("http://")) {
            return Err(format!("{} is measured over http only", self.name()));
        }
        let pages = folder.join("pages");
        fs::create_dir_all(&pages).map_err(|e| format!("cannot make {}: {e}", pages.display()))?;
        let hosts = folder.join("hosts");
        write(&hosts, &served.hosts_file())?;
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", SET_UP, "sh"]);
        command.arg(&hosts);
        match self {
            Self::Wget2 => wget2(&mut command, &pages),
            Self::Scrapy => scrapy(&mut command, &pages, kind)?,
            Self::Spider if kind == Web::Broad => spider(&mut command, "sites", &pages, "16")?,
            Self::Spider | Self::SpiderLinks => spider(&mut command, "links", &pages, "64")?,
        }
        command.args(seeds);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }
}

fn wget2(command: &mut Command, pages: &Path) {
    command.args(["wget2", "--recursive", "--level=inf", "--span-hosts", "--robots=on"]);
    command.args(["--tries=1", "--no-config", "--no-xattr", "--quiet", "--max-threads=20"]);
    command.arg("--directory-prefix").arg(pages);
}

fn scrapy(command: &mut Command, pages: &Path, kind: Web) -> Result<(), String> {
    let [all, per_host] = match kind {
        Web::Broad => ["32", "8"],
        Web::Single => ["16", "16"],
    };
    command.arg(there(PYTHON, "scrapy")?).arg(SCRAPY_DRIVER).arg(pages).args([all, per_host]);
    Ok(())
}

fn spider(command: &mut Command, way: &str, pages: &Path, at_once: &str) -> Result<(), String> {
    command.arg(there(SPIDER_DRIVER, "spider")?).arg(way).arg(pages).arg(at_once);
    Ok(())
}

/// The first page of every host.
fn homes(served: &Served) -> Vec<String> {
    let web = served.web();
    web.hosts.iter().map(|host| web.url(host.home(), served.port())).collect()
}

fn there(path: &str, name: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{name} is not installed\n  try: cargo x bench crawl --against {name}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// The first word with a digit in front that a program prints: its version.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    text.split_whitespace().find(is_version).map(str::to_owned)
}

/// The version of a crate in the lock of the driver.
fn locked(name: &str) -> Option<String> {
    let package = SPIDER_LOCK
        .split("[[package]]")
        .find(|it| it.lines().any(|line| line == format!("name = \"{name}\"")))?;
    let version = package.lines().find_map(|line| line.strip_prefix("version = "))?;
    Some(version.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_found_by_its_name_alone() {
        for peer in [Peer::Wget2, Peer::Scrapy, Peer::Spider, Peer::SpiderLinks] {
            assert_eq!(Peer::parse(peer.name()), Some(peer));
        }
        assert_eq!(Peer::parse("Wget2"), None);
    }

    #[test]
    fn versions_are_found_where_programs_and_locks_have_them() {
        let say = |text| printed("echo", &[text]);
        assert_eq!(say("GNU Wget2 1.99.1 - downloader"), Some("1.99.1".to_owned()));
        assert_eq!(say("Scrapy 2.19.0"), Some("2.19.0".to_owned()));
        assert_eq!(say("none"), None);
        assert!(locked("spider").is_some_and(|version| version.starts_with("2.")));
        assert_eq!(locked("no-such-crate"), None);
    }
}
