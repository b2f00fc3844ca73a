//! The whole service, walked from outside.

mod line;
#[cfg(test)]
mod tidy;
