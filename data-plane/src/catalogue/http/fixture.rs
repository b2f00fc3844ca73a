//! Loopback upstreams for the tests of this shape: they speak raw bytes, so that they can misbehave.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use rustls::RootCertStore;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::client::{Client, Limits, SendOptions, Settings};
use super::connect::Resolve;
use super::declaration::{Endpoint, Placement, Policy, Server, Validated, validate};
use super::origin::Origin;
use super::request::{Built, build};
use super::secret::{Placed, Secret};

/// What an upstream does after it has read a request.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Write(Vec<u8>),
    Wait(u64),
    Hang,
    Close,
}

/// An upstream on a loopback address, and what it has seen.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Script = Arc<dyn Fn(&str) -> Vec<Step> + Send + Sync>;

impl Upstream {
    /// Answers each request by what `script` says to its whole text.
    pub(super) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1:0".parse().unwrap(), None, script).await
    }

    pub(super) async fn on(
        at: SocketAddr,
        tls: Option<TlsAcceptor>,
        script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<AtomicUsize> = Arc::default();
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (counted, seen) = (Arc::clone(&connections), Arc::clone(&requests));
        let script: Script = Arc::new(script);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (script, seen, tls) = (Arc::clone(&script), Arc::clone(&seen), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, &script, &seen).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => serve(stream, &script, &seen).await,
                            Err(error) => Err(error),
                        },
                    }
                });
            }
        });
        Self { address, connections, requests, task }
    }

    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    script: &Script,
    seen: &Mutex<Vec<String>>,
) -> io::Result<()> {
    loop {
        let Some(request) = read_request(&mut stream).await? else {
            return Ok(());
        };
        seen.lock().unwrap().push(request.clone());
        for step in script(&request) {
            match step {
                Step::Write(bytes) => {
                    stream.write_all(&bytes).await?;
                    stream.flush().await?;
                }
                Step::Wait(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Step::Hang => std::future::pending().await,
                Step::Close => return stream.shutdown().await,
            }
        }
    }
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<String>> {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with("\r\n\r\n") {
        if stream.read(&mut byte).await? == 0 {
            return Ok(None);
        }
        text.push(char::from(byte[0]));
    }
    let length = text
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0usize);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    text.push_str(&String::from_utf8_lossy(&body));
    Ok(Some(text))
}

/// A whole answer with its length.
pub(super) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<Step> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    vec![Step::Write([head.as_bytes(), body].concat())]
}

pub(super) fn json_answer(body: impl AsRef<[u8]>) -> Vec<Step> {
    answer("200 OK", "content-type: application/json\r\n", body)
}

/// A resolver that gives these answers in turn, the last for ever.
#[derive(Debug)]
pub(super) struct Answers(Mutex<VecDeque<Vec<IpAddr>>>, AtomicUsize);

impl Answers {
    pub(super) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(answers.iter().map(parse).collect()), AtomicUsize::new(0)))
    }

    pub(super) fn asked(&self) -> usize {
        self.1.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Resolve for Answers {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.0.lock().unwrap();
        let next = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        Ok(next.unwrap())
    }
}

pub(super) const LOOPBACK: &str = "127.0.0.0/8";

/// A declaration of `GET /v1/items` at `origin`, with `extra` members, loopback allowed.
pub(super) fn declared(origin: &str, extra: &Value) -> Validated {
    let mut endpoint = json!({ "method": "GET", "path": "/v1/items" });
    endpoint.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    let endpoint: Endpoint = serde_json::from_value(endpoint).unwrap();
    let server: Server = serde_json::from_value(json!({
        "origin": origin, "allow_http": true, "allow_private": [LOOPBACK],
    }))
    .unwrap();
    let policy = Policy { http: true, private: vec![LOOPBACK.parse().unwrap()] };
    validate(&server, &endpoint, &policy).unwrap()
}

/// The request and its options of a declaration called without arguments, with five seconds.
pub(super) fn call(origin: &str, extra: &Value) -> (Built, SendOptions) {
    let validated = declared(origin, extra);
    let now = tokio::time::Instant::now();
    let mut options = SendOptions::declared(&validated, "acme", now);
    options.deadline = now + Duration::from_secs(5);
    (build(&validated, &serde_json::Map::new()).unwrap(), options)
}

pub(super) fn client() -> Client {
    client_with(Answers::new(&[&["127.0.0.1"]]), Limits::default())
}

pub(super) fn client_with(resolver: Arc<dyn Resolve>, limits: Limits) -> Client {
    let roots = RootCertStore::empty();
    Client::new(Settings { resolver, roots, own: Vec::new(), limits }).unwrap()
}

pub(super) fn placed(secret: &str, placement: Placement, origin: &str) -> Placed {
    let origin: Origin = origin.parse().unwrap();
    Placed::new("credential_1", Secret::new(secret), placement, vec![origin])
}
