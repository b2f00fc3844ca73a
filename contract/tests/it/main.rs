//! What is committed beside the contract, compared with what the contract makes.

#[cfg(test)]
mod artefact;
#[cfg(test)]
mod breaking;
#[cfg(test)]
mod docs;
