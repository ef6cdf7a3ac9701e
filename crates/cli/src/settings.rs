//! Settings as typed: the flags of `rhumb crawl`, which are also the keys of `crawl.toml`.

use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

use clap::Args;
use rhumb_web::CanonUrl;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::fault::Fault;
use crate::quantity;
use crate::sites::{self, Sites};

/// The file in a crawl's folder that holds every effective setting.
pub(crate) const FILE_NAME: &str = "crawl.toml";

/// The largest settings file that is read: seeds are in it, millions if one likes.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// How often a URL may be tried.
pub(crate) const TRIES: RangeInclusive<i64> = 1..=10;
/// Into how many shares a crawl may be split.
pub(crate) const PARTITIONS: RangeInclusive<i64> = 1..=4096;

/// What a settings file is made of.
const LINES: &str = "key = value lines, as in delay = \"2s\"";
/// What its values are.
const VALUES: &str = "the values that `rhumb crawl --help` names, times and sizes in quotes";

/// What is wrong in a settings file, and at which byte.
struct Wrong {
    at: usize,
    what: String,
    advice: String,
}

/// What a user may set. As a flag or as a key of the same name; none means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// Where the crawl begins; on the command line they are words, not a flag.
    #[arg(skip)]
    pub(crate) seeds: Vec<String>,
    /// How far from the seeds: page, prefix, host, domain or any [default: host]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    /// Only URLs that match this regular expression (several: one must match)
    #[arg(long, value_name = "RE")]
    pub(crate) include: Vec<String>,
    /// No URL that matches this regular expression
    #[arg(long, value_name = "RE")]
    pub(crate) exclude: Vec<String>,
    /// End after so many pages, over all runs
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_pages: Option<u64>,
    /// Follow at most so many links from a seed
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) max_depth: Option<u16>,
    /// End this run after this time, as in 2h
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<String>,
    /// End after so many bytes of bodies, over all runs, as in 10GB
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_size: Option<String>,
    /// Which pages first: an order of those below [default: trust]
    #[arg(long, value_name = "NAME")]
    pub(crate) order: Option<String>,
    /// How many pages a domain may have before others: a budget of those below [default: trust]
    #[arg(long, value_name = "NAME")]
    pub(crate) budget: Option<String>,
    /// URLs that match this regular expression go before all others
    #[arg(long, value_name = "RE")]
    pub(crate) first: Vec<String>,
    /// The folder of an earlier crawl of the same sites (several: all of them): of each site the
    /// pages that likely changed since go first, and those that likely did not go last; or no
    /// longer, as in none
    #[arg(long, value_name = "DIR")]
    pub(crate) earlier: Vec<String>,
    /// The quiet time between two requests to a site [default: auto: 1s, or five times the last
    /// fetch]; robots.txt may ask for more
    #[arg(long, value_name = "TIME")]
    pub(crate) delay: Option<String>,
    /// Leave well-known domains alone for less than --delay, the less the better known, but for
    /// this at least [default: none: all alike]
    #[arg(long, value_name = "TIME")]
    pub(crate) delay_floor: Option<String>,
    /// Requests under way at once to one site [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u8).range(sites::CONNECTIONS))]
    pub(crate) host_connections: Option<u8>,
    /// The time between two requests to one address; 0s lifts it [default: 250ms]
    #[arg(long, value_name = "TIME")]
    pub(crate) ip_delay: Option<String>,
    /// How often a URL is tried that fails [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u8).range(TRIES))]
    pub(crate) tries: Option<u8>,
    /// Our name, as robots.txt knows it [default: rhumb]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Where webmasters reach you: a mail address or a page
    #[arg(long, value_name = "MAIL|URL")]
    pub(crate) contact: Option<String>,
    /// Look for pages that show a browser something else than us, among this part of all, as in
    /// 1%: each of these is fetched three times, once under the headers of a browser, which hides
    /// who asks [default: 0%]
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub(crate) cloaking_sample: Option<String>,
    /// Keep all query parameters, tracking and session ids too
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub(crate) keep_query: Option<bool>,
    /// The name server to ask, instead of the system's
    #[arg(long, value_name = "ADDR[:PORT]")]
    pub(crate) dns: Option<String>,
    /// Go out through this HTTP proxy
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Visit private and loopback addresses too, or only some, as in =10.0.0.0/8,192.168.1.7
    #[arg(long, value_name = "NETWORKS", num_args = 0..=1, require_equals = true,
        default_missing_value = "all")]
    pub(crate) allow_private: Option<String>,
    /// The longest wait for a connection, TLS included [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) connect_timeout: Option<String>,
    /// The longest wait for the headers of an answer [default: 20s]
    #[arg(long, value_name = "TIME")]
    pub(crate) headers_timeout: Option<String>,
    /// The longest that a fetch may take; a body that takes longer is cut [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) total_timeout: Option<String>,
    /// The longest body; a longer one is cut [default: 10MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_body: Option<String>,
    /// Memory for the whole crawl, as in 512MB [default: auto: 1GB, at most a quarter of what the
    /// machine has]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// What a power cut may take back, 10s at most; 0s: nothing [default: 200ms]
    #[arg(long, value_name = "TIME")]
    pub(crate) durability: Option<String>,
    /// How much of the log is read again at a start, at most [default: 64MB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) checkpoint: Option<String>,
    /// A WARC file that would grow beyond this is ended first [default: 1GB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) warc_size: Option<String>,
    /// Tell metrics for Prometheus on this address, or no longer, as in =none [default without
    /// an address: 127.0.0.1:9464]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:9464")]
    pub(crate) metrics: Option<String>,
    /// Index pages while they come, so that `rhumb search` finds them within seconds; without it
    /// they are indexed by the first search, or no longer, as in =false
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true")]
    pub(crate) index: Option<bool>,
    /// Serve its search page and dashboard on this address, with an index unless there is to be
    /// none; or no longer, as in =none [default without an address: 127.0.0.1:7700]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:7700")]
    pub(crate) serve: Option<String>,
    /// Into how many shares the crawl is split, for good [default: 64]
    #[arg(long, value_name = "N", allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(PARTITIONS))]
    pub(crate) partitions: Option<u16>,
    /// What holds for single sites: sections of the file, not flags.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Sites::is_empty")]
    pub(crate) site: Sites,
}

