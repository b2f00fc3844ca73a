//! Owns what a tool is told of a call beside its arguments. Invariant: all of it comes from the
//! request itself and none of it proves anything: it is what the client says of itself.

use rmcp::model::{ClientCapabilities, ProgressNotificationParam, ProgressToken, ProtocolVersion};
use rmcp::service::{Peer, RequestContext, RoleServer};

/// What goes with a call.
#[derive(Debug, Clone)]
pub struct Context {
    /// The revision that the client speaks.
    pub protocol: ProtocolVersion,
    /// What the client can do. Revisions before 2026-07-28 say so in the handshake alone, which is
    /// not kept: absent then.
    pub client: Option<ClientCapabilities>,
    /// The trace that the call belongs to.
    pub trace: Trace,
    /// Reports progress; absent if the client asked for none, or takes no event stream.
    pub progress: Option<Progress>,
}

/// The W3C trace context of a call, out of `_meta`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`.
    pub parent: Option<String>,
    /// `tracestate`.
    pub state: Option<String>,
    /// `baggage`.
    pub baggage: Option<String>,
}

/// Reports how far a call has come. The first report turns the reply into an event stream.
#[derive(Clone)]
pub struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("token", &self.token).finish_non_exhaustive()
    }
}

impl Progress {
    /// Says that `done` of `total` is done. `done` grows from report to report. A client that has
    /// gone away hears nothing, which is no fault of the call.
    pub async fn report(&self, done: f64, total: Option<f64>) {
        let mut param = ProgressNotificationParam::new(self.token.clone(), done);
        if let Some(total) = total {
            param = param.with_total(total);
        }
        if self.peer.notify_progress(param).await.is_err() {
            tracing::debug!("progress was not heard");
        }
    }
}

impl Context {
    /// `streams` says whether the client takes an event stream.
    pub(super) fn of(request: &RequestContext<RoleServer>, streams: bool) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let token = request.meta.get_progress_token().filter(|_| streams);
        Self {
            protocol: protocol(request),
            client: request.client_capabilities(),
            trace: Trace {
                parent: text(request.meta.get_traceparent()),
                state: text(request.meta.get_tracestate()),
                baggage: text(request.meta.get_baggage()),
            },
            progress: token.map(|token| Progress { token, peer: request.peer.clone() }),
        }
    }
}

/// The revision of a request: one that does not say is of the oldest with HTTP.
pub(super) fn protocol(request: &RequestContext<RoleServer>) -> ProtocolVersion {
    request.protocol_version().unwrap_or(ProtocolVersion::V_2025_03_26)
}
