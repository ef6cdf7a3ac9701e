//! Records become requests: an answer waits for the metadata that say what it was fetched for.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rhumb_archive::{HttpMessage, Kind, Record, RecordHead, fields_of};
use rhumb_rules::ROBOTS_BYTES_MAX;
use rhumb_web::{Canon, CanonUrl, Origin};

use super::moment::Moment;
use super::{AuditError, files};

/// The bytes of a block that are looked at: a robots.txt as long as it is read, with its framing.
const BLOCK_BYTES_MAX: usize = 4 << 20;
/// Failures after which the server has seen no request.
const NEVER_SENT: [&str; 7] =
    ["no-such-host", "dns", "connect", "tls", "timeout-dns", "timeout-connect", "proxy"];
/// What a request is called that was under way when its process ended.
const INTERRUPTED: &str = "interrupted";
/// What a request is called whose answer is only compared with others.
const COMPARED: &str = "compared";
/// What is left of a robots.txt whose place was taken down, in the archive of whom it spoke for.
const FORGOTTEN: &str = rhumb_archive::FORGOTTEN;

/// Who made a file, as its first record says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maker {
    /// The program.
    pub software: String,
    /// The User-Agent that was sent.
    pub agent: String,
    /// Whom to ask.
    pub operator: Option<String>,
}

impl Maker {
    /// The name that robots.txt speaks to.
    pub fn token(&self) -> &str {
        self.agent.split(['/', ' ']).next().unwrap_or_default()
    }
}

/// The names by which the crawl went, as the first records of its files say.
pub(super) fn tokens(files: &[PathBuf]) -> Result<Vec<String>, AuditError> {
    let mut tokens = Vec::new();
    for path in files {
        let Some((mut reader, _)) = files::open(path)? else { continue };
        if let Some(Ok(mut record)) = reader.next()
            && record.head.kind == Kind::Warcinfo
            && let Ok(block) = record.block(BLOCK_BYTES_MAX)
        {
            let token = Maker::of(&block).token().to_ascii_lowercase();
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
    }
    Ok(tokens)
}

/// What something was fetched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A page.
    Page,
    /// A sitemap.
    Sitemap,
    /// A robots.txt, or a place to which one was redirected.
    Robots,
}

impl Purpose {
    /// The one word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Sitemap => "sitemap",
            Self::Robots => "robots",
        }
    }
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server answered with this status.
    Status(u16),
    /// It did not: the word for why.
    Failed(String),
    /// The process ended before anything was known.
    Interrupted,
    /// The record was taken out: of a robots.txt, and it spoke for a site that was not.
    Forgotten,
}

impl Outcome {
    /// Whether the server can have seen a request.
    pub fn was_sent(&self) -> bool {
        match self {
            Self::Failed(word) => !NEVER_SENT.contains(&word.as_str()),
            Self::Status(_) | Self::Interrupted => true,
            Self::Forgotten => false,
        }
    }
}

/// One request as the archive has it.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) url: CanonUrl,
    pub(super) began: Moment,
    pub(super) took_ms: Option<u64>,
    pub(super) purpose: Purpose,
    pub(super) outcome: Outcome,
    /// The gap that the settings asked for.
    pub(super) delay_ms: Option<u64>,
    /// The number of its ticket, of which there is one in its site.
    pub(super) ticket: Option<u64>,
    /// Requests that the settings allow at once.
    pub(super) connections: u32,
    /// It was sent under the headers of a browser.
    pub(super) is_disguised: bool,
    /// For whom a robots.txt speaks.
    pub(super) robots_for: Option<Origin>,
    /// The answer, if it may be a robots.txt.
    pub(super) answer: Option<Answer>,
}

impl Trace {
    /// When it ended, as far as known; else when it began.
    pub(super) fn ended(&self) -> Moment {
        if self.is_ended() { self.began.after(self.took_ms.unwrap_or(0)) } else { self.began }
    }

    /// Whether its end is known. The date is that of the request proper, the time that it took is
    /// with all that came before: only with a tick are both counted from one moment.
    pub(super) fn is_ended(&self) -> bool {
        self.took_ms.is_some() && self.began.tick.is_some()
    }
}

/// Where a record lies: the number of its file, and its first byte there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Spot {
    pub(super) file: usize,
    pub(super) offset: u64,
}

/// An answer as the wire brought it, or its head alone.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) spot: Spot,
    pub(super) block: Vec<u8>,
    pub(super) digest: Option<String>,
    /// Whether another capture has the payload.
    pub(super) is_revisit: bool,
    /// Which one, if it is named.
    pub(super) payload_at: Option<Place>,
    /// Why it is not whole.
    pub(super) truncated: Option<String>,
}

