//! What robots.txt files say. A crawl meets more of them than fit into memory: their places are
//! remembered, and they are read again where they lie when they are asked for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use rhumb_rules::{Robots, RobotsFor};

use super::records::{self, Answer, Spot};

/// The bytes of files that are held as rules; those take some five times as much.
const HELD_BYTES_MAX: usize = 16 << 20;

/// What a file says to each of the names by which the crawl went.
pub(super) type Voices = Arc<[RobotsFor]>;

/// What is in force for an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// All is allowed: there is no file.
    All,
    /// What the file there says.
    At(Spot),
}

/// The files of an archive.
pub(super) struct Texts<'a> {
    pub(super) archive: &'a [PathBuf],
    agents: Vec<String>,
    allow_all: Voices,
    held: RefCell<Held>,
}

/// The files that were asked for last, with their lengths, in two generations: the older one goes
/// when the younger one is full.
#[derive(Default)]
struct Held {
    young: HashMap<Spot, (Voices, usize)>,
    old: HashMap<Spot, (Voices, usize)>,
    young_bytes: usize,
}

impl<'a> Texts<'a> {
    pub(super) fn new(archive: &'a [PathBuf], agents: Vec<String>) -> Self {
        let agents = if agents.is_empty() { vec![String::new()] } else { agents };
        let allow_all = voices(&Robots::allow_all(), &agents);
        Self { archive, agents, allow_all, held: RefCell::default() }
    }

    /// The place of a name among those by which the crawl went.
    pub(super) fn place_of(&self, agent: &str) -> Option<usize> {
        self.agents.iter().position(|it| it.eq_ignore_ascii_case(agent))
    }

    /// None if the file cannot be read any more.
    pub(super) fn get(&self, says: Says) -> Option<Voices> {
        let Says::At(spot) = says else { return Some(Arc::clone(&self.allow_all)) };
        let mut held = self.held.borrow_mut();
        if let Some((voices, _)) = held.young.get(&spot) {
            return Some(Arc::clone(voices));
        }
        let file = match held.old.remove(&spot) {
            Some(file) => file,
            None => self.read(&records::answer_at(self.archive, spot)?),
        };
        let voices = Arc::clone(&file.0);
        held.keep(spot, file);
        Some(voices)
    }

    /// Takes in a file that is at hand: it is nearly always asked for soon.
    pub(super) fn learn(&self, answer: &Answer) {
        self.held.borrow_mut().keep(answer.spot, self.read(answer));
    }

    fn read(&self, answer: &Answer) -> (Voices, usize) {
        let body = answer.robots_body();
        (voices(&Robots::parse(&body), &self.agents), body.len())
    }
}

impl Held {
    fn keep(&mut self, spot: Spot, file: (Voices, usize)) {
        self.young_bytes += file.1;
        self.young.insert(spot, file);
        if self.young_bytes > HELD_BYTES_MAX / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

fn voices(robots: &Robots, agents: &[String]) -> Voices {
    agents.iter().map(|agent| robots.for_agent(agent)).collect()
}
