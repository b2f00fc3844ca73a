//! The check of each national number, over its letters and digits alone.
//!
//! Every function is total: characters of the wrong kind or number answer false.

use crate::content::detect::form::{digits, is_uniform, weighted};

/// Brazil, persons (Receita Federal): two check digits, weights 10 to 2 and 11 to 2, modulo 11.
pub(super) fn cpf(number: &[u8]) -> bool {
    let digits = digits(number);
    let check = |length: usize| {
        let weights: Vec<u32> = (2..=11).rev().skip(10 - length).collect();
        let expected = weighted(&digits, &weights) * 10 % 11 % 10;
        digits.get(length) == Some(&expected)
    };
    digits.len() == 11 && !is_uniform(number) && check(9) && check(10)
}

/// Brazil, companies, in the alphanumeric form of 2026 that holds the older one: a character's
/// value is its ASCII code less 48.
pub(super) fn cnpj(number: &[u8]) -> bool {
    const WEIGHTS: [u32; 13] = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
    let values: Vec<u32> = number.iter().map(|byte| u32::from(byte.saturating_sub(b'0'))).collect();
    let check = |length: usize| {
        let remainder = weighted(&values, WEIGHTS.get(13 - length..).unwrap_or_default()) % 11;
        let expected = if remainder < 2 { 0 } else { 11 - remainder };
        values.get(length) == Some(&expected)
    };
    number.len() == 14 && !is_uniform(number) && check(12) && check(13)
}

const DNI_LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";

fn dni_letter(value: u32) -> Option<&'static u8> {
    DNI_LETTERS.get(usize::try_from(value % 23).ok()?)
}

fn number_of(digits: &[u32]) -> u32 {
    digits.iter().fold(0, |sum, digit| sum * 10 + digit)
}

/// Spain, citizens: eight digits, and the letter their remainder by 23 names.
pub(super) fn dni(number: &[u8]) -> bool {
    let digits = digits(number);
    digits.len() == 8 && number.last() == dni_letter(number_of(&digits))
}

/// Spain, foreigners: X, Y or Z stands for a leading 0, 1 or 2.
pub(super) fn nie(number: &[u8]) -> bool {
    let digits = digits(number);
    let leading = match number.first() {
        Some(b'X') => 0,
        Some(b'Y') => 10_000_000,
        Some(b'Z') => 20_000_000,
        _ => return false,
    };
    digits.len() == 7 && number.last() == dni_letter(leading + number_of(&digits))
}

/// United States (SSA): no area 000, 666 or 900 up, no group 00, no serial 0000, and none of the
/// two numbers made void by being advertised.
pub(super) fn ssn(number: &[u8]) -> bool {
    let digits = digits(number);
    let (Some(area), Some(group), Some(serial)) =
        (digits.get(..3), digits.get(3..5), digits.get(5..9))
    else {
        return false;
    };
    let area = number_of(area);
    let issued = digits.len() == 9
        && area != 0
        && area != 666
        && area < 900
        && number_of(group) != 0
        && number_of(serial) != 0;
    let void = || matches!(number_of(&digits), 78_051_120 | 219_099_999 | 123_456_789);
    issued && !is_uniform(number) && !void()
}

/// United Kingdom (HMRC): which letters may stand where, and prefixes never given.
pub(super) fn nino(number: &[u8]) -> bool {
    let (Some(prefix), Some(suffix)) = (number.get(..2), number.last()) else {
        return false;
    };
    let allowed =
        !prefix.iter().any(|byte| b"DFIQUV".contains(byte)) && prefix.last() != Some(&b'O');
    let given = ![b"BG", b"GB", b"KN", b"NK", b"NT", b"TN", b"ZZ"]
        .iter()
        .any(|void| prefix == void.as_slice());
    number.len() == 9 && allowed && given && (b'A'..=b'D').contains(suffix)
}

/// The thirteen characters of a French NIR as a number; Corsica's 2A and 2B count as 19 and 18.
fn nir_value(number: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(number.get(..13)?).ok()?;
    let department = text.get(5..7)?;
    let plain = match department {
        "2A" => text.replacen("2A", "19", 1),
        "2B" => text.replacen("2B", "18", 1),
        _ => text.to_owned(),
    };
    let month: u8 = text.get(3..5)?.parse().ok()?;
    let sex = matches!(text.as_bytes().first(), Some(b'1' | b'2'));
    (sex && matches!(month, 1..=12 | 20 | 30..=42)).then(|| plain.parse().ok())?
}

/// France (INSEE): the key is 97 less the remainder by 97.
pub(super) fn nir(number: &[u8]) -> bool {
    let key = number.get(13..15).map(|key| u64::from(number_of(&digits(key))));
    let expected = nir_value(number).map(|value| 97 - value % 97);
    number.len() == 15 && expected.is_some() && key == expected
}

/// France, written without the key, which has no check of its own.
pub(super) fn nir_without_key(number: &[u8]) -> bool {
    number.len() == 13 && nir_value(number).is_some()
}

