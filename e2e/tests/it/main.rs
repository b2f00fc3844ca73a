//! The whole service, walked from outside.

#[cfg(test)]
mod announced;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod http;
#[cfg(test)]
mod isolation;
mod line;
#[cfg(test)]
mod revocation;
#[cfg(test)]
mod tidy;
