//! Step 1: an agent that knows nothing finds what it may call.

use serde_json::{Value, json};

use super::{Walk, text};

/// The most bytes that the announced tools take.
const TOOLS_MAX_BYTES: usize = 4096;
/// The most bytes of tools and instructions together.
const ANNOUNCED_MAX_BYTES: usize = 6144;

pub(super) async fn discover(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("shop-bot connects over MCP and finds its tools: five are announced, whatever the catalogue holds.");
    let discovered = walk.shop.request("server/discover", json!({})).await?;
    let instructions = text(&discovered.message, "/result/instructions").len();
    let listed = walk.shop.request("tools/list", json!({})).await?;
    let none = json!([]);
    let tools = listed.message.pointer("/result/tools").unwrap_or(&none);
    let names: Vec<&str> = tools
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool.get("name")?.as_str())
        .collect();
    let bytes = tools.to_string().len();
    walk.page.answer("tools/list", &json!(names));
    walk.page.check(names.len() == 5, "five tools are announced", names.len());
    walk.page.check(
        bytes <= TOOLS_MAX_BYTES && instructions > 0 && bytes + instructions <= ANNOUNCED_MAX_BYTES,
        &format!("{bytes} bytes of tools and {instructions} of instructions, at most {ANNOUNCED_MAX_BYTES}"),
        bytes + instructions,
    );

    let overview = walk.shop.tool("catalogue_overview", json!({})).await?.body;
    walk.page.answer("catalogue_overview {}", overview.get("result").unwrap_or(&Value::Null));
    let places: Vec<&str> = overview
        .pointer("/result/places")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|place| place.get("place")?.as_str())
        .collect();
    let own = ["shop", "shop/checkout", "shop/returns"];
    walk.page.check(
        own.iter().all(|place| places.contains(place)) && places.len() == own.len(),
        "the shop's three places are there, and the support group's is not",
        places.join(", "),
    );

    let wanted = json!({ "query": "look up an invoice", "limit": 3 });
    let found = walk.shop.tool("catalogue_search", wanted).await?.body;
    walk.page.answer(
        "catalogue_search \"look up an invoice\"",
        found.get("result").unwrap_or(&Value::Null),
    );
    let (address, _) = super::invoice();
    let hits = found.get("result").map(ToString::to_string).unwrap_or_default();
    walk.page.check(hits.contains(address), &format!("{address} is found"), &hits);

    let described =
        walk.shop.tool("catalogue_describe", json!({ "addresses": [address] })).await?.body;
    let none = json!({});
    let tool = described.pointer("/result/tools/0").unwrap_or(&none);
    walk.page.answer(&format!("catalogue_describe {address}"), tool);
    walk.page.check(
        tool.pointer("/input_schema/properties/number").is_some()
            && text(tool, "/effect") == "read",
        "its schema, effect and labels are described",
        tool,
    );
    Ok(())
}
