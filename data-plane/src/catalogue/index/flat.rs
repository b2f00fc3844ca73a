//! Owns the flattened names of a catalogue's tools. Invariant: a name means one address or none.

use std::collections::HashMap;
use std::sync::Arc;

use contract::Address;

use super::{Server, Tool};

/// A name that two addresses make names neither: which one is meant cannot be known.
pub(super) fn names<'a>(
    all: impl Iterator<Item = (&'a Arc<Server>, &'a Arc<Tool>)>,
) -> HashMap<String, Option<Address>> {
    let mut names = HashMap::new();
    for (server, tool) in all {
        let address = server.address(&tool.name);
        names
            .entry(contract::render::mcp::flat_name(&address))
            .and_modify(|known| *known = None)
            .or_insert(Some(address));
    }
    names
}
