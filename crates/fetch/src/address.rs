//! Which addresses are public: reachable by anybody, and nobody's inside.
//!
//! After the IANA special-purpose registries (RFC 6890). An IPv6 form that carries an IPv4 address
//! is as public as what it carries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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
