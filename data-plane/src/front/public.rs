//! Owns what anybody may ask without a token: whether the service lives and is ready, its OpenAPI
//! document, and where its resources describe themselves. Invariant: no tenant's name is in any of it.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use contract::Answer;
use http::{Request, Response, StatusCode};
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
            response.headers_mut().insert(
                http::header::CONTENT_TYPE,
                http::HeaderValue::from_static("application/json"),
            );
            response
        }
        Err(_) => respond(&Answer::unavailable("contract", 1000)),
    }
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
    response
        .headers_mut()
        .insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}
