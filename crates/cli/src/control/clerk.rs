//! The clerk of a running crawl: answers its socket, and reads `crawl.toml` when that changes.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rhumb_crawl::ask::Why;
use rhumb_crawl::control::{Question, Reply, SiteChange};
use rhumb_crawl::shell::Handle;
use rhumb_rules::ScopeKind;
use rhumb_web::CanonUrl;
use tokio::sync::{Mutex, watch};

use super::submission::Submission;
use crate::crawl::Plan;
use crate::fault::Fault;
use crate::home::Home;
use crate::screen::{Notices, Voice};
use crate::settings::{FILE_NAME, Settings};
use crate::{seeds, sites};

/// The settings file is looked at this often. What changed is read once it has stood still from
/// one look to the next: editors write in pieces.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Whoever is told this may ask again once the process has ended.
pub(crate) const ENDING: &str = "the crawl is ending";

/// Answers questions, and carries out what is asked for. Its clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Clerk(Arc<Office>);

#[derive(Debug)]
struct Office {
    home: Arc<Home>,
    handle: Handle,
    stop: watch::Sender<bool>,
    notices: Notices,
    /// What holds for all sites, as long as this process lives.
    connections: u8,
    scope: ScopeKind,
    books: Mutex<Books>,
}

/// The settings file, as we know it.
#[derive(Debug)]
struct Books {
    /// What it said when it was last right.
    settings: Settings,
    /// The file of which we know what it says.
    read: Option<Stamp>,
    /// The file at the last look.
    seen: Option<Stamp>,
    /// It says something that cannot be: what, and what could.
    wrong: Option<(String, String)>,
}

/// Two files with the same stamp are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    changed: SystemTime,
    bytes: u64,
    inode: u64,
}

impl Stamp {
    /// None while there is no file: an editor may be about to put it back.
    fn of(folder: &Path) -> Option<Self> {
        let found = std::fs::metadata(folder.join(FILE_NAME)).ok()?;
        Some(Self { changed: found.modified().ok()?, bytes: found.len(), inode: found.ino() })
    }
}

impl Clerk {
    /// The clerk of a crawl with these settings, which are on disk.
    pub(crate) fn new(
        home: Arc<Home>,
        settings: Settings,
        scope: ScopeKind,
        handle: Handle,
        stop: watch::Sender<bool>,
        notices: Notices,
    ) -> Self {
        let stamp = Stamp::of(home.folder());
        let connections = settings.host_connections.unwrap_or(1);
        let books = Books { settings, read: stamp, seen: stamp, wrong: None };
        let books = Mutex::new(books);
        Self(Arc::new(Office { home, handle, stop, notices, connections, scope, books }))
    }

    /// Answers one question.
    pub(crate) async fn answer(self, question: Question) -> Reply {
        let Office { handle, stop, notices, .. } = &*self.0;
        let done = match question {
            Question::Status => match handle.status().await {
                Some(status) => return Reply::Status(Box::new(status)),
                None => Err(ended()),
            },
            Question::Why { url } => match handle.why(url).await {
                Some(Ok(why)) => return Reply::Why(Box::new(why)),
                Some(Err(error)) => {
                    Err(Fault::failed(error.to_string(), "rhumb stop DIR, then the same again"))
                }
                None => Err(ended()),
            },
            Question::Traps => match handle.traps().await {
                Some(suspects) => return Reply::Traps { suspects },
                None => Err(ended()),
            },
            Question::Sites(wanted) => match handle.sites(&wanted).await {
                Some(Ok(page)) => return Reply::Sites(page),
                Some(Err(error)) => {
                    Err(Fault::failed(error.to_string(), "rhumb stop DIR, then the same again"))
                }
                None => Err(ended()),
            },
            Question::Submit { urls } => self.submit(&urls).await,
            Question::Pause => self.pause(true).await,
            Question::Resume => self.pause(false).await,
            Question::Stop => {
                // A display says so itself.
                if !*stop.borrow() {
                    notices.tell_lines(
                        "stopping, as `rhumb stop` asks: waiting for fetches under way",
                    );
                }
                stop.send_replace(true);
                Ok("stopping: no fetch starts, those under way get a few seconds".to_owned())
            }
            Question::Site { site, change } => self.change(&site, &change).await,
        };
        match done {
            Ok(message) => Reply::Done { message },
            Err(Fault::Loud { what, advice, .. }) => Reply::Refused { what, advice },
            Err(Fault::Quiet(_)) => Reply::Refused { what: String::new(), advice: String::new() },
        }
    }

