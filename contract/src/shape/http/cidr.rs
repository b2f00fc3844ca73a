//! A block of addresses, as operators write it: `10.0.0.0/8`, `fd00::/8`.
//!
//! The invariant: a [`Cidr`] has exactly one spelling. Host bits, a missing prefix and IPv4
//! wrapped in IPv6 are refused with the spelling to use, never corrected in silence.

use std::borrow::Cow;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A block of IPv4 or IPv6 addresses (RFC 4632, RFC 4291).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cidr {
    network: IpAddr,
    prefix: u8,
}

/// Why a text is no [`Cidr`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There is no `/` with a prefix length after the address.
    #[error("an address block is written with its prefix length, as in 10.0.0.0/8")]
    NoPrefix,
    /// The part before the `/` is no IP address in its usual spelling.
    #[error("the part before the slash is not an IP address")]
    NoAddress,
    /// The prefix length is no plain number, or longer than the address.
    #[error("the prefix length is not a number from 0 to {max}")]
    PrefixOutOfRange {
        /// The longest prefix for this family: 32 or 128.
        max: u8,
    },
    /// Bits after the prefix are set.
    #[error("bits are set after the prefix; the block is {block}")]
    HostBits {
        /// The block that was probably meant.
        block: Cidr,
    },
    /// IPv4 wrapped in IPv6, which has a shorter spelling.
    #[error("write an IPv4-mapped block as IPv4")]
    Mapped,
}

impl Cidr {
    /// A block of one address (`/32` or `/128`).
    pub fn single(address: IpAddr) -> Self {
        let network = address.to_canonical();
        Self { network, prefix: width(network) }
    }

    /// Whether `address` lies in this block. The families never match each other.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                masked(address, self.prefix) == self.network
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }

    /// Whether every address of `other` lies in this block.
    pub fn covers(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.contains(other.network)
    }

    /// Whether this block is `address` and nothing else.
    pub fn is_only(&self, address: IpAddr) -> bool {
        self.network == address && self.prefix == width(address)
    }
}

/// The number of bits of an address of this family.
fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// `address` with every bit after `prefix` cleared.
fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix.min(32))).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    }
}

impl FromStr for Cidr {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (address, prefix) = text.split_once('/').ok_or(Malformed::NoPrefix)?;
        let network: IpAddr = address.parse().map_err(|_| Malformed::NoAddress)?;
        let max = width(network);
        let plain = prefix.len() <= 3
            && prefix.bytes().all(|byte| byte.is_ascii_digit())
            && (prefix == "0" || !prefix.starts_with('0'));
        let prefix: u8 = prefix
            .parse()
            .ok()
            .filter(|prefix| plain && *prefix <= max)
            .ok_or(Malformed::PrefixOutOfRange { max })?;
        if network.to_canonical() != network {
            return Err(Malformed::Mapped);
        }
        let block = Self { network: masked(network, prefix), prefix };
        if block.network == network { Ok(block) } else { Err(Malformed::HostBits { block }) }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

impl Serialize for Cidr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cidr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Cidr {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cidr".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A block of addresses with its prefix length, as in 10.0.0.0/8.",
            "pattern": "^[0-9a-fA-F.:]+/[0-9]{1,3}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cidr(text: &str) -> Cidr {
        text.parse().unwrap()
    }

    #[test]
    fn one_spelling_each() {
        for (text, error) in [
            ("10.0.0.0", Malformed::NoPrefix),
            ("10.0.0/8", Malformed::NoAddress),
            ("010.0.0.0/8", Malformed::NoAddress),
            ("host/8", Malformed::NoAddress),
            (" 10.0.0.0/8", Malformed::NoAddress),
            ("10.0.0.0/33", Malformed::PrefixOutOfRange { max: 32 }),
            ("10.0.0.0/+8", Malformed::PrefixOutOfRange { max: 32 }),
            ("10.0.0.0/08", Malformed::PrefixOutOfRange { max: 32 }),
            ("10.0.0.0/", Malformed::PrefixOutOfRange { max: 32 }),
            ("fd00::/129", Malformed::PrefixOutOfRange { max: 128 }),
            ("10.0.0.1/8", Malformed::HostBits { block: cidr("10.0.0.0/8") }),
            ("::ffff:10.0.0.0/104", Malformed::Mapped),
        ] {
            assert_eq!(text.parse::<Cidr>(), Err(error), "{text}");
        }
    }

    #[test]
    fn a_block_holds_its_ends_and_nothing_beside() {
        let block = cidr("172.16.0.0/12");
        for (address, inside) in [
            ("172.15.255.255", false),
            ("172.16.0.0", true),
            ("172.31.255.255", true),
            ("172.32.0.0", false),
            ("::ac10:1", false),
        ] {
            assert_eq!(block.contains(address.parse().unwrap()), inside, "{address}");
        }
        assert!(cidr("0.0.0.0/0").contains("203.0.113.9".parse().unwrap()));
        assert!(cidr("::/0").contains("::1".parse().unwrap()));
    }

    #[test]
    fn covering_needs_the_same_family_and_a_shorter_prefix() {
        assert!(cidr("10.0.0.0/8").covers(&cidr("10.9.0.0/16")));
        assert!(!cidr("10.9.0.0/16").covers(&cidr("10.0.0.0/8")));
        assert!(!cidr("::/0").covers(&cidr("10.0.0.0/8")));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(bits: u128, prefix in 0u8..=128, v4: bool) {
            let address = if v4 {
                IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap()))
            } else {
                IpAddr::V6(Ipv6Addr::from_bits(bits))
            };
            let prefix = prefix.min(width(address));
            let block = Cidr { network: masked(address, prefix), prefix };
            prop_assert!(block.contains(address));
            prop_assert_eq!(block.to_string().parse::<Cidr>(), Ok(block));
            let json = serde_json::to_string(&block).unwrap();
            prop_assert_eq!(serde_json::from_str::<Cidr>(&json).unwrap(), block);
        }
    }
}
