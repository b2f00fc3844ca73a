//! Owns the reference page: every verb on one HTML page, for people. Invariants: it is made of the
//! declarations and nothing else; it loads nothing, runs nothing, and is read without a style as well.

use crate::hint;
use crate::refusal::Code;
use crate::schema::one_line;
use crate::verb::Registry;

mod field;
mod html;
mod verb;

use html::Html;

/// The page's style. It is in the page as it is here, so that a policy can name its digest.
pub const STYLE: &str = include_str!("reference/style.css");

/// The page.
pub fn page() -> String {
    let mut html = Html::new();
    html.raw(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Bailiwick: reference</title><style>",
    );
    html.raw(STYLE);
    html.raw("</style></head>\n<body><a class=\"skip\" href=\"#verbs\">To the verbs</a>\n<header><h1>Bailiwick: reference</h1>");
    html.raw(
        "<p>Everything the service does is a verb, and each is the same over REST, the command line and MCP. \
         The same as a document for machines: <a href=\"/openapi.json\">OpenAPI</a>. To find a word, use your \
         browser&#39;s search; each verb has an address of its own, such as <a href=\"#token.create\">\
         <code>#token.create</code></a>.</p>\
         <p>Send the token as <code>Authorization: Bearer bw_…</code>. An answer is one of four: <code>result</code> \
         with <code>written</code> and <code>hints</code> (200), <code>held</code> for a person (202), a \
         <code>refusal</code> (4xx, <code>application/problem+json</code>), or <code>unavailable</code> (503, with \
         <code>Retry-After</code>).</p></header>\n",
    );
    contents(&mut html);
    html.raw("<main id=\"verbs\">\n");
    let registry = Registry::get();
    for noun in registry.nouns() {
        html.raw("<h2>").text(noun).raw("</h2>\n");
        for one in registry.iter().filter(|verb| verb.noun() == noun) {
            verb::write(&mut html, one);
        }
    }
    refusals(&mut html);
    hints(&mut html);
    html.raw("</main></body></html>\n");
    html.done()
}

/// The nouns, each with its verbs.
fn contents(html: &mut Html) {
    let registry = Registry::get();
    html.raw("<nav aria-label=\"Contents\"><ul>");
    for noun in registry.nouns() {
        html.raw("<li><details><summary>").text(noun).raw("</summary><ul>");
        for verb in registry.iter().filter(|verb| verb.noun() == noun) {
            html.raw("<li><a href=\"#").text(verb.name).raw("\">").text(verb.name).raw("</a></li>");
        }
        html.raw("</ul></details></li>");
    }
    html.raw("<li><a href=\"#refusals\">refusals</a></li><li><a href=\"#hints\">hints</a></li></ul></nav>\n");
}

fn refusals(html: &mut Html) {
    html.raw("<section id=\"refusals\"><h2>Refusals</h2><dl>");
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| code.status());
    for code in codes {
        html.raw("<dt id=\"refusal.").text(code.as_str()).raw("\"><code>").text(code.as_str());
        html.raw("</code> ").text(&code.status().to_string()).raw("</dt><dd>");
        html.text(&one_line(code.about())).raw("</dd>");
    }
    html.raw("</dl></section>\n");
}

fn hints(html: &mut Html) {
    html.raw("<section id=\"hints\"><h2>Hints</h2><dl>");
    for kind in hint::Kind::ALL {
        html.raw("<dt id=\"hint.").text(kind.as_str()).raw("\"><code>").text(kind.as_str());
        html.raw("</code></dt><dd>").text(&one_line(kind.about())).raw("</dd>");
    }
    html.raw("</dl></section>\n");
}

#[cfg(test)]
mod tests;
