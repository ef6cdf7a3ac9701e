//! A crawler's worst enemy: a client that asks whatever it is told, and nothing else.

use std::net::{Ipv4Addr, SocketAddr};

use rhumb_testweb::Served;
use rhumb_testweb::truth::Host;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

/// A host that may be crawled, in plain HTTP, under a robots.txt of this kind.
pub(crate) fn plain_host(served: &Served, fits: impl Fn(&Host) -> bool) -> &Host {
    let plain = |h: &&Host| h.scheme.name() == "http" && h.fault.is_none() && fits(h);
    served.web().hosts.iter().find(plain).expect("the web has such a host")
}

pub(crate) async fn connect(served: &Served, host: &Host) -> TcpStream {
    TcpStream::connect(SocketAddr::from((host.address, served.port())))
        .await
        .expect("the host listens")
}

/// Asks on an open connection and reads an answer with Content-Length, or to the end.
pub(crate) async fn ask<S>(stream: &mut S, served: &Served, name: &str, target: &str) -> String
where
    S: AsyncReadExt + AsyncWriteExt + Unpin,
{
    let port = served.port();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {name}:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("the host reads");
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| l.strip_prefix("Content-Length: "));
            let whole = length.is_some_and(|l| body.len() >= l.parse().expect("a number"));
            if whole || body.ends_with("\r\n0\r\n\r\n") {
                return text;
            }
        }
        if stream.read_buf(&mut answer).await.expect("the host answers") == 0 {
            return text;
        }
    }
}

/// One request on a connection of its own, which is closed afterwards.
pub(crate) async fn get(served: &Served, host: &Host, target: &str) -> String {
    ask(&mut connect(served, host).await, served, &host.name, target).await
}

/// Response code and address of a name, asked with a record type.
pub(crate) async fn resolve(served: &Served, name: &str, kind: u8) -> (u8, Option<Ipv4Addr>) {
    let mut query = vec![0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        query.push(u8::try_from(label.len()).expect("a short label"));
        query.extend_from_slice(label.as_bytes());
    }
    query.extend_from_slice(&[0, 0, kind, 0, 1]);
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
    socket.send_to(&query, served.dns()).await.expect("loopback sends");
    let mut reply = [0; 512];
    let length = socket.recv(&mut reply).await.expect("an answer");
    let reply = &reply[..length];
    assert_eq!(reply[..2], query[..2], "the id of the query");
    let address = (reply[7] == 1).then(|| {
        let octets: [u8; 4] = reply[length - 4..].try_into().expect("four octets");
        Ipv4Addr::from(octets)
    });
    (reply[3] & 15, address)
}
