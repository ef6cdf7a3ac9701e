//! A capture becomes bytes: WARC records, each a gzip member of its own.

mod fields;
mod packing;
mod small;

use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};

use libdeflater::{CompressionLvl, Compressor};
use rhumb_web::Cut;

pub(crate) use self::fields::fields_block;
pub use self::fields::fields_of;
use self::fields::push_field;
use self::packing::Packing;
use self::small::SMALL_MAX;
use crate::cdxj::LineHead;
use crate::digest::{Digest, Digester};
use crate::http::{Dechunker, HttpMessage};
use crate::id::{CrawlId, RecordId};
use crate::read::{Kind, RecordHead};
use crate::stamp::Stamp;
use crate::{Capture, Compared, Earlier, Interrupted, Lookup, Miss};

/// The profile of a revisit whose payload is that of an earlier capture.
pub(crate) const SAME_PAYLOAD: &str =
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
/// The type of a block of named values.
pub(crate) const WARC_FIELDS: &str = "application/warc-fields";
/// The outcome of a fetch whose answer is only compared with others.
const COMPARED: &str = "compared";
/// The outcome of a fetch whose end nobody knows.
const INTERRUPTED: &str = "interrupted";
/// A buffer that one large body has grown beyond this is given back.
const SCRATCH_KEPT_MAX: usize = 1024 * 1024;
/// Records of an exchange: the answer, the request, what else is known.
const EXCHANGE_RECORDS: usize = 3;

/// Finished bytes, ready to be appended as they are.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Gzip members, back to back.
    pub bytes: Vec<u8>,
    /// The records in them; the first is the one that the index names.
    pub records: Vec<Extent>,
    /// The digest of the answer's payload.
    pub payload_digest: Option<Digest>,
    /// When that began which the records tell of.
    pub began: SystemTime,
    /// How much of the work was digests: of the payload, and of the records' blocks.
    pub digest_took: Duration,
    pub(crate) line: Option<LineHead>,
}

/// Where a record lies in its [`Encoded`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// What kind it is.
    pub kind: Kind,
    /// Its id.
    pub id: RecordId,
    /// Where its member begins.
    pub offset: usize,
    /// How long its member is.
    pub length: usize,
}

/// Makes records. It owns its buffers: one for each thread that fetches.
pub struct Encoder {
    crawl: CrawlId,
    pack: Compressor,
    store: Compressor,
    /// The record that is being made.
    record: Vec<u8>,
    /// The members that are made already: gathered here, what is given away is no longer than it
    /// has to be.
    members: Vec<u8>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("crawl", &self.crawl).finish_non_exhaustive()
    }
}

impl Encoder {
    /// For one crawl.
    pub fn new(crawl: CrawlId) -> Self {
        let at = |level| Compressor::new(CompressionLvl::new(level).expect("a level in 0 to 12"));
        Self { crawl, pack: at(1), store: at(0), record: Vec::new(), members: Vec::new() }
    }

    /// An exchange: response or revisit, request, and metadata if there are fields.
    ///
    /// `earlier` is asked, with the payload's digest, whether the same payload is already kept;
    /// never for a cut or an empty one.
    pub fn capture(
        &mut self,
        capture: &Capture<'_>,
        earlier: impl FnOnce(&Digest) -> Option<Earlier>,
    ) -> Encoded {
        let message = HttpMessage::split(capture.received);
        let start = Instant::now();
        let (digest, is_empty) = payload_digest(&message);
        let digest_took = start.elapsed();
        let may_repeat = capture.cut.is_none() && !is_empty;
        let earlier = if may_repeat { earlier(&digest) } else { None };
        let kind = if earlier.is_some() { Kind::Revisit } else { Kind::Response };
        let block = if earlier.is_some() { message.head } else { capture.received };
        let packing = Packing::of(&message);

        let mut batch = Batch::new(self, capture.began, capture.number, capture.url.as_str());
        batch.encoded.digest_took = digest_took;
        let mut head = batch.head(kind);
        for protocol in &capture.protocols {
            head.field("WARC-Protocol", protocol);
        }
        if let Some(address) = capture.address {
            head.field("WARC-IP-Address", address);
        }
        head.field("WARC-Payload-Digest", digest);
        if let Some(earlier) = &earlier {
            head.field("WARC-Profile", SAME_PAYLOAD);
            head.field("WARC-Refers-To-Target-URI", earlier.url.as_str());
            head.field("WARC-Refers-To-Date", Stamp::of(earlier.began));
            // ISO 28500, 6.7.2: a payload that is left out as known is a cut for its length.
            head.field("WARC-Truncated", "length");
        } else if let Some(cut) = capture.cut {
            head.field("WARC-Truncated", truncation(cut));
        }
        let answer = head.finish("application/http; msgtype=response", block, packing);

        let mut head = batch.head(Kind::Request);
        head.field("WARC-Concurrent-To", answer);
        if let Some(address) = capture.address {
            head.field("WARC-IP-Address", address);
        }
        head.finish("application/http; msgtype=request", capture.sent, Packing::Packed);
        if !capture.fields.is_empty() {
            let mut head = batch.head(Kind::Metadata);
            head.field("WARC-Concurrent-To", answer);
            head.finish(WARC_FIELDS, &fields_block(&capture.fields), Packing::Packed);
        }
        let date = batch.stamp.as_str();
        let url = capture.url.as_str();
        let named = digest.to_string();
        let line = LineHead::new(kind, url, date, Some(&message), None, Some(&named));
        batch.end(line, Some(digest))
    }

