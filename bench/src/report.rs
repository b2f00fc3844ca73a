//! Owns what a run found: figures with names, their targets, and whether each was met. Invariant: a target
//! that was missed is reported as missed; nothing here fails a run.

use std::fmt;

use serde::Serialize;

use crate::stat::Spread;

/// Measurements of ours and of the baseline, a pair a round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sides {
    pairs: Vec<(f64, f64)>,
    times: Vec<(f64, f64)>,
}

impl Sides {
    /// One more round.
    pub(crate) fn push(&mut self, ours: f64, base: f64) {
        self.pairs.push((ours, base));
    }

    /// The processor time of one call in that round.
    pub(crate) fn push_time(&mut self, ours_us: f64, base_us: f64) {
        self.times.push((ours_us, base_us));
    }

    /// What `of` makes of ours and the baseline's in each round.
    pub(crate) fn spread(&self, of: impl Fn(f64, f64) -> f64) -> Spread {
        Spread::of(&self.pairs.iter().map(|(ours, base)| of(*ours, *base)).collect::<Vec<_>>())
    }

    /// Ours and the baseline's medians in words: `832 against 4120 calls/s`.
    pub(crate) fn said(&self, unit: &str) -> String {
        let (ours, base) = (self.spread(|ours, _| ours), self.spread(|_, base| base));
        format!("{} against {} {unit}", Plain(ours.median), Plain(base.median))
    }

    /// The medians of processor time in words; empty if it was not taken.
    pub(crate) fn said_times(&self) -> String {
        let median = |of: fn(&(f64, f64)) -> f64| {
            Spread::of(&self.times.iter().map(of).collect::<Vec<_>>()).median
        };
        let (ours, base) = (median(|pair| pair.0), median(|pair| pair.1));
        if self.times.is_empty() {
            return String::new();
        }
        format!(
            "; {} against {} µs of the serving processors a call, a share of {} by that",
            Plain(ours),
            Plain(base),
            Plain(median(|pair| pair.1 / pair.0))
        )
    }
}

/// What a figure should come to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// At least so much.
    AtLeast(f64),
    /// At most so much.
    AtMost(f64),
}

impl Target {
    /// Whether `value` comes to it. A value that is no number never does.
    pub(crate) fn met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "≥ {least}"),
            Self::AtMost(most) => write!(f, "≤ {most}"),
        }
    }
}

/// One line of the report.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    /// Its name, which stays the same from run to run.
    pub(crate) name: String,
    /// What is held against what.
    pub(crate) what: String,
    /// What it counts; empty for a ratio.
    pub(crate) unit: &'static str,
    /// What it came to.
    #[serde(flatten)]
    pub(crate) spread: Spread,
    /// What it should come to, where that is set.
    pub(crate) target: Option<Target>,
    /// Whether it did.
    pub(crate) met: Option<bool>,
    /// The measured values that it is made of, in words.
    pub(crate) detail: String,
}

impl Figure {
    /// A figure without a target.
    pub(crate) fn new(name: &str, what: &str, spread: Spread) -> Self {
        Self {
            name: name.to_owned(),
            what: what.to_owned(),
            unit: "",
            spread,
            target: None,
            met: None,
            detail: String::new(),
        }
    }

    /// In a unit.
    #[must_use]
    pub(crate) fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// With a target, which its median meets or does not.
    #[must_use]
    pub(crate) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self.met = Some(target.met(self.spread.median));
        self
    }

    /// With the values that it is made of.
    #[must_use]
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// `met`, `not met`, or nothing where no target is set.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "",
        }
    }
}

/// A number with three digits that count, and no exponent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain(pub f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        let digits = if size >= 100.0 {
            0
        } else if size >= 10.0 {
            1
        } else if size >= 1.0 {
            2
        } else {
            3
        };
        write!(f, "{:.digits$}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_at_its_edge_and_never_by_what_is_no_number() {
        assert!(Target::AtLeast(0.25).met(0.25) && !Target::AtLeast(0.25).met(0.2499));
        assert!(Target::AtMost(2.0).met(2.0) && !Target::AtMost(2.0).met(2.01));
        assert!(!Target::AtLeast(0.0).met(f64::NAN) && !Target::AtMost(9.0).met(f64::NAN));
        let missed = Figure::new("a", "b", Spread::once(3.0)).target(Target::AtMost(2.0));
        assert_eq!((missed.met, missed.verdict()), (Some(false), "**not met**"));
    }

    #[test]
    fn rounds_are_compared_pair_by_pair() {
        let mut sides = Sides::default();
        // The machine was twice as slow in the second round: the ratio does not see it.
        sides.push(10.0, 40.0);
        sides.push(5.0, 20.0);
        sides.push(10.0, 40.0);
        let spread = sides.spread(|ours, base| ours / base);
        assert!((spread.median - 0.25).abs() < 1e-12 && (spread.low - 0.25).abs() < 1e-12);
        assert_eq!(sides.said("calls/s"), "10.0 against 40.0 calls/s");
        assert_eq!(
            format!("{} {} {}", Plain(0.12345), Plain(1234.5), Plain(12.345)),
            "0.123 1234 12.3"
        );
    }
}
