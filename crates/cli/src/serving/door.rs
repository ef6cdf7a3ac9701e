//! The way from the pages to their crawl, whoever works on it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rhumb_crawl::ask::{Status, stopped};
use rhumb_crawl::control::{Question, Reply};
use rhumb_serve::Crawl;

use crate::control::{change_at_rest, submit_at_rest};
use crate::fault::Fault;
use crate::home::{Holder, Home};
use crate::rest::{self, Found};
use crate::settings::Settings;

/// The crawl in a folder, asked through its socket or read where it lies.
#[derive(Debug)]
pub(super) struct Door {
    /// Absolute, so that it can be told from other words.
    folder: PathBuf,
    /// How it stood at rest, and how far its log reached then.
    last: Mutex<Option<(u64, Status)>>,
}

impl Door {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, last: Mutex::new(None) }
    }

    fn answer(&self, question: Question) -> Result<Reply, Fault> {
        if question == Question::Status
            && let Some(status) = self.unchanged()?
        {
            return Ok(Reply::Status(Box::new(status)));
        }
        match rest::find(&self.folder, &question)? {
            Found::Running(reply) => Ok(reply),
            Found::AtRest(home, settings) => self.at_rest(&home, *settings, question),
        }
    }

    /// How it stands, if nobody has worked on it since that was read.
    fn unchanged(&self) -> Result<Option<Status>, Fault> {
        let last = self.last().clone();
        let Some((reach, status)) = last else { return Ok(None) };
        if rest::holder(&self.folder)? != Holder::Nobody {
            return Ok(None);
        }
        let now = stopped::log_reach(&self.folder).map_err(rest::unreadable(&self.folder))?;
        Ok((now == reach).then_some(status))
    }

    fn at_rest(&self, home: &Home, settings: Settings, question: Question) -> Result<Reply, Fault> {
        let unreadable = || rest::unreadable(&self.folder);
        let plan = || rest::plan(home, settings.clone());
        Ok(match question {
            Question::Status => {
                let status = stopped::status(&plan()?.engine).map_err(unreadable())?;
                let reach = stopped::log_reach(&self.folder).map_err(unreadable())?;
                *self.last() = Some((reach, status.clone()));
                Reply::Status(Box::new(status))
            }
            Question::Why { url } => {
                let plan = plan()?;
                let why = stopped::why(&plan.engine, plan.rules, &url).map_err(unreadable())?;
                Reply::Why(Box::new(why))
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
                // What waits, and why, may be another.
                *self.last() = None;
                Reply::Done { message: format!("{site}: changed, from the next start on") }
            }
            Question::Pause | Question::Resume | Question::Stop => {
                return Err(Fault::failed("the crawl does not run", "rhumb crawl -o DIR"));
            }
        })
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<(u64, Status)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Crawl for Door {
    fn ask(&self, question: Question) -> Reply {
        let reply = match self.answer(question) {
            Ok(reply) => reply,
            Err(Fault::Loud { what, advice, .. }) => Reply::Refused { what, advice },
            Err(Fault::Quiet(_)) => {
                Reply::Refused { what: "no answer".to_owned(), advice: "once more".to_owned() }
            }
        };
        match reply {
            Reply::Refused { what, advice } => {
                let folder = self.folder.to_string_lossy();
                let [what, advice] = [what, advice].map(|text| without_paths(&text, &folder));
                Reply::Refused { what, advice }
            }
            reply => reply,
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
            assert_eq!(without_paths(text, "/home/me/my crawl"), expect);
        };
        check("cannot read /home/me/my crawl/log/1: gone", "cannot read DIR/log/1: gone");
        check("rhumb crawl -o '/home/me/my crawl'", "rhumb crawl -o 'DIR'");
        check("cannot read '/etc/x y': gone", "cannot read a file y': gone");
        check("http://a.example/ is new, or / is not", "http://a.example/ is new, or / is not");
    }
}
