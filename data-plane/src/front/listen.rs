//! Owns the listener: connections are taken up to a bound, in all and from one address, and one that
//! does not send its headers in time is closed. Invariant: nobody who is not known can keep others
//! from being served by holding connections open.

use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Connections in all.
const CONNECTIONS_MAX: usize = 8_192;
/// Connections from one address, in all.
const FROM_ONE_MAX: usize = 1_024;
/// How long the headers of a request may take to arrive.
const HEADERS_DEADLINE: Duration = Duration::from_secs(10);
/// How long the listener rests when the system gives it no connection.
const REST: Duration = Duration::from_millis(100);

/// How many connections each address has.
#[derive(Debug, Default)]
struct Peers(Mutex<HashMap<IpAddr, usize>>);

impl Peers {
    fn map(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more connection of a peer, or `None` if it has as many as it may.
    fn one_more(self: &Arc<Self>, peer: IpAddr) -> Option<Counted> {
        let mut map = self.map();
        let count = map.entry(peer).or_default();
        if *count >= FROM_ONE_MAX {
            return None;
        }
        *count += 1;
        Some(Counted { peers: Arc::clone(self), peer })
    }
}

/// A connection that is counted while it is held.
#[derive(Debug)]
struct Counted {
    peers: Arc<Peers>,
    peer: IpAddr,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut map = self.peers.map();
        if let Some(count) = map.get_mut(&self.peer) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                map.remove(&self.peer);
            }
        }
    }
}

/// Serves a router until `stop` comes, and then until what was begun has ended.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()> + Send) {
    let (all, peers) = (Arc::new(Semaphore::new(CONNECTIONS_MAX)), Arc::new(Peers::default()));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, most likely: those in use come free again.
                tracing::warn!(%error, "no connection was accepted");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let place = Arc::clone(&all).try_acquire_owned().ok();
        let Some((place, counted)) = place.zip(peers.one_more(peer.ip())) else {
            tracing::debug!(%peer, "a connection too many");
            continue;
        };
        let connection = graceful.watch(connection(stream, peer, &router));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%peer, %error, "a connection ended");
            }
            drop((place, counted));
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: &Router,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>> {
    if let Err(error) = stream.set_nodelay(true) {
        // Small answers leave at once; where the system cannot, they leave a little later.
        tracing::debug!(%peer, %error, "the connection gathers small answers");
    }
    let service = router.clone().layer(axum::Extension(ConnectInfo(peer)));
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_DEADLINE)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    async fn listening() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(|| async { "served" });
        tokio::spawn(serve(listener, router, std::future::pending()));
        address
    }

    #[tokio::test]
    async fn a_request_is_served_and_half_a_request_is_closed() {
        let address = listening().await;
        let mut whole = TcpStream::connect(address).await.expect("connects");
        whole
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await
            .expect("sends");
        let mut text = String::new();
        whole.read_to_string(&mut text).await.expect("an answer");
        assert!(text.ends_with("served"), "{text}");
        let mut half = TcpStream::connect(address).await.expect("connects");
        half.write_all(b"GET / HTTP/1.1\r\nx: ").await.expect("sends");
        let mut rest = Vec::new();
        let closed = tokio::time::timeout(HEADERS_DEADLINE * 2, half.read_to_end(&mut rest));
        closed.await.expect("is closed in time").expect("reads");
    }

    #[test]
    fn one_address_gets_its_share_and_no_more_and_gives_it_back() {
        let peers = Arc::new(Peers::default());
        let one: IpAddr = "192.0.2.1".parse().expect("an address");
        let mut held: Vec<_> = (0..FROM_ONE_MAX).filter_map(|_| peers.one_more(one)).collect();
        assert_eq!(held.len(), FROM_ONE_MAX);
        assert!(peers.one_more(one).is_none());
        assert!(peers.one_more("192.0.2.2".parse().expect("an address")).is_some());
        held.pop();
        assert!(peers.one_more(one).is_some());
    }
}
