//! Runs are kept in the repository: a file a day and machine, a row a crawl.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::figures::Figures;
use super::ratchet::MEASURE;
use super::setting::Setting;

/// The contender that is ours.
const OURS: &str = "rhumb";
/// Where the files are.
const FOLDER: &str = "bench/runs";
const HEADER: &str = "date,commit,web,hosts,pages,coding,latency_ms,https,closes,threads,contender,\
                      version,run,pages_fetched,seconds,steady_per_s,cpu_seconds,peak_bytes,\
                      written_bytes,missing,repeats,violations";
/// Words in the name of a processor that tell nothing.
const EMPTY_WORDS: [&str; 7] = ["r", "tm", "cpu", "processor", "with", "core", "virtual"];

/// One crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// When the command began that this crawl is a part of: the same for all of its rows.
    pub date: String,
    /// What was built, with a plus where files were changed since.
    pub commit: String,
    /// What was crawled.
    pub setting: Setting,
    /// By whom.
    pub contender: String,
    /// In which version.
    pub version: String,
    /// The how manieth time.
    pub run: usize,
    /// What it reached and took.
    pub figures: Figures,
}

/// The runs on this machine.
pub struct Book {
    folder: PathBuf,
    machine: String,
    date: String,
    commit: String,
}

impl Book {
    /// Of this machine, this moment and what is checked out.
    pub fn open() -> Self {
        let machine = machine(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
        let date = said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]);
        let mut commit = said("git", &["rev-parse", "--short", "HEAD"]);
        if !said("git", &["status", "--porcelain", "--", ".", ":!bench/runs"]).is_empty() {
            commit.push('+');
        }
        Self { folder: FOLDER.into(), machine, date, commit }
    }

    /// The row of a crawl of now.
    pub fn row(&self, setting: Setting, contender: (&str, &str), of: (usize, Figures)) -> Row {
        let ((contender, version), (run, figures)) = (contender, of);
        let (contender, version) = (contender.to_owned(), version.to_owned());
        let (date, commit) = (self.date.clone(), self.commit.clone());
        Row { date, commit, setting, contender, version, run, figures }
    }

    /// Keeps these, but none of ours that is not right; says where.
    pub fn append(&self, rows: &[Row]) -> Result<PathBuf, String> {
        let day = self.date.get(..10).unwrap_or("undated");
        let path = self.folder.join(format!("{day}-{}.csv", self.machine));
        let mut text = String::new();
        if !path.exists() {
            text.push_str(HEADER);
            text.push('\n');
        }
        for row in rows.iter().filter(|row| row.contender != OURS || row.figures.is_right()) {
            text.push_str(&row.line());
            text.push('\n');
        }
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(path)
    }

    /// The rows that are kept of this setting, of the last command that measured ours in it
    /// beside the peer that is the measure; where none did, of the last that measured ours.
    pub fn last(&self, setting: &Setting) -> Result<Vec<Row>, String> {
        let mut rows = self.rows()?;
        rows.retain(|row| row.setting == *setting);
        let dates = |name: &str| -> BTreeSet<String> {
            rows.iter().filter(|it| it.contender == name).map(|it| it.date.clone()).collect()
        };
        let (ours, measures) = (dates(OURS), dates(MEASURE));
        let date = ours.intersection(&measures).max().or(ours.last()).cloned().unwrap_or_default();
        rows.retain(|row| row.date == date);
        Ok(rows)
    }

    fn rows(&self) -> Result<Vec<Row>, String> {
        let end = format!("-{}.csv", self.machine);
        let mut rows = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().ends_with(&end) {
                rows.extend(read(&entry.path())?);
            }
        }
        Ok(rows)
    }
}

fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text =
        fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let wrong = |line: usize| format!("{}:{}: no row of this file", path.display(), line + 1);
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, HEADER)) => {}
        _ => return Err(wrong(0)),
    }
    lines.map(|(at, line)| Row::parse(line).ok_or_else(|| wrong(at))).collect()
}

impl Row {
    fn line(&self) -> String {
        let Self { date, commit, setting, contender, version, run, figures } = self;
        let steady = figures.steady.map(|rate| format!("{rate:.1}")).unwrap_or_default();
        [
            date.clone(),
            commit.clone(),
            setting.web().to_owned(),
            setting.hosts.to_string(),
            setting.pages.to_string(),
            setting.coding().to_owned(),
            setting.latency_ms.to_string(),
            setting.https.to_string(),
            setting.closes.to_string(),
            setting.threads.to_string(),
            contender.clone(),
            version.clone(),
            run.to_string(),
            figures.pages.to_string(),
            format!("{:.3}", figures.seconds),
            steady,
            format!("{:.2}", figures.cpu),
            figures.peak_bytes.to_string(),
            figures.written_bytes.to_string(),
            figures.missing.to_string(),
            figures.repeats.to_string(),
            figures.violations.to_string(),
        ]
        .join(",")
    }

    fn parse(line: &str) -> Option<Self> {
        let columns: Vec<&str> = line.split(',').collect();
        let [
            date,
            commit,
            _,
            hosts,
            pages,
            coding,
            latency_ms,
            https,
            closes,
            threads,
            contender,
            version,
            run,
            figures @ ..,
        ] = columns.as_slice()
        else {
            return None;
        };
        let setting = Setting {
            hosts: hosts.parse().ok()?,
            pages: pages.parse().ok()?,
            gzip: *coding == "gzip",
            latency_ms: latency_ms.parse().ok()?,
            https: https.parse().ok()?,
            closes: closes.parse().ok()?,
            threads: threads.parse().ok()?,
        };
        Some(Self {
            date: (*date).to_owned(),
            commit: (*commit).to_owned(),
            setting,
            contender: (*contender).to_owned(),
            version: (*version).to_owned(),
            run: run.parse().ok()?,
            figures: parse_figures(figures)?,
        })
    }
}

