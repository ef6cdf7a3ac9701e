//! The packages that Office files are: just enough of ZIP to read them, within bounds.

use std::collections::HashMap;
use std::io::Read as _;

use flate2::read::DeflateDecoder;
use memchr::memmem;

use crate::extract::End;

/// The most bytes that the read parts of one document unpack to, together.
pub const UNPACKED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The most entries of one package.
const ENTRIES_MAX: usize = 10_000;
/// The longest name of an entry that is looked at: none that we look for is half as long.
const NAME_BYTES_MAX: usize = 256;
/// The longest comment at the end, from the format.
const COMMENT_BYTES_MAX: usize = 65_535;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// A package whose list of entries was read.
pub(crate) struct Zip<'a> {
    body: &'a [u8],
    entries: HashMap<String, Entry>,
    room: u64,
    cut: bool,
}

#[derive(Clone, Copy)]
struct Entry {
    flags: u16,
    method: u16,
    packed_bytes: usize,
    offset: usize,
}

impl<'a> Zip<'a> {
    pub(crate) fn open(body: &'a [u8]) -> Result<Self, End> {
        let mut entries = HashMap::new();
        let central = central(body).ok_or_else(|| End::broken("the package ends early"))?;
        let mut listed = Listed { rest: central };
        let mut cut = false;
        for (name, entry) in listed.by_ref().take(ENTRIES_MAX) {
            match plain(name) {
                Some(name) => drop(entries.insert(name, entry)),
                None => cut = true,
            }
        }
        cut |= listed.next().is_some();
        Ok(Self { body, entries, room: UNPACKED_BYTES_MAX, cut })
    }

    /// Whether a maximum left something out.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Notes that something was left out.
    pub(crate) fn leave_out(&mut self) {
        self.cut = true;
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        plain(name.as_bytes()).is_some_and(|name| self.entries.contains_key(&name))
    }

    /// The text of one entry, which is XML; nothing where there is none of that name.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, End> {
        let entry = plain(name.as_bytes()).and_then(|name| self.entries.get(&name));
        let Some(entry) = entry else {
            return Ok(None);
        };
        let (bytes, room) = unpacked(self.body, *entry, self.room)?;
        self.room = room;
        Ok(Some(text(bytes)))
    }

    /// The same of an entry without which there is no document.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String, End> {
        self.text(name)?.ok_or_else(|| End::Broken(format!("the package has no {name}")))
    }
}

/// The names of the entries one by one, even of a package that ends early; long ones are left out.
pub(crate) fn names(body: &[u8]) -> impl Iterator<Item = String> {
    let central = central(body);
    let listed = central.map(|rest| Listed { rest }.take(ENTRIES_MAX).map(|(name, _)| name));
    let local = central.is_none().then(|| memmem::find_iter(body, LOCAL).take(ENTRIES_MAX));
    let local = local.into_iter().flatten().filter_map(|offset| local_name(&body[offset..]));
    listed.into_iter().flatten().chain(local).filter_map(plain)
}

/// The content of the first entry where it is called `mimetype` and not packed, as in ODF.
pub(crate) fn mimetype(body: &[u8]) -> Option<&str> {
    if !body.starts_with(LOCAL) || local_name(body)? != b"mimetype" || short(body, 8)? != 0 {
        return None;
    }
    let start = 30 + 8 + usize::from(short(body, 28)?);
    let rest = body.get(start..)?;
    let end = rest.iter().position(|byte| !(0x20..0x7f).contains(byte)).unwrap_or(rest.len());
    // The next entry begins with letters too.
    let mime = rest[..end].strip_suffix(b"PK").unwrap_or(&rest[..end]);
    std::str::from_utf8(mime).ok()
}

fn unpacked(body: &[u8], entry: Entry, room: u64) -> Result<(Vec<u8>, u64), End> {
    if entry.flags & 1 != 0 {
        return Err(End::Encrypted);
    }
    let broken = || End::broken("an entry of the package lies outside of it");
    let head = body.get(entry.offset..).filter(|head| head.starts_with(LOCAL));
    let head = head.ok_or_else(broken)?;
    let name = short(head, 26).ok_or_else(broken)?;
    let extra = short(head, 28).ok_or_else(broken)?;
    let packed = head.get(30 + usize::from(name) + usize::from(extra)..).ok_or_else(broken)?;
    let packed = &packed[..packed.len().min(entry.packed_bytes)];
    let mut bytes = Vec::new();
    let read = match entry.method {
        0 => packed.take(room + 1).read_to_end(&mut bytes),
        8 => DeflateDecoder::new(packed).take(room + 1).read_to_end(&mut bytes),
        _ => return Err(End::broken("an entry of the package is packed in an unknown way")),
    };
    let taken = u64::try_from(bytes.len()).expect("a length fits 64 bits");
    let Some(room) = room.checked_sub(taken) else {
        return Err(End::TooLarge);
    };
    match read {
        Ok(_) => Ok((bytes, room)),
        Err(_) => Err(End::broken("an entry of the package cannot be unpacked")),
    }
}

/// XML is in UTF-8, or in UTF-16 with a mark.
fn text(bytes: Vec<u8>) -> String {
    match encoding_rs::Encoding::for_bom(&bytes) {
        Some((encoding, _)) => encoding.decode_with_bom_removal(&bytes).0.into_owned(),
        None => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

/// The list of entries at the end, found from behind.
fn central(body: &[u8]) -> Option<&[u8]> {
    let tail = body.len().saturating_sub(22 + COMMENT_BYTES_MAX);
    let end = tail + memmem::rfind(&body[tail..], END)?;
    let bytes = usize::try_from(long(body, end + 12)?).ok()?;
    let offset = usize::try_from(long(body, end + 16)?).ok()?;
    // What stands before the package shifts every offset, but not the list's end.
    let starts = [end.checked_sub(bytes), Some(offset)];
    let lists = starts.into_iter().flatten().filter_map(|start| body.get(start..end));
    lists.into_iter().find(|list| list.starts_with(CENTRAL))
}

/// The entries of a list.
struct Listed<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Listed<'a> {
    type Item = (&'a [u8], Entry);

    fn next(&mut self) -> Option<Self::Item> {
        let head = self.rest;
        if !head.starts_with(CENTRAL) {
            return None;
        }
        let name_bytes = usize::from(short(head, 28)?);
        let name = head.get(46..46 + name_bytes)?;
        let entry = Entry {
            flags: short(head, 8)?,
            method: short(head, 10)?,
            packed_bytes: usize::try_from(long(head, 20)?).ok()?,
            offset: usize::try_from(long(head, 42)?).ok()?,
        };
        let behind = usize::from(short(head, 30)?) + usize::from(short(head, 32)?);
        self.rest = head.get(46 + name_bytes + behind..).unwrap_or_default();
        Some((name, entry))
    }
}

fn local_name(head: &[u8]) -> Option<&[u8]> {
    let bytes = usize::from(short(head, 26)?);
    head.get(30..30 + bytes)
}

/// A name as it is compared: some programs write another case or the other slash. Nothing where
/// it is too long.
fn plain(name: &[u8]) -> Option<String> {
    let name = (name.len() <= NAME_BYTES_MAX).then(|| String::from_utf8_lossy(name))?;
    Some(name.replace('\\', "/").trim_start_matches('/').to_ascii_lowercase())
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let field = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(field.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}
