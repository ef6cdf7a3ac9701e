//! What a user sets for single sites: the `[site."example.org"]` sections of `crawl.toml`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use rhumb_crawl::control::SiteChange;
use rhumb_frontier::{SiteRule, SiteRules};
use rhumb_rules::ScopeKind;
use rhumb_web::{CanonUrl, Site, Span};
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::quantity;

/// Requests under way at once to one site.
pub(crate) const CONNECTIONS: RangeInclusive<i64> = 1..=16;
/// The keys of a section.
pub(crate) const KEYS: [&str; 5] = ["delay", "connections", "scope", "budget", "block"];
/// The word of a user that takes a setting back, so that the crawl's own holds.
const AUTO: &str = "auto";
/// The same of a budget: the crawl has none.
const NONE: &str = "none";

/// Sections by name: a host with all its ports, or `host:port`.
pub(crate) type Sites = BTreeMap<String, SiteSettings>;

/// What holds for one site; none: what holds for all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct SiteSettings {
    /// The quiet time between two requests.
    pub(crate) delay: Option<String>,
    /// Requests under way at once.
    pub(crate) connections: Option<u8>,
    /// How far from the seeds, for its URLs.
    pub(crate) scope: Option<String>,
    /// Requests in all.
    pub(crate) budget: Option<u64>,
    /// Nothing is asked of it.
    pub(crate) block: Option<bool>,
}

/// What is wrong with a section, and in which of its keys; none: in its name.
#[derive(Debug)]
pub(crate) struct Slip {
    pub(crate) key: Option<&'static str>,
    pub(crate) what: String,
    pub(crate) advice: String,
}

impl Slip {
    fn of(key: &'static str, what: String, advice: &str) -> Self {
        Self { key: Some(key), what, advice: advice.to_owned() }
    }

    /// The same, of one who gave a flag and wrote no file.
    fn of_a_flag(self) -> Self {
        let advice = match self.key {
            Some("delay") => "--delay 5s, or --delay auto",
            Some("connections") => "--connections 2, or --connections auto",
            Some("scope") => "--scope page, prefix, host, domain, any or auto",
            Some("budget") => "--budget 1000, or --budget none",
            _ => return self,
        };
        Self { advice: advice.to_owned(), ..self }
    }
}

impl From<Slip> for Fault {
    fn from(slip: Slip) -> Self {
        Self::usage(slip.what, slip.advice)
    }
}

impl SiteSettings {
    fn over(self, below: Self) -> Self {
        Self {
            delay: self.delay.or(below.delay),
            connections: self.connections.or(below.connections),
            scope: self.scope.or(below.scope),
            budget: self.budget.or(below.budget),
            block: self.block.or(below.block),
        }
    }

    /// The words taken for what they mean.
    pub(crate) fn meant(&self) -> Result<(SiteRule, Option<ScopeKind>), Slip> {
        let delay = self.delay.as_deref().map(quantity::duration).transpose();
        let delay = delay.map_err(|why| Slip::of("delay", why, "delay = \"5s\""))?;
        if let Some(wrong) = self.connections.filter(|n| !CONNECTIONS.contains(&i64::from(*n))) {
            let (from, to) = (CONNECTIONS.start(), CONNECTIONS.end());
            let what = format!("connections = {wrong} is out of range");
            return Err(Slip::of("connections", what, &format!("a number from {from} to {to}")));
        }
        let scope = self.scope.as_deref().map(str::parse).transpose();
        let scope = scope.map_err(|_| {
            let what = format!("there is no scope {:?}", self.scope.as_deref().unwrap_or_default());
            Slip::of("scope", what, "page, prefix, host, domain or any")
        })?;
        let rule = SiteRule {
            delay: delay.map(Span::from),
            connections: self.connections,
            budget: self.budget,
            block: self.block == Some(true),
        };
        Ok((rule, scope))
    }

    /// Takes over what a user wants changed, in his words.
    fn change(&mut self, change: &SiteChange) -> Result<(), Slip> {
        let SiteChange { delay, connections, scope, budget, block } = change;
        let kept = |word: &String, back: &str| (word != back).then(|| word.clone());
        if let Some(word) = delay {
            self.delay = kept(word, AUTO);
        }
        if let Some(word) = scope {
            self.scope = kept(word, AUTO);
        }
        if let Some(word) = connections {
            let number = kept(word, AUTO).map(|word| word.parse()).transpose();
            self.connections = number.map_err(|_| {
                Slip::of(
                    "connections",
                    format!("connections: {word:?} is no number from 1 to 16"),
                    "",
                )
            })?;
        }
        if let Some(word) = budget {
            let number = kept(word, NONE).map(|word| word.parse()).transpose();
            self.budget = number.map_err(|_| {
                Slip::of("budget", format!("budget: {word:?} is no whole number"), "")
            })?;
        }
        if let Some(is) = block {
            self.block = is.then_some(true);
        }
        self.meant().map(drop)
    }
}

