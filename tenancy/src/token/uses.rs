//! Owns when tokens were last used, in memory and to the minute. Invariant: noting a use that is already
//! noted changes nothing, so that whoever writes uses down writes once a token and minute, and never on
//! the way of a call.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use contract::Timestamp;

/// How coarse a use is told, in milliseconds.
const GRAIN_MS: i64 = 60_000;
/// How many tokens are kept in mind. Beyond it those whose use was told already are forgotten, which
/// only means that their next use is told again.
const KEPT_MAX: usize = 100_000;

/// The last uses of tokens by whatever names one.
#[derive(Debug)]
pub struct Uses<K>(Mutex<HashMap<K, Noted>>);

#[derive(Debug, Clone, Copy)]
struct Noted {
    at: Timestamp,
    told: bool,
}

impl<K> Default for Uses<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq + Clone> Uses<K> {
    fn map(&self) -> MutexGuard<'_, HashMap<K, Noted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that `token` is used at `now`.
    pub fn note(&self, token: &K, now: Timestamp) {
        let at = Timestamp::from_ms(now.ms() - now.ms().rem_euclid(GRAIN_MS));
        let mut map = self.map();
        match map.get_mut(token) {
            Some(noted) if noted.at >= at => {}
            Some(noted) => *noted = Noted { at, told: false },
            None => {
                if map.len() >= KEPT_MAX {
                    map.retain(|_, noted| !noted.told);
                }
                if map.len() < KEPT_MAX {
                    map.insert(token.clone(), Noted { at, told: false });
                }
            }
        }
    }

    /// When `token` was last used, if that is in mind.
    pub fn last(&self, token: &K) -> Option<Timestamp> {
        self.map().get(token).map(|noted| noted.at)
    }

    /// At most `limit` uses that were not told yet.
    pub fn untold(&self, limit: usize) -> Vec<(K, Timestamp)> {
        let map = self.map();
        let untold = map.iter().filter(|(_, noted)| !noted.told);
        untold.take(limit).map(|(token, noted)| (token.clone(), noted.at)).collect()
    }

    /// Takes note that these were told. One that was used again since is to be told again.
    pub fn told(&self, uses: &[(K, Timestamp)]) {
        let mut map = self.map();
        for (token, at) in uses {
            if let Some(noted) = map.get_mut(token).filter(|noted| noted.at == *at) {
                noted.told = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    #[test]
    fn a_use_is_told_once_a_minute_and_to_the_minute() {
        let uses = Uses::default();
        uses.note(&1, at(61_000));
        uses.note(&1, at(119_999));
        assert_eq!(uses.last(&1), Some(at(60_000)));
        let untold = uses.untold(10);
        assert_eq!(untold, [(1, at(60_000))]);
        uses.told(&untold);
        uses.note(&1, at(119_999));
        assert_eq!(uses.untold(10), []);
        uses.note(&1, at(120_000));
        assert_eq!(uses.untold(10), [(1, at(120_000))]);
    }

    #[test]
    fn a_clock_that_goes_back_takes_nothing_back_and_what_is_used_meanwhile_is_told() {
        let uses = Uses::default();
        uses.note(&1, at(120_000));
        let untold = uses.untold(10);
        uses.note(&1, at(180_000));
        uses.told(&untold);
        assert_eq!(uses.untold(10), [(1, at(180_000))], "the later one was not told");
        uses.note(&1, at(0));
        assert_eq!(uses.last(&1), Some(at(180_000)));
        for token in 2..9 {
            uses.note(&token, at(0));
        }
        assert_eq!(uses.untold(3).len(), 3);
    }
}
