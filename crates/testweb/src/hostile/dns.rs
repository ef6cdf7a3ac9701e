//! The name server of hostile hosts; whatever else it is asked it passes on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;

use super::Den;
use super::trick::Trick;

const HEADER_BYTES: usize = 12;
const MESSAGE_MAX: usize = 4_096;
const TYPE_A: u16 = 1;
const TYPE_AAAA: u16 = 28;
/// No answer may be kept: what is asked again is answered anew.
const TTL_SECONDS: u32 = 0;
/// Longer than a name server takes, and shorter than a resolver's patience.
const LATE: Duration = Duration::from_millis(1_500);
/// An address at which nobody listens, in the network of the hostile hosts.
const DEAF: Ipv4Addr = Ipv4Addr::new(127, 60, 255, 1);

enum Answer {
    At(Vec<IpAddr>),
    Failing,
    Noise,
    Silent,
}

pub(super) async fn serve(socket: UdpSocket, den: Arc<Den>) {
    let socket = Arc::new(socket);
    let mut query = [0; MESSAGE_MAX];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut query).await else { continue };
        let (socket, den, query) =
            (Arc::clone(&socket), Arc::clone(&den), query[..length].to_vec());
        tokio::spawn(async move {
            if let Some(reply) = reply(&den, &query).await {
                // A lost answer is the client's to ask for again.
                let _sent = socket.send_to(&reply, client).await;
            }
        });
    }
}

async fn reply(den: &Den, query: &[u8]) -> Option<Vec<u8>> {
    let (name, kind, end) = question(query)?;
    let Some(trick) = Trick::at(&name) else {
        return forward(den.upstream?, query).await;
    };
    if trick == Trick::SlowDns {
        tokio::time::sleep(LATE).await;
    }
    let (code, addresses) = match answer(den, trick, kind) {
        Answer::At(addresses) => (0, addresses),
        Answer::Failing => (2, Vec::new()),
        Answer::Noise => return Some(query[..2].repeat(9)),
        Answer::Silent => return None,
    };
    let mut reply = Vec::with_capacity(end + 28 * addresses.len());
    reply.extend_from_slice(&query[..2]);
    reply.extend_from_slice(&[0x84 | (query[2] & 1), 0x80 | code]);
    let count = u8::try_from(addresses.len()).ok()?;
    reply.extend_from_slice(&[0, 1, 0, count, 0, 0, 0, 0]);
    reply.extend_from_slice(&query[HEADER_BYTES..end]);
    for address in addresses {
        let bytes = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        reply.extend_from_slice(&[0xC0, 12]);
        reply.extend_from_slice(&kind.to_be_bytes());
        reply.extend_from_slice(&[0, 1]);
        reply.extend_from_slice(&TTL_SECONDS.to_be_bytes());
        reply.extend_from_slice(&[0, u8::try_from(bytes.len()).ok()?]);
        reply.extend_from_slice(&bytes);
    }
    Some(reply)
}

fn answer(den: &Den, trick: Trick, kind: u16) -> Answer {
    let at = |addresses: &[IpAddr]| Answer::At(addresses.to_vec());
    let (own, victim) = (IpAddr::from(trick.address()), IpAddr::from(Ipv4Addr::LOCALHOST));
    match trick {
        Trick::FailingDns => Answer::Failing,
        Trick::SilentDns => Answer::Silent,
        Trick::GarbageDns => Answer::Noise,
        Trick::PrivateIpv6Dns if kind == TYPE_AAAA => at(&[Ipv6Addr::LOCALHOST.into()]),
        _ if kind != TYPE_A => at(&[]),
        Trick::PrivateIpv6Dns => at(&[DEAF.into()]),
        Trick::PrivateDns => at(&[victim]),
        Trick::MixedDns => at(&[victim, own]),
        Trick::RebindingDns if den.books().ask() > 0 => at(&[victim]),
        _ => at(&[own]),
    }
}

async fn forward(upstream: SocketAddr, query: &[u8]) -> Option<Vec<u8>> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.ok()?;
    socket.send_to(query, upstream).await.ok()?;
    let mut reply = vec![0; MESSAGE_MAX];
    let length = socket.recv(&mut reply).await.ok()?;
    reply.truncate(length);
    Some(reply)
}

/// Name in lower case, type, and the end of the one question.
fn question(query: &[u8]) -> Option<(String, u16, usize)> {
    let mut labels = Vec::new();
    let mut at = HEADER_BYTES;
    loop {
        let length = usize::from(*query.get(at)?);
        let label = query.get(at + 1..at + 1 + length)?;
        at += 1 + length;
        if label.is_empty() {
            break;
        }
        labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
    }
    let kind = query.get(at..at + 4)?;
    Some((labels.join("."), u16::from_be_bytes([kind[0], kind[1]]), at + 4))
}
