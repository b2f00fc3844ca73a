//! Owns the OpenAPI 3.1 document of the REST surface. Invariant: paths and operations are utoipa's
//! types; schemas are those of the declarations, put in as they are, since utoipa's own schema type
//! drops `const`.

mod component;
mod link;
pub(super) mod operation;

use serde_json::Value;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApiBuilder, PathItem, PathsBuilder,
    ServerBuilder,
};

use crate::verb::{Method, Registry, Verb};

/// The security scheme of tenants' callers.
const TOKEN: &str = "token";
/// The security scheme of operators.
const OPERATOR: &str = "operator";

/// Why the document cannot be written down. No declaration of ours leads to it.
#[derive(Debug, thiserror::Error)]
#[error("the OpenAPI document cannot be written as JSON")]
pub struct Unwritable(#[from] serde_json::Error);

/// The document, as JSON.
///
/// # Errors
///
/// [`Unwritable`], if a declaration cannot be written as JSON.
pub fn document() -> Result<Value, Unwritable> {
    let registry = Registry::get();
    let mut document = serde_json::to_value(skeleton(registry).build())?;
    for verb in registry.iter() {
        let at = format!("/paths/{}/{}", verb.path.replace('/', "~1"), method(verb));
        if let Some(operation) = document.pointer_mut(&at).and_then(Value::as_object_mut) {
            operation::complete(verb, operation);
        }
    }
    if let Some(components) = document.get_mut("components").and_then(Value::as_object_mut) {
        components.insert("schemas".to_owned(), Value::Object(component::schemas(registry)));
    }
    Ok(document)
}

fn skeleton(registry: &'static Registry) -> OpenApiBuilder {
    let info = InfoBuilder::new()
        .title("Bailiwick")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(include_str!("openapi/about.md").trim_ascii()))
        .license(Some(
            LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build(),
        ));
    let mut paths = PathsBuilder::new();
    for verb in registry.iter() {
        paths = paths.path(verb.path, PathItem::new(http_method(verb.method), operation::of(verb)));
    }
    let tags = registry.nouns().into_iter().map(|noun| TagBuilder::new().name(noun).build());
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url("/").build()]))
        .tags(Some(tags))
        .paths(paths)
        .components(Some(component::responses(secured(ComponentsBuilder::new())).build()))
}

fn secured(components: ComponentsBuilder) -> ComponentsBuilder {
    let bearer = |about: &str| {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("opaque");
        SecurityScheme::Http(scheme.description(Some(about)).build())
    };
    components
        .security_scheme(
            TOKEN,
            bearer("A token of a user or an agent: `bw_user_…` or `bw_agent_…`."),
        )
        .security_scheme(OPERATOR, bearer("A token of an operator: `bw_operator_…`."))
}

const fn http_method(method: Method) -> utoipa::openapi::HttpMethod {
    use utoipa::openapi::HttpMethod;
    match method {
        Method::Get => HttpMethod::Get,
        Method::Post => HttpMethod::Post,
        Method::Patch => HttpMethod::Patch,
        Method::Delete => HttpMethod::Delete,
    }
}

fn method(verb: &Verb) -> String {
    verb.method.as_str().to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
