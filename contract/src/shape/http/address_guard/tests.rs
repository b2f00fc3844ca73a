use proptest::prelude::*;

use super::*;

fn why(address: &str) -> Option<&'static str> {
    check(address.parse().unwrap(), &[]).err().map(|denied| denied.why)
}

fn allowed(address: &str, allow: &[&str]) -> bool {
    let allow: Vec<Cidr> = allow.iter().map(|block| block.parse().unwrap()).collect();
    check(address.parse().unwrap(), &allow).is_ok()
}

#[test]
fn public_addresses_pass() {
    for address in [
        "8.8.8.8",
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2a00:1450:4001:80b::200e",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ] {
        assert_eq!(why(address), None, "{address}");
    }
}

#[test]
fn both_ends_of_every_closed_block_are_denied() {
    for (network, prefix, name) in CLOSED_V4 {
        let host_bits = u32::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
        let last = Ipv4Addr::from_bits(network.to_bits() | host_bits);
        assert_eq!(why(&network.to_string()), Some(name));
        assert_eq!(why(&last.to_string()), Some(name));
    }
    for (network, prefix, name) in CLOSED_V6 {
        let host_bits = u128::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
        let last = Ipv6Addr::from_bits(network.to_bits() | host_bits);
        assert_eq!(why(&network.to_string()), Some(name), "{network}");
        assert_eq!(why(&last.to_string()), Some(name), "{last}");
    }
}

#[test]
fn blocks_without_a_name_outside_global_unicast_are_denied() {
    for address in ["5f00::1", "4000::1", "1::1", "e000::1", "2001:2::1", "2001:10::1", "2001:1::1"]
    {
        assert!(why(address).is_some(), "{address}");
    }
    assert_eq!(why("2001:200::1"), None);
}

#[test]
fn ipv4_is_found_inside_ipv6() {
    for inner in ["127.0.0.1", "10.1.2.3", "192.168.0.9", "0.0.0.0", "255.255.255.255"] {
        let v4: Ipv4Addr = inner.parse().unwrap();
        let hex = |v4: Ipv4Addr| {
            let [high, low] = [v4.to_bits() >> 16, v4.to_bits() & 0xffff];
            format!("{high:x}:{low:x}")
        };
        let (plain, inverted) = (hex(v4), hex(Ipv4Addr::from_bits(!v4.to_bits())));
        for address in [
            format!("::ffff:{inner}"),
            format!("::{inner}"),
            format!("64:ff9b::{inner}"),
            format!("64:ff9b:1::{inner}"),
            format!("2002:{plain}::1"),
            format!("2001:0:{plain}::f7f7:f7f7"),
            format!("2001:0:808:808:0:0:{inverted}"),
        ] {
            assert!(why(&address).is_some(), "{address}");
        }
    }
}

#[test]
fn metadata_needs_its_very_address() {
    for address in METADATA_V4 {
        assert_eq!(why(&address.to_string()), Some(METADATA), "{address}");
        assert!(!allowed(&address.to_string(), &["0.0.0.0/0"]), "{address}");
        assert!(allowed(&address.to_string(), &[&format!("{address}/32")]), "{address}");
        let mapped = format!("::ffff:{address}");
        assert!(!allowed(&mapped, &["0.0.0.0/0", "::/0"]), "{mapped}");
        assert!(allowed(&mapped, &[&format!("{address}/32")]), "{mapped}");
        let translated = format!("64:ff9b::{address}");
        assert_eq!(why(&translated), Some(METADATA), "{translated}");
        assert!(!allowed(&translated, &["::/0", &format!("{address}/32")]), "{translated}");
        let [a, b, c, d] = address.octets();
        let local = format!("64:ff9b:1:{a:02x}{b:02x}:{c:02x}:{d:02x}00::");
        assert!(!allowed(&local, &["64:ff9b:1::/48"]), "{local}");
    }
    for address in METADATA_V6 {
        assert_eq!(why(&address.to_string()), Some(METADATA), "{address}");
        assert!(!allowed(&address.to_string(), &["fd00::/8"]), "{address}");
    }
    assert_eq!(why("::ffff:a9fe:a9fe"), Some(METADATA));
}

#[test]
fn an_operators_block_opens_what_it_covers_and_no_more() {
    assert!(allowed("10.1.2.3", &["10.1.0.0/16"]));
    assert!(allowed("::ffff:10.1.2.3", &["10.1.0.0/16"]));
    assert!(!allowed("10.2.0.1", &["10.1.0.0/16"]));
    assert!(!allowed("64:ff9b::10.1.2.3", &["10.1.0.0/16"]));
    assert!(allowed("fd12::1", &["fd12::/16"]));
}

proptest! {
    #[test]
    fn wrapping_never_opens_a_closed_address(bits: u32) {
        let v4 = Ipv4Addr::from_bits(bits);
        let closed = check(IpAddr::V4(v4), &[]).is_err();
        let bits = u128::from(bits);
        for wrapping in [
            bits | 0xffff_u128 << 32,
            bits,
            bits | 0x0064_ff9b_u128 << 96,
            bits << 80 | 0x2002_u128 << 112,
            bits << 64 | 0x2001_u128 << 112 | 0xf7f7_f7f7,
        ] {
            let v6 = IpAddr::V6(Ipv6Addr::from_bits(wrapping));
            prop_assert_eq!(check(v6, &[]).is_err(), closed, "{}", v6);
        }
    }
}
