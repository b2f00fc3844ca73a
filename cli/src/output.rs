//! Owns the two streams to the terminal. Invariant: everything the command prints goes through here,
//! and a reader that went away (a closed pipe) is no failure.

use std::io::{self, Write as _};

/// Writes `text` to standard output as it is.
pub(crate) fn out(text: &str) {
    let mut stream = io::stdout().lock();
    drop(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()));
}

/// Writes `text` and a line feed to standard output.
pub(crate) fn line(text: &str) {
    out(&format!("{text}\n"));
}

/// Writes `text` to standard error as it is.
pub(crate) fn err(text: &str) {
    let mut stream = io::stderr().lock();
    drop(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()));
}
