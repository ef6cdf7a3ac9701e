//! `--metrics`: where programs ask a crawl for its numbers.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};

use rhumb_crawl::shell::Handle;
use rhumb_serve::metrics::{self, DEFAULT, Listener};
use tokio::task::JoinHandle;

use crate::fault::Fault;
use crate::settings::Settings;

/// The word for no address at all.
const NONE: &str = "none";

/// Takes the address that the user wants metrics on, before anything else is done; none if none
/// is wanted.
pub(crate) fn bind(settings: &Settings) -> Result<Option<Listener>, Fault> {
    let Some(text) = settings.metrics.as_deref().filter(|text| *text != NONE) else {
        return Ok(None);
    };
    let address = address(text).ok_or_else(|| {
        Fault::usage(
            format!("--metrics: {text:?} is no address"),
            format!("--metrics={DEFAULT}, --metrics={}, or --metrics=none", DEFAULT.port()),
        )
    })?;
    metrics::bind(address).map(Some).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AddrInUse => "another program uses that address".to_owned(),
            _ => error.to_string(),
        };
        let free = SocketAddr::new(DEFAULT.ip(), 0);
        Fault::usage(
            format!("cannot tell metrics on {address}: {why}"),
            format!("another port, or --metrics={free} for one that is free"),
        )
    })
}

/// Answers on it, with the status of the moment, until it is aborted.
pub(crate) fn serve(listener: Listener, handle: &Handle) -> JoinHandle<()> {
    let handle = handle.clone();
    let status = move || {
        let handle = handle.clone();
        async move { handle.status().await }
    };
    tokio::spawn(async move {
        // A system that refuses the socket to us loses its metrics, not its crawl.
        drop(listener.serve(status).await);
    })
}

/// Reads `127.0.0.1:9464`, `9464`, `0.0.0.0`; what is left out is as usual.
fn address(text: &str) -> Option<SocketAddr> {
    let port = |text: &str| text.parse().ok().map(|port| SocketAddr::new(DEFAULT.ip(), port));
    let ip = |text: &str| text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, DEFAULT.port()));
    text.parse().ok().or_else(|| port(text)).or_else(|| ip(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_says_little_is_on_this_machine() {
        let check = |text: &str, expect: Option<&str>| {
            let read = address(text).map(|address| address.to_string());
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
        let taken = metrics::bind(SocketAddr::new(DEFAULT.ip(), 0)).expect("a port");
        let address = taken.address().to_string();
        let settings = Settings { metrics: Some(address.clone()), ..Settings::default() };
        let Err(Fault::Loud { what, code, .. }) = bind(&settings) else {
            panic!("it must be refused")
        };
        assert_eq!(
            what,
            format!("cannot tell metrics on {address}: another program uses that address")
        );
        assert_eq!(code, 2);
        let none = Settings { metrics: Some("none".to_owned()), ..Settings::default() };
        assert!(bind(&none).is_ok_and(|listener| listener.is_none()));
    }
}
