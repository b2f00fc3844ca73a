//! What holds of the reference page.

use std::collections::BTreeSet;

use super::*;
use crate::render::{cli, rest};

fn escaped(text: &str) -> String {
    let mut html = Html::new();
    html.text(text);
    html.done()
}

/// The tags of a page, in order, with what stands in each.
fn tags(page: &str) -> Vec<&str> {
    let body = page.split_once("</style>").expect("a style").1;
    body.split('<').skip(1).map(|part| part.split_once('>').expect("a whole tag").0).collect()
}

#[test]
fn every_verb_has_its_section_with_route_fields_and_examples() {
    let page = page();
    for verb in Registry::get().iter() {
        let opens = format!("<section class=\"verb\" id=\"{}\">", verb.name);
        let (_, rest) = page.split_once(&opens).expect(verb.name);
        let (section, _) = rest.split_once("</section>").expect(verb.name);
        let mut wanted = vec![
            format!("{} {}", verb.method.as_str(), verb.path),
            rest::line(verb, &verb.example_input),
            cli::example(verb),
            verb.effect.as_str().to_owned(),
        ];
        wanted.extend(verb.on_mcp().then(|| verb::call(verb)));
        for text in wanted.iter().map(|text| escaped(text)) {
            assert!(section.contains(&text), "{}: {text} is not said", verb.name);
        }
        let fields = verb.input["properties"].as_object().into_iter().flatten();
        for name in fields.map(|(name, _)| format!("<code class=\"name\">{name}</code>")) {
            assert!(section.contains(&name), "{}: {name}", verb.name);
        }
        for hint in verb.hints {
            assert!(section.contains(&format!("#hint.{}\"", hint.as_str())), "{}", verb.name);
        }
    }
}

#[test]
fn every_tag_is_closed_and_every_anchor_leads_somewhere() {
    let page = page();
    let (mut open, mut ids, mut links) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for tag in tags(&page) {
        if let Some(name) = tag.strip_prefix('/') {
            let opened = open.pop();
            assert!(opened == Some(name) || ["head", "html"].contains(&name), "{name}: {opened:?}");
            continue;
        }
        for (attribute, set) in [("id=\"", &mut ids), ("href=\"#", &mut links)] {
            let value = tag.split_once(attribute).and_then(|(_, rest)| rest.split('"').next());
            if let Some(value) = value {
                assert!(
                    set.insert(value.to_owned()) || attribute != "id=\"",
                    "{value} is there twice"
                );
            }
        }
        open.push(tag.split(' ').next().expect("a name"));
    }
    assert_eq!(open, Vec::<&str>::new());
    assert_eq!(links.difference(&ids).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_page_loads_and_runs_nothing() {
    let page = page();
    for tag in tags(&page) {
        for banned in ["script", "src=", "onclick", "onload", "iframe", "style=", "<link", "object"]
        {
            assert!(!tag.contains(banned), "<{tag}>");
        }
        let leads = tag.split_once("href=\"").map(|(_, rest)| rest);
        assert!(leads.is_none_or(|to| to.starts_with(['#', '/'])), "<{tag}>");
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
}

#[test]
fn what_is_no_markup_of_ours_is_escaped() {
    let mut html = Html::new();
    html.text("<b a=\"x\" b='y'>&amp;").words("a `<i>` b");
    assert_eq!(
        html.done(),
        "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;a <code>&lt;i&gt;</code> b"
    );
}
