//! Owns the refusal of floods of bad tokens. Invariants: a peer that has sent too many is told to wait
//! before anything else is done for it; a token that was taken lately is never told to wait for what
//! others behind the same address (a proxy's, say) have sent. Nothing here says that a token is good:
//! whoever serves the request decides that anew.

use std::net::IpAddr;
use std::time::Duration;

use contract::{Answer, Code, Refusal};
use http::StatusCode;
use moka::sync::Cache;
use tenancy::clock::Shared;
use tenancy::token::Hash;

use crate::gate::{Limiter, Rate};

/// Bad tokens a peer may send in a minute before it is told to wait.
const PER_MINUTE: u32 = 60;
/// Peers that are waited for.
const PEERS_MAX: u64 = 50_000;
/// Tokens that are remembered as taken lately, and for how long.
const TAKEN_MAX: u64 = 100_000;
const TAKEN_FOR: Duration = Duration::from_mins(10);

/// What is remembered of bad tokens and of good ones.
#[derive(Debug)]
pub(super) struct BadTokens {
    clock: Shared,
    sent: Limiter<IpAddr>,
    /// Until when a peer has to wait, on the boot clock.
    waits: Cache<IpAddr, u64>,
    taken: Cache<Hash, ()>,
}

impl BadTokens {
    pub(super) fn new(clock: Shared) -> Self {
        Self {
            clock,
            sent: Limiter::default(),
            waits: Cache::builder().max_capacity(PEERS_MAX).time_to_live(TAKEN_FOR).build(),
            taken: Cache::builder().max_capacity(TAKEN_MAX).time_to_live(TAKEN_FOR).build(),
        }
    }

    /// Counts a bad token of a peer; answers a refusal when there were too many.
    pub(super) fn count(&self, peer: IpAddr) -> Option<Answer> {
        let now_ms = self.clock.boot_ms();
        match self.sent.take(&peer, PER_MINUTE, 60_000, now_ms) {
            Rate::Within => None,
            Rate::Exceeded { retry_after_ms } => {
                self.waits.insert(peer, now_ms.saturating_add(retry_after_ms));
                Some(refusal(retry_after_ms))
            }
        }
    }

    /// The refusal of a peer that has to wait, unless its token was taken lately.
    pub(super) fn wait(&self, peer: IpAddr, token: &Hash) -> Option<Answer> {
        let left_ms = self.waits.get(&peer)?.saturating_sub(self.clock.boot_ms());
        (left_ms > 0 && !self.taken.contains_key(token)).then(|| refusal(left_ms))
    }

    /// Takes note of how a request with this token was answered. One that was refused for something
    /// else may have been so before anybody looked at its token, so it says nothing.
    pub(super) fn learn(&self, peer: IpAddr, token: Hash, answered: StatusCode) {
        if answered == StatusCode::UNAUTHORIZED {
            self.taken.invalidate(&token);
            // This one was answered already; the next one is told to wait.
            let _ = self.count(peer);
        } else if answered.is_success() {
            self.taken.insert(token, ());
        }
    }
}

fn refusal(retry_after_ms: u64) -> Answer {
    Refusal::new(
        Code::RateLimited,
        "Too many bad tokens came from this address.",
        format!("Try again in {retry_after_ms} ms, with a token that stands."),
    )
    .with("retry_after_ms", retry_after_ms)
    .into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contract::Timestamp;
    use tenancy::clock::Fake;

    use super::*;

    const PEER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    const UNKNOWN: StatusCode = StatusCode::UNAUTHORIZED;

    fn hash(n: u8) -> Hash {
        Hash::from_bytes([n; 32])
    }

    #[test]
    fn a_peer_waits_once_it_sent_too_many_and_a_token_that_stands_does_not() {
        let clock = Arc::new(Fake::at(Timestamp::from_ms(0)));
        let bad = BadTokens::new(Arc::<Fake>::clone(&clock));
        bad.learn(PEER, hash(1), StatusCode::OK);
        for _ in 0..PER_MINUTE {
            bad.learn(PEER, hash(2), UNKNOWN);
            assert!(bad.wait(PEER, &hash(2)).is_none(), "a minute's worth is served");
        }
        bad.learn(PEER, hash(2), UNKNOWN);
        assert_eq!(bad.wait(PEER, &hash(2)).expect("waits").status(), 429);
        assert_eq!(bad.wait(PEER, &hash(3)).expect("waits, though unknown").status(), 429);
        assert!(bad.wait(PEER, &hash(1)).is_none(), "it was taken lately");
        assert!(bad.wait(IpAddr::from([192, 0, 2, 2]), &hash(2)).is_none(), "another peer");
        clock.pass(1000);
        assert!(bad.wait(PEER, &hash(3)).is_none(), "one more is served a second later");
        bad.learn(PEER, hash(3), UNKNOWN);
        bad.learn(PEER, hash(1), UNKNOWN);
        assert!(
            bad.wait(PEER, &hash(1)).is_some(),
            "a token that was taken back waits as others do"
        );
    }

    #[test]
    fn good_requests_take_nothing() {
        let bad = BadTokens::new(Arc::new(Fake::at(Timestamp::from_ms(0))));
        for _ in 0..10 * PER_MINUTE {
            bad.learn(PEER, hash(1), StatusCode::OK);
        }
        assert!(bad.count(PEER).is_none());
    }

    #[test]
    fn only_a_request_that_was_carried_out_shows_that_its_token_stands() {
        let bad = BadTokens::new(Arc::new(Fake::at(Timestamp::from_ms(0))));
        for (n, status) in (1..).zip([400, 403, 404, 413, 422, 429, 500, 503]) {
            let status = StatusCode::from_u16(status).expect("a status");
            bad.learn(PEER, hash(n), status);
        }
        while bad.count(PEER).is_none() {}
        assert!((1..9).all(|n| bad.wait(PEER, &hash(n)).is_some()));
    }
}
