//! Owns which verb a method and a path name. Invariant: a path matches one template at most, and a
//! literal segment wins over a field.

use std::sync::LazyLock;

use super::text;
use crate::refusal::Refusal;
use crate::verb::{Registry, Verb};

/// What a method and a path name.
#[derive(Debug)]
pub enum Found {
    /// A verb, with the fields of its path, decoded.
    Verb(&'static Verb, Vec<(&'static str, String)>),
    /// A path that takes other methods than this one: these.
    MethodNotAllowed(Vec<&'static str>),
    /// A path whose field cannot be decoded.
    Malformed(Box<Refusal>),
    /// No path of ours.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Literal(&'static str),
    Field(&'static str),
}

#[derive(Debug)]
struct Template {
    parts: Vec<Part>,
    verbs: Vec<&'static Verb>,
}

/// Every template, literals before fields.
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let mut templates: Vec<Template> = Vec::new();
    for verb in Registry::get().iter() {
        let parts: Vec<Part> = verb.path.split('/').skip(1).map(part).collect();
        match templates.iter_mut().find(|template| template.parts == parts) {
            Some(template) => template.verbs.push(verb),
            None => templates.push(Template { parts, verbs: vec![verb] }),
        }
    }
    templates.sort_by(|a, b| a.parts.cmp(&b.parts));
    templates
});

fn part(text: &'static str) -> Part {
    let field = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    field.map_or(Part::Literal(text), Part::Field)
}

/// The verb that `method` and `path` name. `path` is as it was sent: not decoded, without query.
pub fn find(method: &str, path: &str) -> Found {
    let Some(path) = path.strip_prefix('/') else { return Found::None };
    let segments: Vec<&str> = path.split('/').collect();
    let Some(template) = TEMPLATES.iter().find(|template| template.matches(&segments)) else {
        return Found::None;
    };
    let Some(&verb) = template.verbs.iter().find(|verb| verb.method.as_str() == method) else {
        return Found::MethodNotAllowed(
            template.verbs.iter().map(|verb| verb.method.as_str()).collect(),
        );
    };
    match template.fields(&segments) {
        Ok(fields) => Found::Verb(verb, fields),
        Err(refusal) => Found::Malformed(refusal),
    }
}

impl Template {
    fn matches(&self, segments: &[&str]) -> bool {
        self.parts.len() == segments.len()
            && self.parts.iter().zip(segments).all(|(part, segment)| match part {
                Part::Literal(text) => text == segment,
                Part::Field(_) => !segment.is_empty(),
            })
    }

    fn fields(&self, segments: &[&str]) -> Result<Vec<(&'static str, String)>, Box<Refusal>> {
        let mut fields = Vec::new();
        let mut faults = Vec::new();
        for (part, segment) in self.parts.iter().zip(segments) {
            let Part::Field(name) = part else { continue };
            match text::segment(segment) {
                Ok(value) => fields.push((*name, value)),
                Err(why) => faults.push(text::undecodable(name, why)),
            }
        }
        if faults.is_empty() { Ok(fields) } else { Err(Box::new(Refusal::of_input(faults))) }
    }
}
