//! One request and its answer on an open connection, within the limits.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::Empty;
use hyper::header::{CONTENT_ENCODING, TRANSFER_ENCODING};
use hyper::http::response::Parts;
use hyper::{Request, Version};
use rhumb_web::{CanonUrl, Cut, Exchange, Failure, Hold, Outcome, Phase, Phases, Protocol};
use tokio::time::{Instant, timeout_at};

use crate::bodies::{Claim, STEP};
use crate::decode::{Coding, Growth, codings, decode};
use crate::pool::Line;
use crate::settings::FetchSettings;
use crate::wire::{Fault, Http, final_head};

/// An encoded body from which on decoding would hold up the other exchanges of this thread.
const DECODE_APART: usize = 256 * 1024;

/// The windows of a fetch's time over which the floor is measured.
const FLOOR_WINDOWS: u32 = 6;

/// The limits of one exchange.
pub(crate) struct Limits {
    headers: Duration,
    deadline: Instant,
    window: Duration,
    window_bytes: u64,
    body_max: usize,
    header_bytes_max: usize,
    growth: Growth,
}

impl Limits {
    pub(crate) fn new(settings: &FetchSettings, deadline: Instant) -> Self {
        let window = settings.total / FLOOR_WINDOWS;
        let window_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        Self {
            headers: settings.headers,
            deadline,
            window,
            window_bytes: window_ms.saturating_mul(u64::from(settings.floor)) / 1_000,
            body_max: settings.body_max,
            header_bytes_max: settings.header_bytes_max,
            growth: Growth { body_max: settings.body_max, ratio: settings.inflation_max },
        }
    }
}

/// Sends a request; the answer, and the connection if it can carry another.
pub(crate) async fn exchange(
    mut line: Line,
    url: &CanonUrl,
    request: Request<Empty<Bytes>>,
    limits: &Limits,
    mut claim: Claim,
    mut phases: Phases,
) -> Result<(Box<Exchange>, Option<Line>), Outcome> {
    let (began, asked) = (SystemTime::now(), Instant::now());
    let ahead = limits.header_bytes_max + line.http.read_ahead();
    line.http.tape().rewind(ahead);
    let until = limits.deadline.min(asked + limits.headers);
    let head = match timeout_at(until, line.http.ask(request)).await {
        Ok(Ok(head)) => head,
        Ok(Err(fault)) => return Err(Outcome::Failed(failure(fault, line.is_kept))),
        Err(_) => return Err(Outcome::Failed(Failure::TimedOut(Phase::Headers))),
    };
    if head.status.is_informational() {
        // A switch of protocols that nobody asked for.
        return Err(Outcome::Failed(Failure::NotHttp));
    }
    let is_chunked = head.headers.contains_key(TRANSFER_ENCODING);
    // Twice, for the framing of chunks: only a server that sends a few bytes in each needs more.
    line.http.tape().extend(ahead + 2 * limits.body_max);
    let mut gathered = Gathered { count: 0, pieces: is_chunked.then(Vec::new) };
    let ended = read(&mut line.http, limits, &mut claim, &mut gathered).await;
    line.http.tape().times(asked, &mut phases);
    let cut = ended.cut(gathered.count == 0 && head.status.is_success());
    let cut = cut.map_err(Outcome::Failed)?;
    line.http.tape().grant(usize::MAX);
    let is_open = cut.is_none() && line.http.is_open();
    let (sent, received) = line.http.transcript();
    // Interim answers announce one, and are none: a record of them would have no page.
    let span = final_head(&received);
    let received = Bytes::from(received).slice(span.start..);
    let row =
        codings(head.headers.get_all(CONTENT_ENCODING).iter().filter_map(|v| v.to_str().ok()));
    let body = unpack(gathered, &received, span.len(), row, limits, &mut claim).await;
    let (body, broken) = body.ok_or(Outcome::Failed(STARVED))?;
    let exchange = Exchange {
        url: url.clone(),
        address: line.route.remote,
        began,
        protocol: protocol(&head),
        tls: line.route.tls,
        sent: Bytes::from(sent),
        received,
        status: head.status.as_u16(),
        headers: headers(&head),
        body,
        cut: cut.or(broken),
        phases,
        hold: Hold::new(claim),
    };
    Ok((Box::new(exchange), is_open.then_some(line)))
}

/// No memory for the whole answer. Not the server's doing: at another time there may be some.
const STARVED: Failure = Failure::TimedOut(Phase::Body);

/// The body as it comes. Only chunked ones are gathered: others lie whole in the received bytes.
struct Gathered {
    count: usize,
    pieces: Option<Vec<u8>>,
}

impl Gathered {
    /// Takes a piece, up to the limit.
    fn take(&mut self, piece: Result<Bytes, Fault>, body_max: usize) -> Option<Cut> {
        let piece = match piece {
            Ok(piece) => piece,
            Err(Fault::TooLarge) => return Some(Cut::Length),
            Err(Fault::Malformed) => return Some(Cut::Encoding),
            Err(Fault::Unheard | Fault::Ended) => return Some(Cut::Disconnect),
        };
        let room = body_max - self.count;
        let taken = piece.len().min(room);
        self.count += taken;
        if let Some(pieces) = &mut self.pieces {
            pieces.extend_from_slice(&piece[..taken]);
        }
        (piece.len() > room).then_some(Cut::Length)
    }

