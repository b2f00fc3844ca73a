//! The real binary: what it prints, what it exits with, what it leaves on disk, and what it sends.

#[cfg(test)]
mod ledger;
#[cfg(test)]
mod profile;
#[cfg(test)]
mod run;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod stand_in;
#[cfg(test)]
mod verb;
