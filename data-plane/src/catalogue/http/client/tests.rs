//! The client against real loopback upstreams that behave, misbehave and lie.

mod connections;
mod limits;
mod outcomes;
mod secrets;
