//! Sends one built request and takes in its answer: the shape's single way out.
//!
//! The invariant: the credential is put on in [`outgoing()`], after the request's origin was compared
//! with the declared one and with those the credential may go to, and nothing that comes back leaves
//! this module before the scrubber went over it. One deadline covers connecting, headers and body.
//! Deliberately absent: following redirects, cookies, `Referer`, proxies, logging, and sending anything
//! twice that may have been sent once.

mod answer;
mod outgoing;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response};
use rustls::RootCertStore;
use tokio::time::{Instant, timeout_at};

use self::answer::take_in;
use self::outgoing::outgoing;
use super::cidr::Cidr;
use super::connect::{Connector, Resolve, System};
use super::declaration::Validated;
use super::failure::{Failure, Limit, Stage};
pub use super::pool::Limits;
use super::pool::{self, Connection, Key, Pool};
use super::received::Received;
use super::request::Built;
use super::scrub::Scrubber;
use super::secret::Placed;

/// What a client needs from whoever runs it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who looks names up.
    pub resolver: Arc<dyn Resolve>,
    /// The certificates that TLS starts from.
    pub roots: RootCertStore,
    /// The service's own listeners and stores, which no allow-list opens.
    pub own: Vec<SocketAddr>,
    /// How many connections there may be.
    pub limits: Limits,
}

impl Default for Settings {
    /// The machine's resolver and the public roots.
    fn default() -> Self {
        let roots = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        Self { resolver: Arc::new(System), roots, own: Vec::new(), limits: Limits::default() }
    }
}

/// How one request is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendOptions {
    /// The identity that calls. Connections are never shared between two.
    pub identity: String,
    /// The private blocks an operator has allowed this server.
    pub allow: Vec<Cidr>,
    /// When connecting, headers and body must all be done.
    pub deadline: Instant,
    /// The most bytes of answer, after decompression.
    pub response_limit_bytes: u64,
    /// The most times a decompressed answer may be larger than what came over the wire.
    pub max_ratio: u64,
    /// The media types of a good answer.
    pub media_types: Vec<String>,
}

impl SendOptions {
    /// As the declaration says, with the time counted from `now`.
    pub fn declared(validated: &Validated, identity: impl Into<String>, now: Instant) -> Self {
        let endpoint = validated.endpoint();
        Self {
            identity: identity.into(),
            allow: validated.target().allow().to_vec(),
            deadline: now + validated.timeout(),
            response_limit_bytes: endpoint.response_limit_bytes,
            max_ratio: endpoint.max_ratio,
            media_types: endpoint.media_types.clone(),
        }
    }
}

/// Sends requests.
#[derive(Debug)]
pub struct Client {
    connector: Connector,
    pool: Pool,
}

/// A request that got no answer.
struct Lost {
    failure: Failure,
    unsent: bool,
}

impl Client {
    /// A client with no connection yet.
    ///
    /// # Errors
    ///
    /// TLS's own, if the provider does not offer what rustls asks of it.
    pub fn new(settings: Settings) -> Result<Self, rustls::Error> {
        let Settings { resolver, roots, own, limits } = settings;
        Ok(Self { connector: Connector::new(resolver, roots, own)?, pool: Pool::new(limits) })
    }

    /// Sends `built` with the secret on it, and takes in the answer.
    ///
    /// Sent at most once, but for one case: a GET or HEAD of which a kept connection took not a byte
    /// is sent on a fresh one.
    ///
    /// # Errors
    ///
    /// [`Failure`], whose [`reached`](Failure::reached) says what may be concluded about the effect.
    pub async fn send(
        &self,
        built: &Built,
        options: &SendOptions,
        placed: Option<&Placed>,
    ) -> Result<Received, Failure> {
        let scrubber = Scrubber::new(placed.into_iter().flat_map(Placed::needles));
        let key =
            Key::new(&options.identity, placed.map(Placed::id), built.origin(), &options.allow);
        // Everything that can be wrong with the request is found before a connection is opened.
        let request = outgoing(built, placed)?;
        let late = || Failure::Timeout { sent: false, status: None };
        let turn = timeout_at(options.deadline, self.pool.turn()).await.map_err(|_| late())?;
        let _turn = turn.ok_or_else(|| before_send("the client is closed"))?;
        let (connection, response) = match self.pool.take(&key) {
            None => self.on_fresh(request, built, options, &scrubber).await?,
            Some(kept) => match dispatch(kept, request, options.deadline).await {
                Ok(answered) => answered,
                Err(lost) if lost.unsent && built.method().is_safe() => {
                    let request = outgoing(built, placed)?;
                    self.on_fresh(request, built, options, &scrubber).await?
                }
                Err(lost) => return Err(lost.failure),
            },
        };
        let taken = take_in(response, built.url(), options, &scrubber).await;
        if taken.complete {
            self.pool.keep(key, connection).await;
        }
        taken.answer
    }

    async fn on_fresh(
        &self,
        request: Request<Full<Bytes>>,
        built: &Built,
        options: &SendOptions,
        scrubber: &Scrubber,
    ) -> Result<(Connection, Response<Incoming>), Failure> {
        let opened = timeout_at(options.deadline, self.open(built, options)).await;
        let connection = opened.map_err(|_| Failure::Timeout { sent: false, status: None })?;
        let connection = connection.map_err(|failure| scrubbed(failure, scrubber))?;
        dispatch(connection, request, options.deadline).await.map_err(|lost| lost.failure)
    }

    async fn open(&self, built: &Built, options: &SendOptions) -> Result<Connection, Failure> {
        let io = self.connector.connect(built.origin(), &options.allow, options.deadline).await?;
        Connection::open(io).await.map_err(|_| before_send("the connection was not taken up"))
    }
}

/// Hands the request over and waits for the head of the answer.
async fn dispatch(
    mut connection: Connection,
    request: Request<Full<Bytes>>,
    deadline: Instant,
) -> Result<(Connection, Response<Incoming>), Lost> {
    if Instant::now() >= deadline {
        let failure = Failure::Timeout { sent: false, status: None };
        return Err(Lost { failure, unsent: true });
    }
    let before = connection.written();
    let answered = timeout_at(deadline, connection.sender.try_send_request(request)).await;
    let error = match answered {
        Ok(Ok(response)) => return Ok((connection, response)),
        Ok(Err(error)) => Some(error.into_error()),
        Err(_) => None,
    };
    let unsent = connection.halt().await == before;
    let failure = match error {
        None => Failure::Timeout { sent: !unsent, status: None },
        Some(_) if unsent => before_send("the upstream closed the connection"),
        Some(error) if error.is_parse_too_large() => {
            let limit = u64::try_from(pool::MAX_HEADER_BYTES).unwrap_or(u64::MAX);
            Failure::TooLarge { what: Limit::Headers, limit, status: None }
        }
        Some(_) => Failure::Unknown { status: None },
    };
    Err(Lost { failure, unsent })
}

fn before_send(say: &str) -> Failure {
    Failure::BeforeSend { stage: Stage::Send, say: say.to_owned() }
}

/// The failure without the secret. TLS would have had to learn it to repeat it; checked all the same.
fn scrubbed(failure: Failure, scrubber: &Scrubber) -> Failure {
    if let Failure::BeforeSend { stage, say } = failure {
        Failure::BeforeSend { stage, say: scrubber.scrub_text(&say) }
    } else {
        failure
    }
}

#[cfg(test)]
mod tests;
