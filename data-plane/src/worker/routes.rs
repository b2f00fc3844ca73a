//! Owns what a worker serves: REST under `/v1/`, MCP at `/mcp` and `/t/{identity}/mcp`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};

use super::Worker;
use crate::front::Reach;
use crate::surface::{mcp, rest};

/// The routes of a worker.
pub(crate) fn router(worker: &Arc<Worker>, reach: &Reach) -> Router {
    let rest = |State(worker): State<Arc<Worker>>, request: Request| rest::serve(worker, request);
    mcp::mount(worker, reach).merge(Router::new().fallback(rest).with_state(Arc::clone(worker)))
}
