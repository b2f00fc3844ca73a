//! Vectors: what a passage means, as numbers, kept in a byte a number.
//!
//! A vector is brought to length 1 and each of its numbers to an int8, with one scale for all; rows
//! are packed [`BLOCK_ROWS`] to a blob and compared one by one, so that the answer is exact but for
//! the rounding. Invariants: a row is compared only with a vector of the same width, and its store
//! compares only inside one model; a row of zeros is an empty slot and is like nothing.

pub(crate) mod embedder;
pub(crate) mod rank;
pub(crate) mod store;
#[cfg(test)]
mod tests;

/// How many rows a blob holds at the most.
pub(crate) const BLOCK_ROWS: usize = 1024;
/// The fewest numbers of a vector.
pub(crate) const WIDTH_MIN: usize = 2;
/// The most numbers of a vector.
pub(crate) const WIDTH_MAX: usize = 4096;

/// What stands before the numbers of a row: the passage (8 bytes) and the scale (4 bytes), little
/// endian both.
const HEAD_BYTES: usize = 12;
const PASSAGE_BYTES: usize = 8;
/// The largest number of a row.
const MOST: f64 = 127.0;

/// Why numbers are no vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// Too few or too many.
    #[error("It has {0} numbers")]
    Width(usize),
    /// One is not a number that 32 bits hold.
    #[error("Its number {0} (from 0) is not a finite 32-bit number")]
    Number(usize),
    /// It points nowhere, so nothing is like it.
    #[error("All of its numbers are zero, or too small for 32 bits")]
    Zero,
}

impl Unfit {
    /// What to send instead.
    pub(crate) fn fix(self) -> String {
        match self {
            Self::Width(_) => format!("Send {WIDTH_MIN} to {WIDTH_MAX} numbers."),
            Self::Number(_) => "Send the numbers as the model made them.".to_owned(),
            Self::Zero => "Leave this passage out: the model found no meaning in it.".to_owned(),
        }
    }
}

/// A vector of length 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vector {
    scale: f32,
    numbers: Vec<i8>,
}

/// How many bytes a row of vectors of this width takes.
pub(crate) const fn row_bytes(width: usize) -> usize {
    HEAD_BYTES + width
}

impl Vector {
    /// A vector of the numbers that a model made.
    ///
    /// # Errors
    /// [`Unfit`] says what is wrong with them.
    pub(crate) fn of(numbers: &[f64]) -> Result<Self, Unfit> {
        if !(WIDTH_MIN..=WIDTH_MAX).contains(&numbers.len()) {
            return Err(Unfit::Width(numbers.len()));
        }
        let wrong = |number: &f64| !number.is_finite() || number.abs() > f64::from(f32::MAX);
        if let Some(at) = numbers.iter().position(wrong) {
            return Err(Unfit::Number(at));
        }
        let most = numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()));
        if most < f64::from(f32::MIN_POSITIVE) {
            return Err(Unfit::Zero);
        }
        // In steps, so that neither large nor small numbers are lost in their squares.
        let step = most / MOST;
        let square = |number: &f64| (number / step) * (number / step);
        let length = numbers.iter().map(square).sum::<f64>().sqrt();
        Ok(Self {
            scale: single(1.0 / length),
            numbers: numbers.iter().map(|number| byte(number / step)).collect(),
        })
    }

    /// How many numbers it has.
    pub(crate) const fn width(&self) -> usize {
        self.numbers.len()
    }

    /// The row of a passage.
    pub(crate) fn row(&self, passage: i64) -> Vec<u8> {
        let mut row = Vec::with_capacity(row_bytes(self.width()));
        row.extend(passage.to_le_bytes());
        row.extend(self.scale.to_le_bytes());
        row.extend(self.numbers.iter().map(|number| number.cast_unsigned()));
        row
    }

    /// The vector of a row; none if the slot is empty or torn.
    pub(crate) fn of_row(row: &[u8]) -> Option<Self> {
        let (passage, scale, numbers) = parts(row)?;
        let numbers = numbers.iter().map(|number| number.cast_signed()).collect();
        (passage != 0).then_some(Self { scale, numbers })
    }

    /// The passage of a row and how like it is, from -1 to 1; none for an empty slot and for another
    /// width.
    pub(crate) fn like(&self, row: &[u8]) -> Option<(i64, f32)> {
        let (passage, scale, numbers) = parts(row)?;
        if passage == 0 || numbers.len() != self.width() {
            return None;
        }
        let cosine =
            f64::from(dot(&self.numbers, numbers)) * f64::from(self.scale) * f64::from(scale);
        Some((passage, single(cosine.clamp(-1.0, 1.0))))
    }
}

/// The sum of the products, at most 4096 * 127 * 127, which an i32 holds. In groups of a known size,
/// since the compiler then makes it five times as fast: 100,000 rows of 384 take 3 ms.
fn dot(one: &[i8], other: &[u8]) -> i32 {
    let ((ones, one), (others, other)) = (one.as_chunks::<32>(), other.as_chunks::<32>());
    let grouped = ones.iter().zip(others).map(|(one, other)| plain(one, other));
    grouped.sum::<i32>() + plain(one, other)
}

fn plain(one: &[i8], other: &[u8]) -> i32 {
    let products = one.iter().zip(other);
    products.map(|(one, other)| i32::from(*one) * i32::from(other.cast_signed())).sum()
}

fn parts(row: &[u8]) -> Option<(i64, f32, &[u8])> {
    let (passage, rest) = row.split_at_checked(PASSAGE_BYTES)?;
    let (scale, numbers) = rest.split_at_checked(HEAD_BYTES - PASSAGE_BYTES)?;
    let passage = i64::from_le_bytes(passage.try_into().ok()?);
    Some((passage, f32::from_le_bytes(scale.try_into().ok()?), numbers))
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest is what is meant")]
const fn single(number: f64) -> f32 {
    number as f32
}

#[expect(clippy::cast_possible_truncation, reason = "it is at most 127 away from zero")]
fn byte(number: f64) -> i8 {
    number.round() as i8
}
