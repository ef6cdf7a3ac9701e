//! Documents are read by children, which nothing in a document can outlive, fill or hold up.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rhumb_formats::{End, Extract, Formats, FormatsSettings, Kind, MEMORY_BYTES, TIME, read_here};
use tempfile::TempDir;

const RHUMB: &str = env!("CARGO_BIN_EXE_rhumb");

fn sample(name: &str) -> Vec<u8> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/samples");
    std::fs::read(samples.join(name)).expect("a sample")
}

/// Children that write down their process ids, and run `before` in a shell first.
struct Watched {
    folder: TempDir,
    formats: Formats,
}

impl Watched {
    fn new(before: &str, change: impl FnOnce(&mut FormatsSettings)) -> Self {
        let folder = TempDir::new().expect("a folder");
        let pids = folder.path().join("pids");
        let script = format!(
            "echo $$ >> '{pids}'; {before}\nexec '{RHUMB}' read-format",
            pids = pids.display(),
        );
        let mut settings = FormatsSettings {
            program: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".to_owned(), script],
            children: 1,
            wait: TIME,
            time: TIME,
            memory_bytes: MEMORY_BYTES,
        };
        change(&mut settings);
        Self { folder, formats: Formats::new(settings) }
    }

    async fn read(&self, name: &str) -> Extract {
        let body = sample(name);
        let kind = name.rsplit('.').next().expect("a name has an ending");
        let kind = Kind::ALL.into_iter().find(|known| known.word() == kind).expect("a kind");
        self.formats.read(kind, body.into()).await
    }

    fn started(&self) -> Vec<String> {
        let pids = std::fs::read_to_string(self.folder.path().join("pids")).unwrap_or_default();
        pids.lines().map(ToOwned::to_owned).collect()
    }

    /// Ends all, and finds no process left, not even a dead one.
    fn end(self) -> usize {
        let started = self.started();
        drop(self.formats);
        for pid in &started {
            assert!(!Path::new("/proc").join(pid).exists(), "{pid} is still there");
        }
        started.len()
    }
}

#[tokio::test]
async fn a_child_reads_what_this_process_would_and_serves_many_documents() {
    let watched = Watched::new("", |_| {});
    assert!(watched.started().is_empty());
    for (name, kind) in [
        ("reportlab.pdf", Kind::Pdf),
        ("sample.docx", Kind::Docx),
        ("truncated.pdf", Kind::Pdf),
        ("locked.pdf", Kind::Pdf),
        ("nested.docx", Kind::Docx),
        ("sample.rtf", Kind::Rtf),
    ] {
        assert_eq!(watched.read(name).await, read_here(kind, &sample(name)), "{name}");
    }
    assert_eq!(watched.read("sample.ps").await.end, End::Stored);
    assert_eq!(watched.end(), 1);
}

#[tokio::test]
async fn children_are_no_more_than_allowed_and_are_renewed() {
    let watched = Watched::new("", |settings| settings.children = 2);
    let mut done = 0;
    for _ in 0..70 {
        let read = || watched.read("sample.rtf");
        let (first, second, third) = tokio::join!(read(), read(), read());
        done += [first, second, third].iter().filter(|found| found.end == End::Whole).count();
    }
    assert_eq!(done, 210);
    let started = watched.end();
    assert!((3..=4).contains(&started), "{started} children for 210 documents");
}

#[tokio::test]
async fn a_child_that_hangs_is_killed_and_the_next_document_gets_a_new_one() {
    let once = "[ -e \"$0.hung\" ] || { echo > \"$0.hung\"; exec /bin/sleep 1000; }";
    let folder = TempDir::new().expect("a folder");
    let mark = folder.path().join("child").display().to_string();
    let watched = Watched::new(once, |settings| {
        settings.arguments.push(mark);
        settings.time = Duration::from_secs(2);
    });
    let begun = Instant::now();
    assert_eq!(watched.read("sample.rtf").await.end, End::TooLong);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(watched.read("sample.rtf").await.end, End::Whole);
    assert_eq!(watched.end(), 2);
}

#[tokio::test]
async fn a_child_that_needs_too_much_memory_dies_and_the_document_is_called_too_large() {
    let watched = Watched::new("", |settings| settings.memory_bytes = 256 << 20);
    assert_eq!(
        watched.read("object-bomb.pdf").await,
        Extract { end: End::TooLarge, ..Extract::default() }
    );
    assert_eq!(watched.read("sample.rtf").await.end, End::Whole);
    assert_eq!(watched.end(), 2);
}

#[tokio::test]
async fn a_child_that_crashes_says_by_what() {
    let watched = Watched::new("head -c 21 > /dev/null; kill -SEGV $$", |_| {});
    let End::Broken(what) = watched.read("sample.rtf").await.end else {
        panic!("it read all the same");
    };
    assert!(what.starts_with("its reader died of it: signal: 11"), "{what}");
    assert_eq!(watched.end(), 1);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_no_panic() {
    let formats = Watched::new("", |settings| settings.program = "/nowhere/rhumb".into());
    let End::Unread(what) = formats.read("sample.rtf").await.end else {
        panic!("it read all the same");
    };
    assert!(what.starts_with("no child can be started: "), "{what}");
}

#[tokio::test]
async fn a_reading_that_is_given_up_leaves_no_child() {
    let watched = Watched::new("exec /bin/sleep 1000", |_| {});
    let given_up =
        tokio::time::timeout(Duration::from_millis(500), watched.read("sample.rtf")).await;
    assert!(given_up.is_err());
    watched.end();
}

#[test]
fn a_child_ends_when_its_parent_is_gone() {
    let mut child = Command::new(RHUMB)
        .arg("read-format")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("a child");
    let mut pipe = child.stdin.take().expect("a pipe");
    let limits = [(512_u64 << 20).to_le_bytes(), 1_000_u64.to_le_bytes()].concat();
    pipe.write_all(&limits).expect("a reader");
    drop(pipe);
    assert!(child.wait().expect("an end").success());
}