/// Germany (BZSt): in the first ten digits one comes twice or three times and no other twice;
/// ISO 7064 MOD 11,10.
pub(super) fn steuer_id(number: &[u8]) -> bool {
    let digits = digits(number);
    let Some((last, first)) = digits.split_last() else {
        return false;
    };
    let count = |wanted: u32| first.iter().filter(|&&digit| digit == wanted).count();
    let counts: Vec<usize> = (0..10).map(count).collect();
    let repeated: Vec<usize> = counts.into_iter().filter(|&count| count > 1).collect();
    let product = first.iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    let expected = (11 - product) % 10;
    digits.len() == 11
        && first.first() != Some(&0)
        && matches!(repeated.as_slice(), [2 | 3])
        && *last == expected
}

/// Italy (Agenzia delle Entrate): values of 0 to 9 and of A to Z at odd places.
const ODD_DIGITS: [u32; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const ODD_LETTERS: [u32; 26] =
    [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
/// Letters that stand for 0 to 9 where two persons would get the same code.
const STAND_INS: &[u8] = b"LMNPQRSTUV";

/// Italy: sixteen characters, the last one a check over all the others.
pub(super) fn codice_fiscale(number: &[u8]) -> bool {
    let value = |index: usize, byte: u8| -> u32 {
        let (digit, offset) = (
            byte.is_ascii_digit(),
            byte.wrapping_sub(if byte.is_ascii_digit() { b'0' } else { b'A' }),
        );
        let odd = if digit {
            ODD_DIGITS.get(usize::from(offset))
        } else {
            ODD_LETTERS.get(usize::from(offset))
        };
        if index.is_multiple_of(2) { odd.copied().unwrap_or_default() } else { u32::from(offset) }
    };
    let Some((last, first)) = number.split_last() else {
        return false;
    };
    let sum: u32 = first.iter().enumerate().map(|(index, &byte)| value(index, byte)).sum();
    let numeric = |&index: &usize| {
        number.get(index).is_some_and(|byte| byte.is_ascii_digit() || STAND_INS.contains(byte))
    };
    let month = number.get(8).is_some_and(|byte| b"ABCDEHLMPRST".contains(byte));
    let placed = [6, 7, 9, 10, 12, 13, 14].iter().all(numeric);
    number.len() == 16 && month && placed && u32::from(last.wrapping_sub(b'A')) == sum % 26
}

/// Poland (MSWiA): a birth date whose month carries the century, and weights 1, 3, 7, 9.
pub(super) fn pesel(number: &[u8]) -> bool {
    const WEIGHTS: [u32; 11] = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1];
    let digits = digits(number);
    let pair = |from: usize| number_of(digits.get(from..from + 2).unwrap_or_default());
    let dated = (1..=12).contains(&(pair(2) % 20)) && (1..=31).contains(&pair(4));
    digits.len() == 11 && dated && weighted(&digits, &WEIGHTS).is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Check = fn(&[u8]) -> bool;

    const VALID: &[(Check, &str)] = &[
        (cpf, "52998224725"),
        (cpf, "11144477735"),
        (cnpj, "11222333000181"),
        (cnpj, "12ABC34501DE35"),
        (dni, "12345678Z"),
        (nie, "X1234567L"),
        (nie, "Y1234567X"),
        (ssn, "123121234"),
        (nino, "AB123456C"),
        (nir, "255081416802538"),
        (steuer_id, "86095742719"),
        (steuer_id, "47036892816"),
        (codice_fiscale, "RSSMRA85T10A562S"),
        (pesel, "44051401359"),
        (pesel, "02070803628"),
    ];

    #[test]
    fn valid_numbers_pass() {
        for (check, number) in VALID {
            assert!(check(number.as_bytes()), "{number}");
        }
    }

    /// A check digit exists to catch one wrong character. SSN and NINO have none.
    #[test]
    fn one_wrong_check_character_is_caught() {
        for (check, number) in
            VALID.iter().filter(|(_, number)| !["123121234", "AB123456C"].contains(number))
        {
            let (body, last) = number.split_at(number.len() - 1);
            let digit = last.as_bytes()[0].is_ascii_digit();
            let others: Vec<char> =
                if digit { ('0'..='9').collect() } else { ('A'..='Z').collect() };
            for other in others.into_iter().filter(|other| !last.contains(*other)) {
                assert!(!check(format!("{body}{other}").as_bytes()), "{body}{other}");
            }
        }
    }

    #[test]
    fn wrong_lengths_and_uniform_numbers_never_pass() {
        for (check, number) in VALID {
            for text in [
                "",
                "1",
                number.split_at(1).1,
                &format!("{number}{number}"),
                &"1".repeat(number.len()),
            ] {
                assert!(!check(text.as_bytes()), "{text}");
            }
        }
    }

    #[test]
    fn numbers_never_issued_are_refused() {
        for number in ["000121234", "666121234", "900121234", "123001234", "123120000", "078051120"]
        {
            assert!(!ssn(number.as_bytes()), "{number}");
        }
        for number in ["DA123456C", "AO123456C", "GB123456C", "AB123456E"] {
            assert!(!nino(number.as_bytes()), "{number}");
        }
    }
}
