//! The ways to authenticate that a document describes, as suggestions. Invariant: none is applied, and
//! nothing that a document says becomes a secret or its place.

use contract::shape::http::Placement;
use contract::verbs::server::CredentialSuggestion;
use serde_json::Value;

use super::reference::Document;
use super::{brief, text_of};

/// The most that are told.
const SUGGESTIONS_MAX: usize = 16;

/// What the document suggests.
pub(super) fn suggestions(document: &Document<'_>) -> Vec<CredentialSuggestion> {
    let schemes = document.root.pointer("/components/securitySchemes").and_then(Value::as_object);
    let mut schemes: Vec<_> = schemes.into_iter().flatten().collect();
    schemes.sort_by_key(|(name, _)| name.as_str());
    let known = schemes.into_iter().filter_map(|(name, scheme)| {
        let (placement, say) = placement(document.resolve(scheme).ok()?)?;
        Some(CredentialSuggestion { scheme: brief(name), placement, say })
    });
    known.take(SUGGESTIONS_MAX).collect()
}

fn placement(scheme: &Value) -> Option<(Option<Placement>, String)> {
    let name = || brief(text_of(scheme, "name").unwrap_or_default());
    let of_http = text_of(scheme, "scheme").unwrap_or_default().to_ascii_lowercase();
    Some(match (text_of(scheme, "type")?, of_http.as_str(), text_of(scheme, "in")) {
        ("apiKey", _, Some("header")) => (
            Some(Placement::Header { name: name(), prefix: String::new() }),
            format!("A key in the header `{}`.", name()),
        ),
        ("apiKey", _, Some("query")) => (
            Some(Placement::Query { name: name() }),
            format!("A key in the query pair `{}`, which systems tend to log.", name()),
        ),
        ("apiKey", ..) => (None, "A key in a cookie, which cannot be declared.".to_owned()),
        ("http", "bearer", _) => {
            (Some(Placement::Bearer {}), "A bearer token, `Authorization: Bearer …`.".to_owned())
        }
        ("http", "basic", _) => {
            (Some(Placement::Basic {}), "User name and password, `user:password`.".to_owned())
        }
        ("oauth2" | "openIdConnect", ..) => (
            Some(Placement::Bearer {}),
            "A token of its authorization server, got elsewhere: none is fetched or renewed here."
                .to_owned(),
        ),
        (kind, ..) => (None, format!("It asks for `{}`, which cannot be declared.", brief(kind))),
    })
}
