//! Weights by coordinate search: one at a time is moved, and what the even queries like is kept.

use rhumb_index::{Searcher, Weights};

use super::judged::Judged;
use super::manual::Query;
use super::ranking::place;
use crate::seen::Outcome;

/// Passes over all weights, unless one changes nothing.
const ROUNDS: usize = 4;
/// What a weight is multiplied with.
const FACTORS: [f32; 6] = [0.0, 0.5, 0.75, 1.33, 2.0, 4.0];
/// What a weight of zero is tried with.
const FRESH: [f32; 3] = [0.1, 0.5, 2.0];
/// Less is chance: about one query in a thousand that moves by a place.
const GAIN_MIN: f64 = 0.000_3;

type Field = (&'static str, fn(&mut Weights) -> &mut f32);

/// Without what these sites say nothing of: they have no dates, and no other sites link to them.
const FIELDS: [Field; 15] = [
    ("k1", |it| &mut it.k1),
    ("length", |it| &mut it.length),
    ("length_of_part", |it| &mut it.length_of_part),
    ("title", |it| &mut it.title),
    ("heading", |it| &mut it.heading),
    ("url", |it| &mut it.url),
    ("anchor", |it| &mut it.anchor),
    ("coverage", |it| &mut it.coverage),
    ("exact", |it| &mut it.exact),
    ("near", |it| &mut it.near),
    ("same_title", |it| &mut it.same_title),
    ("same_anchor", |it| &mut it.same_anchor),
    ("vote", |it| &mut it.vote),
    ("page", |it| &mut it.page),
    ("text", |it| &mut it.text),
];

/// Moves the weights until it does not pay any more, and prints them.
pub fn climb(searcher: &Searcher, queries: &[Query]) -> Outcome {
    let mut weights = Weights::default();
    let mut best = judge(searcher, queries, 0, &weights)?;
    println!("even  {best}");
    for round in 1..=ROUNDS {
        let before = best;
        for (name, field) in FIELDS {
            let now = *field(&mut weights);
            let tries =
                if now == 0.0 { FRESH.to_vec() } else { FACTORS.map(|it| it * now).to_vec() };
            for value in tries {
                let mut other = weights;
                *field(&mut other) = value;
                let judged = judge(searcher, queries, 0, &other)?;
                if judged.worth() > best.worth() + GAIN_MIN {
                    (best, weights) = (judged, other);
                    println!("round {round}  {name:<14} {now} -> {value}  {best}");
                }
            }
        }
        if best == before {
            break;
        }
    }
    println!("{weights:#?}");
    println!("even  {best}");
    println!("odd   {}", judge(searcher, queries, 1, &weights)?);
    Ok(())
}

fn judge(
    searcher: &Searcher,
    queries: &[Query],
    first: usize,
    weights: &Weights,
) -> Result<Judged, Box<dyn std::error::Error>> {
    let queries = queries.iter().skip(first).step_by(2);
    let places: Result<Vec<_>, _> = queries.map(|it| place(searcher, it, weights)).collect();
    Ok(Judged::of(places?))
}
