//! The time that a line of a log starts with, as it is written.
//!
//! Times are shown, not understood: a log's own form and zone are kept, so the first and the last
//! are those of the first and the last line that has one. Invariant: what is answered is at most
//! [`LIMIT_BYTES`] long and cut at no character.

/// Longest time that is shown, in bytes. RFC 3339 with nanoseconds and a zone takes 35.
const LIMIT_BYTES: usize = 40;
/// The beginnings by which a time is known; `0` is any digit.
const FORMS: [&str; 5] =
    ["0000-00-00T00:00", "0000-00-00 00:00", "0000/00/00 00:00", "00:00:00", "0000000000."];
/// The same of a syslog line, after the three letters of the month.
const SYSLOG: [&str; 2] = [" 00 00:00:00", "  0 00:00:00"];

/// The times of the first and the last line that has one.
#[derive(Debug, Default)]
pub(super) struct Times {
    first: Option<String>,
    last: Option<String>,
}

impl Times {
    /// Meets the time of the next line. No time changes nothing.
    pub(super) fn meet(&mut self, time: Option<&str>) {
        let Some(time) = time else { return };
        let time = super::shown(time, LIMIT_BYTES);
        if self.first.is_none() {
            self.first = Some(time.clone());
        }
        self.last = Some(time);
    }

    pub(super) fn finish(self) -> (Option<String>, Option<String>) {
        (self.first, self.last)
    }
}

/// The time at the start of a line, brackets and blanks before it passed over.
pub(super) fn at_start(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['[', ' ']);
    let month = line.get(..3).is_some_and(|month| month.bytes().all(|b| b.is_ascii_alphabetic()));
    let syslog = month.then(|| SYSLOG.iter().find(|form| fits(line, 3, form))).flatten();
    let length = match syslog {
        Some(form) => 3 + form.len(),
        None => FORMS.iter().find(|form| fits(line, 0, form))?.len(),
    };
    let rest = line.get(length..)?;
    let more = rest
        .bytes()
        .take(LIMIT_BYTES - length)
        .take_while(|byte| byte.is_ascii_digit() || b":.,+-Z".contains(byte))
        .count();
    line.get(..length + more).map(|time| time.trim_end_matches([',', '.', ':', '-']))
}

/// Whether `line` is of `form` from its byte `from` on.
fn fits(line: &str, from: usize, form: &str) -> bool {
    let bytes = line.as_bytes().get(from..from + form.len());
    bytes.is_some_and(|bytes| {
        bytes.iter().zip(form.bytes()).all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            sign => *byte == sign,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_told_as_they_are_written() {
        for (line, time) in [
            ("2024-01-02T10:20:30.123456789+01:00 INFO x", "2024-01-02T10:20:30.123456789+01:00"),
            ("2024-01-02 10:20:30,123 INFO x", "2024-01-02 10:20:30,123"),
            ("[2024/01/02 10:20] x", "2024/01/02 10:20"),
            ("10:20:30: x", "10:20:30"),
            ("Jan  2 10:20:30 host sshd: x", "Jan  2 10:20:30"),
            ("Jan 12 10:20:30 host sshd: x", "Jan 12 10:20:30"),
            ("1700000000.25 x", "1700000000.25"),
        ] {
            assert_eq!(at_start(line), Some(time), "{line}");
        }
        for line in ["", "x 10:20:30", "2024-01-02", "10:20", "é2024-01-02 10:20", "1700000000 x"]
        {
            assert_eq!(at_start(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_short_and_of_the_line(line in "[\\[ ]{0,2}(0000-00-00T|00:00:00|Jan  0 )?(\\PC|[0-9:.,Z+-]){0,90}") {
            if let Some(time) = at_start(&line) {
                prop_assert!(time.len() <= LIMIT_BYTES && line.contains(time));
            }
        }
    }
}
