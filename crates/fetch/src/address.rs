//! Which addresses are public: reachable by anybody, and nobody's inside.
//!
//! After the IANA special-purpose registries (RFC 6890). An IPv6 form that carries an IPv4 address
//! is as public as what it carries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Networks that may be visited although they are not public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// The addresses that share their first bits, IPv4 in its mapped form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    base: u128,
    bits: u32,
}

/// A text that names no networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network")]
pub struct NetworksError(String);

impl Networks {
    /// Every network there is.
    pub fn all() -> Self {
        Self(vec![Network { base: 0, bits: 0 }])
    }

    /// Whether it names no network: only public addresses are visited.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an address may be visited: it is public, or in one of the networks.
    pub(crate) fn permit(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|network| network.has(address))
    }
}

impl FromStr for Networks {
    type Err = NetworksError;

    /// Reads `all`, `none`, or networks as in `10.0.0.0/8,fd00::/8,127.0.0.1`.
    fn from_str(text: &str) -> Result<Self, NetworksError> {
        match text.trim() {
            "all" => Ok(Self::all()),
            "none" => Ok(Self::default()),
            list => list.split(',').map(|one| Network::parse(one.trim())).collect::<Result<_, _>>(),
        }
    }
}

impl FromIterator<Network> for Networks {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

impl Network {
    fn parse(text: &str) -> Result<Self, NetworksError> {
        let wrong = || NetworksError(text.to_owned());
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let length = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(length), str::parse::<u32>).map_err(|_| wrong())?;
        if bits > length {
            return Err(wrong());
        }
        Ok(Self { base: number(address), bits: 128 - length + bits })
    }

    fn has(self, address: IpAddr) -> bool {
        (number(address) ^ self.base).checked_shr(128 - self.bits).unwrap_or(0) == 0
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().into(),
        IpAddr::V6(address) => address.into(),
    }
}

/// Whether an address is one of the public web.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !match address.octets() {
        // This network, private, loopback, link-local, multicast, reserved and broadcast;
        [0 | 10 | 127 | 224.., ..] | [169, 254, ..] | [192, 168, ..]
        // protocol assignments, documentation, AS112, 6to4 relays, AMT;
        | [192, 0, 0 | 2, _] | [192, 31, 196, _] | [192, 88, 99, _] | [192, 52, 193, _]
        | [192, 175, 48, _] | [198, 51, 100, _] | [203, 0, 113, _]
        // benchmarking.
        | [198, 18 | 19, ..] => true,
        [172, second, ..] => second & 0xf0 == 16,
        // Carrier-grade NAT.
        [100, second, ..] => second & 0xc0 == 64,
        _ => false,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let carried = |high: u16, low: u16| {
        is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
    };
    match segments {
        // IPv4-mapped, and the well-known NAT64 prefix.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            carried(high, low)
        }
        // Teredo: the server as it is, the client with its bits turned.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            carried(server_high, server_low) && carried(!high, !low)
        }
        // The other protocol assignments: benchmarking, ORCHID and the like; documentation.
        [0x2001, 0..0x200 | 0xdb8, ..] | [0x3fff, 0..0x1000, ..] => false,
        // 6to4.
        [0x2002, high, low, ..] => carried(high, low),
        // All that is allocated for global unicast. Outside lie loopback, unspecified,
        // IPv4-compatible, local NAT64, discard-only, unique local, link-local, site-local,
        // multicast, and what nobody has been given.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &[&str], expect: bool) {
        for text in addresses {
            let address = text.parse().expect("an address");
            assert_eq!(is_public(address), expect, "{text}");
        }
    }

    #[track_caller]
    fn check_networks(text: &str, permitted: &[&str], refused: &[&str]) {
        let networks: Networks = text.parse().expect("networks");
        for address in permitted {
            assert!(networks.permit(address.parse().expect("an address")), "{text}: {address}");
        }
        for address in refused {
            assert!(!networks.permit(address.parse().expect("an address")), "{text}: {address}");
        }
    }

    #[test]
    fn only_the_named_networks_are_permitted_besides_the_public_web() {
        check_networks("none", &["8.8.8.8"], &["127.0.0.1", "::1", "::ffff:127.0.0.1"]);
        check_networks("all", &["8.8.8.8", "127.0.0.1", "fd00::1", "64:ff9b::7f00:1"], &[]);
        check_networks(
            "127.20.0.0/16, 10.1.2.3",
            &["127.20.0.1", "127.20.255.255", "10.1.2.3", "::ffff:127.20.0.1", "8.8.8.8"],
            &["127.0.0.1", "127.21.0.0", "10.1.2.4", "::1", "64:ff9b::7f14:1", "::127.20.0.1"],
        );
        check_networks("fd00::/8", &["fd12::1"], &["fc00::1", "127.0.0.1", "0.0.0.0"]);
        check_networks("0.0.0.0/0", &["127.0.0.1"], &["::1", "fd00::1"]);
    }

    #[test]
    fn what_names_no_network_is_refused() {
        for text in ["", "127.0.0.1/33", "::/129", "localhost", "10/8", "10.0.0.0/8,", "1.2.3.4/-1"]
        {
            assert!(text.parse::<Networks>().is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_public_web_are_public() {
        check(&["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255"], true);
        check(&["100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.1.1", "198.17.0.1"], true);
        check(&["198.20.0.1", "223.255.255.255", "169.253.1.1", "192.0.1.1"], true);
        check(&["2606:4700::1111", "2a00::1", "2001:200::1", "2001:4860:4860::8888"], true);
        check(&["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"], true);
        check(&["2001:0:808:808::f7f7:f7f7"], true);
    }

    #[test]
    fn addresses_of_somebodys_inside_are_not_public() {
        check(&["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255"], false);
        check(&["127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1"], false);
        check(&["172.31.255.255", "192.168.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1"], false);
        check(&["198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1"], false);
        check(&["239.255.255.255", "240.0.0.1", "255.255.255.255"], false);
    }

    #[test]
    fn no_spelling_in_ipv6_makes_an_inside_address_public() {
        check(&["::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1"], false);
        check(&["::ffff:10.1.2.3", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1"], false);
        check(&["100::1", "2001:db8::1", "2001:2::1", "2001:10::1", "3fff::1"], false);
        check(&["2002:7f00:1::1", "2002:a00:1::1", "2002:c0a8:101::1"], false);
        check(&["2001:0:808:808::80ff:fffe", "2001:0:a00:1::f7f7:f7f7"], false);
        check(&["fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1", "4000::1"], false);
    }
}
