//! New seeds for a crawl that is there already.

use std::collections::HashSet;

use rhumb_web::CanonUrl;

use super::line;
use crate::crawl::{canon, check_contact};
use crate::fault::Fault;
use crate::seeds;
use crate::settings::Settings;

/// What a submission makes of a crawl.
#[derive(Debug)]
pub(super) struct Submission {
    /// The settings, with the new seeds.
    pub(super) settings: Settings,
    /// Each URL once, and whether it is no seed yet.
    pub(super) urls: Vec<(CanonUrl, bool)>,
}

impl Submission {
    /// Checks the URLs by the rules that hold for seeds.
    pub(super) fn new(settings: &Settings, urls: &[String]) -> Result<Self, Fault> {
        let canon = canon(settings);
        let known = seeds::canonical(settings.seeds.iter().map(String::as_str), canon)?;
        let urls = seeds::canonical(urls.iter().map(String::as_str), canon)?;
        let met: HashSet<&CanonUrl> = known.iter().collect();
        let urls: Vec<(CanonUrl, bool)> =
            urls.into_iter().map(|url| (url.clone(), !met.contains(&url))).collect();
        let mut settings = settings.clone();
        let new = urls.iter().filter(|(_, is_new)| *is_new).map(|(url, _)| url);
        settings.seeds.extend(new.clone().map(ToString::to_string));
        if new.clone().next().is_some() {
            check_contact(&settings, known.iter().chain(new))?;
        }
        Ok(Self { settings, urls })
    }

    /// A line for each; what a new one is told as is for the caller to say.
    pub(super) fn told(&self, new: impl Fn(&CanonUrl) -> String) -> String {
        let line = |(url, is_new): &(CanonUrl, bool)| match is_new {
            true => line(&new(url), url),
            false => line("a seed already", url),
        };
        self.urls.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crawl(seeds: &[&str]) -> Settings {
        let seeds = seeds.iter().map(|seed| (*seed).to_owned()).collect();
        Settings { seeds, ..Settings::defaults() }
    }

    #[test]
    fn each_url_is_added_once_in_its_canonical_form() {
        let urls = ["HTTP://a.example/?utm_source=x", "http://b.example/#y", "http://b.example"];
        let urls = urls.map(str::to_owned);
        let submission = Submission::new(&crawl(&["http://a.example/"]), &urls).expect("fine");
        assert_eq!(submission.settings.seeds, ["http://a.example/", "http://b.example/"]);
        let told = submission.told(|_| "new".to_owned());
        assert_eq!(told, "http://a.example/: a seed already\nhttp://b.example/: new");
    }

    #[test]
    fn more_than_ten_sites_want_a_contact() {
        let urls: Vec<String> = (0..10).map(|n| format!("http://s{n}.example/")).collect();
        let mut settings = crawl(&["http://a.example/"]);
        let refused = |settings: &Settings| Submission::new(settings, &urls).is_err();
        assert!(refused(&settings));
        settings.contact = Some("me@example.org".to_owned());
        assert!(!refused(&settings));
        settings.contact = None;
        settings.seeds = urls.clone();
        assert!(!refused(&settings), "ten are not too many, nor what is known already");
    }
}