impl Settings {
    /// These, and where they are silent, those.
    pub(crate) fn over(self, below: Self) -> Self {
        let list = |above: Vec<String>, below| if above.is_empty() { below } else { above };
        Self {
            seeds: list(self.seeds, below.seeds),
            scope: self.scope.or(below.scope),
            include: list(self.include, below.include),
            exclude: list(self.exclude, below.exclude),
            max_pages: self.max_pages.or(below.max_pages),
            max_depth: self.max_depth.or(below.max_depth),
            max_time: self.max_time.or(below.max_time),
            max_size: self.max_size.or(below.max_size),
            order: self.order.or(below.order),
            budget: self.budget.or(below.budget),
            first: list(self.first, below.first),
            earlier: list(self.earlier, below.earlier),
            delay: self.delay.or(below.delay),
            delay_floor: self.delay_floor.or(below.delay_floor),
            host_connections: self.host_connections.or(below.host_connections),
            ip_delay: self.ip_delay.or(below.ip_delay),
            tries: self.tries.or(below.tries),
            agent: self.agent.or(below.agent),
            contact: self.contact.or(below.contact),
            cloaking_sample: self.cloaking_sample.or(below.cloaking_sample),
            keep_query: self.keep_query.or(below.keep_query),
            dns: self.dns.or(below.dns),
            proxy: self.proxy.or(below.proxy),
            allow_private: self.allow_private.or(below.allow_private),
            connect_timeout: self.connect_timeout.or(below.connect_timeout),
            headers_timeout: self.headers_timeout.or(below.headers_timeout),
            total_timeout: self.total_timeout.or(below.total_timeout),
            max_body: self.max_body.or(below.max_body),
            memory: self.memory.or(below.memory),
            durability: self.durability.or(below.durability),
            checkpoint: self.checkpoint.or(below.checkpoint),
            warc_size: self.warc_size.or(below.warc_size),
            metrics: self.metrics.or(below.metrics),
            index: self.index.or(below.index),
            serve: self.serve.or(below.serve),
            partitions: self.partitions.or(below.partitions),
            site: sites::over(self.site, below.site),
        }
    }

