//! Addresses on which we listen, as users write them.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};

use rhumb_serve::Listener;

use crate::fault::Fault;

/// The word for no address at all.
pub(crate) const NONE: &str = "none";

/// Takes the address that a flag names; none if it says `none`, or nothing. What is left out of
/// an address is as usual.
pub(crate) fn take(
    flag: &str,
    text: Option<&str>,
    usual: SocketAddr,
) -> Result<Option<Listener>, Fault> {
    let Some(text) = text.filter(|text| *text != NONE) else { return Ok(None) };
    let address = read(text, usual).ok_or_else(|| {
        Fault::usage(
            format!("{flag}: {text:?} is no address"),
            format!("{flag}={usual}, {flag}={}, or {flag}=none", usual.port()),
        )
    })?;
    rhumb_serve::bind(address).map(Some).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "another program uses that address".to_owned(),
            _ => error.to_string(),
        };
        let free = SocketAddr::new(usual.ip(), 0);
        Fault::usage(
            format!("{flag}: cannot listen on {address}: {why}"),
            format!("another port, or {flag}={free} for one that is free"),
        )
    })
}

/// Reads `127.0.0.1:9464`, `9464`, `0.0.0.0`.
fn read(text: &str, usual: SocketAddr) -> Option<SocketAddr> {
    let port = |text: &str| text.parse().ok().map(|port| SocketAddr::new(usual.ip(), port));
    let ip = |text: &str| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, usual.port()));
    text.parse().ok().or_else(|| port(text)).or_else(|| ip(text))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9_464);

    #[test]
    fn an_address_that_says_little_is_on_this_machine() {
        let check = |text: &str, expect: Option<&str>| {
            let read = read(text, USUAL).map(|address| address.to_string());
            assert_eq!(read.as_deref(), expect, "{text}");
        };
        check("127.0.0.1:9999", Some("127.0.0.1:9999"));
        check("9999", Some("127.0.0.1:9999"));
        check("0", Some("127.0.0.1:0"));
        check("0.0.0.0", Some("0.0.0.0:9464"));
        check("[::1]:80", Some("[::1]:80"));
        check("::1", Some("[::1]:9464"));
        check("localhost:80", None);
        check("99999", None);
        check("", None);
    }

    #[test]
    fn an_address_in_use_is_a_wrong_setting() {
        let free = SocketAddr::new(USUAL.ip(), 0).to_string();
        let taken = take("--serve", Some(&free), USUAL).expect("a port").expect("an address");
        let address = taken.address().to_string();
        let Err(Fault::Loud { what, code, .. }) = take("--serve", Some(&address), USUAL) else {
            panic!("it must be refused")
        };
        let why = "another program uses that address";
        assert_eq!(what, format!("--serve: cannot listen on {address}: {why}"));
        assert_eq!(code, 2);
        assert!(take("--serve", Some(NONE), USUAL).is_ok_and(|listener| listener.is_none()));
        assert!(take("--serve", None, USUAL).is_ok_and(|listener| listener.is_none()));
    }
}
