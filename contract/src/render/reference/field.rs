//! Owns how the fields of a schema are listed: each in its own line, those of inner objects under
//! dotted names. Invariant: what is said of a field is what its schema says.

use serde_json::Value;

use super::Html;
use crate::render::cli::limits;
use crate::schema::{bare, choices, is_free, one_line, variants};

/// How deep inner objects are followed.
const DEPTH_MAX: usize = 4;

/// Writes the fields of an object as a list. `said` answers what else is to be said of a field of the
/// object itself: where it travels, say.
pub(super) fn list(html: &mut Html, schema: &Value, said: &dyn Fn(&str) -> Option<&'static str>) {
    html.raw("<ul class=\"fields\">");
    fields(html, schema, "", 0, said);
    html.raw("</ul>");
}

/// Writes one field.
pub(super) fn one(html: &mut Html, name: &str, schema: &Value, facts: &[&str]) {
    let schema = bare(schema);
    html.raw("<li><code class=\"name\">").text(name).raw("</code> <span class=\"kind\">");
    html.text(&kind(&schema));
    for fact in facts {
        html.raw(", ").text(fact);
    }
    html.raw("</span>");
    if let Some(about) = schema.get("description").and_then(Value::as_str) {
        html.raw("<div>").words(&one_line(about)).raw("</div>");
    }
    let mut told = Vec::new();
    limits(&schema, "", &mut told);
    if let Some(items) = schema.get("items").filter(|items| variants(items).is_empty()) {
        limits(items, "each ", &mut told);
    }
    if !told.is_empty() {
        html.raw("<div class=\"limits\">").text(&told.join("; ")).raw("</div>");
    }
    let of_items = schema.get("items").and_then(choices);
    if let Some(choices) = choices(&schema).or(of_items).filter(|choices| !choices.is_empty()) {
        html.raw("<div class=\"limits\">One of: ");
        for (at, choice) in choices.iter().enumerate() {
            html.raw(if at == 0 { "<code>" } else { ", <code>" })
                .text(&choice.value)
                .raw("</code>");
            if let Some(about) = &choice.about {
                html.raw(" (").words(about.trim_end_matches('.')).raw(")");
            }
        }
        html.raw("</div>");
    }
    html.raw("</li>");
}

fn fields(
    html: &mut Html,
    schema: &Value,
    path: &str,
    depth: usize,
    said: &dyn Fn(&str) -> Option<&'static str>,
) {
    for variant in variants(schema) {
        let tag = variant.tag().map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, field) in variant.fields {
            let whole = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let mut facts = vec![if variant.requires(name) { "required" } else { "optional" }];
            if depth == 0 {
                facts.extend(said(name));
            }
            let of = tag.as_ref().filter(|(tag, _)| tag != name);
            let only = of.map(|(tag, value)| format!("where {tag} is {value}"));
            facts.extend(only.as_deref());
            one(html, &whole, field, &facts);
            if depth < DEPTH_MAX {
                let field = bare(field);
                fields(html, &field, &whole, depth + 1, said);
                if let Some(items) = field.get("items") {
                    fields(html, items, &format!("{whole}[]"), depth + 1, said);
                }
            }
        }
    }
}

/// The type of a value, in words.
fn kind(schema: &Value) -> String {
    if is_free(schema) {
        return "anything".to_owned();
    }
    let said = match schema.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            let words: Vec<_> = several.iter().filter_map(Value::as_str).collect();
            words.join(" or ")
        }
        _ if choices(schema).is_some() => "string".to_owned(),
        _ if !variants(schema).is_empty() => "object".to_owned(),
        _ => "one of several forms".to_owned(),
    };
    match schema.get("items").filter(|_| said == "array") {
        Some(items) => format!("array of {}", kind(items)),
        None => said,
    }
}
