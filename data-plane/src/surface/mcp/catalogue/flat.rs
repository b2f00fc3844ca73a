//! Owns the flat catalogue: every tool that a caller may call, each under a name of its own.
//! Invariants: it lists what [`resolve::callable`] lets through and nothing else, in one order; a
//! flattened name says no more of what there is than its address would.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use contract::{Address, Effect, Place, Scope, render};
use rmcp::ErrorData;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::super::Page;
use crate::catalogue::resolve::{self, Asking, Resolved};
use crate::catalogue::{Index, Target};

/// How many tools a page holds.
const PAGE_TOOLS: usize = 200;
/// How many characters of a flattened name come from its hash.
const HASH_CHARS: usize = 12;
/// The annotation that would put an argument into a header.
const HEADER_ANNOTATION: &str = "x-mcp-header";

/// One page of what the caller may call, in the order of scope, server and tool.
pub(super) fn page(
    index: &Index,
    asking: Asking<'_, '_>,
    cursor: Option<&str>,
) -> Result<Page, ErrorData> {
    let root = asking.caller.view().root();
    let after = cursor.map(|cursor| position(cursor, root).ok_or_else(no_cursor)).transpose()?;
    let mut tools = Vec::new();
    let mut last = None;
    for scope in index.scopes() {
        for server in index.at(scope) {
            for tool in server.tools.values() {
                let here = (scope, &server.name, &tool.name);
                if after
                    .as_ref()
                    .is_some_and(|(scope, address)| here <= (scope, &address.server, &address.tool))
                {
                    continue;
                }
                let resolved = resolve::at(asking.caller, server, tool);
                if !resolve::callable(asking, &resolved) {
                    continue;
                }
                if tools.len() == PAGE_TOOLS {
                    let last: Option<Address> = last;
                    return Ok((tools, last.map(|address| cursor_of(&address))));
                }
                tools.extend(described(&resolved));
                last = Some(resolved.address);
            }
        }
    }
    Ok((tools, None))
}

/// The address that a name is made of; `None` for a name that no address makes.
///
/// A name that could be one but belongs to nothing here stands for an address that names nothing:
/// whoever may call nothing under a name is told the same, in as many steps, whether it is there or
/// not, and the ledger holds the attempt.
pub(super) fn address(index: &Index, name: &str) -> Option<Address> {
    if let Some(address) = index.flat(name) {
        return Some(address.clone());
    }
    let (_, hash) = name.rsplit_once('_')?;
    let in_alphabet = |c: char| matches!(c, 'a'..='z' | '2'..='7');
    let made = hash.len() == HASH_CHARS && hash.chars().all(in_alphabet);
    made.then(|| {
        Some(Address {
            place: Some(Place::Node("none".parse().ok()?)),
            server: "flat".parse().ok()?,
            tool: format!("t_{hash}").parse().ok()?,
        })
    })?
}

/// The refusal of a cursor that is none.
pub(super) fn no_cursor() -> ErrorData {
    ErrorData::invalid_params("this is not a cursor of this list", None)
}

fn cursor_of(address: &Address) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(address.to_string())
}

/// Where a cursor points: the last tool of the page before, which may be gone since.
fn position(cursor: &str, root: &Scope) -> Option<(Scope, Address)> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let address: Address = text.parse().ok()?;
    Some((address.place.as_ref()?.scope(root)?, address))
}

/// A tool under its flattened name. Without an output schema: a result may be masked, or be a
/// handle in place of what the schema describes.
fn described(resolved: &Resolved) -> Option<Tool> {
    let Target::Tool(target) = &resolved.target else { return None };
    let version = target.version.as_ref()?;
    let name = render::mcp::flat_name(&resolved.address);
    let about = format!("{} Address: {}", version.declared.about, resolved.address);
    let mut schema = version.input_schema.clone();
    bare(&mut schema);
    let schema: Map<String, Value> = schema.as_object()?.clone();
    let reads = resolved.effect == Effect::Read;
    let harms = matches!(resolved.effect, Effect::Destructive | Effect::Financial);
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(harms)
        .idempotent(reads)
        .open_world(true);
    let title = format!("{}: {}", target.server.title, target.tool.name);
    Some(Tool::new(name, about, schema).with_title(title).with_annotations(annotations))
}

/// Takes annotations for headers out of a schema that somebody else wrote: what they would promise,
/// the endpoint does not hold clients to.
fn bare(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    members.shift_remove(HEADER_ANNOTATION);
    let fields = members.get_mut("properties").and_then(Value::as_object_mut);
    fields.into_iter().flat_map(Map::values_mut).for_each(bare);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn annotations_for_headers_go_and_fields_of_that_name_stay() {
        let mut schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "x-mcp-header": { "type": "object", "properties": { "a": { "x-mcp-header": "A" } } }
        } });
        bare(&mut schema);
        let left = json!({ "type": "object", "properties": {
            "region": { "type": "string" },
            "x-mcp-header": { "type": "object", "properties": { "a": {} } }
        } });
        assert_eq!(schema, left);
    }

    #[test]
    fn a_cursor_leads_back_to_where_it_was_made() {
        let root: Scope = "acme".parse().expect("a scope");
        for text in ["./billing.a", "shop/billing.invoice.lookup", "shop/checkout/orders-db.x"] {
            let address: Address = text.parse().expect("an address");
            let (scope, found) = position(&cursor_of(&address), &root).expect("a position");
            assert_eq!(
                (Place::of(&scope), &found),
                (address.place.clone().expect("a place"), &address)
            );
        }
        for bad in ["", "zzz", "c2hvcC9i", "Y29udGVudC5zZWFyY2g"] {
            assert!(position(bad, &root).is_none(), "{bad}");
        }
    }
}
