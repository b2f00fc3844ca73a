//! Nobody reaches what was not granted: not in a generated identity, not as a neighbour, not as
//! nobody.

mod agree;
mod attack;
mod neighbours;
mod plan;
mod target;
mod tree;
