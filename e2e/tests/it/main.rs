//! The whole service, walked from outside.

mod announced;
mod crash;
mod http;
mod line;
mod revocation;
#[cfg(test)]
mod tidy;