impl Answer {
    /// The body of a robots.txt as far as it is read: one byte more, so that the reader knows its
    /// last line to be torn.
    pub(super) fn robots_body(&self) -> Vec<u8> {
        let message = HttpMessage::split(&self.block);
        let headers = message.headers();
        let codings = headers.filter(|(key, _)| key.eq_ignore_ascii_case(b"content-encoding"));
        let codings = codings.filter_map(|(_, value)| std::str::from_utf8(value).ok());
        let body = rhumb_fetch::decoded(codings, message.payload().into_owned().into());
        body[..body.len().min(ROBOTS_BYTES_MAX + 1)].to_vec()
    }

    /// Whether the server or the wire ended it early: it may lack the line that matters.
    pub(super) fn is_torn(&self) -> bool {
        match self.truncated.as_deref() {
            None => false,
            Some("length") => self.robots_body().len() <= ROBOTS_BYTES_MAX,
            Some(_) => true,
        }
    }
}

/// Where a payload was first met.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    url: String,
    date: String,
}

/// An answer that waits for its metadata.
#[derive(Debug)]
pub(super) struct Held {
    id: String,
    spot: Spot,
    head: RecordHead,
    block: Vec<u8>,
}

/// What a record led to.
pub(super) enum Taken {
    Nothing,
    Maker(Maker),
    Traces(Vec<Trace>),
    /// It is not what it says.
    Unreadable,
}

/// Takes in a record.
pub(super) fn take<R: BufRead + Seek>(
    record: &mut Record<'_, R>,
    file: usize,
    held: &mut Option<Held>,
) -> Taken {
    let kind = record.head.kind;
    if !matches!(kind, Kind::Warcinfo | Kind::Response | Kind::Revisit | Kind::Metadata) {
        return Taken::Nothing;
    }
    // A block that cannot be read is a flaw that the reader tells at its next turn.
    let Ok(block) = record.block(BLOCK_BYTES_MAX) else { return Taken::Nothing };
    let head = &record.head;
    match kind {
        Kind::Warcinfo => Taken::Maker(Maker::of(&block)),
        Kind::Metadata => {
            let about = head.field("WARC-Concurrent-To");
            let before = held.take();
            match (before, about) {
                (Some(held), Some(about)) if held.id == about => {
                    one(held.with(&Fields::of(&block)))
                }
                (before, _) => {
                    let fields = Fields::of(&block);
                    let alone = before.and_then(Held::alone);
                    // Metadata of something else than a fetch are none of ours.
                    if about.is_some() || fields.get("outcome").is_none() {
                        return Taken::Traces(alone.into_iter().collect());
                    }
                    let miss = Trace::read(head, None, &fields);
                    let is_readable = miss.is_some();
                    let traces: Vec<Trace> = alone.into_iter().chain(miss).collect();
                    if is_readable { Taken::Traces(traces) } else { Taken::Unreadable }
                }
            }
        }
        _ if !head.is_http() => Taken::Nothing,
        _ => {
            let id = head.field("WARC-Record-ID").unwrap_or_default().to_owned();
            let spot = Spot { file, offset: record.offset };
            let before = held.replace(Held { id, spot, head: head.clone(), block });
            Taken::Traces(before.and_then(Held::alone).into_iter().collect())
        }
    }
}

fn one(trace: Option<Trace>) -> Taken {
    trace.map_or(Taken::Unreadable, |trace| Taken::Traces(vec![trace]))
}

/// Finds the answers to which those to questions for a robots.txt refer for their payload: all of
/// them in two readings, since each reading is one of the whole archive.
pub(super) fn originals(files: &[PathBuf], mut found: impl FnMut(&Answer)) {
    let mut places = HashSet::new();
    each_record(files, |record, file, held| {
        let Taken::Traces(traces) = take(record, file, held) else { return };
        let answers = traces.into_iter().filter_map(|trace| trace.answer);
        places.extend(answers.filter_map(|answer| answer.payload_at));
    });
    each_record(files, |record, file, _| {
        let head = record.head.clone();
        let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
        let place = Place { url: text(head.url()), date: text(head.field("WARC-Date")) };
        if head.kind == Kind::Response
            && places.contains(&place)
            && let Ok(block) = record.block(BLOCK_BYTES_MAX)
        {
            found(&Answer::of(&head, Spot { file, offset: record.offset }, block));
        }
    });
}