    /// A fetch that failed: one metadata record.
    pub fn miss(&mut self, miss: &Miss<'_>) -> Encoded {
        let mut fields = vec![
            ("outcome", miss.failure.word().to_owned()),
            ("fetchTimeMs", miss.took.as_millis().to_string()),
        ];
        fields.extend(miss.fields.iter().cloned());
        let mut batch = Batch::new(self, miss.began, miss.number, miss.url.as_str());
        let mut head = batch.head(Kind::Metadata);
        if let Some(address) = miss.address {
            head.field("WARC-IP-Address", address);
        }
        head.finish(WARC_FIELDS, &fields_block(&fields), Packing::Packed);
        batch.end(None, None)
    }

    /// An answer that is only compared: one metadata record that says what was asked and what
    /// came, so that it is no capture of its URL to anybody who reads the archive.
    pub fn compared(&mut self, compared: &Compared<'_>) -> Encoded {
        let Compared { capture, status } = compared;
        let (digest, _) = payload_digest(&HttpMessage::split(capture.received));
        let mut fields = vec![
            ("outcome", COMPARED.to_owned()),
            ("status", status.to_string()),
            ("payloadDigest", digest.to_string()),
        ];
        fields.extend(capture.fields.iter().cloned());
        let mut batch = Batch::new(self, capture.began, capture.number, capture.url.as_str());
        let mut head = batch.head(Kind::Metadata);
        if let Some(address) = capture.address {
            head.field("WARC-IP-Address", address);
        }
        head.finish(WARC_FIELDS, &fields_block(&fields), Packing::Packed);
        batch.end(None, None)
    }

    /// A name that was looked up: a resource of type text/dns (RFC 4027).
    pub fn lookup(&mut self, lookup: &Lookup<'_>) -> Encoded {
        let url = format!("dns:{}", lookup.host);
        let mut batch = Batch::new(self, lookup.began, lookup.number, &url);
        let mut block = format!("{}\r\n", batch.stamp.digits());
        for address in lookup.addresses {
            let kind = if address.is_ipv4() { "A" } else { "AAAA" };
            let seconds = lookup.holds.as_secs();
            let host = lookup.host;
            write!(block, "{host}.\t{seconds}\tIN\t{kind}\t{address}\r\n")
                .expect("a string takes any text");
        }
        let digest = Digest::of(block.as_bytes());
        let mut head = batch.head(Kind::Resource);
        if let Some(server) = lookup.server {
            head.field("WARC-IP-Address", server);
        }
        head.field("WARC-Payload-Digest", digest);
        head.finish("text/dns", block.as_bytes(), Packing::Packed);
        let date = batch.stamp.as_str();
        let digest = digest.to_string();
        let line = LineHead::new(Kind::Resource, &url, date, None, Some("text/dns"), Some(&digest));
        batch.end(line, None)
    }

    /// A request that was under way when its process ended: whether it reached the server, and
    /// what came of it, nobody knows. One metadata record.
    pub fn interrupted(&mut self, interrupted: &Interrupted<'_>) -> Encoded {
        let Interrupted { url, number, began, fields } = interrupted;
        let mut block = vec![("outcome", INTERRUPTED.to_owned())];
        block.extend(fields.iter().cloned());
        let mut batch = Batch::new(self, *began, *number, url.as_str());
        batch.head(Kind::Metadata).finish(WARC_FIELDS, &fields_block(&block), Packing::Packed);
        batch.end(None, None)
    }

    /// The member of a record that was kept before, with another block: what its head says of the
    /// block's length and digest is made anew.
    pub(crate) fn again(&mut self, head: &RecordHead, block: &[u8]) -> Vec<u8> {
        self.record.clear();
        self.record.extend_from_slice(head.version.as_bytes());
        self.record.extend_from_slice(b"\r\n");
        for (name, value) in &head.fields {
            let anew = if name.eq_ignore_ascii_case("WARC-Block-Digest") {
                Some(Digest::of(block).to_string())
            } else if name.eq_ignore_ascii_case("Content-Length") {
                Some(block.len().to_string())
            } else {
                None
            };
            push_field(&mut self.record, name, anew.as_ref().unwrap_or(value));
        }
        let is_http = head.is_http();
        let packing =
            if is_http { Packing::of(&HttpMessage::split(block)) } else { Packing::Packed };
        self.members.clear();
        self.end_record(block, packing);
        self.give_away()
    }

