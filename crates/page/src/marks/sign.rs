//! Signs that are weighed together.

/// What all signs together must weigh.
const ENOUGH: u8 = 4;
/// The weight of what only a gate has.
const CERTAIN: u8 = 3;

/// What a sign was found in; several signs of one kind are still one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The status or a header.
    Answer,
    /// A script, a frame or a form.
    Script,
    /// The title, or the first words of the text.
    Title,
    /// The text.
    Text,
    /// How the page is made: how short it is, what its metas say, where it stands.
    Make,
}

/// Something that speaks for a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) kind: Kind,
    pub(super) weight: u8,
    /// How it is told.
    pub(super) word: &'static str,
}

/// The signs for one mark.
#[derive(Debug, Default)]
pub(super) struct Signs(Vec<Sign>);

impl Signs {
    pub(super) fn add(&mut self, kind: Kind, weight: u8, word: &'static str) {
        if !self.0.iter().any(|sign| sign.word == word) {
            self.0.push(Sign { kind, weight, word });
        }
    }

    pub(super) fn add_if(&mut self, holds: bool, kind: Kind, weight: u8, word: &'static str) {
        if holds {
            self.add(kind, weight, word);
        }
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.0.iter().any(|sign| sign.kind == kind)
    }

    /// Whether the answer itself says it: a header that only a gate sends, and its status.
    pub(super) fn is_certain(&self) -> bool {
        self.0.iter().any(|sign| sign.kind == Kind::Answer && sign.weight >= CERTAIN)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words of all signs, if they weigh enough and are of more than one kind, or the
    /// answer itself says it by several.
    pub(super) fn enough(self) -> Option<Vec<&'static str>> {
        let weight: u8 = self.0.iter().map(|sign| sign.weight).fold(0, u8::saturating_add);
        let first = self.0.first()?.kind;
        let is_mixed = self.0.iter().any(|sign| sign.kind != first);
        ((is_mixed || self.is_certain()) && weight >= ENOUGH)
            .then(|| self.0.iter().map(|sign| sign.word).collect())
    }
}
