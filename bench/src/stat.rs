//! Owns what is made of many measurements: medians with their intervals, quantiles, slopes. Invariant:
//! pure, and no measurement is left out.

use serde::Serialize;

/// The normal quantile of a two-sided interval of 95 %.
const Z: f64 = 1.96;

/// A median, with the interval that holds the true one in 95 of 100 runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// The median.
    pub(crate) median: f64,
    /// The lower end of the interval.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
    /// Over how many rounds.
    pub(crate) rounds: usize,
}

impl Spread {
    /// The median of `values`. Its interval is made of their order alone (the binomial one of the sign
    /// test), so that it asks nothing of how the noise of a busy machine is distributed. NaN of none.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let rounds = sorted.len();
        let n = real(rounds);
        let reach = Z * n.sqrt() / 2.0;
        let at = |rank: f64| {
            let last = n - 1.0;
            sorted.get(whole(rank.clamp(0.0, last.max(0.0)))).copied().unwrap_or(f64::NAN)
        };
        Self {
            median: quantile(&sorted, 0.5),
            low: at((n / 2.0 - reach).floor() - 1.0),
            high: at((n / 2.0 + reach).ceil()),
            rounds,
        }
    }

    /// A figure that was measured once.
    pub(crate) fn once(value: f64) -> Self {
        Self { median: value, low: value, high: value, rounds: 1 }
    }
}

/// The quantile `q` of values in ascending order, between two of them where it lies there. NaN of none.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = q * (real(sorted.len()) - 1.0);
    let at = |index: f64| sorted.get(whole(index.max(0.0))).copied();
    match (at(rank.floor()), at(rank.ceil())) {
        (Some(below), Some(above)) => below + (above - below) * (rank - rank.floor()),
        _ => f64::NAN,
    }
}

/// The slope of a line through points: the median of the slopes between all pairs of them (Theil and
/// Sen), which a few points far off do not bend. NaN of fewer than two points.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let mut slopes = Vec::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let later = points.iter().skip(at + 1).filter(|(next, _)| next > x);
        slopes.extend(later.map(|(next, value)| (value - y) / (next - x)));
    }
    slopes.sort_by(f64::total_cmp);
    quantile(&slopes, 0.5)
}

/// A count as a real number: no count here comes near 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts below 2^53 are kept exactly")]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank is small, and not negative"
)]
fn whole(rank: f64) -> usize {
    rank as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn a_median_stands_in_its_interval_and_one_wild_round_moves_neither() {
        let calm: Vec<f64> = (0..21_u32).map(|n| 1.0 + f64::from(n) / 100.0).collect();
        let spread = Spread::of(&calm);
        assert!(near(spread.median, 1.10), "{spread:?}");
        // The ranks of the sign test for 21: the 6th and the 16th.
        assert!(near(spread.low, 1.05) && near(spread.high, 1.15), "{spread:?}");
        let mut wild = calm;
        wild[20] = 900.0;
        assert_eq!(Spread::of(&wild), spread);
        assert!(Spread::of(&[]).median.is_nan());
        let two = Spread::of(&[2.0, 1.0]);
        assert_eq!((two.low, two.median, two.high), (1.0, 1.5, 2.0));
    }

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert!(near(quantile(&sorted, 0.0), 1.0) && near(quantile(&sorted, 1.0), 4.0));
        assert!(near(quantile(&sorted, 0.5), 2.5));
    }

    #[test]
    fn a_slope_is_that_of_most_of_the_points() {
        let points: Vec<(f64, f64)> =
            (0..20_u32).map(|x| (f64::from(x), 3.0 * f64::from(x) + 7.0)).collect();
        assert!(near(slope(&points), 3.0));
        let mut bent = points;
        bent[10].1 = 9000.0;
        assert!(near(slope(&bent), 3.0), "{}", slope(&bent));
    }
}
