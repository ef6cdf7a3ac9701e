//! Templates of URLs that were taken for traps.

use std::collections::BTreeMap;

use rhumb_rules::Reason;
use serde::{Deserialize, Serialize};

/// Templates that are told of at most.
const SUSPECTS_MAX: usize = 1_000;

/// A template of which URLs were refused, as `rhumb status --traps --json` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// Whose.
    pub site: String,
    /// Numbers are `#`, ids `@`, last segments `*`; of a query only the names are left.
    pub template: String,
    /// What it is taken for: a reason that begins with `trap-`.
    pub kind: Reason,
    /// Pages fetched of it, when one was last refused; in that run.
    pub pages: u64,
    /// Of those, pages that said something new.
    pub new: u64,
    /// URLs and links that were refused.
    pub refused: u64,
}

/// All of them, in bounded memory: when there are too many, the half goes of which least was
/// refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspects(BTreeMap<(String, String), Suspect>);

impl Suspects {
    /// Takes in one more refusal, or several.
    pub fn note(&mut self, suspect: Suspect) {
        let key = (suspect.site.clone(), suspect.template.clone());
        if let Some(known) = self.0.get_mut(&key) {
            *known = Suspect { refused: known.refused + suspect.refused, ..suspect };
            return;
        }
        if self.0.len() >= SUSPECTS_MAX {
            let mut counts: Vec<u64> = self.0.values().map(|it| it.refused).collect();
            let (_, middle, _) = counts.select_nth_unstable(SUSPECTS_MAX / 2);
            let middle = *middle;
            self.0.retain(|_, it| it.refused > middle);
        }
        self.0.insert(key, suspect);
    }

    /// What is known of a template of a site.
    pub fn of(&self, site: &str, template: &str) -> Option<&Suspect> {
        self.0.get(&(site.to_owned(), template.to_owned()))
    }

    /// All of them, those with the most refused first.
    pub fn rows(&self) -> Vec<Suspect> {
        let mut rows: Vec<Suspect> = self.0.values().cloned().collect();
        rows.sort_by_key(|it| std::cmp::Reverse(it.refused));
        rows
    }

    /// Forgets all: a template may be the very URL that was taken down.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use rhumb_rules::Trap;

    use super::*;

    fn suspect(number: usize, refused: u64) -> Suspect {
        Suspect {
            site: "a.example".to_owned(),
            template: format!("/{number}"),
            kind: Reason::Trap(Trap::Template),
            pages: 9,
            new: 1,
            refused,
        }
    }

    #[test]
    fn refusals_add_up_and_the_most_come_first() {
        let mut suspects = Suspects::default();
        for _ in 0..3 {
            suspects.note(suspect(1, 2));
        }
        suspects.note(suspect(2, 9));
        let rows = suspects.rows();
        let told: Vec<_> = rows.iter().map(|it| (it.template.as_str(), it.refused)).collect();
        assert_eq!(told, [("/2", 9), ("/1", 6)]);
        assert_eq!(suspects.of("a.example", "/1").map(|it| it.pages), Some(9));
    }

    #[test]
    fn a_large_suspect_stays_among_any_number_of_small_ones() {
        let mut suspects = Suspects::default();
        for number in 0..10_000 {
            suspects.note(suspect(0, 2));
            suspects.note(suspect(number + 1, 1));
        }
        assert!(suspects.0.len() <= SUSPECTS_MAX);
        assert_eq!(suspects.rows()[0].refused, 20_000);
    }
}
