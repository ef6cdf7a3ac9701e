//! The links of pages on their way to the partitions that own them: how long that takes.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rhumb_web::{Errand, PartitionId};

use crate::partition::{Effect, Event, Finding, Parcel, Turn};

/// By what a parcel is known: from where, to where, its number.
type Stamp = (PartitionId, PartitionId, u64);

/// Pages whose links have not all arrived, in the order in which they will: the last parcel of
/// each, and since when it is under way.
#[derive(Debug, Default)]
pub(super) struct Pushing(VecDeque<(Stamp, Instant)>);

/// What an event has to do with links.
#[derive(Clone, Copy, Debug)]
pub(super) enum Links {
    /// A page brings some, from this moment on.
    Begin(Instant),
    /// Some arrive.
    Arrive(Stamp),
    /// Nothing.
    None,
}

impl Links {
    /// Of an event that is about to be handled.
    pub(super) fn of(event: &Event) -> Self {
        match event {
            Event::Parcel(parcel) => Self::Arrive(stamp(parcel)),
            Event::Returned(returned) => {
                let is_robots = matches!(returned.ticket.candidate.errand, Errand::Robots { .. });
                match &returned.finding {
                    Finding::Answered(answer) if !is_robots && !answer.candidates.is_empty() => {
                        Self::Begin(Instant::now())
                    }
                    _ => Self::None,
                }
            }
            _ => Self::None,
        }
    }
}

impl Pushing {
    /// After an event was handled, with this turn: how long the links of a page took, if the last
    /// of them have arrived.
    pub(super) fn handled(&mut self, links: Links, turn: &Turn) -> Option<Duration> {
        match links {
            Links::None => None,
            Links::Begin(began) => {
                let last = turn.effects.iter().rev().find_map(|effect| match effect {
                    Effect::Send(parcel) => Some(stamp(parcel)),
                    _ => None,
                });
                // What stays in the partition of the page has arrived with it.
                let Some(last) = last else { return Some(began.elapsed()) };
                self.0.push_back((last, began));
                None
            }
            Links::Arrive(stamp) => {
                let (_, began) = self.0.pop_front_if(|(last, _)| *last == stamp)?;
                Some(began.elapsed())
            }
        }
    }
}

fn stamp(parcel: &Parcel) -> Stamp {
    (parcel.from, parcel.to, parcel.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parcel(number: u64) -> Parcel {
        let (from, to) = (PartitionId(0), PartitionId(1));
        Parcel {
            from,
            to,
            number,
            candidates: Vec::new().into(),
            robots: None,
            gift: rhumb_frontier::Gift::default(),
        }
    }

    #[test]
    fn the_links_of_a_page_are_there_once_its_last_parcel_is() {
        let mut pushing = Pushing::default();
        let send = |numbers: &[u64]| Turn {
            effects: numbers.iter().map(|number| Effect::Send(parcel(*number))).collect(),
            ..Turn::default()
        };
        let begin = || Links::Begin(Instant::now());
        let arrive = |number| Links::of(&Event::Parcel(parcel(number)));
        let nothing = Turn::default();
        assert!(pushing.handled(begin(), &nothing).is_some(), "nothing has to travel");
        assert!(pushing.handled(begin(), &send(&[4, 5])).is_none());
        assert!(pushing.handled(begin(), &send(&[6])).is_none());
        let arrived = [3, 4, 5, 6, 7].map(|it| pushing.handled(arrive(it), &nothing).is_some());
        assert_eq!(arrived, [false, false, true, true, false], "of others nothing is noted");
        assert!(pushing.handled(Links::of(&Event::Tick), &send(&[8])).is_none());
        assert!(pushing.0.is_empty());
    }
}