fn parse_figures(columns: &[&str]) -> Option<Figures> {
    let [pages, seconds, steady, cpu, peak, written, missing, repeats, violations] = columns else {
        return None;
    };
    Some(Figures {
        pages: pages.parse().ok()?,
        seconds: seconds.parse().ok()?,
        steady: if steady.is_empty() { None } else { Some(steady.parse().ok()?) },
        cpu: cpu.parse().ok()?,
        peak_bytes: peak.parse().ok()?,
        written_bytes: written.parse().ok()?,
        missing: missing.parse().ok()?,
        repeats: repeats.parse().ok()?,
        violations: violations.parse().ok()?,
    })
}

/// What a command prints, nothing where it cannot be started.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_default()
}

/// A short name of a machine: its processor, and how many cores it has.
fn machine(cpuinfo: &str) -> String {
    let model = cpuinfo.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split_once(':')).map_or("unknown", |(_, name)| name);
    // The clock after the @ is part of the name on some.
    let model = model.split('@').next().unwrap_or_default().to_ascii_lowercase();
    let words = model.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(word));
    let cores = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    format!("{}-{cores}core", words.collect::<Vec<_>>().join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(date: &str, contender: &str) -> Row {
        let figures = Figures {
            pages: 10_000.0,
            seconds: 4.5,
            steady: Some(2_400.0),
            cpu: 4.25,
            peak_bytes: 99,
            written_bytes: 77,
            missing: 0,
            repeats: 0,
            violations: 0,
        };
        Row {
            date: date.to_owned(),
            commit: "abc+".to_owned(),
            setting: Setting::BROAD,
            contender: contender.to_owned(),
            version: "1.0".to_owned(),
            run: 1,
            figures,
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let mut row = row("2026-11-16T07:00:00Z", "rhumb");
        assert_eq!(Row::parse(&row.line()), Some(row.clone()));
        assert_eq!(row.line().split(',').count(), HEADER.split(',').count());
        row.figures =
            Figures { steady: None, missing: 1, repeats: 2, violations: 3, ..row.figures };
        assert_eq!(Row::parse(&row.line()), Some(row.clone()));
        assert_eq!(Row::parse("1,2,3"), None);
    }

    fn book(folder: &Path, date: &str, machine: &str) -> Book {
        let [date, machine] = [date, machine].map(str::to_owned);
        Book { folder: folder.to_owned(), machine, date, commit: "abc".to_owned() }
    }

    #[test]
    fn a_run_of_ours_that_is_not_right_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let monday = "2026-11-16T07:00:00Z";
        let right = row(monday, "rhumb");
        let [mut wrong, mut peer] = ["rhumb", "wget2"].map(|name| row(monday, name));
        (wrong.figures.repeats, peer.figures.repeats) = (1, 1);
        let here = book(folder.path(), monday, "here");
        here.append(&[wrong, right.clone(), peer.clone()]).unwrap();
        assert_eq!(here.last(&Setting::BROAD).unwrap(), [right, peer]);
    }

    #[test]
    fn the_last_run_beside_the_measure_is_preferred() {
        let folder = tempfile::tempdir().unwrap();
        let days = ["2026-11-16T07:00:00Z", "2026-11-17T07:00:00Z", "2026-11-18T07:00:00Z"];
        let check = |day: usize, names: &[&str], expect: usize| {
            let here = book(folder.path(), days[day], "here");
            let rows: Vec<Row> = names.iter().map(|name| row(days[day], name)).collect();
            here.append(&rows).unwrap();
            let last = here.last(&Setting::BROAD).unwrap();
            assert!(!last.is_empty() && last.iter().all(|it| it.date == days[expect]), "{last:?}");
        };
        check(0, &["rhumb", "scrapy"], 0);
        check(1, &["rhumb", "wget2"], 1);
        check(2, &["rhumb"], 1);
    }

    #[test]
    fn the_last_run_is_the_last_that_measured_ours() {
        let folder = tempfile::tempdir().unwrap();
        let book = |date: &str, machine: &str| book(folder.path(), date, machine);
        let (monday, tuesday) = ("2026-11-16T07:00:00Z", "2026-11-17T07:00:00Z");
        book(monday, "here").append(&[row(monday, "rhumb"), row(monday, "wget2")]).unwrap();
        book(tuesday, "here").append(&[row(tuesday, "wget2")]).unwrap();
        book(tuesday, "there").append(&[row(tuesday, "rhumb")]).unwrap();
        let here = book(tuesday, "here");
        assert_eq!(
            here.last(&Setting::BROAD).unwrap(),
            [row(monday, "rhumb"), row(monday, "wget2")]
        );
        let plain = Setting { gzip: false, ..Setting::BROAD };
        assert_eq!(here.last(&plain).unwrap(), []);
    }

    #[test]
    fn a_machine_is_named_by_its_processor_and_its_cores() {
        let check = |model: &str, expect| {
            let core = format!("processor\t: 0\nmodel name\t: {model}\n");
            assert_eq!(machine(&core.repeat(2)), expect);
        };
        check("AMD EPYC-Milan Processor", "amd-epyc-milan-2core");
        check("Intel(R) Xeon(R) CPU E5-2670 v2 @ 2.50GHz", "intel-xeon-e5-2670-v2-2core");
    }
}
