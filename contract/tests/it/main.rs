//! What is committed beside the contract, compared with what the contract makes.

#[cfg(test)]
mod docs;
