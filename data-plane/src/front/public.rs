//! Owns what anybody may ask without a token: whether the service lives and is ready, its OpenAPI
//! document, its reference page, and where its resources describe themselves. Invariant: no tenant's name is in any of it.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use contract::Answer;
use contract::render::reference;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{Request, Response, StatusCode};
use sha2::{Digest, Sha256};
use tenancy::plane::{Answered, ToControl};

use super::Front;
use crate::surface::rest::respond;
use crate::worker::session;

/// Where protected resource metadata lies (RFC 9728, section 3).
const RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// The routes.
pub(super) fn routes() -> Router<Arc<Front>> {
    Router::new()
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/openapi.json", get(openapi))
        .route("/reference", get(page))
        .route(RESOURCE, get(resource))
        .route("/.well-known/oauth-protected-resource/{*path}", get(resource))
}

async fn ready(State(front): State<Arc<Front>>) -> Response<Body> {
    let probe = ToControl::Route { route: "probe".to_owned() };
    let missing: Vec<&str> = match session::ask(&*front.link, probe).await {
        Ok(Answered::Identity(_)) => Vec::new(),
        Ok(_) | Err(_) => vec!["control plane"],
    };
    let body = serde_json::json!({
        "ready": missing.is_empty(), "missing": missing, "isolation": "none",
        "workers": front.keeper.count(),
    });
    let mut response = Response::new(Body::from(body.to_string()));
    if !missing.is_empty() {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

async fn openapi() -> Response<Body> {
    match contract::render::openapi::document() {
        Ok(document) => {
            let mut response = Response::new(Body::from(document.to_string()));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(_) => respond(&Answer::unavailable("contract", 1000)),
    }
}

/// The reference page, and the policy that it is served with (CSP level 3): nothing may be loaded or
/// run, and no style holds but the page's own, which is named by its digest.
static PAGE: LazyLock<(String, String)> = LazyLock::new(|| {
    let style = BASE64_STANDARD.encode(Sha256::digest(reference::STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    (reference::page(), policy)
});

async fn page() -> Response<Body> {
    let (page, policy) = &*PAGE;
    let mut response = Response::new(Body::from(page.as_str()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Protected resource metadata (RFC 9728). It names no authorization server: there is none yet, and
/// tokens come from `token.create`.
async fn resource(request: Request<Body>) -> Response<Body> {
    let host = request.headers().get(http::header::HOST).and_then(|host| host.to_str().ok());
    let path = request.uri().path().trim_start_matches(RESOURCE);
    let body = serde_json::json!({
        "resource": format!("http://{}{path}", host.unwrap_or("localhost")),
        "resource_name": "Bailiwick",
        "bearer_methods_supported": ["header"],
    });
    let mut response = Response::new(Body::from(body.to_string()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