/// These, and where they are silent, those.
pub(crate) fn over(above: Sites, mut below: Sites) -> Sites {
    for (name, settings) in above {
        let under = below.remove(&name).unwrap_or_default();
        below.insert(name, settings.over(under));
    }
    below
}

/// The sections with one of them changed. A new one of a port begins as that of its host, which
/// held until then; one that makes no difference any more is left out.
pub(crate) fn changed(sites: &Sites, name: &str, change: &SiteChange) -> Result<Sites, Slip> {
    check_name(name)?;
    let mut sites = sites.clone();
    let own = sites.remove(name);
    let without = sites.get(Site::from(name.to_owned()).host()).cloned().unwrap_or_default();
    let mut settings = own.unwrap_or_else(|| without.clone());
    settings.change(change).map_err(Slip::of_a_flag)?;
    if settings.block.is_none() && without.block == Some(true) {
        // For whoever reads the file: its host is blocked, and it is not.
        settings.block = Some(false);
    }
    if settings != without {
        sites.insert(name.to_owned(), settings);
    }
    Ok(sites)
}

/// Hosts and ports of them that both have a section, of those that a name speaks of.
pub(crate) fn apart<'a>(sites: &'a Sites, name: &str) -> Vec<(&'a str, &'a str)> {
    let port_of =
        |port: &str, host: &str| port.strip_prefix(host).is_some_and(|rest| rest.starts_with(':'));
    let names = || sites.keys().map(String::as_str);
    let hosts = names().filter(|host| *host == name || port_of(name, host));
    let pairs = hosts.flat_map(|host| {
        let ports = names().filter(move |port| port_of(port, host));
        ports.filter(move |port| name == host || *port == name).map(move |port| (host, port))
    });
    pairs.collect()
}

/// What the frontier and the scope make of the sections, over what holds for all.
pub(crate) fn rules(
    connections: u8,
    scope: ScopeKind,
    sites: &Sites,
) -> Result<(SiteRules, Vec<(String, ScopeKind)>), Slip> {
    let (mut rules, mut scopes) = (Vec::new(), Vec::new());
    for (name, settings) in sites {
        check_name(name)?;
        let (rule, own) = settings.meant()?;
        rules.push((name.clone(), rule));
        // Also where it is the crawl's: a port is not judged by the section of its host.
        scopes.push((name.clone(), own.unwrap_or(scope)));
    }
    Ok((SiteRules::new(connections, rules), scopes))
}

