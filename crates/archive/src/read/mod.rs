//! Streams the records of a `.warc` or `.warc.gz`, tells what is broken, and goes on after it.
//!
//! Memory is bounded: a head is limited, a block is read through.

mod flaw;
mod head;
mod input;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::GzDecoder;

pub use self::flaw::{Fault, Flaw};
pub use self::head::{Kind, RecordHead};
use self::input::{GZIP_MAGIC, Input};

/// What follows every block.
const TAIL: &[u8] = b"\r\n\r\n";

/// Reads records one after the other.
#[derive(Debug)]
pub struct WarcReader<R> {
    state: State<R>,
    /// Where the record, or the member around it, begins.
    offset: u64,
    /// The bytes of the current block that were not read yet.
    left: Option<u64>,
    /// What reading the current block ran into.
    failed: Option<Flaw>,
    /// The current member was already reported for having several records.
    is_shared: bool,
}

#[derive(Debug)]
enum State<R> {
    /// Before a gzip member, or before anything was read.
    Between(Input<R>),
    /// In a gzip member.
    Member(Box<BufReader<GzDecoder<Input<R>>>>),
    /// In a file that is not packed.
    Plain(Input<R>),
    /// At the end, or where nothing more can be found.
    Ended,
}

/// A record: its head, and its block to read.
#[derive(Debug)]
pub struct Record<'r, R> {
    /// What it says of itself.
    pub head: RecordHead,
    /// Where it begins, or the gzip member around it.
    pub offset: u64,
    reader: &'r mut WarcReader<R>,
}

impl WarcReader<BufReader<File>> {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(BufReader::with_capacity(64 * 1024, File::open(path)?)))
    }

    /// Opens a file at a record, where an index says that it begins.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<Self> {
        Self::new_at(BufReader::new(File::open(path)?), offset)
    }
}

/// Whether behind this place something begins like a member with a record.
pub(crate) fn has_member_after(input: impl BufRead + Seek, offset: u64) -> io::Result<bool> {
    Input::new(input).go_to_member(offset.saturating_add(1))
}

impl<R: BufRead + Seek> WarcReader<R> {
    /// Reads from the beginning of `input`.
    pub fn new(input: R) -> Self {
        Self { state: State::Between(Input::new(input)), ..Self::ended() }
    }

    /// Reads from a place in `input`, which stands at its beginning.
    pub(crate) fn new_at(input: R, offset: u64) -> io::Result<Self> {
        let mut input = Input::new(input);
        input.go(offset)?;
        Ok(Self { state: State::Between(input), ..Self::ended() })
    }

    fn ended() -> Self {
        Self { state: State::Ended, offset: 0, left: None, failed: None, is_shared: false }
    }

