//! Which addresses a request may reach.
//!
//! The invariant: an address passes only if it is globally routable after every IPv4 address
//! wrapped inside it was looked at too, or if an operator's block covers it. Cloud metadata passes
//! only if an operator named that very address. Pure: names are resolved elsewhere, and every
//! address they resolve to comes here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::cidr::Cidr;

/// An address that may not be reached, and why.
///
/// The text leaves the address out: what an internal name resolves to is not the caller's to learn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the address is not to be reached from here: {why}")]
pub struct Denied {
    /// The address as it was asked for.
    pub address: IpAddr,
    /// The kind of address it is.
    pub why: &'static str,
}

const METADATA: &str = "cloud metadata";

/// Addresses where clouds hand credentials to whoever asks.
const METADATA_V4: [Ipv4Addr; 8] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(169, 254, 0, 23),
    Ipv4Addr::new(169, 254, 42, 42),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

const METADATA_V6: [Ipv6Addr; 4] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),
];

/// IPv4 blocks that are not globally routable (RFC 6890 and its registry).
const CLOSED_V4: [(Ipv4Addr, u8, &str); 15] = [
    (Ipv4Addr::UNSPECIFIED, 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// IPv6 blocks with a name of their own; what lies outside `2000::/3` is closed anyway.
const CLOSED_V6: [(Ipv6Addr, u8, &str); 10] = [
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "local translation"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "discard-only"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "private network"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

/// Passes `address`, or says why it may not be reached.
///
/// `allow` are the operator's blocks for this server. An IPv4 block covers an IPv4-mapped address,
/// which is the same address on the wire; every other wrapping must be allowed as the IPv6 address
/// it is, because a relay decides where it ends.
///
/// # Errors
///
/// [`Denied`] with the kind of address that was found, wrapped or not.
pub fn check(address: IpAddr, allow: &[Cidr]) -> Result<(), Denied> {
    let canonical = address.to_canonical();
    let deny = |why| Err(Denied { address, why });
    if is_metadata(canonical) {
        let named = allow.iter().any(|block| block.is_only(canonical));
        return if named { Ok(()) } else { deny(METADATA) };
    }
    if allow.iter().any(|block| block.contains(canonical)) {
        return Ok(());
    }
    let why = match canonical {
        IpAddr::V4(v4) => closed_v4(v4),
        IpAddr::V6(v6) => closed_v6(v6),
    };
    why.map_or(Ok(()), deny)
}

fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => METADATA_V4.contains(&v4),
        IpAddr::V6(v6) => {
            METADATA_V6.contains(&v6) || wrapped(v6).iter().any(|v4| METADATA_V4.contains(v4))
        }
    }
}

fn closed_v4(address: Ipv4Addr) -> Option<&'static str> {
    CLOSED_V4
        .iter()
        .find(|(network, prefix, _)| {
            (network.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(*prefix)
        })
        .map(|(_, _, why)| *why)
}

fn closed_v6(address: Ipv6Addr) -> Option<&'static str> {
    let named = CLOSED_V6
        .iter()
        .find(|(network, prefix, _)| {
            (network.to_bits() ^ address.to_bits()).leading_zeros() >= u32::from(*prefix)
        })
        .map(|(_, _, why)| *why);
    if named.is_some() {
        return named;
    }
    let inside = wrapped(address);
    if !inside.is_empty() {
        return inside.into_iter().find_map(closed_v4);
    }
    let bits = address.to_bits();
    if bits >> 125 != 0b001 {
        return Some("not global unicast");
    }
    // 2001::/23 is for protocols (RFC 2928); the tunnel inside it was unwrapped above.
    (bits >> 105 == 0x2001_0000_u128 >> 9).then_some("protocol assignments")
}

/// Every IPv4 address that a relay could find inside `address`.
///
/// Compatible (RFC 4291 §2.5.5.1), NAT64 (RFC 6052, both the well-known `/96` and the local `/48` of
/// RFC 8215, read both ways), 6to4 (RFC 3056), Teredo (RFC 4380: server and client). Mapped addresses
/// never come here: they were made IPv4 before.
fn wrapped(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let bits = address.to_bits();
    let at = |shift: u32| Ipv4Addr::from_bits(low_32(bits >> shift));
    let last = at(0);
    if bits >> 32 == 0 || bits >> 32 == 0x0064_ff9b_u128 << 64 {
        return vec![last];
    }
    match address.segments() {
        [0x64, 0xff9b, 1, high, low, next, ..] => {
            let [a, b] = high.to_be_bytes();
            let [_, c] = low.to_be_bytes();
            let [d, _] = next.to_be_bytes();
            vec![last, Ipv4Addr::new(a, b, c, d)]
        }
        [0x2002, ..] => vec![at(80)],
        [0x2001, 0, ..] => vec![at(64), Ipv4Addr::from_bits(!last.to_bits())],
        _ => Vec::new(),
    }
}

/// The low 32 bits; the mask makes the conversion exact.
fn low_32(bits: u128) -> u32 {
    u32::try_from(bits & u128::from(u32::MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
