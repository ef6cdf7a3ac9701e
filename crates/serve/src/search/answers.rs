//! Answers of the index that are remembered: people ask the same, and page back and forth.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rhumb_index::{Answer, Cursor};

use super::{Asked, PAGE_RESULTS};

/// Answers that are remembered; the one that was wanted longest ago makes room.
const ANSWERS_MAX: usize = 256;

/// Which commit of the index an answer comes from: how far it had read, and its pages.
pub(super) type Stamp = (Cursor, u64);

/// The answers, by what was asked.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<Shared>);

#[derive(Debug, Default)]
struct Shared {
    answers: HashMap<Asked, Remembered>,
    /// Counts up with every use.
    uses: u64,
}

#[derive(Debug)]
struct Remembered {
    answer: Arc<Answer>,
    stamp: Stamp,
    used: u64,
}

impl Answers {
    /// An answer that the index would give again.
    pub(super) fn of(&self, asked: &Asked, stamp: Stamp) -> Option<Arc<Answer>> {
        let mut shared = self.lock();
        shared.uses += 1;
        let uses = shared.uses;
        let one = shared.answers.get_mut(asked).filter(|it| it.stamp == stamp)?;
        one.used = uses;
        Some(Arc::clone(&one.answer))
    }

    /// Remembers an answer, unless it is a large one.
    pub(super) fn keep(&self, asked: Asked, stamp: Stamp, answer: Arc<Answer>) {
        if asked.count > PAGE_RESULTS {
            return;
        }
        let mut shared = self.lock();
        shared.uses += 1;
        let one = Remembered { answer, stamp, used: shared.uses };
        shared.answers.insert(asked, one);
        if shared.answers.len() > ANSWERS_MAX {
            let oldest = shared.answers.iter().min_by_key(|(_, it)| it.used);
            let oldest = oldest.map(|(asked, _)| asked.clone());
            shared.answers.remove(&oldest.expect("there are many"));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Asked {
        let query = query.to_owned();
        Asked { query, from: 0, count: PAGE_RESULTS, explain: false, facets: true }
    }

    fn answer(total: u64) -> Arc<Answer> {
        Arc::new(Answer {
            hits: Vec::new(),
            total,
            is_exact: true,
            has_more: false,
            suggestion: None,
            hint: None,
            loosened: None,
            facets: None,
        })
    }

    #[test]
    fn an_answer_holds_as_long_as_the_index_is_the_same() {
        let answers = Answers::default();
        let (now, later) = ((Cursor::default(), 3), (Cursor { end: 9, ..Cursor::default() }, 3));
        assert!(answers.of(&asked("a"), now).is_none());
        answers.keep(asked("a"), now, answer(7));
        assert_eq!(answers.of(&asked("a"), now).expect("the same").total, 7);
        assert!(answers.of(&asked("a"), later).is_none());
        assert!(answers.of(&asked("b"), now).is_none());
        assert!(answers.of(&Asked { explain: true, ..asked("a") }, now).is_none());
    }

    #[test]
    fn what_was_not_wanted_for_long_makes_room() {
        let answers = Answers::default();
        let stamp = (Cursor::default(), 0);
        for n in 0..ANSWERS_MAX {
            answers.keep(asked(&n.to_string()), stamp, answer(0));
        }
        assert!(answers.of(&asked("0"), stamp).is_some());
        answers.keep(asked("one more"), stamp, answer(0));
        assert!(answers.of(&asked("0"), stamp).is_some(), "it was used last");
        assert!(answers.of(&asked("1"), stamp).is_none());
        assert_eq!(answers.lock().answers.len(), ANSWERS_MAX);
        answers.keep(Asked { count: 100, ..asked("many") }, stamp, answer(0));
        assert_eq!(answers.lock().answers.len(), ANSWERS_MAX);
    }
}
