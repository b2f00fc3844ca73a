//! The whole service, walked from outside.

#[cfg(test)]
mod announced;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod flood;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod http;
#[cfg(test)]
mod import;
#[cfg(test)]
mod isolation;
#[cfg(test)]
mod leak;
#[cfg(test)]
mod line;
#[cfg(test)]
mod meaning;
#[cfg(test)]
mod people;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod revocation;
#[cfg(test)]
mod search;
#[cfg(test)]
mod taint;
#[cfg(test)]
mod tidy;
