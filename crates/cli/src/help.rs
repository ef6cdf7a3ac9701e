//! `rhumb --help`: the commands by what they are for.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};
use rhumb_order::{BUDGETS, ORDERS};

use crate::Cli;

/// Every command once, in the order in which a user meets them.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Crawl", &["crawl", "demo", "plan"]),
    (
        "Ask a crawl, while it runs or afterwards",
        &["search", "serve", "status", "why", "audit", "export"],
    ),
    ("Change a crawl", &["pause", "resume", "stop", "submit", "site", "index", "forget"]),
    ("Try one thing, without a crawl", &["url", "robots", "page", "similar", "bench", "simulate"]),
];
/// The width of the name of a command, an order or a budget.
const NAME: usize = 8;

/// The command line, with its help in groups.
pub(crate) fn command() -> Command {
    let rhumb = Cli::command();
    let header = rhumb.get_styles().get_header();
    let literal = rhumb.get_styles().get_literal();
    let mut list = String::new();
    for (title, names) in GROUPS {
        writeln!(list, "{header}{title}:{header:#}").expect("a string takes all");
        for name in names {
            let command = rhumb.find_subcommand(name).expect("a test looks for each");
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            writeln!(list, "  {literal}{name:<NAME$}{literal:#} {about}")
                .expect("a string takes all");
        }
        list.push('\n');
    }
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}"
    );
    let policies = policies(&rhumb);
    let mut rhumb = rhumb.help_template(template);
    for name in ["crawl", "simulate"] {
        rhumb = rhumb.mut_subcommand(name, |command| command.after_help(policies.clone()));
    }
    rhumb
}

/// Every order and every budget, with what it does.
fn policies(rhumb: &Command) -> String {
    let header = rhumb.get_styles().get_header();
    let literal = rhumb.get_styles().get_literal();
    let orders = ORDERS.iter().map(|it| (it.name(), it.about())).collect::<Vec<_>>();
    let budgets = BUDGETS.iter().map(|it| (it.name(), it.about())).collect::<Vec<_>>();
    let mut list = String::new();
    for (title, known) in [
        ("Orders, which pages first", orders),
        ("Budgets, how many pages a domain may have before others", budgets),
    ] {
        writeln!(list, "{header}{title}:{header:#}").expect("a string takes all");
        for (name, about) in known {
            writeln!(list, "  {literal}{name:<NAME$}{literal:#} {about}")
                .expect("a string takes all");
        }
        list.push('\n');
    }
    list.truncate(list.trim_end().len());
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_fits_a_terminal() {
        let rhumb = Cli::command();
        let shown = rhumb.get_subcommands().filter(|command| !command.is_hide_set());
        let mut known: Vec<&str> = shown.map(Command::get_name).collect();
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
        let help = command().render_help().to_string();
        assert!(help.contains("\nCrawl:\n  crawl    Crawl from seeds"), "{help}");
        for line in help.lines().skip(1) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn every_order_and_budget_is_told_with_its_meaning_where_it_is_chosen() {
        for name in ["crawl", "simulate"] {
            let mut rhumb = command();
            let chosen = rhumb.find_subcommand_mut(name).expect("there is one");
            let help = chosen.render_help().to_string();
            let orders = ORDERS.iter().map(|it| (it.name(), it.about()));
            for (name, about) in orders.chain(BUDGETS.iter().map(|it| (it.name(), it.about()))) {
                let line = format!("  {name:<NAME$} {about}");
                assert!(help.lines().any(|it| it == line), "{line:?} is not in {help}");
                assert!(line.chars().count() <= 100, "{line}");
            }
        }
    }
}