    /// Looks at the settings file for as long as it is let.
    pub(crate) async fn watch(self) {
        let mut every = tokio::time::interval(LOOK_EVERY);
        loop {
            every.tick().await;
            let mut books = self.0.books.lock().await;
            let now = Stamp::of(self.0.home.folder());
            if now.is_some() && now != books.read && now == books.seen {
                self.read_again(&mut books).await;
            }
            books.seen = now;
        }
    }

    async fn pause(&self, is_wanted: bool) -> Result<String, Fault> {
        let handle = &self.0.handle;
        let was = handle.status().await.ok_or_else(ended)?.paused;
        handle.pause(is_wanted).await.ok_or_else(ended)?;
        let message = match (was, is_wanted) {
            (false, true) => "paused: no fetch starts",
            (true, true) => "it is paused already",
            (true, false) => "resumed",
            (false, false) => "it is not paused",
        };
        Ok(message.to_owned())
    }

    async fn submit(&self, urls: &[String]) -> Result<String, Fault> {
        let mut books = self.0.books.lock().await;
        self.catch_up(&mut books).await?;
        let submission = Submission::new(&books.settings, urls)?;
        let mut standing = Vec::new();
        for (url, is_new) in &submission.urls {
            standing.push((url, if *is_new { self.met(url).await? } else { None }));
        }
        // First what is kept: after a crash it is a seed, or it was never submitted.
        if submission.settings != books.settings {
            self.save(&mut books, submission.settings.clone()).await?;
        }
        let urls = submission.urls.iter().map(|(url, _)| url.clone()).collect();
        self.0.handle.submit(urls).await.ok_or_else(ended)?;
        Ok(submission.told(|url| {
            match standing.iter().find(|(other, _)| *other == url).and_then(|(_, why)| why.as_ref())
            {
                Some(why) => format!("met before: {}", why.state.word()),
                None => "new".to_owned(),
            }
        }))
    }

    /// The story of a URL that the crawl has met.
    async fn met(&self, url: &CanonUrl) -> Result<Option<Why>, Fault> {
        let why = self.0.handle.why(url.to_string()).await.ok_or_else(ended)?;
        Ok(why.ok().filter(|why| why.seen_at.is_some()))
    }

    async fn change(&self, site: &str, change: &SiteChange) -> Result<String, Fault> {
        let mut books = self.0.books.lock().await;
        self.catch_up(&mut books).await?;
        let sections = sites::changed(&books.settings.site, site, change)?;
        if sections == books.settings.site {
            return Ok(format!("{site}: as it was"));
        }
        let settings = Settings { site: sections, ..books.settings.clone() };
        self.save(&mut books, settings).await?;
        self.put_in_force(&books.settings).await?;
        Ok(format!("{site}: changed, from now on"))
    }

    /// Takes over what the file says by now; one that is wrong must be mended first.
    async fn catch_up(&self, books: &mut Books) -> Result<(), Fault> {
        let now = Stamp::of(self.0.home.folder());
        if now.is_some() && now != books.read {
            self.read_again(books).await;
        }
        match &books.wrong {
            None => Ok(()),
            Some((what, advice)) => Err(Fault::failed(what.clone(), advice.clone())),
        }
    }

