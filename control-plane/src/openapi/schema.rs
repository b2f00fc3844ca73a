//! A document's schemas as JSON Schema (2020-12) that stands alone. Invariant: what comes out refers to
//! nothing, holds only keywords known here, and is bounded in depth and size.

mod keyword;
mod merge;
mod plain;

use contract::verbs::server::Reason;
use serde_json::{Map, Value, json};

use super::reference::Document;
use super::{Skip, brief};

pub(super) use plain::{is_list, is_plain, members};

/// How deep a schema may nest once its references are written out.
const DEPTH_MAX: usize = 24;
/// The most nodes of one schema once its references are written out.
const NODES_MAX: usize = 1_500;
/// The longest a schema may be as text; a declaration takes no longer one.
const BYTES_MAX: usize = 32 << 10;

/// Writes schemas of one document out.
#[derive(Debug)]
pub(super) struct Writer<'d> {
    document: Document<'d>,
    /// The references that are being written out.
    open: Vec<String>,
    nodes_left: usize,
    /// How many nodes all schemas of the document together may still have.
    total_left: usize,
}

impl<'d> Writer<'d> {
    /// One that writes at most `total` nodes in all.
    pub(super) fn new(document: Document<'d>, total: usize) -> Self {
        Self { document, open: Vec::new(), nodes_left: 0, total_left: total }
    }

    /// The schema, written out.
    pub(super) fn write(&mut self, schema: &Value) -> Result<Value, Skip> {
        self.open.clear();
        self.nodes_left = NODES_MAX.min(self.total_left);
        let given = self.nodes_left;
        let written = self.at(schema, 0);
        self.total_left = self.total_left.saturating_sub(given - self.nodes_left);
        let written = written?;
        let fits = written.to_string().len() <= BYTES_MAX;
        if fits { Ok(written) } else { Err(too_large()) }
    }

    /// The schema as an object whose members are known, its own references followed but not written
    /// out: its members may be written one by one.
    pub(super) fn members_of(&mut self, schema: &'d Value) -> Result<Option<Members<'d>>, Skip> {
        let schema = self.document.resolve(schema)?;
        let only = |key: &str| {
            ["allOf", "anyOf", "oneOf", "not", "if", "patternProperties"].contains(&key)
        };
        let Some(fields) = schema.as_object() else { return Ok(None) };
        let is_object = schema.get("type").is_none_or(|kind| *kind == "object");
        let properties = schema.get("properties").and_then(Value::as_object);
        match properties {
            Some(properties)
                if is_object
                    && !properties.is_empty()
                    && !fields.keys().any(|key| only(key))
                    && !fields.get("additionalProperties").is_some_and(Value::is_object)
                    && schema.get("nullable") != Some(&Value::Bool(true)) =>
            {
                let properties = properties.iter().map(|(name, one)| (name.clone(), one)).collect();
                Ok(Some(Members { properties, required: texts(schema.get("required")) }))
            }
            Some(_) | None => Ok(None),
        }
    }

    fn at(&mut self, schema: &Value, depth: usize) -> Result<Value, Skip> {
        if depth > DEPTH_MAX || self.nodes_left == 0 {
            return Err(too_large());
        }
        self.nodes_left -= 1;
        match schema {
            Value::Bool(true) => Ok(json!({})),
            Value::Bool(false) => Ok(json!({ "not": {} })),
            Value::Object(fields) => match fields.get("$ref") {
                Some(reference) => self.referred(reference, fields, depth),
                None => self.object(fields, depth),
            },
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(malformed("A schema is no object."))
            }
        }
    }

    fn referred(
        &mut self,
        reference: &Value,
        fields: &Map<String, Value>,
        depth: usize,
    ) -> Result<Value, Skip> {
        let reference = reference.as_str().ok_or_else(|| malformed("A reference is no text."))?;
        if self.open.iter().any(|open| open == reference) {
            let say = format!("The schema `{}` contains itself.", brief(reference));
            return Err(Skip::new(Reason::Recursive, say));
        }
        let target = self.document.follow(reference)?;
        self.open.push(reference.to_owned());
        let written = self.at(target, depth + 1);
        self.open.pop();
        let Value::Object(mut written) = written? else {
            return Err(malformed("It is no schema."));
        };
        let mut beside = fields.clone();
        beside.shift_remove("$ref");
        let words = ["description", "title"];
        for word in words {
            let said = beside.shift_remove(word).filter(Value::is_string);
            written.extend(said.map(|said| (word.to_owned(), said)));
        }
        beside.retain(|key, _| keyword::is_known(key));
        if self.document.is_30 || beside.is_empty() {
            // Before 3.1 what stands beside a reference means nothing.
            return Ok(Value::Object(written));
        }
        let Value::Object(beside) = self.object(&beside, depth)? else {
            return Ok(Value::Object(written));
        };
        Ok(Value::Object(merge::all(vec![written, beside])))
    }

    fn object(&mut self, fields: &Map<String, Value>, depth: usize) -> Result<Value, Skip> {
        let mut out = Map::new();
        for (key, value) in fields {
            if let Some(copied) = keyword::copied(key, value) {
                out.insert(key.clone(), copied);
            } else if keyword::holds_one(key) && value.is_boolean() {
                // To close an object, `false` has to stand as it is.
                out.insert(key.clone(), value.clone());
            } else if keyword::holds_one(key) && !value.is_array() {
                out.insert(key.clone(), self.at(value, depth + 1)?);
            } else if keyword::holds_list(key) {
                let items =
                    value.as_array().ok_or_else(|| malformed("It is no list of schemas."))?;
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| self.at(item, depth + 1)).collect();
                out.insert(key.clone(), Value::Array(items?));
            } else if keyword::holds_named(key) {
                let inner =
                    value.as_object().ok_or_else(|| malformed("Its members are no object."))?;
                let mut written = Map::new();
                for (name, one) in inner {
                    if key == "properties" || keyword::is_pattern(name) {
                        written.insert(name.clone(), self.at(one, depth + 1)?);
                    }
                }
                out.insert(key.clone(), Value::Object(written));
            }
        }
        keyword::bounds(fields, &mut out);
        let out = merge::own(out);
        let nullable = self.document.is_30 && fields.get("nullable") == Some(&Value::Bool(true));
        Ok(Value::Object(if nullable { keyword::or_null(out) } else { out }))
    }
}

/// The members of an object.
#[derive(Debug)]
pub(super) struct Members<'d> {
    /// Their schemas, as the document has them.
    pub(super) properties: Vec<(String, &'d Value)>,
    /// Those that must be there.
    pub(super) required: Vec<String>,
}

/// The texts of a list.
pub(super) fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn too_large() -> Skip {
    Skip::new(Reason::TooLarge, "A schema is too large or too deep once written out.")
}

fn malformed(say: &str) -> Skip {
    Skip::new(Reason::Malformed, say)
}

#[cfg(test)]
mod tests;