    /// What holds where the user says nothing.
    pub(crate) fn defaults() -> Self {
        Self {
            scope: Some("host".to_owned()),
            order: Some(rhumb_order::ORDER.to_owned()),
            budget: Some(rhumb_order::BUDGET.to_owned()),
            delay: Some("auto".to_owned()),
            delay_floor: Some("none".to_owned()),
            host_connections: Some(1),
            ip_delay: Some("250ms".to_owned()),
            tries: Some(3),
            agent: Some("rhumb".to_owned()),
            cloaking_sample: Some("0%".to_owned()),
            keep_query: Some(false),
            allow_private: Some("none".to_owned()),
            connect_timeout: Some("10s".to_owned()),
            headers_timeout: Some("20s".to_owned()),
            total_timeout: Some("60s".to_owned()),
            max_body: Some("10MiB".to_owned()),
            memory: Some("auto".to_owned()),
            durability: Some("200ms".to_owned()),
            checkpoint: Some("64MB".to_owned()),
            warc_size: Some("1GB".to_owned()),
            metrics: Some("none".to_owned()),
            index: Some(false),
            serve: Some("none".to_owned()),
            partitions: Some(64),
            ..Self::default()
        }
    }

    /// Reads a settings file; a key that does not exist is an error that names the nearest one.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let shown = path.display();
        let mut bytes = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
        let read = read.map_err(|error| {
            Fault::usage(
                format!("cannot read the settings file {shown}: {error}"),
                "a file that you may read",
            )
        })?;
        if u64::try_from(read).is_ok_and(|read| read > FILE_BYTES_MAX) {
            return Err(Fault::usage(
                format!(
                    "the settings file {shown} has more than {}",
                    quantity::bytes(FILE_BYTES_MAX)
                ),
                "fewer seeds in it",
            ));
        }
        Self::parse(&bytes).map_err(|Wrong { at, what, advice }| {
            let line = bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
            Fault::usage(format!("{shown}, line {line}: {what}"), advice)
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, Wrong> {
        let text = str::from_utf8(bytes).map_err(|error| Wrong {
            at: error.valid_up_to(),
            what: "it is no text".to_owned(),
            advice: LINES.to_owned(),
        })?;
        let wrong = |what: &str, error: &toml::de::Error, advice: &str| Wrong {
            at: error.span().unwrap_or_default().start,
            what: format!("{what}{}", error.message()),
            advice: advice.to_owned(),
        };
        let table =
            DeTable::parse(text).map_err(|error| wrong("it is no TOML: ", &error, LINES))?;
        let keys = Self::keys();
        check_keys(table.get_ref(), &keys, "setting")?;
        let sections = table.get_ref().get("site").and_then(|site| site.get_ref().as_table());
        for section in sections.into_iter().flatten() {
            if let Some(section) = section.1.get_ref().as_table() {
                check_keys(section, &sites::KEYS.map(str::to_owned), "setting of a site")?;
            }
        }
        let settings: Self = toml::from_str(text).map_err(|error| wrong("", &error, VALUES))?;
        let written = table.get_ref().get("seeds").and_then(|seeds| seeds.get_ref().as_array());
        for (seed, written) in settings.seeds.iter().zip(written.into_iter().flatten()) {
            CanonUrl::parse(seed).map_err(|error| Wrong {
                at: written.span().start,
                what: format!("the seed {seed:?} is no URL: {error}"),
                advice: "seeds = [\"https://example.org/\"]".to_owned(),
            })?;
        }
        if let Some(sections) = sections {
            check_sites(sections, &settings.site)?;
        }
        Ok(settings)
    }

    fn keys() -> Vec<String> {
        use clap::CommandFactory;
        let mut command = crate::Cli::command();
        let crawl = command.find_subcommand_mut("crawl").expect("there is a crawl command");
        let not_keys = ["help", "config", "json", "quiet", "verbose", "output"];
        let longs = crawl.get_arguments().filter_map(clap::Arg::get_long);
        let keys = longs.filter(|long| !not_keys.contains(long));
        keys.chain(["seeds", "site"]).map(str::to_owned).collect()
    }

    /// Every effective value, and the seeds, as the text of a settings file.
    pub(crate) fn text(&self) -> String {
        let text = toml::to_string(self).expect("settings are text, numbers and lists of text");
        format!("# The settings of this crawl: every flag is a key.\n{text}")
    }
}

/// A key that does not exist is told with the nearest one.
fn check_keys(table: &DeTable<'_>, keys: &[String], noun: &str) -> Result<(), Wrong> {
    for key in table.keys() {
        let (at, key) = (key.span().start, key.get_ref().as_ref());
        if !keys.iter().any(|known| known == key) {
            let nearest = keys.iter().min_by_key(|known| distance(known, key));
            let nearest = nearest.expect("there are keys");
            return Err(Wrong {
                at,
                what: format!("there is no {noun} {key:?}"),
                advice: format!("the nearest one is {nearest:?}"),
            });
        }
    }
    Ok(())
}

/// Sections that were read, each where it is written.
fn check_sites(sections: &DeTable<'_>, sites: &Sites) -> Result<(), Wrong> {
    for (name, section) in sections {
        let Some(settings) = sites.get(name.get_ref().as_ref()) else { continue };
        let slip = sites::check_name(name.get_ref()).and(settings.meant().map(drop));
        slip.map_err(|slip| {
            let value = slip.key.and_then(|key| section.get_ref().as_table()?.get(key));
            let at = value.map_or_else(|| name.span().start, |value| value.span().start);
            Wrong { at, what: slip.what, advice: slip.advice }
        })?;
    }
    Ok(())
}

/// How many letters must be changed, added or taken away.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let kept = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = kept.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::SiteSettings;

    #[test]
    fn the_distance_counts_letters() {
        assert_eq!(distance("delay", "delay"), 0);
        assert_eq!(distance("delay", "dealy"), 2);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn what_is_written_can_be_read_and_flags_go_before_it() {
        let mut settings = Settings::defaults();
        settings.seeds = vec!["http://e.org/".to_owned()];
        let read = Settings::parse(settings.text().as_bytes()).ok();
        assert_eq!(read, Some(settings.clone()));
        let section = SiteSettings { budget: Some(7), block: Some(true), ..Default::default() };
        settings.site.insert("e.org:8080".to_owned(), section);
        let read = Settings::parse(settings.text().as_bytes()).ok();
        assert_eq!(read, Some(settings.clone()));
        let mut flags = Settings { delay: Some("2s".to_owned()), ..Settings::default() };
        let section = SiteSettings { budget: Some(9), ..Default::default() };
        flags.site.insert("e.org:8080".to_owned(), section.clone());
        flags.site.insert("f.org".to_owned(), section.clone());
        let over = flags.over(settings);
        assert_eq!(over.site["e.org:8080"], SiteSettings { block: Some(true), ..section.clone() });
        assert_eq!(over.site["f.org"], section);
        assert_eq!(over.delay.as_deref(), Some("2s"));
        assert_eq!(over.seeds, ["http://e.org/"]);
    }

    #[test]
    fn whatever_is_wrong_in_a_file_is_found_on_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.toml");
        let check = |bytes: &[u8], line: usize, word: &str, help: &str| {
            std::fs::write(&path, bytes).expect("written");
            let Err(Fault::Loud { what, advice, code }) = Settings::read(&path) else {
                panic!("{bytes:?} must be refused")
            };
            assert!(what.contains(&format!("x.toml, line {line}: ")), "{what}");
            assert!(what.contains(word), "{what}");
            assert!(advice.contains(help), "{advice}");
            assert_eq!(code, 2);
        };
        check(b"tries = 3\nmax-page = 3", 2, "max-page", "\"max-pages\"");
        check(b"# a comment\n\ndelay = 5", 3, "integer", "--help");
        check(b"tries = 3\ndelay = \"2s", 2, "TOML", "key = value");
        check(b"tries = 3\ntries = 4\n", 2, "TOML", "key = value");
        check(b"tries = 3\nagent = \"\xff\"", 2, "no text", "key = value");
        check(b"tries = 3\nseeds = [\n \"http://e.org/\",\n \"e.org\"]", 4, "e.org", "seeds");
        check(b"\0\0\0\0", 1, "TOML", "key = value");
        let section = |text: &str| format!("tries = 3\n[site.\"e.org\"]\n{text}").into_bytes();
        check(&section("delay = \"1s\"\nblok = true"), 4, "blok", "\"block\"");
        check(&section("\ndelay = \"soon\""), 4, "soon", "5s");
        check(&section("connections = 17"), 3, "connections = 17", "1 to 16");
        check(&section("connections = 1000"), 3, "1000", "--help");
        check(&section("scope = \"hosts\""), 3, "hosts", "prefix");
        check(&section("budget = -1"), 3, "-1", "--help");
        check(&section("block = \"yes\""), 3, "yes", "--help");
        check(b"tries = 3\n[site.\"https://e.org/\"]\nblock = true", 2, "no host", "e.org");
        check(b"tries = 3\n[site.\"E.org\"]\nblock = true", 2, "E.org", "e.org");
        check(b"[sites.\"e.org\"]\nblock = true", 1, "sites", "\"site\"");
        check(b"site = 3", 1, "integer", "--help");
    }
}
