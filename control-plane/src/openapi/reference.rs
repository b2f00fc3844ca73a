//! References of a document. Invariant: a reference is followed inside the document or not at all,
//! and never in a circle.

use contract::verbs::server::Reason;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::Skip;

/// How many references may lead one to the next.
const HOPS_MAX: usize = 16;

/// A document, and how it is to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'d> {
    /// The whole.
    pub(super) root: &'d Value,
    /// Whether it is of OpenAPI 3.0, whose schemas are not yet JSON Schema.
    pub(super) is_30: bool,
}

impl<'d> Document<'d> {
    /// What `value` is, or what it refers to.
    pub(super) fn resolve(&self, value: &'d Value) -> Result<&'d Value, Skip> {
        let mut value = value;
        for _ in 0..HOPS_MAX {
            let Some(target) = value.get("$ref") else { return Ok(value) };
            value = self.follow(target.as_str().unwrap_or_default())?;
        }
        Err(broken("A reference leads in a circle."))
    }

    /// What a reference points at, which may be a reference itself.
    pub(super) fn follow(&self, reference: &str) -> Result<&'d Value, Skip> {
        let Some(pointer) = reference.strip_prefix('#') else {
            let say = format!("`{}` leads out of the document.", super::brief(reference));
            return Err(Skip::new(Reason::ExternalReference, say));
        };
        let decoded = percent_decode_str(pointer).decode_utf8().ok();
        let found = decoded.and_then(|pointer| self.root.pointer(&pointer));
        found
            .filter(|_| !pointer.is_empty())
            .ok_or_else(|| broken(&format!("`{}` leads nowhere.", super::brief(reference))))
    }
}

fn broken(say: &str) -> Skip {
    Skip::new(Reason::BrokenReference, say)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_inside_the_document_only() {
        let root = json!({
            "a/b": { "$ref": "#/c%20d" }, "c d": { "here": 1 },
            "x": { "$ref": "#/y" }, "y": { "$ref": "#/x" }
        });
        let document = Document { root: &root, is_30: true };
        let to = |target: &str| {
            let value = Box::leak(Box::new(json!({ "$ref": target })));
            document.resolve(value).map_err(|skip| skip.reason)
        };
        assert_eq!(to("#/a~1b"), Ok(&json!({ "here": 1 })));
        for target in ["other.yaml#/a", "https://example.com/a.json", "/a", "file:///etc/passwd"] {
            assert_eq!(to(target), Err(Reason::ExternalReference), "{target}");
        }
        for target in ["#/x", "#/nothing", "#", "#anchor"] {
            assert_eq!(to(target), Err(Reason::BrokenReference), "{target}");
        }
    }
}