    /// The body of an answer whose head is so long.
    fn into_body(self, received: &Bytes, head: usize) -> Bytes {
        if let Some(pieces) = self.pieces {
            return Bytes::from(pieces);
        }
        received.slice(head..received.len().min(head + self.count))
    }
}

enum Ended {
    Whole,
    Cut(Cut),
    TooSlow,
    TimedOut,
    Starved,
}

impl Ended {
    /// Why the body is not whole; or why there is none, where nothing but headers came: that is
    /// no page, and may be one at the next try.
    fn cut(self, is_empty_page: bool) -> Result<Option<Cut>, Failure> {
        match self {
            Self::Whole => Ok(None),
            Self::Starved => Err(STARVED),
            Self::Cut(Cut::Disconnect) if is_empty_page => Err(Failure::Reset),
            Self::Cut(Cut::Encoding) if is_empty_page => Err(Failure::NotHttp),
            Self::Cut(cut) => Ok(Some(cut)),
            Self::TooSlow if is_empty_page => Err(Failure::TooSlow),
            Self::TimedOut if is_empty_page => Err(Failure::TimedOut(Phase::Body)),
            Self::TooSlow | Self::TimedOut => Ok(Some(Cut::Time)),
        }
    }
}

/// Reads the body, no further than there is memory, and watches once a window that it does not
/// come too slowly: our own waiting for memory is not the server's slowness.
async fn read(
    http: &mut Http,
    limits: &Limits,
    claim: &mut Claim,
    gathered: &mut Gathered,
) -> Ended {
    let mut before = 0;
    let mut waited = Duration::ZERO;
    let mut window_ends = Instant::now() + limits.window;
    // What is gathered lies in the received bytes as well.
    let copies = if gathered.pieces.is_some() { 2 } else { 1 };
    loop {
        let ahead = http.tape().count() + STEP;
        match timeout_at(limits.deadline, claim.reach(copies * ahead)).await {
            Ok(span) => (waited, window_ends) = (waited + span, window_ends + span),
            Err(_) => return Ended::Starved,
        }
        http.tape().grant(ahead);
        match timeout_at(limits.deadline.min(window_ends), http.piece()).await {
            Ok(None) => return Ended::Whole,
            Ok(Some(piece)) => {
                if let Some(cut) = gathered.take(piece, limits.body_max) {
                    return Ended::Cut(cut);
                }
            }
            // With so much time lost to our own waiting it is not the server that was late.
            Err(_) if limits.deadline <= window_ends && waited > limits.window => {
                return Ended::Starved;
            }
            Err(_) if limits.deadline <= window_ends => return Ended::TimedOut,
            Err(_) if ((gathered.count - before) as u64) < limits.window_bytes => {
                return Ended::TooSlow;
            }
            Err(_) => (before, window_ends) = (gathered.count, Instant::now() + limits.window),
        }
    }
}

/// The body that came, unpacked, and why that is not whole; none if there was no memory for it.
async fn unpack(
    gathered: Gathered,
    received: &Bytes,
    head: usize,
    row: Vec<Coding>,
    limits: &Limits,
    claim: &mut Claim,
) -> Option<(Bytes, Option<Cut>)> {
    let is_apart = gathered.pieces.is_some();
    let encoded = gathered.into_body(received, head);
    let came = received.len() + if is_apart { encoded.len() } else { 0 };
    if row.is_empty() {
        claim.shrink(came);
        return Some((encoded, None));
    }
    // What comes out is not known before: the most is taken, and the rest given back.
    let most = came.saturating_add(limits.growth.space(row.len(), encoded.len()));
    timeout_at(limits.deadline, claim.reach(most)).await.ok()?;
    let (body, broken) = undo(row, encoded, limits.growth).await;
    claim.shrink(received.len() + body.len());
    Some((body, broken))
}

async fn undo(row: Vec<Coding>, encoded: Bytes, growth: Growth) -> (Bytes, Option<Cut>) {
    if row.is_empty() || encoded.len() < DECODE_APART {
        return decode(&row, encoded, growth);
    }
    let apart = tokio::task::spawn_blocking(move || decode(&row, encoded, growth)).await;
    apart.unwrap_or((Bytes::new(), Some(Cut::Encoding)))
}

fn failure(fault: Fault, is_kept: bool) -> Failure {
    match fault {
        Fault::TooLarge => Failure::HeadersTooLarge,
        Fault::Malformed => Failure::NotHttp,
        // Only where the connection may have been too old: a fresh one that is refused every time
        // has to cost tries.
        Fault::Unheard if is_kept => Failure::Stale,
        Fault::Unheard | Fault::Ended => Failure::Reset,
    }
}

fn protocol(head: &Parts) -> Protocol {
    match head.version {
        Version::HTTP_10 => Protocol::Http10,
        Version::HTTP_2 => Protocol::H2,
        _ => Protocol::Http11,
    }
}

fn headers(head: &Parts) -> Vec<(String, Bytes)> {
    let pairs = head.headers.iter();
    pairs
        .map(|(name, value)| (name.as_str().to_owned(), Bytes::copy_from_slice(value.as_bytes())))
        .collect()
}
