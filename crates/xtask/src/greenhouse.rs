//! `cargo x plants`: a copy of the workspace in which known bugs are grown, one at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::plants::{PLANTS, Plant};
use crate::watched::{self, Watched};
use crate::{Ended, workspace};

/// A planted bug may make a test hang: after this it counts as noticed.
const PATIENCE: Duration = Duration::from_mins(5);
/// Building may take this long on a fresh machine.
const PATIENCE_TO_BUILD: Duration = Duration::from_mins(30);

/// Grows all plants, or the one named, and tells how many turned red.
pub(crate) fn run(name: Option<&str>, full: bool) -> Ended {
    let is_chosen = |plant: &&Plant| match name {
        Some(name) => plant.name.starts_with(name),
        None => full || !plant.full,
    };
    let chosen: Vec<&Plant> = PLANTS.iter().filter(is_chosen).collect();
    if let Some(name) = name
        && chosen.is_empty()
    {
        let names: Vec<&str> = PLANTS.iter().map(|plant| plant.name).collect();
        return Err(format!("no plant is named {name}; there are: {}", names.join(", ")));
    }
    let greenhouse = Greenhouse::new()?;
    let mut complaints = Vec::new();
    if !chosen.is_empty() {
        greenhouse.fill()?;
        greenhouse.all_green(&chosen)?;
    }
    for plant in &chosen {
        match greenhouse.grow(plant) {
            Ok(()) => println!("plant {}: red, as it must be", plant.name),
            Err(why) => {
                println!("plant {}: {why}", plant.name);
                complaints.push(plant.name);
            }
        }
    }
    println!("plants: {} of {} turned red", chosen.len() - complaints.len(), chosen.len());
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("plants that did not turn red: {}", complaints.join(", ")))
}

struct Greenhouse {
    folder: PathBuf,
    tree: PathBuf,
}

impl Greenhouse {
    fn new() -> Result<Self, String> {
        let folder = workspace::target().join("plants");
        let tree = folder.join("tree");
        fs::create_dir_all(&tree).map_err(|e| format!("cannot create {}: {e}", tree.display()))?;
        Ok(Self { folder, tree })
    }

    /// Makes the copy equal to the workspace; what is equal keeps its time, so cargo keeps it.
    fn fill(&self) -> Ended {
        let told = |e: std::io::Error| format!("cannot copy the workspace: {e}");
        let files = workspace::files()?;
        for path in &files {
            let text = fs::read(workspace::root().join(path)).map_err(told)?;
            let copy = self.tree.join(path);
            if fs::read(&copy).is_ok_and(|old| old == text) {
                continue;
            }
            if let Some(folder) = copy.parent() {
                fs::create_dir_all(folder).map_err(told)?;
            }
            fs::write(&copy, text).map_err(told)?;
        }
        remove_others(&self.tree, &self.tree, &files).map_err(told)
    }

    /// Without a plant every test that plants rely on exists and passes.
    fn all_green(&self, chosen: &[&Plant]) -> Ended {
        let mut filters: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for plant in chosen {
            filters.entry(plant.package).or_default().insert(plant.filter);
        }
        for (package, filters) in filters {
            let filters: Vec<&str> = filters.into_iter().collect();
            let done = self.test(package, &filters, PATIENCE_TO_BUILD)?;
            if !done.success {
                return Err(format!("unplanted, tests of {package} fail: {}", self.log()));
            }
            for filter in filters {
                if !ran(&done.log, filter) {
                    return Err(format!("{package} has no test with {filter} in its name"));
                }
            }
        }
        Ok(())
    }

    /// Plants one bug, sees whether its test turns red, and takes the bug out again.
    fn grow(&self, plant: &Plant) -> Ended {
        let file = self.tree.join(plant.file);
        let told = |e: std::io::Error| format!("{}: {e}", plant.file);
        let healthy = fs::read_to_string(&file).map_err(told)?;
        fs::write(&file, planted(&healthy, plant)?).map_err(told)?;
        let red = self.turns_red(plant);
        fs::write(&file, healthy).map_err(told)?;
        red
    }

