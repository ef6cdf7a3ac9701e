//! A tiny DNS server: A records of the web's hosts, and its faults (RFC 1035).

use std::collections::HashMap;
use std::net::Ipv4Addr;

use tokio::net::UdpSocket;

use crate::truth::{Fault, Web};

const HEADER_BYTES: usize = 12;
/// A query with one question is far smaller, additional records included.
const QUERY_MAX: usize = 1_232;
const TYPE_A: u16 = 1;
const TTL_SECONDS: u32 = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    At(Ipv4Addr),
    Failing,
    Silent,
}

/// What is known about names.
#[derive(Debug)]
pub(super) struct Zone(HashMap<String, Known>);

impl Zone {
    pub(super) fn of(web: &Web) -> Self {
        let known = |fault, address| match fault {
            Some(Fault::NoSuchName) => None,
            Some(Fault::ServFail) => Some(Known::Failing),
            Some(Fault::Silent) => Some(Known::Silent),
            None | Some(Fault::Refused | Fault::HangsUp | Fault::Broken) => {
                Some(Known::At(address))
            }
        };
        let names = web.hosts.iter();
        Self(names.filter_map(|h| Some((h.name.clone(), known(h.fault, h.address)?))).collect())
    }

    /// The answer to a query, or none where silence is one.
    fn answer(&self, query: &[u8]) -> Option<Vec<u8>> {
        let (name, kind, end) = question(query)?;
        let (code, address) = match self.0.get(&name) {
            None => (3, None),
            Some(Known::Failing) => (2, None),
            Some(Known::Silent) => return None,
            Some(Known::At(address)) => (0, (kind == TYPE_A).then_some(*address)),
        };
        let mut reply = Vec::with_capacity(end + 16);
        reply.extend_from_slice(&query[..2]);
        // A response, authoritative, with recursion as the client wished it.
        reply.extend_from_slice(&[0x84 | (query[2] & 1), 0x80 | code]);
        reply.extend_from_slice(&[0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
        reply.extend_from_slice(&query[HEADER_BYTES..end]);
        if let Some(address) = address {
            reply.extend_from_slice(&[0xC0, 12, 0, 1, 0, 1]);
            reply.extend_from_slice(&TTL_SECONDS.to_be_bytes());
            reply.extend_from_slice(&[0, 4]);
            reply.extend_from_slice(&address.octets());
        }
        Some(reply)
    }
}

/// Name in lower case, type, and the end of the one question.
fn question(query: &[u8]) -> Option<(String, u16, usize)> {
    let mut name = String::new();
    let mut at = HEADER_BYTES;
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        let label = query.get(at..at + length)?;
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(&String::from_utf8_lossy(label).to_ascii_lowercase());
        at += length;
    }
    let kind = query.get(at..at + 4)?;
    Some((name, u16::from_be_bytes([kind[0], kind[1]]), at + 4))
}

pub(super) async fn serve(socket: UdpSocket, zone: Zone) {
    let mut query = [0; QUERY_MAX];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut query).await else { continue };
        if let Some(reply) = zone.answer(&query[..length]) {
            // A lost answer is the client's to ask for again.
            let _sent = socket.send_to(&reply, client).await;
        }
    }
}
