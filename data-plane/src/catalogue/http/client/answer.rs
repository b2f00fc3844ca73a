//! Taking in an answer: redirect, media type, body, each within its limit.
//!
//! The invariant: nothing leaves this module before the scrubber went over it.

use std::borrow::Cow;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::Response;
use hyper::body::{Body as _, Incoming};
use hyper::header;
use tokio::time::timeout_at;
use url::Url;

use super::super::body::{Coding, Intake, Stop};
use super::super::failure::{Failure, Limit};
use super::super::received::{self, Received};
use super::super::scrub::Scrubber;
use super::SendOptions;

/// The most bytes kept of the body of an error.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;

/// An answer, and whether it was read to its end, so that its connection can be used again.
pub(super) struct Taken {
    pub(super) answer: Result<Received, Failure>,
    pub(super) complete: bool,
}

/// Takes in the answer to a request that went to `url`.
pub(super) async fn take_in(
    response: Response<Incoming>,
    url: &Url,
    options: &SendOptions,
    scrubber: &Scrubber,
) -> Taken {
    let status = response.status();
    if status.is_redirection()
        && let Some(location) = response.headers().get(header::LOCATION)
    {
        let origin = redirect_origin(url, location.as_bytes(), scrubber);
        let answer = Err(Failure::Redirect { status: status.as_u16(), origin });
        return Taken { answer, complete: false };
    }
    let (head, body) = response.into_parts();
    let mut received = Received {
        status: status.as_u16(),
        media_type: received::media_type(&head.headers, scrubber),
        headers: received::kept(&head.headers, scrubber),
        body: Bytes::new(),
        truncated: false,
    };
    let coding = Coding::of(&head.headers);
    if status.is_success() {
        let answer = good(received, body, coding, options, scrubber).await;
        let complete = answer.is_ok();
        return Taken { answer, complete };
    }
    let complete = error_body(&mut received, body, coding, options, scrubber).await;
    Taken { answer: Err(Failure::Upstream(Box::new(received))), complete }
}

async fn good(
    mut received: Received,
    body: Incoming,
    coding: Option<Coding>,
    options: &SendOptions,
    scrubber: &Scrubber,
) -> Result<Received, Failure> {
    // A body of the wrong kind is not even read; an empty one needs no media type.
    if received.media_type.is_some() && !body.is_end_stream() {
        check_media_type(&received, options)?;
    }
    let coding = coding.ok_or(Failure::Undecodable { status: received.status })?;
    let bytes = good_body(body, coding, options, received.status).await?;
    received.body = scrub(bytes, scrubber);
    if !received.body.is_empty() {
        check_media_type(&received, options)?;
    }
    Ok(received)
}

fn check_media_type(received: &Received, options: &SendOptions) -> Result<(), Failure> {
    let got = received.media_type.as_deref();
    if got.is_some_and(|got| options.media_types.iter().any(|declared| declared == got)) {
        return Ok(());
    }
    Err(Failure::MediaType {
        got: received.media_type.clone(),
        expected: options.media_types.clone(),
        status: received.status,
    })
}

/// The whole body of a good answer.
async fn good_body(
    mut body: Incoming,
    coding: Coding,
    options: &SendOptions,
    status: u16,
) -> Result<Vec<u8>, Failure> {
    let limit = options.response_limit_bytes;
    let announced = body.size_hint().exact();
    if coding == Coding::Identity && announced.is_some_and(|bytes| bytes > limit) {
        return Err(Failure::TooLarge { what: Limit::Body, limit, status: Some(status) });
    }
    let stopped = |stop| match stop {
        Stop::Damaged => Failure::Undecodable { status },
        Stop::Over(what) => {
            let limit = if what == Limit::Ratio { options.max_ratio } else { limit };
            Failure::TooLarge { what, limit, status: Some(status) }
        }
    };
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut intake = Intake::new(coding, most, options.max_ratio);
    loop {
        let frame = timeout_at(options.deadline, body.frame()).await;
        let frame = frame.map_err(|_| Failure::Timeout { sent: true, status: Some(status) })?;
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|_| Failure::Unknown { status: Some(status) })?;
        if let Some(data) = frame.data_ref() {
            intake.push(data).map_err(stopped)?;
        }
    }
    intake.finish().map_err(stopped)?;
    Ok(intake.take())
}

/// As much of an error's body as is kept. Whether it was read to its end; what is lost on the way is
/// not a second error, since the status was heard.
async fn error_body(
    received: &mut Received,
    mut body: Incoming,
    coding: Option<Coding>,
    options: &SendOptions,
    scrubber: &Scrubber,
) -> bool {
    let Some(coding) = coding else {
        received.truncated = true;
        return false;
    };
    let limit = usize::try_from(options.response_limit_bytes).unwrap_or(usize::MAX);
    let keep = limit.min(MAX_ERROR_BODY_BYTES);
    // Read on beyond the cut, so that no secret is cut in two and its first half left.
    let mut intake = Intake::new(coding, keep.saturating_add(scrubber.reach()), options.max_ratio);
    let complete = loop {
        match timeout_at(options.deadline, body.frame()).await {
            Ok(None) => break intake.finish().is_ok(),
            Ok(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref()
                    && intake.push(data).is_err()
                {
                    break false;
                }
            }
            Ok(Some(Err(_))) | Err(_) => break false,
        }
    };
    let taken = intake.take();
    received.truncated = !complete || taken.len() > keep;
    received.body = scrub(taken, scrubber);
    if received.truncated {
        received.body.truncate(keep);
    }
    complete
}

fn scrub(bytes: Vec<u8>, scrubber: &Scrubber) -> Bytes {
    match scrubber.scrub(&bytes) {
        Cow::Borrowed(_) => Bytes::from(bytes),
        Cow::Owned(clean) => Bytes::from(clean),
    }
}

/// Where a redirect points: scheme, host and port, and nothing of the rest.
fn redirect_origin(from: &Url, location: &[u8], scrubber: &Scrubber) -> Option<String> {
    let location = std::str::from_utf8(location).ok()?;
    let origin = from.join(location).ok()?.origin();
    let text = origin.is_tuple().then(|| origin.ascii_serialization())?;
    Some(scrubber.scrub_text(&text))
}