    /// The next record, or the next flaw; after a flaw it goes on where it can.
    #[expect(clippy::should_implement_trait, reason = "a record borrows its reader")]
    pub fn next(&mut self) -> Option<Result<Record<'_, R>, Fault>> {
        if let Err(fault) = self.finish() {
            return Some(Err(fault));
        }
        match self.begin() {
            Ok(Some(head)) => {
                self.left = Some(head.length);
                Some(Ok(Record { head, offset: self.offset, reader: self }))
            }
            Ok(None) => None,
            Err(flaw) => {
                let fault = Fault { offset: self.offset, flaw };
                self.recover(&fault.flaw);
                Some(Err(fault))
            }
        }
    }

    /// Reads the head of the next record; nothing at the end of the file.
    fn begin(&mut self) -> Result<Option<RecordHead>, Flaw> {
        self.state = match std::mem::replace(&mut self.state, State::Ended) {
            State::Between(mut input) => {
                self.offset = input.position;
                self.is_shared = false;
                let start = input.peek(GZIP_MAGIC.len()).map_err(|error| Flaw::of_read(&error))?;
                if start.is_empty() {
                    return Ok(None);
                }
                if start == GZIP_MAGIC {
                    State::Member(Box::new(BufReader::new(GzDecoder::new(input))))
                } else if start.starts_with(b"WA")
                    || start.starts_with(b"fi")
                    || (self.offset == 0 && !is_like_gzip(&start))
                {
                    State::Plain(input)
                } else {
                    self.state = State::Between(input);
                    return Err(Flaw::NotGzip);
                }
            }
            State::Plain(input) => {
                self.offset = input.position;
                State::Plain(input)
            }
            other => other,
        };
        let is_member = matches!(self.state, State::Member(_));
        let Some(data) = self.data() else { return Ok(None) };
        match RecordHead::read(data).map_err(|error| Flaw::of_read(&error))?? {
            None if is_member => Err(Flaw::EmptyMember),
            head => Ok(head),
        }
    }

    /// Reads past the rest of the current record and checks its end. Says where it ended.
    fn finish(&mut self) -> Result<u64, Fault> {
        let offset = self.offset;
        let Some(left) = self.left.take() else { return Ok(offset) };
        self.pass(left).map_err(|flaw| {
            self.recover(&flaw);
            Fault { offset, flaw }
        })
    }

    fn pass(&mut self, left: u64) -> Result<u64, Flaw> {
        if let Some(flaw) = self.failed.take() {
            return Err(flaw);
        }
        let passed = self.skip(left)?;
        let mut tail = Vec::new();
        let Some(data) = self.data() else { return Err(Flaw::CutShort) };
        let read = data.take(4).read_to_end(&mut tail);
        read.map_err(|error| Flaw::of_read(&error))?;
        if passed < left {
            return Err(Flaw::CutShort);
        }
        if tail != TAIL {
            let is_at_end = tail.len() < TAIL.len() && matches!(self.state, State::Plain(_));
            return Err(if is_at_end { Flaw::CutShort } else { Flaw::BadTail });
        }
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Member(mut member) => {
                let rest = member.fill_buf().map(|rest| !rest.is_empty());
                let has_more = match rest {
                    Ok(has_more) => has_more,
                    Err(error) => {
                        self.state = State::Member(member);
                        return Err(Flaw::of_read(&error));
                    }
                };
                if has_more {
                    self.state = State::Member(member);
                    let was_shared = std::mem::replace(&mut self.is_shared, true);
                    return if was_shared { Ok(self.offset) } else { Err(Flaw::SharedMember) };
                }
                let input = member.into_inner().into_inner();
                let end = input.position;
                self.state = State::Between(input);
                Ok(end)
            }
            State::Plain(input) => {
                let end = input.position;
                self.state = State::Plain(input);
                Ok(end)
            }
            State::Between(_) | State::Ended => Err(Flaw::CutShort),
        }
    }

    fn skip(&mut self, count: u64) -> Result<u64, Flaw> {
        let Some(data) = self.data() else { return Ok(0) };
        io::copy(&mut data.take(count), &mut io::sink()).map_err(|error| Flaw::of_read(&error))
    }

    /// Finds the place from which reading can go on, if there is one.
    fn recover(&mut self, flaw: &Flaw) {
        let state = std::mem::replace(&mut self.state, State::Ended);
        let found = match (state, flaw) {
            (_, Flaw::Arc | Flaw::Unreadable(_)) | (State::Ended, _) => return,
            (state @ State::Member(_), Flaw::SharedMember) => {
                self.state = state;
                return;
            }
            (State::Member(member), Flaw::BadGzip(_)) => {
                let mut input = member.into_inner().into_inner();
                // A wrong checksum is found at a member's end: the next begins right there.
                let after = input.position;
                let is_at_member = input.peek(GZIP_MAGIC.len()).is_ok_and(|b| b == GZIP_MAGIC);
                let from = if is_at_member { after } else { self.offset + 1 };
                input.go_to_member(from).map(|found| found.then_some(State::Between(input)))
            }
            (State::Member(mut member), _) => {
                let drained = io::copy(&mut member, &mut io::sink());
                let mut input = member.into_inner().into_inner();
                match drained {
                    Ok(_) => Ok(Some(State::Between(input))),
                    // What runs to the end of the file has no member after it.
                    Err(error) if Flaw::of_read(&error) == Flaw::CutShort => return,
                    Err(_) => {
                        let found = input.go_to_member(self.offset + 1);
                        found.map(|found| found.then_some(State::Between(input)))
                    }
                }
            }
            (State::Between(mut input), _) => {
                let found = input.go_to_member(self.offset + 1);
                found.map(|found| found.then_some(State::Between(input)))
            }
            (State::Plain(mut input), _) => {
                // A record that is too long has eaten the beginning of the next.
                let found = input.go_to_record(self.offset + 1);
                found.map(|found| found.then_some(State::Plain(input)))
            }
        };
        match found {
            Ok(Some(state)) => self.state = state,
            Ok(None) => {}
            // The next step tells it: this is not the end of the file.
            Err(error) => {
                self.failed = Some(Flaw::of_read(&error));
                self.left = Some(0);
            }
        }
    }

    fn data(&mut self) -> Option<&mut dyn BufRead> {
        match &mut self.state {
            State::Member(member) => Some(member),
            State::Plain(input) => Some(input),
            State::Between(_) | State::Ended => None,
        }
    }
}

impl<R: BufRead + Seek> Record<'_, R> {
    /// The block, at most so many bytes of it.
    pub fn block(&mut self, max: usize) -> io::Result<Vec<u8>> {
        let mut block = Vec::new();
        let max = u64::try_from(max).expect("a length fits 64 bits");
        self.take(max).read_to_end(&mut block)?;
        Ok(block)
    }

    /// Reads past the rest and checks the end. Says where the next record begins.
    pub fn finish(self) -> Result<u64, Fault> {
        self.reader.finish()
    }
}

impl<R: BufRead + Seek> Read for Record<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.reader.left.unwrap_or(0);
        let Some(data) = self.reader.data() else { return Ok(0) };
        match data.take(left).read(buffer) {
            Ok(count) => {
                let read = u64::try_from(count).expect("a length fits 64 bits");
                self.reader.left = Some(left - read);
                Ok(count)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.reader.failed = Some(Flaw::of_read(&error));
                }
                Err(error)
            }
        }
    }
}

/// Whether these bytes may have begun a member before some of them were damaged: no text has them.
fn is_like_gzip(start: &[u8]) -> bool {
    start.iter().zip(GZIP_MAGIC).any(|(byte, magic)| byte == magic)
}
