//! Owns what the page says of one verb.

use serde_json::{Value, json};

use super::{Html, field};
use crate::render::openapi::operation::{codes, headers, may_be_held};
use crate::render::{cli, mcp, rest};
use crate::schema::one_line;
use crate::verb::{Needs, Verb};

/// Writes the section of a verb.
pub(super) fn write(html: &mut Html, verb: &Verb) {
    html.raw("<section class=\"verb\" id=\"").text(verb.name).raw("\"><h3><a href=\"#");
    html.text(verb.name).raw("\">").text(verb.name).raw("</a></h3>\n<p><code class=\"route\">");
    html.text(verb.method.as_str()).raw(" ").text(verb.path).raw("</code></p><p>");
    html.words(&one_line(verb.about)).raw("</p>\n<p class=\"needs\">");
    needs(html, verb);
    html.raw("</p>\n");
    takes(html, verb);
    answers(html, verb);
    examples(html, verb);
    html.raw("</section>\n");
}

fn needs(html: &mut Html, verb: &Verb) {
    match verb.needs {
        Needs::Caller => html.raw("Needs any token that is known; you see what you may see."),
        Needs::Operator => html.raw("Needs an operator&#39;s token."),
        Needs::Anyone => html.raw("Needs no token: the secret in the input is the right."),
        Needs::Action(action) => html
            .raw("Needs the action <code>")
            .text(action.as_str())
            .raw("</code> at the scope that the call reaches."),
    };
    html.raw(" Effect: <code>").text(verb.effect.as_str()).raw("</code>.");
}

fn takes(html: &mut Html, verb: &Verb) {
    html.raw("<h4>Takes</h4>");
    let path: Vec<_> = verb.path_fields().collect();
    let place = |name: &str| {
        Some(match (path.contains(&name), verb.method.has_body()) {
            (true, _) => "in the path",
            (false, true) => "in the body",
            (false, false) => "in the query",
        })
    };
    if verb.input.get("properties").and_then(Value::as_object).is_none_or(serde_json::Map::is_empty)
    {
        html.raw("<p>No fields.</p>");
    } else {
        field::list(html, &verb.input, &place);
    }
    let beside = headers(verb);
    if !beside.is_empty() {
        html.raw("<details><summary>Beside the fields, over REST</summary><ul class=\"fields\">");
        for said in beside {
            let mut schema = said.schema;
            if let Some(map) = schema.as_object_mut() {
                map.insert("description".to_owned(), said.about.into());
            }
            let place = if said.name == rest::DRY_RUN { "in the query" } else { "as a header" };
            field::one(html, said.name, &schema, &["optional", place]);
        }
        html.raw("</ul></details>");
    }
}

fn answers(html: &mut Html, verb: &Verb) {
    html.raw("<h4>Answers</h4><details><summary>200, <code>result</code></summary>");
    let fields = crate::schema::variants(&verb.answer);
    if fields.is_empty() {
        html.raw("<ul class=\"fields\">");
        field::one(html, "result", &verb.answer, &[]);
        html.raw("</ul>");
    } else {
        field::list(html, &verb.answer, &|_| None);
    }
    html.raw("</details>");
    if may_be_held(verb) {
        html.raw("<p>202, <code>held</code>: the call waits for a person.</p>");
    }
    html.raw("<details><summary>Refusals</summary><p>");
    let mut all: Vec<_> = codes(verb).collect();
    all.sort_by_key(|code| code.status());
    for (at, code) in all.into_iter().enumerate() {
        html.raw(if at == 0 { "" } else { ", " }).text(&code.status().to_string());
        html.raw(" <a href=\"#refusal.").text(code.as_str()).raw("\"><code>").text(code.as_str());
        html.raw("</code></a>");
    }
    html.raw(". Or 503, <code>unavailable</code>.</p></details>");
    if !verb.hints.is_empty() {
        html.raw("<p>Hints: ");
        for (at, hint) in verb.hints.iter().enumerate() {
            html.raw(if at == 0 { "" } else { ", " }).raw("<a href=\"#hint.").text(hint.as_str());
            html.raw("\"><code>").text(hint.as_str()).raw("</code></a>");
        }
        html.raw(".</p>");
    }
}

fn examples(html: &mut Html, verb: &Verb) {
    html.raw("<h4>Example</h4>");
    sample(html, "REST", &rest::line(verb, &verb.example_input));
    sample(html, "Command line", &cli::example(verb));
    if verb.on_mcp() {
        sample(html, "MCP", &call(verb));
    }
    let answer = json!({ "result": verb.example_answer, "written": [], "hints": [] });
    html.raw("<details><summary>Its answer</summary>");
    sample(html, "Answer", &format!("{answer:#}"));
    html.raw("</details>");
}

/// The tool and its arguments, as an agent calls it.
pub(super) fn call(verb: &Verb) -> String {
    let (tool, arguments) = if mcp::ANNOUNCED.contains(&verb.name) {
        (mcp::name(verb), verb.example_input.clone())
    } else {
        let call = json!({ "address": verb.name, "arguments": verb.example_input });
        ("catalogue_call".to_owned(), call)
    };
    format!("{tool} {arguments}")
}

/// A block that is scrolled with the keyboard too.
fn sample(html: &mut Html, what: &'static str, text: &str) {
    html.raw("<figure><figcaption>").raw(what).raw("</figcaption><pre tabindex=\"0\"><code>");
    html.text(text).raw("</code></pre></figure>");
}
