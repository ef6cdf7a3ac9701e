//! What pages say: many something of their own, some the same as another, some nearly the same,
//! and some name another page as their canonical form, rightly or not.

use rhumb_likeness::Sketch;

use super::web::{index, wide};
use crate::chance::Chance;

/// Words of a text: the shortest are too short for estimates.
const WORDS: (u64, u64) = (20, 100);
/// From so many words on a text may end with another word and stay nearly the same.
const LONG: usize = 60;
/// So many last words are tried for one that keeps a text near all others of its class.
const ENDINGS_MAX: usize = 20;
/// The longest body apart from its text.
const BODY_MAX: u64 = 1_500;

/// What a page says.
#[derive(Clone, Debug)]
pub(super) struct Saying {
    /// Pages of one class have one original.
    pub(super) class: usize,
    /// Pages with the same have the same body.
    pub(super) payload: u64,
    /// The page that it names as its canonical form.
    pub(super) canonical: Option<usize>,
    words: Vec<String>,
    pub(super) sketch: Option<Sketch>,
}

impl Saying {
    /// What so many pages say.
    pub(super) fn draw_all(count: usize, chance: &mut Chance) -> Vec<Self> {
        let mut sayings: Vec<Self> = Vec::new();
        for number in 0..count {
            let saying = if number > 0 && chance.per_myriad(4_500) {
                let other = index(chance.below(wide(number)));
                sayings[other].again(&sayings, chance)
            } else {
                Self::draw(number, chance)
            };
            sayings.push(saying);
        }
        for number in 0..count {
            let class = sayings[number].class;
            let alike: Vec<usize> = (0..count)
                .filter(|other| *other != number && sayings[*other].class == class)
                .collect();
            sayings[number].canonical = match chance.below(20) {
                0 => Some(index(chance.below(wide(count)))).filter(|other| *other != number),
                1..9 if !alike.is_empty() => Some(alike[index(chance.below(wide(alike.len())))]),
                _ => None,
            };
        }
        sayings
    }

    /// Something that nobody says so far.
    fn draw(class: usize, chance: &mut Chance) -> Self {
        let is_wordless = chance.per_myriad(1_000);
        let count = if is_wordless { 0 } else { chance.between(WORDS.0, WORDS.1) };
        let words: Vec<String> = (0..count).map(|_| word(chance)).collect();
        let sketch = Sketch::of(&words.join(" "));
        Self { class, payload: chance.next(), canonical: None, words, sketch }
    }

    /// The same once more: byte by byte, or nearly.
    fn again(&self, all: &[Self], chance: &mut Chance) -> Self {
        let mut again = self.clone();
        let Some(_) = self.sketch.as_ref().filter(|_| chance.per_myriad(5_000)) else {
            return again;
        };
        again.payload = chance.next();
        if self.words.len() < LONG {
            return again;
        }
        for _ in 0..ENDINGS_MAX {
            again.words.pop();
            again.words.push(word(chance));
            again.sketch = Sketch::of(&again.words.join(" "));
            let others = all.iter().filter(|other| other.class == self.class);
            if others.flat_map(|other| &other.sketch).all(|other| again.is_near(other)) {
                return again;
            }
        }
        Self { payload: again.payload, ..self.clone() }
    }

    fn is_near(&self, other: &Sketch) -> bool {
        self.sketch
            .as_ref()
            .is_some_and(|own| own.is_near(other, true) && own.is_near(other, false))
    }

    /// The body of the page.
    pub(super) fn body(&self) -> Vec<u8> {
        // What does not repeat is not packed: files fill at every pace.
        let mut chance = Chance::new(self.payload, 22);
        let noise = (0..chance.skewed(BODY_MAX) / 8).flat_map(|_| chance.next().to_le_bytes());
        let mut body: Vec<u8> = noise.collect();
        body.extend(self.payload.to_le_bytes());
        body.extend(self.words.join(" ").bytes());
        body
    }
}

/// A word that hardly any other text has.
fn word(chance: &mut Chance) -> String {
    let letter = |_| char::from(b'a' + u8::try_from(chance.below(26)).expect("a letter"));
    (0..7).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_class_are_alike_and_others_are_not() {
        let mut near = 0;
        for seed in 0..20 {
            let sayings = Saying::draw_all(150, &mut Chance::new(seed, 0));
            for (at, one) in sayings.iter().enumerate() {
                for other in &sayings[..at] {
                    let is_same = one.payload == other.payload;
                    let both = one.sketch.as_ref().zip(other.sketch.as_ref());
                    let is_near =
                        both.is_some_and(|(a, b)| a.is_near(b, true) && a.is_near(b, false));
                    assert_eq!(is_same || is_near, one.class == other.class, "seed {seed}");
                    assert!(!is_same || one.body() == other.body());
                    let agrees = both.is_some_and(|(a, b)| a.agrees(b));
                    assert!(!agrees || one.class == other.class, "seed {seed}");
                    near += usize::from(is_near && one.words != other.words);
                }
            }
        }
        assert!(near > 1_000, "{near}");
    }
}
