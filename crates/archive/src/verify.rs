//! Says what is wrong with an archive file, and where.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read, Seek};
use std::path::Path;

use crate::digest::{Digest, Digester};
use crate::http::{Dechunker, HttpMessage, head_length};
use crate::read::{Fault, Flaw, Kind, Record, RecordHead, WarcReader};

/// Faults that are reported one by one; the rest are counted.
const FAULTS_MAX: usize = 1_000;
/// Ids that are remembered to find a repeated one: eight bytes each.
const IDS_MAX: usize = 8_000_000;
/// The longest head of an HTTP message that is looked into.
const HTTP_HEAD_MAX: usize = 1024 * 1024;
/// What every HTTP answer begins with.
const HTTP_START: &[u8] = b"HTTP/";

/// What a file holds, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The records that could be read.
    pub records: u64,
    /// How many of each kind.
    pub by_kind: BTreeMap<Kind, u64>,
    /// Records that say of themselves that they were cut.
    pub truncated: u64,
    /// What is wrong, in the order of the file.
    pub faults: Vec<Fault>,
    /// Faults beyond those that are listed.
    pub more_faults: u64,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    fn add(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        } else {
            self.more_faults += 1;
        }
    }
}

/// Reads a whole file and checks it: members, lengths, fields, ids, digests.
///
/// The payload of a chunked answer may be digested without its chunks, as the standard has it,
/// or with them, as some tools do.
pub fn verify(path: &Path) -> io::Result<Report> {
    Ok(verify_reader(WarcReader::open(path)?))
}

fn verify_reader<R: BufRead + Seek>(mut reader: WarcReader<R>) -> Report {
    let mut report = Report::default();
    let mut ids: HashSet<u64> = HashSet::new();
    let hasher = RandomState::new();
    while let Some(next) = reader.next() {
        let mut record = match next {
            Ok(record) => record,
            Err(fault) => {
                report.add(fault);
                continue;
            }
        };
        let offset = record.offset;
        report.records += 1;
        *report.by_kind.entry(record.head.kind).or_default() += 1;
        let is_cut = record.head.field("WARC-Truncated").is_some();
        report.truncated += u64::from(is_cut && record.head.kind != Kind::Revisit);
        let mut flaws = head_flaws(&record.head);
        if let Some(id) = record.head.field("WARC-Record-ID")
            && ids.len() < IDS_MAX
            && !ids.insert(hasher.hash_one(id))
        {
            flaws.push(Flaw::RepeatedId);
        }
        let block_flaws = check_block(&mut record);
        let end = record.finish();
        // Where the block itself is broken, what it holds says nothing more.
        let is_whole =
            end.as_ref().is_ok() || matches!(&end, Err(f) if f.flaw == Flaw::SharedMember);
        if is_whole {
            flaws.extend(block_flaws);
        }
        for flaw in flaws {
            report.add(Fault { offset, flaw });
        }
        if let Err(fault) = end {
            report.add(fault);
        }
    }
    report
}

/// Fields that the standard wants and that are not there, or not of their form.
fn head_flaws(head: &RecordHead) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let names_url = matches!(
        head.kind,
        Kind::Response
            | Kind::Resource
            | Kind::Request
            | Kind::Revisit
            | Kind::Conversion
            | Kind::Continuation
    );
    let wanted = [
        ("WARC-Type", true),
        ("WARC-Record-ID", true),
        ("WARC-Date", true),
        ("WARC-Target-URI", names_url),
        ("WARC-Profile", head.kind == Kind::Revisit),
    ];
    for (name, is_wanted) in wanted {
        if is_wanted && head.field(name).is_none() {
            flaws.push(Flaw::NoField(name));
        }
    }
    let is_id = |value: &str| {
        let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        inner.is_some_and(|inner| inner.contains(':') && !inner.contains(' '))
    };
    let is_uri = |value: &str| {
        let may_have_brackets = head.version == "WARC/1.0";
        let value = if may_have_brackets { head.url().unwrap_or(value) } else { value };
        value.contains(':') && !value.contains([' ', '<', '>'])
    };
    let mut check = |name: &'static str, is_good: &dyn Fn(&str) -> bool| {
        if head.field(name).is_some_and(|value| !is_good(value)) {
            flaws.push(Flaw::BadField(name));
        }
    };
    check("WARC-Record-ID", &is_id);
    check("WARC-Date", &is_date);
    check("WARC-Target-URI", &is_uri);
    check("WARC-Block-Digest", &is_digest);
    check("WARC-Payload-Digest", &is_digest);
    flaws
}

