//! The control plane, asked in frames as a data plane asks it, over a real database file.

#[cfg(test)]
mod boundary;
#[cfg(test)]
mod checkpoint;
#[cfg(test)]
mod credential;
#[cfg(test)]
mod credential_grant;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod grant;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod invite;
#[cfg(test)]
mod leak;
#[cfg(test)]
mod lease;
#[cfg(test)]
mod outbox;
#[cfg(test)]
mod pack;
#[cfg(test)]
mod principal;
#[cfg(test)]
mod repeat;
#[cfg(test)]
mod role;
#[cfg(test)]
mod rotate;
#[cfg(test)]
mod scope;
#[cfg(test)]
mod server;
#[cfg(test)]
mod stock;
#[cfg(test)]
mod token;
#[cfg(test)]
mod tool;
#[cfg(test)]
mod usage;
#[cfg(test)]
mod uses;
#[cfg(test)]
mod widen;
#[cfg(test)]
mod world;