/// The answer at a place where one was met before.
pub(super) fn answer_at(files: &[PathBuf], spot: Spot) -> Option<Answer> {
    let (mut reader, _) = files::open_at(files.get(spot.file)?, spot.offset).ok()??;
    let mut record = reader.next()?.ok()?;
    let head = record.head.clone();
    let block = record.block(BLOCK_BYTES_MAX).ok()?;
    Some(Answer::of(&head, spot, block))
}

type FileRecord<'a> = Record<'a, BufReader<File>>;

/// Hands over every record that can be read. What cannot is told elsewhere.
fn each_record(
    files: &[PathBuf],
    mut each: impl FnMut(&mut FileRecord<'_>, usize, &mut Option<Held>),
) {
    for (file, path) in files.iter().enumerate() {
        let Ok(Some((mut reader, _))) = files::open(path) else { continue };
        let mut held = None;
        while let Some(record) = reader.next() {
            if let Ok(mut record) = record {
                each(&mut record, file, &mut held);
            }
        }
    }
}

impl Held {
    /// An answer without metadata, as others write them: its URL says what it is.
    pub(super) fn alone(self) -> Option<Trace> {
        self.with(&Fields(Vec::new()))
    }

    fn with(self, fields: &Fields) -> Option<Trace> {
        Trace::read(&self.head, Some((self.spot, self.block)), fields)
    }
}

impl Answer {
    fn of(head: &RecordHead, spot: Spot, block: Vec<u8>) -> Self {
        let is_revisit = head.kind == Kind::Revisit;
        let text = |name: &str| head.field(name).map(str::to_owned);
        let (url, date) = (text("WARC-Refers-To-Target-URI"), text("WARC-Refers-To-Date"));
        let place = url.zip(date).map(|(url, date)| Place { url, date });
        Self {
            spot,
            block,
            digest: text("WARC-Payload-Digest"),
            is_revisit,
            payload_at: place.filter(|_| is_revisit),
            // A revisit is marked so because its payload is elsewhere.
            truncated: text("WARC-Truncated").filter(|_| !is_revisit),
        }
    }
}

impl Trace {
    fn read(head: &RecordHead, block: Option<(Spot, Vec<u8>)>, fields: &Fields) -> Option<Self> {
        let url = CanonUrl::parse_with(head.url()?, Canon::KeepQuery).ok()?;
        let time = humantime::parse_rfc3339_weak(head.field("WARC-Date")?).ok()?;
        let since_1970 = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let wall_ms = u64::try_from(since_1970.as_millis()).ok()?;
        let outcome = match (&block, fields.get("outcome")) {
            (Some((_, block)), _) => {
                Outcome::Status(HttpMessage::split(block).status()?.parse().ok()?)
            }
            (None, Some(INTERRUPTED)) => Outcome::Interrupted,
            (None, Some(COMPARED)) => {
                Outcome::Status(u16::try_from(fields.number("status")?).ok()?)
            }
            (None, Some(FORGOTTEN)) => Outcome::Forgotten,
            (None, word) => Outcome::Failed(word?.to_owned()),
        };
        let purpose = match fields.get("errand") {
            Some("robots") => Purpose::Robots,
            Some("sitemap") => Purpose::Sitemap,
            None if url.path_and_query() == "/robots.txt" => Purpose::Robots,
            _ => Purpose::Page,
        };
        let origin =
            |text| CanonUrl::parse_with(text, Canon::KeepQuery).ok().map(|url| url.origin());
        let is_robots = purpose == Purpose::Robots;
        Some(Self {
            url,
            began: Moment { tick: fields.number("tick"), wall_ms },
            took_ms: fields.number("fetchTimeMs"),
            purpose,
            outcome,
            delay_ms: fields.number("delayMs"),
            ticket: fields.number("ticket"),
            connections: fields
                .number("connections")
                .and_then(|count| u32::try_from(count).ok())
                .unwrap_or(1)
                .max(1),
            is_disguised: fields.get("guise").is_some(),
            robots_for: fields.get("robotsFor").and_then(origin),
            answer: block.filter(|_| is_robots).map(|(spot, block)| Answer::of(head, spot, block)),
        })
    }
}

impl Maker {
    fn of(block: &[u8]) -> Self {
        let fields = Fields::of(block);
        let text = |name| fields.get(name).map(str::to_owned);
        Self {
            software: text("software").unwrap_or_default(),
            agent: text("http-header-user-agent").unwrap_or_default(),
            operator: text("operator"),
        }
    }
}

/// The named values of a block.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn of(block: &[u8]) -> Self {
        Self(fields_of(block))
    }

    fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }
}
