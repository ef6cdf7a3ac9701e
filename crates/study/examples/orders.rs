//! Prints the table of `docs/simulate.md` in a build that takes a minute: `rhumb simulate` does the
//! same with more to choose from.
//!
//! `cargo run --release -p rhumb-study --example orders -- PAGES SEED… [farm STRAYS HIJACKED] [purse BYTES]`
#![expect(clippy::print_stdout, reason = "it is a program")]

use rhumb_study::{FarmSpec, Known, Plan, YARDSTICKS, contender, generate, orders, trials};

const AT: [f64; 5] = [5.0, 10.0, 25.0, 50.0, 75.0];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers = |name: &str| -> Vec<u32> {
        let start = words.iter().position(|word| word == name).map_or(words.len(), |at| at + 1);
        words[start..].iter().map_while(|word| word.parse().ok()).collect()
    };
    let leading: Vec<u32> = words.iter().map_while(|word| word.parse().ok()).collect();
    let Some((pages, seeds)) = leading.split_first() else {
        println!("orders PAGES SEED… [farm STRAYS HIJACKED] [purse BYTES]");
        return;
    };
    let names = words.iter().filter_map(|word| word.split_once('/'));
    let mut pairs: Vec<(&str, &str)> = names.collect();
    let purse = numbers("purse").first().copied().and_then(|it| usize::try_from(it).ok());
    if pairs.is_empty() {
        pairs.push(("trust", "trust"));
        pairs.extend(orders().into_iter().chain(YARDSTICKS).map(|order| (order, "none")));
    }
    for seed in seeds {
        let known = Known::new(generate(*pages, u64::from(*seed)));
        println!(
            "seed {seed}: {pages} pages, {} links, {} domains",
            known.graph.edges(),
            known.graph.domains()
        );
        let farm = numbers("farm");
        let farm = (farm.len() == 2).then(|| FarmSpec {
            domains: 10_000,
            strays: farm[0],
            hijacked: farm[1],
            seed: u64::from(*seed),
        });
        let plans: Vec<Plan> = pairs
            .iter()
            .map(|(order, budget)| Plan {
                contender: contender(order).expect("an order"),
                budget: rhumb_order::budget(budget).expect("a budget"),
                delay_us: 1_000_000,
                pace_us: 1_000_000 / u64::from((known.graph.domains() / 20).max(1)),
                purse,
                farm,
            })
            .collect();
        for trial in trials(&known, &plans, &AT, |_| {}) {
            let name = format!("{}/{}", trial.order, trial.budget);
            let row: Vec<String> =
                AT.iter().map(|at| format!("{:.4}", trial.at(*at).mass)).collect();
            let end = trial.points.last().copied().unwrap_or_default();
            let spam = trial.at(25.0).spam_share();
            println!(
                "{name:18} {} | spam@25 {spam:.3} | end {} at {:.0} s level {}",
                row.join(" "),
                end.fetched,
                end.seconds,
                end.level
            );
            if !trial.farm.is_empty() {
                let farm = trial.farm.iter().map(|(at, point)| {
                    point.map_or(format!("{at}: never"), |it| {
                        format!("{at}: {:.3} L{}", it.farm_share(), it.level)
                    })
                });
                println!("    farm {}", farm.collect::<Vec<_>>().join("  "));
            }
        }
    }
}
