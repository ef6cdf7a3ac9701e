//! The way from the pages to their crawl, whoever works on it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rhumb_crawl::ask::{Status, stopped};
use rhumb_crawl::control::{Question, Reply, ask};
use rhumb_serve::{Crawl, Unanswered};

use crate::control::{ENDING, change_at_rest, submit_at_rest};
use crate::fault::{Fault, USAGE};
use crate::home::{Holder, Home};
use crate::indexing;
use crate::rest::{self, Found};
use crate::settings::{FILE_NAME, Settings};

/// The crawl in a folder, asked through its socket or read where it lies.
#[derive(Debug)]
pub(super) struct Door {
    /// Absolute, so that it can be told from other words.
    folder: PathBuf,
    /// Our own process reads the crawl for its index.
    is_reading: Arc<AtomicBool>,
    /// How it stood at rest, and by which files.
    last: Mutex<Option<(Stamp, Status)>>,
}

/// What a status at rest is made of: as long as this stays, so does that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    log: u64,
    settings: Option<SystemTime>,
    index: Option<SystemTime>,
}

impl Door {
    pub(super) fn new(folder: PathBuf, is_reading: Arc<AtomicBool>) -> Self {
        Self { folder, is_reading, last: Mutex::new(None) }
    }

    fn answer(&self, question: Question) -> Result<Reply, Fault> {
        if question == Question::Status
            && let Some(status) = self.unchanged()?
        {
            return Ok(Reply::Status(Box::new(status)));
        }
        match ask(&self.folder, &question) {
            // Whoever ends is read once it has.
            Ok(Some(Reply::Refused { what, .. })) if what == ENDING => {}
            Ok(Some(reply)) => return Ok(reply),
            _ => {}
        }
        if self.is_reading.load(Ordering::Relaxed) {
            return Err(Fault::failed(
                "the crawl is read for its index at the moment",
                "the same once more, in a while",
            ));
        }
        match rest::find(&self.folder, &question)? {
            Found::Running(reply) => Ok(reply),
            Found::AtRest(home, settings) => self.at_rest(&home, *settings, question),
        }
    }

    /// How it stands, if nobody has worked on it since that was read.
    fn unchanged(&self) -> Result<Option<Status>, Fault> {
        let last = self.last().clone();
        let Some((stamp, status)) = last else { return Ok(None) };
        let is_reading = self.is_reading.load(Ordering::Relaxed);
        if !is_reading && rest::holder(&self.folder)? != Holder::Nobody {
            return Ok(None);
        }
        Ok((is_reading || self.stamp()? == stamp).then_some(status))
    }

    fn stamp(&self) -> Result<Stamp, Fault> {
        let changed = |name: &str| fs::metadata(self.folder.join(name)).ok()?.modified().ok();
        let log = stopped::log_reach(&self.folder).map_err(rest::unreadable(&self.folder))?;
        let index = changed(&format!("{}/words/meta.json", indexing::FOLDER));
        Ok(Stamp { log, settings: changed(FILE_NAME), index })
    }

    fn at_rest(&self, home: &Home, settings: Settings, question: Question) -> Result<Reply, Fault> {
        let unreadable = || rest::unreadable(&self.folder);
        let plan = || rest::plan(home, settings.clone());
        Ok(match question {
            Question::Status => {
                let status = stopped::status(&plan()?.engine).map_err(unreadable())?;
                *self.last() = Some((self.stamp()?, status.clone()));
                Reply::Status(Box::new(status))
            }
            Question::Why { url } => {
                let plan = plan()?;
                let why = stopped::why(&plan.engine, plan.rules, &url).map_err(unreadable())?;
                Reply::Why(Box::new(why))
            }
            Question::Traps => {
                let suspects = stopped::traps(&plan()?.engine).map_err(unreadable())?;
                Reply::Traps { suspects }
            }
            Question::Sites(wanted) => {
                let page = stopped::sites(&plan()?.engine, &wanted).map_err(unreadable())?;
                Reply::Sites(page)
            }
            Question::Submit { urls } => {
                Reply::Done { message: submit_at_rest(home, &settings, &urls)? }
            }
            Question::Site { site, change } => {
                change_at_rest(home, settings, &site, &change)?;
                Reply::Done { message: format!("{site}: changed, from the next start on") }
            }
            Question::Pause | Question::Resume | Question::Stop => {
                return Err(Fault::usage("the crawl does not run", "rhumb crawl -o DIR"));
            }
        })
    }

    fn last(&self) -> MutexGuard<'_, Option<(Stamp, Status)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crawl for Door {
    fn ask(&self, question: Question) -> Result<Reply, Unanswered> {
        let folder = self.folder.to_string_lossy();
        let clean = |text: String| without_paths(&text, &folder);
        match self.answer(question) {
            // What is wrong with a question is not wrong with the crawl.
            Ok(Reply::Refused { what, advice })
            | Err(Fault::Loud { what, advice, code: USAGE }) => {
                Ok(Reply::Refused { what: clean(what), advice: clean(advice) })
            }
            Ok(reply) => Ok(reply),
            Err(Fault::Loud { what, advice, .. }) => {
                Err(Unanswered { what: clean(what), advice: clean(advice) })
            }
            Err(Fault::Quiet(_)) => {
                let what = "the crawl gave no answer".to_owned();
                Err(Unanswered { what, advice: "the same once more".to_owned() })
            }
        }
    }
}

/// The text without what it tells of this machine: the folder is `DIR`, any other path is none.
fn without_paths(text: &str, folder: &str) -> String {
    let text = text.replace(folder, "DIR");
    let words = text.split(' ').map(|word| {
        let bare = word.trim_start_matches(['\'', '"', '(', '[', '`']);
        if bare.starts_with('/') && bare.len() > 1 { "a file" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_names_no_path() {
        let check = |text: &str, expect: &str| {
            assert_eq!(without_paths(text, "/data/my crawl"), expect);
        };
        check("cannot read /data/my crawl/log/1: gone", "cannot read DIR/log/1: gone");
        check("rhumb crawl -o '/data/my crawl'", "rhumb crawl -o 'DIR'");
        check("cannot read '/etc/x y': gone", "cannot read a file y': gone");
        check("http://a.example/ is new, or / is not", "http://a.example/ is new, or / is not");
    }
}
