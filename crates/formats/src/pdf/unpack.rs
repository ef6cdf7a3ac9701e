//! Streams, unpacked within bounds.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Stream};

use crate::extract::End;
use crate::zip::UNPACKED_BYTES_MAX;

/// The most filters behind one another.
const FILTERS_MAX: usize = 4;
/// The largest stream that is unpacked where the unpacking itself has no bound.
const UNBOUNDED_BYTES_MAX: usize = 1024 * 1024;

/// What may still be unpacked of one document.
pub(super) struct Unpack {
    room: u64,
    cut: bool,
}

impl Unpack {
    pub(super) fn new() -> Self {
        Self { room: UNPACKED_BYTES_MAX, cut: false }
    }

    /// Whether a stream did not unpack as a whole.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// The content of a stream; a damaged one as far as it goes.
    pub(super) fn stream(&mut self, stream: &Stream<'_>) -> Result<Vec<u8>, End> {
        let filters = stream.filters();
        let plain = |filter: &Filter| {
            matches!(filter, Filter::FlateDecode | Filter::Ascii85Decode | Filter::AsciiHexDecode)
        };
        let raw = stream.raw_data();
        let data = if filters.len() > FILTERS_MAX {
            self.cut = true;
            Vec::new()
        } else if filters.iter().all(plain) && !is_predicted(stream) {
            let mut data = raw.into_owned();
            self.take(data.len())?;
            for filter in filters {
                data = match filter {
                    Filter::FlateDecode => {
                        let (data, whole) = inflated(&data, self.room);
                        self.cut |= !whole;
                        data
                    }
                    Filter::Ascii85Decode => from_base_85(&data),
                    _ => from_hex(&data),
                };
                self.take(data.len())?;
            }
            return Ok(data);
        } else if raw.len() > UNBOUNDED_BYTES_MAX {
            return Err(End::TooLarge);
        } else {
            let decoded = stream.decoded_data();
            self.cut |= decoded.is_err();
            decoded.map(Cow::into_owned).unwrap_or_default()
        };
        self.take(data.len())?;
        Ok(data)
    }

    fn take(&mut self, bytes: usize) -> Result<(), End> {
        let bytes = u64::try_from(bytes).expect("a length fits 64 bits");
        self.room = self.room.checked_sub(bytes).ok_or(End::TooLarge)?;
        Ok(())
    }
}

/// Whether a filter guesses bytes from those before.
fn is_predicted(stream: &Stream<'_>) -> bool {
    let dict = stream.dict();
    let guesses = |params: Dict<'_>| params.get::<i32>("Predictor").is_some_and(|kind| kind > 1);
    ["DecodeParms", "DP"].into_iter().any(|key| {
        let listed = dict.get::<Array<'_>>(key);
        dict.get::<Dict<'_>>(key).is_some_and(guesses)
            || listed.is_some_and(|listed| listed.iter::<Dict<'_>>().any(guesses))
    })
}

/// What came before an error is kept, and whether that is all; some programs forget the head,
/// others write a checksum that is wrong.
fn inflated(packed: &[u8], room: u64) -> (Vec<u8>, bool) {
    let mut data = Vec::new();
    let read = ZlibDecoder::new(packed).take(room + 1).read_to_end(&mut data);
    if read.is_ok() || packed.is_empty() {
        return (data, true);
    }
    // The head of zlib: method 8, and both bytes a multiple of 31.
    let bare = match packed {
        [method, flags, bare @ ..]
            if method & 15 == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31) =>
        {
            bare
        }
        _ => packed,
    };
    let mut again = Vec::new();
    let read = DeflateDecoder::new(bare).take(room + 1).read_to_end(&mut again);
    let whole = read.is_ok();
    (if whole || again.len() > data.len() { again } else { data }, whole)
}

fn from_hex(text: &[u8]) -> Vec<u8> {
    let text = text.split(|byte| *byte == b'>').next().unwrap_or_default();
    let digits = text.iter().filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    let byte = |pair: &[u8]| pair[0] << 4 | pair.get(1).copied().unwrap_or_default();
    digits.chunks(2).map(byte).collect()
}

/// Five digits are four bytes; fewer at the end are one byte less, as if digits of the highest
/// value followed.
fn from_base_85(text: &[u8]) -> Vec<u8> {
    const HIGHEST: u8 = b'u' - b'!';
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"<~").unwrap_or(text);
    let text = text.split(|byte| *byte == b'~').next().unwrap_or_default();
    let mut data = Vec::with_capacity(text.len() / 5 * 4 + 4);
    let mut digits: Vec<u8> = Vec::with_capacity(5);
    let mut group = |digits: &[u8], wanted: usize| {
        let digit = |place| u32::from(digits.get(place).copied().unwrap_or(HIGHEST));
        let number =
            (0..5).fold(0_u32, |number, place| number.wrapping_mul(85).wrapping_add(digit(place)));
        data.extend_from_slice(&number.to_be_bytes()[..wanted]);
    };
    for byte in text {
        match byte {
            b'z' if digits.is_empty() => group(&[0; 5], 4),
            b'!'..=b'u' => digits.push(byte - b'!'),
            _ => {}
        }
        if digits.len() == 5 {
            group(&digits, 4);
            digits.clear();
        }
    }
    if digits.len() > 1 {
        group(&digits, digits.len() - 1);
    }
    data
}
