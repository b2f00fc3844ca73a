//! Owns the seam between front and worker: HTTP/1.1 over a byte stream. In one process the stream is
//! a pipe in memory; a worker process puts a Unix socket in its place, and nothing else changes.
//!
//! Invariant: a worker sees a request only as bytes, and the front sees only bytes of its answer.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use contract::Answer;
use http::{Request, Response};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;

use super::Reach;
use crate::surface::rest::respond;
use crate::worker::Worker;

/// The bytes that may wait in a pipe.
const PIPE_BYTES: usize = 64 * 1024;
/// Pipes kept open while nothing goes through them.
const IDLE_MAX: usize = 64;

/// A worker, and the pipes to it.
#[derive(Debug)]
pub(crate) struct Served {
    worker: Arc<Worker>,
    router: Router,
    idle: Mutex<Vec<SendRequest<Body>>>,
}

impl Served {
    /// Serves a worker.
    pub(crate) fn new(worker: Arc<Worker>, reach: &Reach) -> Self {
        let router = crate::worker::routes::router(&worker, reach);
        Self { worker, router, idle: Mutex::default() }
    }

    /// The worker.
    pub(crate) const fn worker(&self) -> &Arc<Worker> {
        &self.worker
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<SendRequest<Body>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pipe(&self) -> Result<SendRequest<Body>, hyper::Error> {
        while let Some(kept) = self.kept() {
            if kept.is_ready() {
                return Ok(kept);
            }
        }
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let service = TowerToHyperService::new(self.router.clone());
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(far), service);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a pipe to a worker ended");
            }
        });
        let (sender, connection) = http1::handshake(TokioIo::new(near)).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a pipe to a worker ended");
            }
        });
        Ok(sender)
    }

    fn kept(&self) -> Option<SendRequest<Body>> {
        self.idle().pop()
    }
}

/// Hands a request over to a worker and its answer back.
pub(super) async fn forward(served: &Arc<Served>, mut request: Request<Body>) -> Response<Body> {
    for hop in [
        http::header::CONNECTION,
        http::header::TRANSFER_ENCODING,
        http::header::UPGRADE,
        http::header::TE,
    ] {
        request.headers_mut().remove(hop);
    }
    let path = request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
    if let Ok(uri) = path.parse() {
        *request.uri_mut() = uri;
    }
    *request.version_mut() = http::Version::HTTP_11;
    let mut sender = match served.pipe().await {
        Ok(sender) => sender,
        Err(error) => {
            tracing::error!(%error, "no pipe to a worker");
            return respond(&Answer::unavailable("worker", 500));
        }
    };
    match sender.send_request(request).await {
        Ok(response) => {
            let served = Arc::clone(served);
            tokio::spawn(async move {
                // The pipe is free once the answer has gone through.
                if sender.ready().await.is_ok() {
                    let mut idle = served.idle();
                    if idle.len() < IDLE_MAX {
                        idle.push(sender);
                    }
                }
            });
            response.map(Body::new)
        }
        Err(error) => {
            tracing::error!(%error, "a worker did not answer");
            respond(&Answer::unavailable("worker", 500))
        }
    }
}
