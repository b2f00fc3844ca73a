//! The last function before the bytes leave.
//!
//! The invariant: the secret is put on here and nowhere else, after the origin of the finished URL
//! was compared with the declared one and with those the credential may go to.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{self, HeaderValue};
use hyper::{Request, Uri};
use zeroize::Zeroizing;

use super::super::declaration::Method;
use super::super::failure::Failure;
use super::super::origin::Origin;
use super::super::request::Built;
use super::super::secret::Placed;
use super::before_send;

const USER_AGENT: &str = concat!("bailiwick/", env!("CARGO_PKG_VERSION"));

/// The request as it leaves, with the secret on it.
pub(super) fn outgoing(
    built: &Built,
    placed: Option<&Placed>,
) -> Result<Request<Full<Bytes>>, Failure> {
    if Origin::of(built.url()).as_ref() != Some(built.origin()) {
        return Err(before_send("the finished address is not of the declared origin"));
    }
    let mut target = Zeroizing::new(built.url().path().to_owned());
    if let Some(query) = built.url().query() {
        target.push('?');
        target.push_str(query);
    }
    let mut headers = built.headers().clone();
    let host = HeaderValue::from_str(&built.origin().authority());
    headers.insert(header::HOST, host.map_err(|_| before_send("the host is no header value"))?);
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
    if let Some(placed) = placed {
        let put = placed.put(built.origin(), &mut headers, &mut target);
        put.map_err(|unplaceable| Failure::Credential { say: unplaceable.to_string() })?;
    }
    let uri = Uri::try_from(target.as_str());
    let uri = uri.map_err(|_| before_send("the finished address is no request target"))?;
    let mut request = Request::new(Full::new(built.body().clone()));
    *request.method_mut() = method(built.method());
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    Ok(request)
}

fn method(method: Method) -> hyper::Method {
    match method {
        Method::Get => hyper::Method::GET,
        Method::Head => hyper::Method::HEAD,
        Method::Post => hyper::Method::POST,
        Method::Put => hyper::Method::PUT,
        Method::Patch => hyper::Method::PATCH,
        Method::Delete => hyper::Method::DELETE,
    }
}