    /// Reads the file, and tells what is new.
    async fn read_again(&self, books: &mut Books) {
        let Office { home, notices, .. } = &*self.0;
        books.read = Stamp::of(home.folder());
        let path = home.folder().join(FILE_NAME);
        let read = tokio::task::spawn_blocking(move || checked(&path)).await;
        let Ok(read) = read else { return };
        match read {
            Ok(settings) => {
                let was = std::mem::replace(&mut books.settings, settings);
                let was_wrong = books.wrong.take().is_some();
                let news = news(&was, &books.settings);
                if was.site != books.settings.site {
                    // Once the crawl has ended there is nobody to tell.
                    drop(self.put_in_force(&books.settings).await);
                }
                if let Some(news) = news {
                    notices.tell(&format!("{FILE_NAME} has changed: {news}"));
                } else if was_wrong {
                    notices.tell(&format!("{FILE_NAME} is right again, and says what it said"));
                }
            }
            Err(Fault::Loud { what, advice, .. }) => {
                let until = "what held before still holds";
                notices.tell(&format!("error: {what}; {until}\n  try: {advice}"));
                books.wrong = Some((what, advice));
            }
            Err(Fault::Quiet(_)) => {}
        }
    }

    async fn put_in_force(&self, settings: &Settings) -> Result<(), Fault> {
        let Office { handle, connections, scope, .. } = &*self.0;
        let (rules, scopes) = sites::rules(*connections, *scope, &settings.site)?;
        handle.set_sites(rules, scopes).await.ok_or_else(ended)
    }

    async fn save(&self, books: &mut Books, settings: Settings) -> Result<(), Fault> {
        let home = Arc::clone(&self.0.home);
        let save = move || home.save(&settings).map(|()| settings);
        let saved = tokio::task::spawn_blocking(save).await;
        books.settings = saved.map_err(std::io::Error::other)??;
        // What we wrote ourselves is no news.
        books.read = Stamp::of(self.0.home.folder());
        Ok(())
    }
}

/// A settings file with which a crawl could start.
fn checked(path: &Path) -> Result<Settings, Fault> {
    let settings = Settings::read(path)?;
    let whole = settings.clone().over(Settings::defaults());
    let canon = crate::crawl::canon(&whole);
    let seeds = seeds::canonical(whole.seeds.iter().map(String::as_str), canon)?;
    Plan::new(&whole, seeds, Voice::default())?;
    Ok(settings)
}

/// What a new file says that the old one did not, in words.
fn news(was: &Settings, is: &Settings) -> Option<String> {
    let names: BTreeSet<&String> = was.site.keys().chain(is.site.keys()).collect();
    let changed = names.into_iter().filter(|name| was.site.get(*name) != is.site.get(*name));
    let sites: Vec<&str> = changed.map(String::as_str).collect();
    let (was, is) = (flat(was), flat(is));
    let keys: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let keys = keys.into_iter().filter(|key| *key != "site" && was.get(*key) != is.get(*key));
    let keys: Vec<&str> = keys.map(String::as_str).collect();
    let now = format!("the settings of {} hold now", listed(&sites));
    let later = match keys[..] {
        [key] => format!("{key} holds from the next start"),
        _ => format!("{} hold from the next start", listed(&keys)),
    };
    match (sites.is_empty(), keys.is_empty()) {
        (true, true) => None,
        (false, true) => Some(now),
        (true, false) => Some(later),
        (false, false) => Some(format!("{now}; {later}")),
    }
}

/// Names that a line can hold; the rest is counted.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    match names.len().checked_sub(SHOWN) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

fn flat(settings: &Settings) -> toml::Table {
    toml::Table::try_from(settings).expect("settings are text, numbers and lists of text")
}

fn ended() -> Fault {
    Fault::failed(ENDING, "the same once more, in a moment")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::SiteSettings;

    #[test]
    fn news_are_what_holds_now_and_what_holds_later() {
        let was = Settings::defaults();
        let check = |is: &Settings, expect: Option<&str>| {
            assert_eq!(news(&was, is).as_deref(), expect);
        };
        check(&was, None);
        let mut is = was.clone();
        is.tries = Some(5);
        check(&is, Some("tries holds from the next start"));
        let section = SiteSettings { block: Some(true), ..SiteSettings::default() };
        is.site.insert("a.example".to_owned(), section.clone());
        let now = "the settings of a.example hold now";
        check(&is, Some(&format!("{now}; tries holds from the next start")));
        is.tries = was.tries;
        check(&is, Some(now));
        is.site = (0..9).map(|n| (format!("s{n}.example"), section.clone())).collect();
        let many = "s0.example, s1.example, s2.example, s3.example, s4.example and 4 more";
        check(&is, Some(&format!("the settings of {many} hold now")));
    }
}
