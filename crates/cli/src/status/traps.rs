//! `rhumb status --traps`: the templates of URLs that were taken for traps.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use rhumb_crawl::ask::{Suspect, stopped};
use rhumb_crawl::control::{Question, Reply};

use super::StatusArgs;
use crate::fault::Fault;
use crate::printable::printable;
use crate::quantity::grouped;
use crate::rest::{self, Found};
use crate::screen;

/// The templates that were taken for traps: the crawl says so itself if it runs, and is read if it
/// does not.
pub(super) fn look(folder: &Path) -> Result<Vec<Suspect>, Fault> {
    match rest::find(folder, &Question::Traps)? {
        Found::Running(Reply::Traps { suspects }) => Ok(suspects),
        Found::Running(_) => Err(rest::beside_the_point(folder)),
        Found::AtRest(home, settings) => {
            let plan = rest::plan(&home, *settings)?;
            stopped::traps(&plan.engine).map_err(rest::unreadable(folder))
        }
    }
}

/// Prints them: a line each.
pub(super) fn show(args: &StatusArgs, suspects: &[Suspect]) -> std::io::Result<()> {
    if args.json {
        return suspects.iter().try_for_each(screen::print);
    }
    std::io::stdout().lock().write_all(text(suspects).as_bytes())
}

fn text(suspects: &[Suspect]) -> String {
    if suspects.is_empty() {
        return "no traps are suspected\n".to_owned();
    }
    let mut text =
        format!("{:>9} {:>9} {:>9}  {:<22} template\n", "refused", "pages", "new", "kind");
    for suspect in suspects {
        let Suspect { site, template, kind, pages, new, refused } = suspect;
        let [refused, pages, new] = [*refused, *pages, *new].map(grouped);
        let place = format!("{site}{template}");
        let place = printable(&place);
        writeln!(text, "{refused:>9} {pages:>9} {new:>9}  {:<22} {place}", kind.word())
            .expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use rhumb_rules::{Reason, Trap};

    use super::*;

    #[test]
    fn a_trap_is_told_with_its_counts_and_its_template() {
        let suspect = Suspect {
            site: "a.example".to_owned(),
            template: "/cal/#/#".to_owned(),
            kind: Reason::Trap(Trap::Calendar),
            pages: 15,
            new: 1,
            refused: 1_234,
        };
        let told = text(&[suspect]);
        let line = told.lines().nth(1).unwrap();
        assert_eq!(line, "    1,234        15         1  trap-calendar          a.example/cal/#/#");
        assert_eq!(text(&[]), "no traps are suspected\n");
    }
}
