//! Trouble that strikes the whole crawl: the line goes down, the machine sleeps.

use crate::chance::Chance;
use crate::moment::Moment;

/// A trouble that comes and goes.
#[derive(Debug)]
pub(crate) struct Spell {
    from: Moment,
    until: Moment,
}

impl Spell {
    /// Whether it is on; once it is over, `then` says when it comes again and for how long.
    fn is_on(&mut self, now: Moment, then: impl FnOnce() -> (Moment, Moment)) -> bool {
        if now >= self.until {
            let (wait, length) = then();
            self.from = now.plus(wait);
            self.until = self.from.plus(length);
        }
        now >= self.from
    }
}

/// The trouble of one crawl.
#[derive(Debug)]
pub(crate) struct Weather {
    chance: Chance,
    outage: Spell,
    sleep: Spell,
}

impl Weather {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed, 2);
        let mut spell = |after: u64, length: u64| {
            let from = Moment::seconds(chance.between(after, 3 * after));
            Spell { from, until: from.plus(Moment::seconds(length)) }
        };
        let (outage, sleep) = (spell(20, 120), spell(90, 40));
        Self { chance, outage, sleep }
    }

    /// Whether our own line is down.
    pub(crate) fn is_line_down(&mut self, now: Moment) -> bool {
        let chance = &mut self.chance;
        self.outage.is_on(now, || {
            let wait = Moment::seconds(chance.between(600, 3_600));
            (wait, Moment::seconds(chance.between(5, 300)))
        })
    }

    /// Until when the machine sleeps, if it does: the crawl's clock leaps over that time.
    pub(crate) fn sleeps_until(&mut self, now: Moment) -> Option<Moment> {
        let chance = &mut self.chance;
        let is_on = self.sleep.is_on(now, || {
            let wait = Moment::seconds(chance.between(300, 3_600));
            let is_long = chance.per_myriad(1_000);
            // Longer than a robots.txt is believed.
            let nap = if is_long { 26 * 3_600 } else { chance.between(1, 200) };
            (wait, Moment::seconds(nap))
        });
        is_on.then_some(self.sleep.until)
    }
}