    /// The first record of a file, which says what the file is and who made it.
    pub(crate) fn warcinfo(
        &mut self,
        file: &str,
        began: SystemTime,
        fields: &[(&str, String)],
    ) -> Encoded {
        let mut batch = Batch::new(self, began, 0, file);
        let mut head = batch.head(Kind::Warcinfo);
        head.field("WARC-Filename", file);
        head.finish(WARC_FIELDS, &fields_block(fields), Packing::Packed);
        batch.end(None, None)
    }

    /// Ends the record whose head was written and adds it as a member. Says how long that is.
    fn end_record(&mut self, block: &[u8], packing: Packing) -> usize {
        let Self { record, members, pack, store, .. } = self;
        record.extend_from_slice(b"\r\n");
        record.extend_from_slice(block);
        record.extend_from_slice(b"\r\n\r\n");
        let offset = members.len();
        if packing == Packing::Packed && record.len() <= SMALL_MAX {
            small::pack(record, members);
            return members.len() - offset;
        }
        let compressor = if packing == Packing::Stored { store } else { pack };
        members.resize(offset + compressor.gzip_compress_bound(record.len()), 0);
        let length = compressor.gzip_compress(record, &mut members[offset..]);
        let length = length.expect("the bound leaves room for any record");
        members.truncate(offset + length);
        length
    }

    /// The members so far. A buffer that a large body has grown is not kept.
    fn give_away(&mut self) -> Vec<u8> {
        if self.record.capacity() > SCRATCH_KEPT_MAX {
            self.record = Vec::new();
        }
        if self.members.capacity() > SCRATCH_KEPT_MAX {
            return std::mem::take(&mut self.members);
        }
        self.members.clone()
    }
}

/// The records of one [`Encoded`] while they are made.
struct Batch<'e> {
    encoder: &'e mut Encoder,
    stamp: Stamp,
    number: u64,
    subject: &'e str,
    encoded: Encoded,
}

impl<'e> Batch<'e> {
    fn new(encoder: &'e mut Encoder, began: SystemTime, number: u64, subject: &'e str) -> Self {
        encoder.members.clear();
        let (bytes, records) = (Vec::new(), Vec::with_capacity(EXCHANGE_RECORDS));
        let (payload_digest, line, digest_took) = (None, None, Duration::ZERO);
        let encoded = Encoded { bytes, records, payload_digest, began, digest_took, line };
        Self { encoder, stamp: Stamp::of(began), number, subject, encoded }
    }

    /// Begins a record; all but those on the archive itself name their URL.
    fn head(&mut self, kind: Kind) -> Head<'_, 'e> {
        let id = RecordId::new(self.encoder.crawl, kind, &self.stamp, self.number, self.subject);
        let (stamp, subject) = (self.stamp, self.subject);
        self.encoder.record.clear();
        self.encoder.record.extend_from_slice(b"WARC/1.1\r\n");
        let mut head = Head { batch: self, kind, id };
        head.field("WARC-Type", kind.word());
        head.field("WARC-Record-ID", id);
        head.field("WARC-Date", stamp);
        if kind != Kind::Warcinfo && !subject.is_empty() {
            head.field("WARC-Target-URI", subject);
        }
        head
    }

    fn end(mut self, line: Option<LineHead>, payload_digest: Option<Digest>) -> Encoded {
        self.encoded.bytes = self.encoder.give_away();
        self.encoded.line = line;
        self.encoded.payload_digest = payload_digest;
        self.encoded
    }
}

/// One record while its head is written.
struct Head<'b, 'e> {
    batch: &'b mut Batch<'e>,
    kind: Kind,
    id: RecordId,
}

impl Head<'_, '_> {
    fn field(&mut self, name: &str, value: impl std::fmt::Display) {
        push_field(&mut self.batch.encoder.record, name, value);
    }

    fn finish(mut self, media_type: &str, block: &[u8], packing: Packing) -> RecordId {
        let start = Instant::now();
        let digest = Digest::of(block);
        self.batch.encoded.digest_took += start.elapsed();
        self.field("WARC-Block-Digest", digest);
        self.field("Content-Type", media_type);
        self.field("Content-Length", block.len());
        let Batch { encoder, encoded, .. } = &mut *self.batch;
        let offset = encoder.members.len();
        let length = encoder.end_record(block, packing);
        encoded.records.push(Extent { kind: self.kind, id: self.id, offset, length });
        self.id
    }
}

/// Over the body without its transfer encoding, with its content encoding: the payload of
/// ISO 28500. And whether it is empty.
pub(crate) fn payload_digest(message: &HttpMessage<'_>) -> (Digest, bool) {
    if !message.is_chunked() {
        return (Digest::of(message.body), message.body.is_empty());
    }
    let mut digester = Digester::default();
    let mut is_empty = true;
    let mut take = |bytes: &[u8]| {
        is_empty &= bytes.is_empty();
        digester.push(bytes);
    };
    let mut dechunker = Dechunker::default();
    dechunker.push(message.body, &mut take);
    dechunker.end(&mut take);
    (digester.end(), is_empty)
}

fn truncation(cut: Cut) -> &'static str {
    match cut {
        Cut::Length => "length",
        Cut::Time => "time",
        Cut::Disconnect => "disconnect",
        Cut::Encoding => "unspecified",
    }
}
