//! Numbers in the canonical form: `ECMAScript`'s `Number::toString`, as RFC 8785, 3.2.2.3 asks.
//!
//! Invariant: an integer is written with the digits it came with, or refused.

use std::fmt::Write as _;

use serde_json::Number;

use super::Error;

/// The widest range in which every integer is a double of its own: 2^53 - 1.
const SAFE_INTEGER_MAX: u64 = (1 << 53) - 1;

pub(super) fn write(number: &Number, out: &mut String) -> Result<(), Error> {
    let is_safe = |integer: &i64| integer.unsigned_abs() <= SAFE_INTEGER_MAX;
    if let Some(integer) = number.as_i64().filter(is_safe) {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{integer}");
        return Ok(());
    }
    let inexact = || Error::Inexact { pointer: String::new(), number: number.to_string() };
    let text = number.as_f64().and_then(ecmascript).ok_or_else(inexact)?;
    // A wider integer stands only if the double's canonical text is its own. Otherwise two
    // different identifiers upstream would share one digest here.
    if !number.is_f64() && text != number.to_string() {
        return Err(inexact());
    }
    out.push_str(&text);
    Ok(())
}

/// Whether an integer written with these digits comes through a double with the same digits.
pub(super) fn keeps_digits(integer: &str) -> bool {
    integer.parse::<f64>().ok().and_then(ecmascript).is_some_and(|text| text == integer)
}

/// `Number::toString` of ECMA-262 for radix 10; nothing for NaN and the infinities.
///
/// The standard library yields as few digits as round-trip, and of those the nearest. It lacks
/// one thing: between two that are equally near, ECMA-262 wants the even one.
pub(super) fn ecmascript(double: f64) -> Option<String> {
    if !double.is_finite() {
        return None;
    }
    if double == 0.0 {
        return Some("0".to_owned());
    }
    let scientific = nearest(double.abs());
    let (mantissa, exponent) = scientific.split_once('e')?;
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // The decimal point stands after `point` digits.
    let point = exponent.parse::<i32>().ok()? + 1;
    let sign = if double.is_sign_negative() { "-" } else { "" };
    Some(format!("{sign}{}", lay_out(&digits, point)?))
}

/// The shortest scientific notation that round-trips, ties between digits going to the even one.
///
/// With a stated precision the standard library rounds the exact value, and ties to even. That
/// rounding may miss the double only beside a power of two, where its gaps are uneven.
fn nearest(double: f64) -> String {
    let shortest = format!("{double:e}");
    let decimals = shortest
        .split_once('e')
        .and_then(|(mantissa, _)| mantissa.split_once('.'))
        .map_or(0, |(_, fraction)| fraction.len());
    let rounded = format!("{double:.decimals$e}");
    let round_trips = rounded.parse::<f64>().is_ok_and(|read| read.to_bits() == double.to_bits());
    if round_trips { rounded } else { shortest }
}

fn lay_out(digits: &str, point: i32) -> Option<String> {
    let count = i32::try_from(digits.len()).ok()?;
    let zeros = |n: i32| "0".repeat(usize::try_from(n).unwrap_or(0));
    if (-5..=0).contains(&point) {
        return Some(format!("0.{}{digits}", zeros(-point)));
    }
    if (1..=21).contains(&point) {
        if count <= point {
            return Some(format!("{digits}{}", zeros(point - count)));
        }
        let (whole, fraction) = digits.split_at_checked(usize::try_from(point).ok()?)?;
        return Some(format!("{whole}.{fraction}"));
    }
    let (first, rest) = digits.split_at_checked(1)?;
    let dot = if rest.is_empty() { "" } else { "." };
    Some(format!("{first}{dot}{rest}e{:+}", point - 1))
}
