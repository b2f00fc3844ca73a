//! The whole service, walked from outside.

mod announced;
mod crash;
mod line;
#[cfg(test)]
mod tidy;