/// `2026-02-03T04:05:06Z`, with a fraction or, in WARC 1.1, shorter by whole parts.
fn is_date(value: &str) -> bool {
    let pattern = b"0000-00-00T00:00:00";
    let (moment, rest) = match value.strip_suffix('Z') {
        Some(moment) => moment.split_at_checked(pattern.len()).unwrap_or((moment, "")),
        None => (value, ""),
    };
    let follows = moment.bytes().zip(pattern).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *form,
    });
    let fraction = rest.strip_prefix('.').unwrap_or(rest);
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    follows && is_fraction && matches!(moment.len(), 4 | 7 | 10 | 16 | 19)
}

/// An algorithm that we do not know is none of our business.
fn is_digest(value: &str) -> bool {
    match value.split_once(':') {
        Some(("sha1", _)) => Digest::parse(value).is_some(),
        Some((algorithm, value)) => !algorithm.is_empty() && !value.is_empty(),
        None => false,
    }
}

/// Reads the block and holds it against its type and digests.
fn check_block<R: BufRead + Seek>(record: &mut Record<'_, R>) -> Vec<Flaw> {
    let named = |name| record.head.field(name).and_then(Digest::parse);
    let (block, payload) = (named("WARC-Block-Digest"), named("WARC-Payload-Digest"));
    let is_revisit = record.head.kind == Kind::Revisit;
    let is_http = record.head.is_http();
    let is_answer = is_http && record.head.kind != Kind::Request;
    // A revisit may do without the head of its answer.
    let may_be_empty = is_revisit && record.head.length == 0;
    // The reader remembers an error and says so when the record is finished.
    let Ok(start) = record.block(HTTP_START.len()) else { return Vec::new() };
    let mut sums = Sums::new(is_http);
    sums.push(&start);
    let mut buffer = [0; 16 * 1024];
    loop {
        match record.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => sums.push(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Vec::new(),
        }
    }
    let (block_sum, payload_sums) = sums.end();
    let mut flaws = Vec::new();
    if is_answer && !may_be_empty && start != HTTP_START {
        flaws.push(Flaw::NotHttp);
    }
    if block.is_some_and(|block| block != block_sum) {
        flaws.push(Flaw::BlockDigest);
    }
    // A revisit's payload lies elsewhere.
    if !is_revisit && payload.is_some_and(|payload| !payload_sums.contains(&payload)) {
        flaws.push(Flaw::PayloadDigest);
    }
    flaws
}

/// The digests of a block as it streams by.
struct Sums {
    block: Digester,
    /// The beginning of an HTTP message, until its head is whole.
    head: Option<Vec<u8>>,
    body: Digester,
    chunks: Option<(Dechunker, Digester)>,
}

impl Sums {
    fn new(is_http: bool) -> Self {
        let head = is_http.then(Vec::new);
        Self { block: Digester::default(), head, body: Digester::default(), chunks: None }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.block.push(bytes);
        let Some(mut start) = self.head.take() else { return self.push_body(bytes) };
        start.extend_from_slice(bytes);
        match head_length(&start) {
            Some(length) => {
                if HttpMessage::split(&start).is_chunked() {
                    self.chunks = Some(Default::default());
                }
                self.push_body(&start[length..]);
            }
            None if start.len() > HTTP_HEAD_MAX => {}
            None => self.head = Some(start),
        }
    }

    fn push_body(&mut self, bytes: &[u8]) {
        self.body.push(bytes);
        if let Some((dechunker, digester)) = &mut self.chunks {
            dechunker.push(bytes, |bytes| digester.push(bytes));
        }
    }

    /// The block's digest, and those that its payload may have.
    fn end(self) -> (Digest, Vec<Digest>) {
        let mut payload = vec![self.body.end()];
        payload.extend(self.chunks.map(|(dechunker, mut digester)| {
            dechunker.end(|bytes| digester.push(bytes));
            digester.end()
        }));
        (self.block.end(), payload)
    }
}
