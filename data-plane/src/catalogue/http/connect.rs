//! The one way out: look up, check every address, connect to a checked one.
//!
//! The invariant: no connection is opened to an address that did not pass the guard in this very
//! look-up. A name with one denied address among its addresses is refused whole. Literals pass the
//! same check. Deliberately absent: proxies, and anything read from the environment.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use async_trait::async_trait;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;
use url::Host;

use super::address_guard::{self, Denied};
use super::cidr::Cidr;
use super::failure::{Failure, Stage};
use super::origin::Origin;

/// Looks a name up.
#[async_trait]
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Every address of `host`.
    ///
    /// # Errors
    ///
    /// Whatever the look-up says; its text is not shown, only its kind.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The machine's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

#[async_trait]
impl Resolve for System {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The most addresses of one name that are tried.
const MAX_TRIED: usize = 4;

/// Opens connections, and nothing else does.
pub(super) struct Connector {
    resolver: Arc<dyn Resolve>,
    tls: TlsConnector,
    own: Vec<SocketAddr>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("resolver", &self.resolver).finish_non_exhaustive()
    }
}

impl Connector {
    /// `own` are the service's own listeners and stores, which no allow-list opens.
    pub(super) fn new(
        resolver: Arc<dyn Resolve>,
        roots: RootCertStore,
        own: Vec<SocketAddr>,
    ) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        // A resumed session would tie the calls of two identities together.
        config.resumption = rustls::client::Resumption::disabled();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { resolver, tls: TlsConnector::from(Arc::new(config)), own })
    }

    /// A connection to `origin`, encrypted where the origin says so.
    pub(super) async fn connect(
        &self,
        origin: &Origin,
        allow: &[Cidr],
        deadline: Instant,
    ) -> Result<Counted, Failure> {
        let addresses = self.addresses(origin.host()).await?;
        for address in &addresses {
            address_guard::check(*address, allow)?;
            self.check_own(SocketAddr::new(*address, origin.port()))?;
        }
        let tcp = dial(&addresses, origin.port(), deadline).await?;
        // The request is one write and the answer is awaited: waiting to fill a packet only costs.
        tcp.set_nodelay(true).map_err(|error| failed(Stage::Connect, error.kind()))?;
        if !origin.is_https() {
            return Ok(Counted::new(Box::new(tcp)));
        }
        let name = server_name(origin.host())?;
        let tls = self.tls.connect(name, tcp).await.map_err(|error| {
            // The text is of TLS, not of the request: which certificate did not hold, and why.
            let say: String = error.to_string().chars().take(200).collect();
            Failure::BeforeSend { stage: Stage::Tls, say }
        })?;
        Ok(Counted::new(Box::new(tls)))
    }

    async fn addresses(&self, host: &Host<String>) -> Result<Vec<IpAddr>, Failure> {
        let found = match host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => {
                let found = self.resolver.resolve(name).await;
                found.map_err(|error| failed(Stage::Resolve, error.kind()))?
            }
        };
        if found.is_empty() {
            return Err(failed(Stage::Resolve, io::ErrorKind::NotFound));
        }
        Ok(found)
    }

    fn check_own(&self, address: SocketAddr) -> Result<(), Denied> {
        let ip = address.ip().to_canonical();
        let is_own = self.own.iter().any(|own| {
            let own_ip = own.ip().to_canonical();
            own.port() == address.port()
                && (own_ip == ip || own_ip.is_unspecified() || ip.is_unspecified())
        });
        let why = "an address of this service";
        if is_own { Err(Denied { address: address.ip(), why }) } else { Ok(()) }
    }
}

/// Connects to the first address that answers. Each gets an equal share of the time that is left, so
/// that one that swallows packets does not use it all.
async fn dial(addresses: &[IpAddr], port: u16, deadline: Instant) -> Result<TcpStream, Failure> {
    let tried = addresses.len().min(MAX_TRIED);
    let mut last = io::ErrorKind::NotFound;
    for (index, address) in addresses.iter().take(tried).enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        let share = u32::try_from(tried - index).map_or(left, |shares| left / shares);
        let target = SocketAddr::new(*address, port);
        match tokio::time::timeout(share, TcpStream::connect(target)).await {
            Ok(Ok(stream)) => {
                let peer =
                    stream.peer_addr().map_err(|error| failed(Stage::Connect, error.kind()))?;
                if peer.ip().to_canonical() != address.to_canonical() {
                    let why = "the connection ended at another address";
                    return Err(Denied { address: peer.ip(), why }.into());
                }
                return Ok(stream);
            }
            Ok(Err(error)) => last = error.kind(),
            Err(_) => last = io::ErrorKind::TimedOut,
        }
    }
    if last == io::ErrorKind::TimedOut {
        return Err(Failure::Timeout { sent: false, status: None });
    }
    Err(failed(Stage::Connect, last))
}

fn failed(stage: Stage, kind: io::ErrorKind) -> Failure {
    Failure::BeforeSend { stage, say: kind.to_string() }
}

fn server_name(host: &Host<String>) -> Result<ServerName<'static>, Failure> {
    match host {
        Host::Ipv4(address) => Ok(ServerName::IpAddress(IpAddr::V4(*address).into())),
        Host::Ipv6(address) => Ok(ServerName::IpAddress(IpAddr::V6(*address).into())),
        Host::Domain(name) => ServerName::try_from(name.clone()).map_err(|_| {
            let say = String::from("the host is no name a certificate can hold");
            Failure::BeforeSend { stage: Stage::Tls, say }
        }),
    }
}

/// A byte stream both ways.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection that counts the bytes handed to it, so that "nothing was sent" is known and not
/// guessed.
pub(super) struct Counted {
    stream: Box<dyn Stream>,
    written: Arc<AtomicU64>,
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counted").field("written", &self.written).finish_non_exhaustive()
    }
}

impl Counted {
    fn new(stream: Box<dyn Stream>) -> Self {
        Self { stream, written: Arc::default() }
    }

    /// The count, which outlives the connection.
    pub(super) fn written(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.written)
    }

    fn count(&self, poll: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &poll {
            let bytes = u64::try_from(*bytes).unwrap_or(u64::MAX);
            self.written.fetch_add(bytes, Ordering::SeqCst);
        }
        poll
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.count(poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.count(poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
