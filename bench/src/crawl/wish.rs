//! What was typed after `rhumb-bench crawl`.

use super::contender::Contender;
use super::setting::Setting;
use crate::peers::Peer;

/// How it is called.
pub const USAGE: &str = "crawl [--pages N] [--hosts N] [--runs N] [--plain | --gzip | --both] \
                         [--broad | --single] [--threads N] [--latency MS] [--https] \
                         [--against wget2,scrapy,spider] [--keep] [--ratchet]";
/// So that there is a middle.
const RUNS: usize = 3;

/// What is to be measured.
#[derive(Debug, PartialEq)]
pub struct Wish {
    /// The webs, one after the other.
    pub settings: Vec<Setting>,
    /// Who crawls each of them in turn, ours first.
    pub contenders: Vec<Contender>,
    /// How often.
    pub runs: usize,
    /// Folders of crawls stay.
    pub keep: bool,
    /// Nothing is written down; it fails where the last run was faster.
    pub ratchet: bool,
}

/// The words, before it is known what they mean together.
struct Words {
    setting: Setting,
    codings: &'static [bool],
    is_broad: bool,
    is_single: bool,
    wish: Wish,
}

impl Wish {
    /// From the words; else what is wrong with them.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut all = Words {
            setting: Setting::BROAD,
            codings: &[true, false],
            is_broad: true,
            is_single: true,
            wish: Self {
                settings: Vec::new(),
                contenders: vec![Contender::Rhumb],
                runs: RUNS,
                keep: false,
                ratchet: false,
            },
        };
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            all.take(word, &mut words)?;
        }
        Ok(all.finish())
    }
}

impl Words {
    fn take<'a>(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        match word {
            "--plain" => self.codings = &[false],
            "--gzip" => self.codings = &[true],
            "--both" => self.codings = &[true, false],
            "--broad" => (self.is_broad, self.is_single) = (true, false),
            "--single" => (self.is_broad, self.is_single) = (false, true),
            "--https" => self.setting.https = true,
            "--keep" => self.wish.keep = true,
            "--ratchet" => self.wish.ratchet = true,
            "--pages" => self.setting.pages = number(word, rest.next())?,
            "--hosts" => self.setting.hosts = number(word, rest.next())?,
            "--latency" => self.setting.latency_ms = number(word, rest.next())?,
            "--runs" => self.wish.runs = number(word, rest.next())?,
            "--threads" => self.setting.threads = number(word, rest.next())?,
            "--against" => {
                for name in rest.next().unwrap_or_default().split(',') {
                    let peer = Peer::parse(name)
                        .ok_or_else(|| format!("no peer is called {name:?}\n  try: {USAGE}"))?;
                    self.wish.contenders.push(Contender::Peer(peer));
                }
            }
            _ => return Err(format!("what is {word}?\n  try: {USAGE}")),
        }
        Ok(())
    }

    fn finish(mut self) -> Wish {
        let one = |gzip: bool| Setting { gzip, ..self.setting };
        if self.is_broad {
            self.wish.settings.extend(self.codings.iter().map(|gzip| one(*gzip)));
        }
        if self.is_single && self.setting.hosts > 1 {
            let single = |gzip: &bool| Setting { hosts: 1, ..one(*gzip) };
            self.wish.settings.extend(self.codings.iter().map(single));
        }
        self.wish
    }
}

/// The number after a flag; none of them is zero but the latency.
fn number<N: std::str::FromStr + Default + PartialEq>(
    flag: &str,
    text: Option<&str>,
) -> Result<N, String> {
    let text = text.unwrap_or_default();
    let number = text.parse::<N>().ok().filter(|it| flag == "--latency" || *it != N::default());
    number.ok_or_else(|| format!("{flag} wants a number, not {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, settings: &[(u64, bool)]) {
        let words: Vec<&str> = words.split_whitespace().collect();
        let wish = Wish::parse(&words).unwrap();
        let seen: Vec<(u64, bool)> = wish.settings.iter().map(|it| (it.hosts, it.gzip)).collect();
        assert_eq!(seen, settings, "{words:?}");
    }

    #[test]
    fn both_webs_are_crawled_in_both_codings_unless_one_is_named() {
        check("", &[(500, true), (500, false), (1, true), (1, false)]);
        check("--single --gzip", &[(1, true)]);
        check("--broad --plain --hosts 20", &[(20, false)]);
        check("--hosts 1 --gzip", &[(1, true)]);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let check = |words: &[&str], word: &str| {
            let why = Wish::parse(words).unwrap_err();
            assert!(why.contains(word), "{why}");
        };
        check(&["--wide"], "--wide");
        check(&["--pages", "many"], "many");
        check(&["--runs", "0"], "--runs");
        check(&["--pages"], "--pages");
        check(&["--against", "wget2,nutch"], "nutch");
    }
}
