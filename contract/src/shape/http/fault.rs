//! One thing wrong with an input, said so that its writer can put it right.
//!
//! The invariant: checks collect into [`Faults`] and go on, so that all faults of one input are
//! reported together.

pub use crate::refusal::Fault;

/// The faults found so far, in the order of the checks.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Notes one fault.
    pub fn add(
        &mut self,
        field: impl Into<String>,
        say: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.0.push(Fault::new(field, say, fix));
    }

    /// How many were noted.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// `value` if nothing was noted, else everything that was.
    pub fn none_or<T>(self, value: T) -> Result<T, Vec<Fault>> {
        if self.0.is_empty() { Ok(value) } else { Err(self.0) }
    }

    /// Everything that was noted.
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }
}