    fn turns_red(&self, plant: &Plant) -> Ended {
        let built = self.watch(self.cargo(plant.package).arg("--no-run"), PATIENCE_TO_BUILD)?;
        if !built.success {
            return Err(format!("does not compile, see {}", self.log()));
        }
        let done = self.test(plant.package, &[plant.filter], PATIENCE)?;
        if done.success {
            return Err(format!("{} still passes with it", plant.filter));
        }
        Ok(())
    }

    fn test(&self, package: &str, filters: &[&str], patience: Duration) -> Result<Watched, String> {
        self.watch(self.cargo(package).args(["--no-fail-fast", "--"]).args(filters), patience)
    }

    fn watch(&self, command: &mut Command, patience: Duration) -> Result<Watched, String> {
        watched::run(command, &self.folder.join("last.log"), patience)
    }

    fn log(&self) -> String {
        self.folder.join("last.log").display().to_string()
    }

    /// `cargo test` in the copy, on the dependencies that are built already.
    ///
    /// Cargo takes a copied package for the original, so both would overwrite each other. A debug
    /// level that nobody uses keeps them apart; dependencies have a level of their own and are
    /// shared; and finished programs go to a folder of our own, not over the healthy ones.
    fn cargo(&self, package: &str) -> Command {
        let mut command = workspace::cargo();
        command
            .current_dir(&self.tree)
            .env("CARGO_BUILD_BUILD_DIR", workspace::target())
            .env("CARGO_TARGET_DIR", self.folder.join("out"))
            .env("CARGO_PROFILE_DEV_DEBUG", "line-directives-only")
            .args(["test", "--locked", "--tests", "-p", package]);
        if std::env::var_os("RHUMB_CONFORMANCE").is_none() {
            // Its default is relative to the workspace, and the copy lies elsewhere.
            let suites = workspace::root().join("../shared/conformance");
            command.env("RHUMB_CONFORMANCE", suites);
        }
        command
    }
}

/// The file's text with the bug in it.
fn planted(healthy: &str, plant: &Plant) -> Result<String, String> {
    match healthy.matches(plant.before).count() {
        1 if plant.before == plant.after => Err("stale: it changes nothing".to_owned()),
        1 => Ok(healthy.replacen(plant.before, plant.after, 1)),
        n => Err(format!("stale: its text occurs {n} times in {}", plant.file)),
    }
}

/// Whether a test with `filter` in its name ran and passed.
fn ran(log: &str, filter: &str) -> bool {
    let mut names = log.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    names.any(|(name, verdict)| name.contains(filter) && verdict == "ok")
}

fn remove_others(tree: &Path, folder: &Path, keep: &BTreeSet<String>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(tree, &path, keep)?;
            continue;
        }
        let relative = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().into_owned();
        if !keep.contains(&relative) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, before: &'static str, after: &'static str) -> Result<String, String> {
        let plant = Plant {
            name: "p",
            file: "f.rs",
            before,
            after,
            package: "rhumb-web",
            filter: "t",
            full: false,
        };
        planted(text, &plant)
    }

    #[test]
    fn a_plant_whose_text_occurs_once_is_planted() {
        assert_eq!(check("a.max(b)", "max", "min"), Ok("a.min(b)".to_owned()));
    }

    #[test]
    fn a_plant_whose_text_is_gone_doubled_or_unchanged_is_stale() {
        assert!(check("a.max(b)", "clamp", "min").unwrap_err().contains("0 times"));
        assert!(check("a.max(b).max(c)", "max", "min").unwrap_err().contains("2 times"));
        assert!(check("a.max(b)", "max", "max").unwrap_err().contains("nothing"));
    }

    #[test]
    fn a_filter_that_no_test_has_is_noticed() {
        let log = "test gap::is_kept ... ok\ntest other ... FAILED";
        assert!(ran(log, "is_kept"));
        assert!(!ran(log, "other"));
        assert!(!ran(log, "kept_not"));
    }

    #[test]
    fn every_plant_of_the_table_fits_the_tree() {
        for plant in PLANTS {
            let text = fs::read_to_string(workspace::root().join(plant.file)).unwrap();
            assert!(planted(&text, plant).is_ok(), "{}", plant.name);
        }
    }
}
