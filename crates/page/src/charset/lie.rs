//! Declarations that the bytes themselves refute. Browsers believe them; a reader of archives sees
//! too many pages whose server says one charset for all of them.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{Charset, CharsetFrom};

/// How much of a body is looked at.
const LOOK_BYTES_MAX: usize = 64 * 1024;
/// So many broken sequences are no accident.
const BROKEN_MIN: usize = 3;
/// So many whole sequences of UTF-8 are no accident in a charset of single bytes.
const WHOLE_MIN: usize = 3;
/// The same in a charset of several bytes, whose sequences are like them more often.
const WHOLE_OF_MANY_MIN: usize = 16;
/// How many pairs of bytes are looked at to tell UTF-16.
const PAIRS_MAX: usize = 512;
const PAIRS_MIN: usize = 4;

/// Whether the bytes refute that they are in this charset. Of charsets with several bytes a
/// document knows more than its server: only UTF-8 and a header can be wrong there.
pub(super) fn is_plain(body: &[u8], charset: Charset) -> bool {
    let Charset { encoding, from } = charset;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return false;
    }
    if utf_16(body).is_some() {
        return true;
    }
    let ascii = Encoding::ascii_valid_up_to(body);
    let look = &body[ascii..body.len().min(ascii + LOOK_BYTES_MAX)];
    if look.is_empty() {
        return false;
    }
    // Nearly all is what it says, and that is seen at once.
    if encoding == UTF_8 && std::str::from_utf8(look).is_ok() {
        return false;
    }
    let found = Sequences::of(look);
    if encoding == UTF_8 {
        return found.broken >= BROKEN_MIN && found.broken > found.whole;
    }
    let least = match (encoding.is_single_byte(), from) {
        (true, _) => WHOLE_MIN,
        (false, CharsetFrom::Header) => WHOLE_OF_MANY_MIN,
        (false, _) => return false,
    };
    found.broken == 0 && found.whole >= least
}

/// The sequences of UTF-8 with more than one byte.
struct Sequences {
    whole: usize,
    broken: usize,
}

impl Sequences {
    fn of(bytes: &[u8]) -> Self {
        let mut found = Self { whole: 0, broken: 0 };
        let mut last: &[u8] = &[];
        for chunk in bytes.utf8_chunks() {
            let starts = chunk.valid().bytes().filter(|byte| *byte >= 0xc0);
            found.whole += starts.count();
            last = chunk.invalid();
            found.broken += usize::from(!last.is_empty());
        }
        // The look may end within a character.
        let is_cut = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        found.broken -= usize::from(is_cut);
        found
    }
}

/// UTF-16 by its zeros, as text of Western scripts and all markup has them.
pub(crate) fn utf_16(body: &[u8]) -> Option<&'static Encoding> {
    let pairs = body.chunks_exact(2).take(PAIRS_MAX);
    let (mut count, mut big, mut little) = (0_usize, 0_usize, 0_usize);
    for pair in pairs {
        count += 1;
        match (pair[0], pair[1]) {
            (0, 0) => return None,
            (0, _) => big += 1,
            (_, 0) => little += 1,
            _ => {}
        }
    }
    if count < PAIRS_MIN {
        return None;
    }
    let most = count - count / 8;
    match (big >= most, little >= most) {
        (true, _) => Some(UTF_16BE),
        (_, true) => Some(UTF_16LE),
        _ => None,
    }
}