/// A name is a host, or a host and a port, just as a crawl writes it.
pub(crate) fn check_name(name: &str) -> Result<(), Slip> {
    let written = |scheme: &str| {
        let url = CanonUrl::parse(&format!("{scheme}://{name}/")).ok()?;
        Some(url.authority().to_owned())
    };
    let slip = |what, advice| Err(Slip { key: None, what, advice });
    // A port that its scheme need not mention is no part of a name.
    for found in [written("http"), written("https")] {
        match found {
            Some(found) if found == name => {}
            Some(found) if !name.contains(['/', '@', '?', '#', '\\']) => {
                return slip(format!("the site {name:?} is written {found:?}"), found);
            }
            _ => {
                let what = format!("{name:?} is no host, and no host:port");
                let meant = CanonUrl::parse(name).map(|url| url.authority().to_owned());
                let advice = meant.unwrap_or("example.org, or example.org:8080".to_owned());
                return slip(what, advice);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_host_or_host_and_port_as_a_crawl_writes_it() {
        let check = |name: &str, expect: Option<&str>| {
            let slip = check_name(name).err().map(|slip| slip.advice);
            assert_eq!(slip.as_deref(), expect, "{name}");
        };
        check("example.org", None);
        check("example.org:8080", None);
        check("127.0.0.1:81", None);
        check("[::1]:81", None);
        check("Example.org", Some("example.org"));
        check("example.org:443", Some("example.org"));
        check("example.org:80", Some("example.org"));
        check("example.org.", Some("example.org"));
        check("https://Example.org:8080/a", Some("example.org:8080"));
        for wrong in ["", "example.org/a", "a b", "me@example.org", ":80"] {
            check(wrong, Some("example.org, or example.org:8080"));
        }
    }

    fn changed_to(change: &SiteChange, was: &SiteSettings) -> Result<SiteSettings, Slip> {
        let sites = Sites::from([("a.example".to_owned(), was.clone())]);
        Ok(changed(&sites, "a.example", change)?.remove("a.example").unwrap_or_default())
    }

    #[test]
    fn what_is_changed_can_be_taken_back() {
        let word = |text: &str| Some(text.to_owned());
        let change = SiteChange {
            delay: word("5s"),
            connections: word("2"),
            scope: word("prefix"),
            budget: word("1000"),
            block: Some(true),
        };
        let all = SiteSettings {
            delay: word("5s"),
            connections: Some(2),
            scope: word("prefix"),
            budget: Some(1000),
            block: Some(true),
        };
        assert_eq!(changed_to(&change, &SiteSettings::default()).ok().as_ref(), Some(&all));
        assert_eq!(changed_to(&SiteChange::default(), &all).ok().as_ref(), Some(&all));
        let back = SiteChange {
            delay: word("auto"),
            connections: word("auto"),
            scope: word("auto"),
            budget: word("none"),
            block: Some(false),
        };
        assert_eq!(changed_to(&back, &all).ok(), Some(SiteSettings::default()));
    }

    #[test]
    fn a_new_section_of_a_port_begins_as_that_of_its_host() {
        let word = |text: &str| Some(text.to_owned());
        let whole = SiteSettings { delay: word("9s"), budget: Some(3), ..SiteSettings::default() };
        let blocked = SiteSettings { block: Some(true), ..SiteSettings::default() };
        let check = |host: &SiteSettings, changes: &[SiteChange], expect: Option<SiteSettings>| {
            for (host_name, port_name) in [("a.example", "a.example:81"), ("[::1]", "[::1]:81")] {
                let mut sites = Sites::from([(host_name.to_owned(), host.clone())]);
                for change in changes {
                    sites = changed(&sites, port_name, change).expect("it can be changed");
                }
                assert_eq!(sites.get(port_name), expect.as_ref(), "{port_name}: {changes:?}");
                assert_eq!(sites.get(host_name), Some(host), "the host keeps its own");
                let written = toml::to_string(&sites).expect("it can be written");
                assert_eq!(toml::from_str::<Sites>(&written), Ok(sites), "a section may be empty");
            }
        };
        let slow = SiteChange { delay: word("18s"), ..SiteChange::default() };
        let [block, unblock] =
            [true, false].map(|is| SiteChange { block: Some(is), ..SiteChange::default() });
        let slower = SiteSettings { delay: word("18s"), ..whole.clone() };
        check(&whole, std::slice::from_ref(&slow), Some(slower));
        let slower = SiteSettings { delay: word("18s"), ..blocked.clone() };
        check(&blocked, &[slow], Some(slower));
        let open = SiteSettings { block: Some(false), ..SiteSettings::default() };
        check(&blocked, std::slice::from_ref(&unblock), Some(open));
        // What is as at its host needs no section.
        check(&blocked, &[unblock.clone(), block.clone()], None);
        check(&whole, &[block, unblock], None);
        // What the crawl has for all can be had below a host that has its own.
        let endless = SiteChange { budget: word("none"), ..SiteChange::default() };
        let fast = SiteChange { delay: word("auto"), ..SiteChange::default() };
        check(&whole, &[endless, fast], Some(SiteSettings::default()));
    }

    #[test]
    fn a_port_with_a_section_stands_apart_from_its_host() {
        let names = ["a.example", "a.example.org", "a.example:81", "a.example:82", "b.example:81"];
        let sites: Sites = names.map(|name| (name.to_owned(), SiteSettings::default())).into();
        let check = |name: &str, expect: &[(&str, &str)]| assert_eq!(apart(&sites, name), expect);
        check("a.example", &[("a.example", "a.example:81"), ("a.example", "a.example:82")]);
        check("a.example:82", &[("a.example", "a.example:82")]);
        check("a.example:83", &[]);
        check("b.example", &[]);
        check("b.example:81", &[]);
        check("a.example.org", &[]);
    }

    #[test]
    fn words_that_mean_nothing_are_refused_by_their_key() {
        let check = |change: SiteChange, key: &'static str| {
            let slip = changed_to(&change, &SiteSettings::default()).expect_err("a slip");
            assert_eq!(slip.key, Some(key), "{slip:?}");
            assert!(slip.advice.starts_with(&format!("--{key} ")), "{slip:?}");
        };
        let word = |text: &str| Some(text.to_owned());
        check(SiteChange { delay: word("soon"), ..SiteChange::default() }, "delay");
        check(SiteChange { connections: word("0"), ..SiteChange::default() }, "connections");
        check(SiteChange { connections: word("17"), ..SiteChange::default() }, "connections");
        check(SiteChange { connections: word("many"), ..SiteChange::default() }, "connections");
        check(SiteChange { scope: word("hosts"), ..SiteChange::default() }, "scope");
        check(SiteChange { budget: word("-1"), ..SiteChange::default() }, "budget");
    }
}
